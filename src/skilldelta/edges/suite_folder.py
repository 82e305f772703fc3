"""Suites on disk, as files: where they are, and a frozen version written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from ..domain.suite import ATTRIBUTES_FILE, FreezeRecord
from ..errors import CannotWrite
from .folder import Folder

_AS_THEY_ARE = (
    b"# The bytes of a frozen version are its identity: no line ends, filters or keywords.\n* -text -filter -ident\n"
)


def work_tree_top(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, that holds `.git`; `start` itself when there is none."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)


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
