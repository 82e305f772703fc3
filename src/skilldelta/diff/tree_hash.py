"""A skill's identity: one hash over its paths, modes and contents (docs/decisions/0003-tree-hash.md)."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.skill import SkillBundle, TreeEntry
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


def made_of(original: SkillBundle, made: SkillBundle, how: str) -> SkillBundle:
    """Return a skill that was made of another one, with a hash of its own: over the original's, `how`, and its content.

    What is made in another way by a later version has another hash, so that no recorded trial of it is taken for one
    of this one.
    """
    content = [made.body, [[file.path, file.size, file.text] for file in made.files]]
    return made.model_copy(update={"tree_hash": digest(how, original.tree_hash, content)})
