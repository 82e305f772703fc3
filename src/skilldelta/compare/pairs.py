"""Judged attempts become the pairs of a round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..domain.comparison import Pair
from ..domain.judged import TaskRound
from ..domain.trial import Arm

Seen = dict[tuple[str, Arm], set[str]]
"""The answers that each arm has given to each task in earlier rounds, by their digests."""


def pairs_of(values: Iterable[TaskRound], reference: Arm, seen: Seen | None = None) -> tuple[Pair, ...]:
    """Return one pair per task, in the order in which the tasks first appear; both arms' values, None where lost.

    With `seen`, a round in which the server's cache gave any answer of an earlier round again is a copy, all of it: to
    leave out single pairs would weigh the tasks by what a cache holds. The answers of this round are added to `seen`.
    """
    by_task: dict[str, dict[Arm, TaskRound]] = {}
    for value in values:
        by_task.setdefault(value.task_id, {})[value.arm] = value
    known = {} if seen is None else seen
    pairs = tuple(_pair(task_id, arms, reference, known) for task_id, arms in by_task.items())
    if not any(pair.copied for pair in pairs):
        return pairs
    return tuple(pair.model_copy(update={"copied": True}) for pair in pairs)


def _pair(task_id: str, arms: Mapping[Arm, TaskRound], reference: Arm, seen: Seen) -> Pair:
    candidate, other = arms[Arm.CANDIDATE], arms[reference]
    copied = [_is_copy(value, seen) for value in (candidate, other)]
    return Pair(
        task_id=task_id,
        round=candidate.round,
        candidate=candidate.value,
        baseline=other.value,
        copied=any(copied),
    )


def _is_copy(value: TaskRound, seen: Seen) -> bool:
    before = seen.setdefault((value.task_id, value.arm), set())
    given = {attempt.answer_digest for attempt in value.attempts if attempt.answer_digest}
    copy = any(attempt.server_cached and attempt.answer_digest in before for attempt in value.attempts)
    before |= given
    return copy
