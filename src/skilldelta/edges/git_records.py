"""What git's plumbing prints, read record by record; no process is started here."""

from __future__ import annotations

from typing import Literal

from ..domain.skill import TreeEntry

Mode = Literal["100644", "100755", "120000", "160000"]


def shown(path: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 are shown as \\xNN."""
    return path.decode("utf-8", "backslashreplace")


def path_of(record: bytes) -> str:
    """Return the path of one record of `git ls-tree -z`."""
    return shown(record[record.index(b"\t") + 1 :])


def sized_entry(record: bytes) -> TreeEntry:
    """Return one record of `git ls-tree -z -l` as an entry."""
    mode, _, oid, size = record[: record.index(b"\t")].decode().split()
    return _entry(record, mode, oid, 0 if size == "-" else int(size))


def unsized_entry(record: bytes) -> TreeEntry:
    """Return one record of `git ls-tree -z` as an entry whose size is not known (0)."""
    mode, _, oid = record[: record.index(b"\t")].decode().split()
    return _entry(record, mode, oid, 0)


def _entry(record: bytes, mode: str, oid: str, size: int) -> TreeEntry:
    path = record[record.index(b"\t") + 1 :]
    text = shown(path)
    return TreeEntry(path=text, mode=_mode(mode), oid=oid, size=size, utf8=text.encode() == path)


def _mode(mode: str) -> Mode:
    """Return the mode as git writes it today; trees of its first years hold others, like 100664."""
    if mode in ("120000", "160000"):
        return "120000" if mode == "120000" else "160000"
    return "100755" if int(mode, 8) & 0o100 else "100644"


def contents(data: bytes) -> dict[str, bytes]:
    """Split the output of `git cat-file --batch` into the content of each object."""
    found, at = {}, 0
    while at < len(data):
        end = data.index(b"\n", at)
        oid, _, size = data[at:end].decode().split()
        found[oid] = data[end + 1 : end + 1 + int(size)]
        at = end + 1 + int(size) + 1
    return found


def is_in(path: str, folders: set[str]) -> bool:
    """Return True when `path` or a folder above it is in `folders`."""
    if path in folders:
        return True
    at = path.rfind("/")
    while at > 0:
        if path[:at] in folders:
            return True
        at = path.rfind("/", 0, at)
    return False
