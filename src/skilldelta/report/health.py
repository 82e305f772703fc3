"""What the trials of one skill say of its suite: tasks that show nothing, and what to do about them."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ..statistics.agreement import wilson_interval

ENOUGH = 4
"""Trials below which nothing is said of a task."""
FLAKY = 0.32
"""Discordance of a task that passes between one and four times in five: 2·0.2·0.8.

It is the estimate that is compared, so few trials tell little: a task that passes 19 times in 20 is called flaky by
chance in 19 % of the runs with 4 trials, 26 % with 6, 6 % with 8 and 2 % with 20.
"""
_NAMED = 8
Kind = Literal["saturated", "impossible", "flaky", "steady", "unknown"]


class TaskHealth(NamedTuple):
    """One task over all trials of one skill, values in [0, 1]."""

    task_id: str
    trials: int
    mean: float | None
    lowest: float | None
    highest: float | None
    discordance: float | None
    """Expected squared difference of two trials; for passes the chance that they differ."""
    discordance_interval: tuple[float, float] | None
    """Approximate 95 % interval; None for scores, and where the discordance is not known."""
    kind: Kind


def task_health(task_id: str, arms: Sequence[Sequence[int | None]]) -> TaskHealth:
    """Return what a task showed; `arms` holds the values in hundredths of the arms of one and the same skill, None
    where lost.

    The discordance is twice the sample variance (n − 1) of all trials: for passes 2p(1 − p)·n/(n − 1).

    >>> task_health("a", [[100, 0], [100, 100]]).discordance
    0.5
    """
    values = [value / 100 for arm in arms for value in arm if value is not None]
    discordance = 2 * statistics.variance(values) if len(values) > 1 else None
    return TaskHealth(
        task_id=task_id,
        trials=len(values),
        mean=statistics.fmean(values) if values else None,
        lowest=min(values, default=None),
        highest=max(values, default=None),
        discordance=discordance,
        discordance_interval=_discordance_interval(values),
        kind=_kind(values, discordance),
    )


def _discordance_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval for 2p(1 − p)·n/(n − 1) that follows from Wilson's for p, which holds the estimate.

    On average over p it covers .96; least (.90 at 20 trials) near p = 0 and 1, as Wilson's does.
    """
    trials = len(values)
    if trials < 2 or not set(values) <= {0.0, 1.0}:
        return None

    def differing(rate: float) -> float:
        return min(1.0, 2 * rate * (1 - rate) * trials / (trials - 1))

    low, high = wilson_interval(sum(values) / trials, trials)
    ends = differing(low), differing(high)
    return min(ends), differing(0.5) if low <= 0.5 <= high else max(ends)


def _kind(values: Sequence[float], discordance: float | None) -> Kind:
    if len(values) < ENOUGH or discordance is None:
        return "unknown"
    if min(values) == 1:
        return "saturated"
    if max(values) == 0:
        return "impossible"
    return "flaky" if discordance >= FLAKY else "steady"


def suite_discordance(tasks: Sequence[TaskHealth]) -> float | None:
    """Return the mean over the tasks whose discordance is known, in [0, 1]; None without one."""
    known = [task.discordance for task in tasks if task.discordance is not None]
    return min(1.0, statistics.fmean(known)) if known else None


def findings(
    tasks: Sequence[TaskHealth],
    *,
    leaks: Sequence[str] = (),
    quoting_answers: int = 0,
    answers: int = 0,
    judge_agreement_low: bool = False,
) -> tuple[str, ...]:
    """Return what is wrong with the suite, each in one sentence with what to do."""
    return (
        *_about_tasks(tasks),
        *(f"{leak}: take it out of the skill, or ask something else" for leak in leaks),
        *_about_answers(quoting_answers, answers),
        *(
            ["the judging model often disagrees with itself: sharpen the rubric, or use a deterministic judge"]
            if judge_agreement_low
            else []
        ),
    )


def _about_tasks(tasks: Sequence[TaskHealth]) -> Iterator[str]:
    saturated, impossible, flaky = (
        [task.task_id for task in tasks if task.kind == kind] for kind in ("saturated", "impossible", "flaky")
    )
    if tasks and len(saturated) == len(tasks):
        yield "every trial of every task passed: a suite that cannot fail cannot show a difference; ask harder things"
    elif saturated:
        yield (
            f"saturated, as every trial passed, {_counted(saturated, tasks)}; they cost trials and show only drops: "
            "retire them in the next suite version, or make them harder"
        )
    if tasks and len(impossible) == len(tasks):
        yield "no trial of any task reached anything: check the judges and the prompts before anything else"
    elif impossible:
        yield f"never passed by any trial, {_counted(impossible, tasks)}; check judge and prompt"
    if unknown := [task.task_id for task in tasks if task.kind == "unknown"]:
        yield f"fewer than {ENOUGH} trials have a value, so nothing is said of: {_named(unknown)}; run more rounds"
    if flaky:
        yield (
            f"flaky, as one and the same skill passes and fails, {_counted(flaky, tasks)}; they need the most rounds: "
            "a sharper prompt or judge makes the suite cheaper"
        )


def _about_answers(quoting: int, answers: int) -> Iterator[str]:
    if quoting:
        yield (
            f"{quoting} of {answers} answers quote twelve words in a row of the skill: look whether the judges ask for "
            "more than that"
        )


def _counted(names: Sequence[str], tasks: Sequence[TaskHealth]) -> str:
    return f"{len(names)} of {len(tasks)} tasks: {_named(names)}"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
