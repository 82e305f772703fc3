"""A skill's identity: one hash over its paths, modes and contents (docs/decisions/0003-tree-hash.md)."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.skill import TreeEntry
from ..domain.value import digest


def within(path: str, folder: str) -> str:
    """Return `path` as seen from `folder`, which holds it.

    >>> within("skills/a/b.md", "skills/a"), within("b.md", ".")
    ('b.md', 'b.md')
    """
    return path if folder == "." else path[len(folder) + 1 :]


def tree_hash(folder: str, entries: Iterable[TreeEntry]) -> str:
    """Return the SHA-256 over the sorted (path within `folder`, mode, blob id) of `entries`: 64 hex digits."""
    return digest(sorted([within(entry.path, folder), entry.mode, entry.oid] for entry in entries))
