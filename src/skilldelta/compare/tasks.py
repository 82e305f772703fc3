"""Single tasks: which dropped so far that a second look is worth its price, and what fresh rounds then say."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.comparison import Pair, Screened, TaskCheck
from ..statistics.two_sample import drop_p_value, holm
from .decision import Rounds

MOST_FAILED = 0.25
"""Share of a task's fresh pairs that may fail; of a task with more nothing is said."""
SCREEN = 0.10
"""One-sided p-value up to which a drop is worth fresh rounds; it decides what is run again and claims nothing."""


def screened(rounds: Rounds) -> tuple[Screened, ...]:
    """Return the tasks whose value dropped with a one-sided mid-p-value of at most 0.10, in the suite's order.

    The p-value compares the task's values in the two arms, unpaired. Nothing is claimed by it, so that the sharper
    mid-p is right: an exact one would hardly ever look at a task after three rounds.
    """
    found = []
    for task_id, (candidate, reference) in _values(rounds).items():
        p_value = drop_p_value(candidate, reference, mid=True)
        if p_value <= SCREEN and _mean(candidate) < _mean(reference):
            found.append(Screened(task_id=task_id, p_value=p_value))
    return tuple(found)


def checks_of(found: Sequence[Screened], fresh: Rounds | None, alpha: float) -> tuple[TaskCheck, ...]:
    """Return what fresh rounds say of each screened task: regressed where Holm's adjusted p-value is at most alpha.

    The p-values are exact (for pass or fail: Fisher's) and one-sided, as a drop is the only claim there is. Only the
    fresh rounds count, so that choosing the tasks by their drop does no harm; of these, failed pairs count as won by
    the candidate. `fresh` None: the budget ended before they were done, and nothing is claimed.
    """
    values = {} if fresh is None else _filled(fresh)
    raw = [drop_p_value(*values[task.task_id]) if values.get(task.task_id, ([], []))[0] else 1.0 for task in found]
    adjusted = holm(raw)
    return tuple(
        _check(task, values.get(task.task_id, ([], [])), p_value, after, alpha)
        for task, p_value, after in zip(found, raw, adjusted, strict=True)
    )


def _check(
    task: Screened, values: tuple[list[int], list[int]], p_value: float, adjusted: float, alpha: float
) -> TaskCheck:
    candidate, reference = values
    known = bool(candidate)
    return TaskCheck(
        task_id=task.task_id,
        screen_p_value=task.p_value,
        rounds=len(candidate),
        candidate=_mean(candidate) / 100 if known else None,
        reference=_mean(reference) / 100 if known else None,
        p_value=p_value if known else None,
        adjusted_p_value=adjusted if known else None,
        regressed=known and adjusted <= alpha,
    )


def _values(rounds: Rounds) -> dict[str, tuple[list[int], list[int]]]:
    """Return each task's values in the two arms, over its observed pairs."""
    values: dict[str, tuple[list[int], list[int]]] = {}
    for pairs in rounds:
        for pair in pairs:
            candidate, reference = values.setdefault(pair.task_id, ([], []))
            if _observed(pair):
                candidate.append(pair.candidate or 0)
                reference.append(pair.baseline or 0)
    return {task_id: arms for task_id, arms in values.items() if arms[0]}


def _filled(rounds: Rounds) -> dict[str, tuple[list[int], list[int]]]:
    """Return the same with failed pairs as full wins of the candidate, without tasks of which over a quarter failed.

    What is to be claimed is a drop, so that this is the worst way for the claim.
    """
    values = _values(rounds)
    for task_id in list(values):
        own = [pair for pairs in rounds for pair in pairs if pair.task_id == task_id]
        failed = sum(pair.failed for pair in own)
        if failed > MOST_FAILED * sum(not pair.copied for pair in own):
            del values[task_id]
            continue
        candidate, reference = values[task_id]
        candidate += [100] * failed
        reference += [0] * failed
    return values


def _observed(pair: Pair) -> bool:
    return pair.difference is not None


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
