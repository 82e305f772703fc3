"""Suites on disk and at commits, as files: listed, read, and a frozen version written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ..domain.suite import ATTRIBUTES_FILE, FreezeRecord
from ..errors import BadSuite, CannotWrite
from .folder import Folder
from .git import GitRepository

_AS_THEY_ARE = (
    b"# The bytes of a frozen version are its identity: no line ends, filters or keywords.\n* -text -filter -ident\n"
)


def work_tree_top(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, that holds `.git`; `start` itself when there is none."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


def committed_suite(
    repository: GitRepository, commit: str, folder: str, *, limit: int
) -> tuple[Mapping[str, str], Callable[[str], bytes]]:
    """Return the entries (path → git mode) of a suite's folder at a commit, and how to read them.

    Reading raises BadSuite for a file of more than `limit` bytes.
    """
    below = f"{folder}/"
    tree = {
        entry.path.removeprefix(below): entry
        for entry in repository.tree(commit, [folder])
        if entry.path.startswith(below)
    }
    blobs = repository.blobs([entry.oid for entry in tree.values() if entry.is_file], limit=limit)

    def read(path: str) -> bytes:
        data = blobs[tree[path].oid]
        if data is None:
            raise BadSuite(f"has more than {limit:,} bytes", where=below + path, fix="leave it out of the suite")
        return data

    return {path: entry.mode for path, entry in tree.items()}, read


def write_version(folder: Folder, record: FreezeRecord, draft: bytes) -> str:
    """Write the text of the draft, and the fixtures of `record`, as its version; returns the new folder's path.

    Raises CannotWrite: the version is there already, a fixture changed meanwhile, or the system refuses.
    """
    if not folder.create_folder(record.name, _files(folder, record, draft)):
        raise CannotWrite(
            "is there already, and a frozen version is never overwritten",
            where=f"{folder.name}/{record.name}",
            fix="run skilldelta suite list, and freeze again",
        )
    return f"{folder.name}/{record.name}"


def _files(folder: Folder, record: FreezeRecord, draft: bytes) -> Iterator[tuple[str, str, bytes]]:
    yield "suite.yaml", "100644", draft
    yield ATTRIBUTES_FILE, "100644", _AS_THEY_ARE
    for file in record.fixtures:
        data = folder.read(file.path, limit=file.size + 1, cut=True)
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise CannotWrite(
                "changed while it was being frozen", where=f"{folder.name}/{file.path}", fix="freeze again"
            )
        yield file.path, file.mode, data
    yield "freeze.json", "100644", (record.model_dump_json(indent=2) + "\n").encode()
