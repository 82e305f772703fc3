"""Where skills live: from the paths of a tree alone, which folders are skills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.config import DiscoverySettings
from ..domain.skill import Finding, Severity, TreeEntry
from .path_pattern import segments, takes_in

_STANDARD = re.compile(r"(skills|\.[^/]+/skills|plugins/[^/]+/(\.[^/]+/)?skills)/")
"""What is a skill here is its own, even when the repository's root is a skill too."""

_RANKS = ("skills/", ".claude/skills/", ".agents/skills/", ".github/skills/", "plugins/")
DEEPEST = 64
"""Folders above a SKILL.md; nobody keeps skills deeper, and every step up a path has a bound."""

_NOT_SKILLS = ("node_modules", "vendor", "template", "templates", ".skilldelta")
_OF_A_SKILL = ("scripts", "references", "reference", "assets", "resources", "examples", "evals", "tests", "fixtures")
"""Folders inside a skill whose SKILL.md is material of that skill."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A folder that is a skill, and the file that makes it one."""

    folder: str
    skill_file: TreeEntry
    also: tuple[str, ...] = ()
    """Other spellings of SKILL.md in the same folder."""


def parent(path: str) -> str:
    """Return the folder a path stands in; "." for the repository's root."""
    return path.rpartition("/")[0] or "."


def name_of(path: str) -> str:
    """Return the last name of a path."""
    return path.rpartition("/")[2]


def precedence(folder: str) -> tuple[int, int, str]:
    """Return the key that puts the folder a person would call the original first, and copies of it after."""
    rank = next((rank for rank, start in enumerate(_RANKS) if folder.startswith(start)), len(_RANKS))
    return (-1 if folder == "." else rank, folder.count("/"), folder)


def skill_places(landmarks: Iterable[TreeEntry], settings: DiscoverySettings) -> tuple[Place, ...]:
    """Return the skills among `landmarks`, in the order of their folders.

    Whether a folder is a skill is said by its own path and by `settings`, and never by another SKILL.md: a change that
    puts one above it, or below, neither hides a skill nor makes it part of another.
    """
    by_folder: dict[str, list[TreeEntry]] = {}
    for entry in landmarks:
        if name_of(entry.path).lower() == "skill.md" and entry.path.count("/") <= DEEPEST:
            by_folder.setdefault(parent(entry.path), []).append(entry)
    places = []
    for folder in sorted(by_folder):
        first, *others = sorted(by_folder[folder], key=lambda entry: entry.path)  # upper case sorts first
        if _is_skill(folder, first.path, settings):
            places.append(Place(folder=folder, skill_file=first, also=tuple(entry.path for entry in others)))
    return tuple(places)


def places_passed_over(landmarks: Iterable[TreeEntry], places: Iterable[Place]) -> tuple[str, ...]:
    """Return the files called SKILL.md whose folders are no skills here."""
    taken = {place.folder for place in places}
    files = (entry.path for entry in landmarks if entry.is_file and name_of(entry.path).lower() == "skill.md")
    return tuple(path for path in files if parent(path) not in taken)


def leaves_alone(outer: str, folder: str) -> bool:
    """Return whether the skill in `folder` is no part of the one in the folder `outer` around it.

    A skill is its whole folder, as an agent is given it; but one that is the whole repository, or a folder called
    `skills`, leaves those in the standard places to themselves.
    """
    if outer == ".":
        return bool(_STANDARD.match(f"{folder}/")) and name_of(folder) != "skills"
    return name_of(outer) == "skills"


def links_to_skills(landmarks: Iterable[TreeEntry], places: Sequence[Place]) -> tuple[Finding, ...]:
    """Return a note on every symlink and submodule that stands where a skill could: it is not followed."""
    folders = {place.folder for place in places if place.folder != "."}
    notes = []
    for entry in landmarks:
        parts = entry.path.split("/")
        if entry.is_file or len(parts) > DEEPEST or "skills" not in parts or folders.intersection(above(entry.path)):
            continue
        kind = "a symlink" if entry.mode == "120000" else "a submodule"
        fix = "skills are read where they really stand" if entry.mode == "120000" else "check it in its own repository"
        notes.append(Finding(severity=Severity.NOTE, path=entry.path, message=f"{kind}; it is not followed", fix=fix))
    return tuple(notes)


def _is_skill(folder: str, skill_file: str, settings: DiscoverySettings) -> bool:
    if any(takes_in(pattern, path) for pattern in settings.exclude for path in (folder, skill_file)):
        return False
    refused = _refused(folder)
    if settings.include:
        return any(
            any(takes_in(pattern, path) for path in (folder, skill_file)) and refused <= set(segments(pattern))
            for pattern in settings.include
        )
    parts = folder.split("/")
    return not refused and ("skills" in parts or folder == "." or (len(parts) == 1 and not folder.startswith(".")))


def _refused(folder: str) -> set[str]:
    """Return the names in a path that make its SKILL.md somebody else's, a template, material, or git's."""
    parts = folder.split("/")
    found = {part for part in parts if part in _NOT_SKILLS or (part.startswith(".git") and part != ".github")}
    inside = parts[parts.index("skills") + 2 :] if "skills" in parts else parts if len(parts) == 1 else []
    found.update(part for part in inside if part in _OF_A_SKILL)
    if parts[-1] == "vendor" and parts.count("vendor") == 1 and "skills" in parts:
        found.discard("vendor")  # a skill about vendors
    return found


def above(path: str) -> list[str]:
    """Return every folder above a path, the nearest first and "." last; none for "." itself."""
    found = []
    while path != ".":
        path = parent(path)
        found.append(path)
    return found
