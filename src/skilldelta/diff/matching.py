"""Which skill of one tree is which skill of the other: by path, by content, by id, by git's opinion of renames."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..domain.skill import Skill
from .identity import preferred_id
from .places import precedence

Renames = Callable[[Sequence[str]], Iterable[tuple[str, str]]]
"""Asked with paths of SKILL.md files that are left over: (old path, new path) of those that git takes for renamed."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """A skill's folder in the baseline, in the candidate, or in both."""

    baseline: Skill | None
    candidate: Skill | None

    @property
    def contents(self) -> tuple[str | None, str | None]:
        """The two tree hashes: copies that were changed alike have the same."""
        baseline, candidate = self.baseline, self.candidate
        return baseline.tree_hash if baseline else None, candidate.tree_hash if candidate else None

    @property
    def unchanged(self) -> bool:
        """True when path and content are the same."""
        baseline, candidate = self.baseline, self.candidate
        if baseline is None or candidate is None:
            return False
        return (baseline.path, baseline.tree_hash) == (candidate.path, candidate.tree_hash)


def match_folders(baseline: Iterable[Skill], candidate: Iterable[Skill], renames: Renames) -> tuple[Match, ...]:
    """Return every folder of both trees once; `baseline` skills carry the ids that are unique in their tree.

    `renames` is asked only when skills are left over on both sides.
    """
    left = _LeftOver(baseline, candidate)
    left.pair(lambda old: old.path, lambda new: new.path)
    left.pair(lambda old: old.tree_hash, lambda new: new.tree_hash)
    left.pair(lambda old: old.skill_id, preferred_id)
    left.pair(preferred_id, preferred_id)
    if left.baseline and left.candidate:
        renamed = dict(renames([skill.skill_file for skill in (*left.baseline, *left.candidate)]))
        left.pair(lambda old: renamed.get(old.skill_file), lambda new: new.skill_file)
    return left.all()


class _LeftOver:
    """The skills that have no partner yet; the originals come before their copies."""

    def __init__(self, baseline: Iterable[Skill], candidate: Iterable[Skill]) -> None:
        self.baseline = sorted(baseline, key=lambda skill: precedence(skill.path))
        self.candidate = sorted(candidate, key=lambda skill: precedence(skill.path))
        self._matches: list[Match] = []

    def pair(self, key_of_old: Callable[[Skill], str | None], key_of_new: Callable[[Skill], str]) -> None:
        """Make partners of the skills whose keys are the same, in their order."""
        waiting: dict[str, deque[Skill]] = {}
        for new in self.candidate:
            waiting.setdefault(key_of_new(new), deque()).append(new)
        alone, taken = [], set()
        for old in self.baseline:
            key = key_of_old(old)
            if key is not None and waiting.get(key):
                new = waiting[key].popleft()
                taken.add(new.path)
                self._matches.append(Match(baseline=old, candidate=new))
            else:
                alone.append(old)
        self.baseline = alone
        self.candidate = [new for new in self.candidate if new.path not in taken]

    def all(self) -> tuple[Match, ...]:
        """Return the pairs, then those that stay alone."""
        alone = [Match(baseline=old, candidate=None) for old in self.baseline]
        alone += [Match(baseline=None, candidate=new) for new in self.candidate]
        return (*self._matches, *alone)
