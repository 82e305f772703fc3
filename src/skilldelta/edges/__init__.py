"""The only rooms with doors: everything that starts a process, opens a file or a connection."""
