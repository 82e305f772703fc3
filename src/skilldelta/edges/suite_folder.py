"""Suites on disk: found, read, and frozen into a new version that appears whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from ..domain.suite import FreezeRecord
from ..errors import BadSuite, CannotWrite
from ..reading.fixtures import MOST_BYTES, Entries, Read
from ..reading.frozen_suite import DRAFT_NAMES, FoundSuite, find_frozen
from ..reading.frozen_version import ATTRIBUTES, NAME
from .folder import Folder
from .git import GitRepository

_AS_THEY_ARE = (
    b"# The bytes of a frozen version are its identity: no line ends, filters or keywords.\n* -text -filter -ident\n"
)


def work_tree_top(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, that holds `.git`; `start` itself when there is none."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


def suite_folders(root: Path, suites: str) -> tuple[str, ...]:
    """Return the folders under `<root>/<suites>` that hold a draft or a frozen version, by their path from `suites`."""
    found = set()
    for path in Folder(root, suites).entries():
        *folders, name = path.split("/")
        version = next((at for at, folder in enumerate(folders) if NAME.fullmatch(folder)), None)
        if version is not None:
            found.add("/".join(folders[:version]))
        elif name in DRAFT_NAMES and "fixtures" not in folders:
            found.add("/".join(folders))
    return tuple(sorted(found - {""}))


def read_suite_folder(folder: Folder) -> FoundSuite:
    """Return what a suite's folder in the work tree holds; raises Unreadable for what the system refuses to give."""
    return find_frozen(folder.entries(), lambda path: folder.read(path, limit=MOST_BYTES), where=folder.name)


def committed_suite(repository: GitRepository, commit: str, folder: str) -> tuple[Entries, Read]:
    """Return the entries of a suite's folder at a commit and how to read them, as `find_frozen` wants them."""
    below = f"{folder}/"
    tree = {
        entry.path.removeprefix(below): entry
        for entry in repository.tree(commit, [folder])
        if entry.path.startswith(below)
    }
    blobs = repository.blobs([entry.oid for entry in tree.values() if entry.is_file], limit=MOST_BYTES)

    def read(path: str) -> bytes:
        data = blobs[tree[path].oid]
        if data is None:
            raise BadSuite(f"has more than {MOST_BYTES:,} bytes", where=below + path, fix="leave it out of the suite")
        return data

    return {path: entry.mode for path, entry in tree.items()}, read


def write_version(folder: Folder, found: FoundSuite, record: FreezeRecord) -> str:
    """Write the draft of `found` as the version of `record`; returns the new folder's path from the root.

    Raises CannotWrite: the version is there already, a fixture changed meanwhile, or the system refuses.
    """
    if not folder.create_folder(record.name, _files(folder, found, record)):
        raise CannotWrite(
            "is there already, and a frozen version is never overwritten",
            where=f"{folder.name}/{record.name}",
            fix="run skilldelta suite list, and freeze again",
        )
    return f"{folder.name}/{record.name}"


def _files(folder: Folder, found: FoundSuite, record: FreezeRecord) -> Iterator[tuple[str, str, bytes]]:
    yield "suite.yaml", "100644", found.draft.raw if found.draft else b""
    yield ATTRIBUTES, "100644", _AS_THEY_ARE
    for file in record.fixtures:
        data = folder.read(file.path, limit=MOST_BYTES)
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise CannotWrite(
                "changed while it was being frozen", where=f"{folder.name}/{file.path}", fix="freeze again"
            )
        yield file.path, file.mode, data
    yield "freeze.json", "100644", (record.model_dump_json(indent=2) + "\n").encode()
