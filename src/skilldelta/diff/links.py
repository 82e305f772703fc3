"""Symlinks and submodules where skills live: never followed, and never passed over in silence."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from ..domain.skill import TreeEntry
from .places import above
from .tree_reader import TreeReader

_LONGEST = 4096
_HOMES = (".agents", ".claude", ".github", "plugins")
"""Folders at the top in which agents look for skills."""


def where_skills_are(entry: TreeEntry) -> bool:
    """Return whether a link or submodule stands in the way to a place of skills."""
    return not entry.is_file and ("skills" in entry.path.split("/") or entry.path in _HOMES)


def led_elsewhere(
    reader: TreeReader, before: Iterable[TreeEntry], after: Iterable[TreeEntry], folders: Sequence[str]
) -> tuple[str, ...]:
    """Return the links that are new, or point elsewhere now, and do not lead to skills that are found by themselves.

    `folders`: where the candidate's skills are. A link to one of them, or to a folder around some, is common and fine;
    one inside a skill is that skill's fault, and said there.
    """
    known = {(entry.path, entry.mode, entry.oid) for entry in before}
    new = [
        entry
        for entry in after
        if where_skills_are(entry)
        and (entry.path, entry.mode, entry.oid) not in known
        and not _is_inside(entry, folders)
    ]
    targets = reader.blobs([entry.oid for entry in new if entry.mode == "120000"], limit=_LONGEST)
    return tuple(entry.path for entry in new if not _leads_to_skills(entry, targets.get(entry.oid), folders))


def replaced_by(folder: str, links: Iterable[TreeEntry], elsewhere: Iterable[str]) -> str | None:
    """Return what stands in the place of a skill's folder, of its SKILL.md or of a folder around it, if it is a link.

    `elsewhere`: the links that lead to no skill that is found by itself.
    """
    ways = {folder, *above(folder)}
    for entry in links:
        holds = entry.path in ways or (entry.path.lower() == f"{folder}/skill.md".lower())
        if holds and entry.path in set(elsewhere):
            return "a symlink" if entry.mode == "120000" else "a submodule"
    return None


def _is_inside(entry: TreeEntry, folders: Sequence[str]) -> bool:
    return any(entry.path.startswith(f"{folder}/") for folder in folders)


def _leads_to_skills(entry: TreeEntry, target: bytes | None, folders: Sequence[str]) -> bool:
    if entry.mode != "120000" or target is None or target.startswith(b"/"):
        return False
    place = posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), target.decode("utf-8", "replace")))
    return any(folder == place or folder.startswith(f"{place}/") for folder in folders)
