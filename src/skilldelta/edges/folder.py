"""A folder of the work tree, listed, read and written without ever following a link out of it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import BadUsage, CannotWrite, SkilldeltaError

_MOST_ENTRIES = 50_000
_MOST_DEPTH = 64
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PRIVATE = (".freezing-", ".git")
"""Folders that are passed over: a freeze that was cut off, and a repository's own."""


class Unreadable(SkilldeltaError):
    """A file or folder of the work tree cannot be read."""


class Folder:
    """A folder below a trusted root; links in the path below the root, and inside, are seen and never followed."""

    def __init__(self, root: Path, relative: str = "") -> None:
        self.root = root
        self.relative = "/".join(part for part in relative.split("/") if part not in ("", "."))
        if ".." in relative.split("/") or "\0" in relative:
            raise BadUsage("a path may not hold ..", where=relative)

    @property
    def name(self) -> str:
        """The folder as messages name it: its path from the root."""
        return self.relative or "."

    def exists(self) -> bool:
        """Return True when it is there and is a folder (not a link to one)."""
        try:
            with self._opened():
                return True
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._unreadable(error) from None

    def entries(self) -> dict[str, str]:
        """Return every file below it: path from the folder → git mode (120000 a link, 000000 neither file nor folder).

        A folder that is not there has no entries. Raises Unreadable, naming the path.
        """
        found: dict[str, str] = {}
        try:
            with self._opened() as top:
                for path, mode in _walk(top):
                    found[path] = mode
                    if len(found) > _MOST_ENTRIES:
                        raise Unreadable(f"more than {_MOST_ENTRIES:,} files", where=self.name)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unreadable(error) from None
        return found

    def read(self, path: str, *, limit: int, cut: bool = False) -> bytes:
        """Return the bytes of an ordinary file; raises Unreadable, naming the path.

        One of more than `limit` bytes is refused; with `cut`, its first `limit` bytes are returned.
        """
        *parts, name = path.split("/")
        try:
            with self._opened(*parts) as folder:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
                with os.fdopen(file, "rb") as stream:
                    if not stat.S_ISREG(os.fstat(file).st_mode):
                        raise Unreadable("is not an ordinary file", where=self._below(path))
                    data = stream.read(limit if cut else limit + 1)
        except OSError as error:
            raise self._unreadable(error, path) from None
        if len(data) > limit:
            raise Unreadable(f"has more than {limit:,} bytes", where=self._below(path))
        return data

    def create(self, path: str, data: bytes, *, executable: bool = False) -> bool:
        """Write a new file, and the folders around it; returns False, and writes nothing, when something is there."""
        *parts, name = path.split("/")
        try:
            with self._opened(*parts, make=True) as folder:
                _write(folder, name, data, executable=executable)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._unwritable(error, path) from None
        return True

    def replace(self, name: str, data: bytes) -> None:
        """Write a file of the folder, new or in place of what has that name, whole or not at all.

        The folder must be there. A link of that name is replaced and never followed.
        """
        temporary = f"{_PRIVATE[0]}{name}-{os.getpid()}"
        try:
            with self._opened() as top:
                _write(top, temporary, data, executable=False)
                try:
                    os.rename(temporary, name, src_dir_fd=top, dst_dir_fd=top)
                    os.fsync(top)
                except BaseException:
                    with contextlib.suppress(OSError):
                        os.unlink(temporary, dir_fd=top)
                    raise
        except OSError as error:
            raise self._unwritable(error, name) from None

    def create_folder(self, name: str, files: Iterator[tuple[str, str, bytes]]) -> bool:
        """Write a new folder of files (path, git mode, bytes) that appears whole or not at all.

        Returns False, and writes nothing, when the name is taken.
        """
        temporary = f".freezing-{name}-{os.getpid()}"
        try:
            with self._opened() as top:
                if _exists(top, name):
                    return False
                os.mkdir(temporary, 0o755, dir_fd=top)
                try:
                    inside = Folder(self.root, f"{self.relative}/{temporary}")
                    for path, mode, data in files:
                        inside.create(path, data, executable=mode == "100755")
                    os.rename(temporary, name, src_dir_fd=top, dst_dir_fd=top)
                    os.fsync(top)
                except BaseException:
                    _remove(top, temporary)
                    raise
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                return False
            raise self._unwritable(error, name) from None
        return True

    @contextlib.contextmanager
    def _opened(self, *below: str, make: bool = False) -> Iterator[int]:
        """Open the folder step by step, so that no step can be a link."""
        here = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for step in (*self.relative.split("/"), *below):
                if not step:
                    continue
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(step, 0o755, dir_fd=here)
                deeper = os.open(step, _FOLDER, dir_fd=here)
                os.close(here)
                here = deeper
            yield here
        finally:
            os.close(here)

    def _below(self, path: str) -> str:
        return f"{self.relative}/{path}" if self.relative and path else path or self.name

    def _unreadable(self, error: OSError, path: str = "") -> Unreadable:
        return Unreadable(f"cannot be read: {_reason(error)}", where=self._below(path))

    def _unwritable(self, error: OSError, path: str) -> CannotWrite:
        return CannotWrite(f"cannot be written: {_reason(error)}", where=self._below(path))


def _walk(top: int) -> Iterator[tuple[str, str]]:
    """Yield (path, git mode) of everything below an open folder but folders."""
    for here, folders, files, handle in os.fwalk(".", dir_fd=top, follow_symlinks=False, onerror=_raise):
        prefix = "" if here == "." else here.removeprefix("./") + "/"
        folders[:] = sorted(name for name in folders if not name.startswith(_PRIVATE[0]) and name != _PRIVATE[1])
        if here.count("/") > _MOST_DEPTH:
            raise Unreadable(f"folders are nested deeper than {_MOST_DEPTH} levels", where=prefix[:200])
        for name in (*folders, *files):
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                yield prefix + name, _git_mode(status.st_mode)


def _git_mode(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "120000"
    if not stat.S_ISREG(mode):
        return "000000"
    return "100755" if mode & stat.S_IXUSR else "100644"


def _raise(error: OSError) -> None:
    raise error


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _write(folder: int, name: str, data: bytes, *, executable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            os.fchmod(file, 0o755 if executable else 0o644)
            stream.flush()
            os.fsync(file)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise


def _remove(folder: int, name: str) -> None:
    """Remove a folder of our own making, as far as it can be."""
    with contextlib.suppress(OSError):
        for _, folders, files, handle in os.fwalk(name, topdown=False, dir_fd=folder, follow_symlinks=False):
            for file in files:
                os.unlink(file, dir_fd=handle)
            for each in folders:
                os.rmdir(each, dir_fd=handle)
        os.rmdir(name, dir_fd=folder)


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "it is a symbolic link, and links are not followed"
    if error.errno == errno.ENOTDIR:
        return "a file or a symbolic link stands where a folder should be, and links are not followed"
    return (error.strerror or type(error).__name__).lower()
