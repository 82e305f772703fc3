"""What this room asks of a repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ..domain.skill import TreeEntry


class TreeReader(Protocol):
    """Reads trees and blobs by the ids of commits and objects."""

    def landmarks(self, commit: str) -> tuple[TreeEntry, ...]:
        """Return each SKILL.md (in any spelling), symlink and submodule of a commit; sizes may be 0."""
        ...

    def tree(self, commit: str, folders: Sequence[str] = ()) -> tuple[TreeEntry, ...]:
        """Return every entry in `folders` ("." is all of them)."""
        ...

    def blobs(self, oids: Iterable[str], *, limit: int) -> Mapping[str, bytes | None]:
        """Return the content of each blob; None for one of more than `limit` bytes."""
        ...

    def renamed_files(self, base: str, head: str, paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return (old path, new path) of the files among `paths` that were renamed, perhaps with edits."""
        ...
