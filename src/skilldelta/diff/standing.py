"""The skills of one commit as they stand, for runs that compare a skill with something else than what it was."""

from __future__ import annotations

from ..domain.config import DiscoverySettings
from ..domain.skill import ChangeKind, SkillChange
from .body import analysed
from .discover import discover
from .tree_reader import TreeReader


def standing_skills(reader: TreeReader, commit: str, settings: DiscoverySettings) -> tuple[SkillChange, ...]:
    """Return every skill of a commit once, as a change of nothing: baseline and candidate are the same."""
    found = discover(reader, commit, settings).skills
    return tuple(
        SkillChange(
            skill_id=skill.skill_id, kind=ChangeKind.UNCHANGED, baseline=analysed(skill), candidate=analysed(skill)
        )
        for skill in sorted(found, key=lambda skill: skill.path)
    )
