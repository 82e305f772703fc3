"""Changes, frozen suites and configuration become an ordered plan of paired trials, with its price."""
