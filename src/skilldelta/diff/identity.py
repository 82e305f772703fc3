"""Under which id a skill is known: stable, safe as a folder's name, and unique within a tree."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ..domain.skill import Finding, Severity, Skill
from ..domain.value import digest
from .places import name_of, precedence

_MOST_BYTES = 120


def preferred_id(skill: Skill) -> str:
    """Return the id a skill would have alone: its name when that is a safe file name, else its folder's, made safe."""
    name = unicodedata.normalize("NFC", skill.name)
    if name and name == _safe(name):
        return name
    return _safe(name_of(skill.path)) or _safe(name) or "skill"


def path_id(folder: str) -> str:
    """Return an id that tells where a skill stands: `plugins.a.skills.review`.

    >>> path_id(".claude/skills/review")
    'claude.skills.review'
    """
    return _safe(".".join(_safe(part) for part in folder.split("/"))) or "skill"


class Ids:
    """Gives out ids; one that differs from another only in case counts as taken, as on some file systems."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}

    def reserve(self, skill_id: str, folder: str) -> bool:
        """Take an id for a folder; False when another folder has it."""
        return self._owners.setdefault(skill_id.casefold(), folder) == folder

    def owner(self, skill_id: str) -> str:
        """Return the folder that has an id."""
        return self._owners[skill_id.casefold()]

    def by_path(self, folder: str) -> str:
        """Take and return an id made from the folder's path."""
        wanted = path_id(folder)
        if not self.reserve(wanted, folder):
            wanted = f"{wanted}-{digest(folder)[:8]}"
            self.reserve(wanted, folder)
        return wanted

    def give(self, skill: Skill, wanted: str) -> Skill:
        """Return `skill` with the id `wanted`, or with one by its path and a warning that says who has the other."""
        if self.reserve(wanted, skill.path):
            return skill.model_copy(update={"skill_id": wanted})
        skill_id = self.by_path(skill.path)
        warning = Finding(
            severity=Severity.WARNING,
            path=skill.skill_file,
            message=f"{self.owner(wanted)} holds another skill called {wanted!r}; this one's id is {skill_id!r}",
            fix="give the two skills different names, or make them the same",
        )
        return skill.model_copy(update={"skill_id": skill_id, "findings": (*skill.findings, warning)})


def distinct(folders: Iterable[Skill]) -> tuple[Skill, ...]:
    """Return each skill of a tree once, with a unique id and the folders of its identical copies; sorted by path.

    Of several different skills with one name the one that comes first (`skills/` before `.claude/skills/` before …,
    then the shorter path) keeps the plain id, so that a further one never changes the ids of those before it.
    """
    same: dict[str, list[Skill]] = {}
    for skill in sorted(folders, key=lambda skill: precedence(skill.path)):
        same.setdefault(skill.tree_hash, []).append(skill)
    ids = Ids()
    named = [
        ids.give(first.model_copy(update={"copies": tuple(copy.path for copy in copies)}), preferred_id(first))
        for first, *copies in same.values()
    ]
    return tuple(sorted(named, key=lambda skill: skill.path))


def _safe(text: str) -> str:
    """Return `text` with only letters, digits, `.`, `_` and `-`, not starting with `.` or `-`, of at most 120 bytes."""
    kept = "".join(char if _allowed(char) else "-" for char in unicodedata.normalize("NFC", text))
    return kept.lstrip(".-").encode()[:_MOST_BYTES].decode(errors="ignore")


def _allowed(char: str) -> bool:
    return char.isalnum() or char in "._-" or unicodedata.category(char).startswith("M")
