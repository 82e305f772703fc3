"""Judged attempts become the pairs of a round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..domain.comparison import Pair
from ..domain.judged import TaskRound
from ..domain.trial import Arm


def pairs_of(values: Iterable[TaskRound], reference: Arm) -> tuple[Pair, ...]:
    """Return one pair per task, in the order in which the tasks first appear; both arms' values, None where lost."""
    by_task: dict[str, dict[Arm, TaskRound]] = {}
    for value in values:
        by_task.setdefault(value.task_id, {})[value.arm] = value
    return tuple(_pair(task_id, arms, reference) for task_id, arms in by_task.items())


def _pair(task_id: str, arms: Mapping[Arm, TaskRound], reference: Arm) -> Pair:
    candidate, other = arms[Arm.CANDIDATE], arms[reference]
    return Pair(task_id=task_id, round=candidate.round, candidate=candidate.value, baseline=other.value)
