"""One round: its trials, all at once under the limit, each judged as soon as it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..domain.judged import JudgedTrial
from ..domain.plan import SkillPlan
from ..domain.skill import SkillBundle
from ..domain.suite import Task
from ..domain.trial import Arm, Outcome, TrialKey
from ..ports import BudgetReached, Journal, Progress, Runner

Judge = Callable[[SkillPlan, Task, TrialKey, Outcome], Awaitable[JudgedTrial]]
"""Judges one outcome, through the same pool, journal and budget."""


@dataclass(frozen=True, kw_only=True)
class Floor:
    """Where trials are executed."""

    runner: Runner
    judge: Judge
    journal: Journal
    progress: Progress
    pool: asyncio.Semaphore


async def run_round(
    skill: SkillPlan,
    number: int,
    work: Sequence[tuple[Task, TrialKey]],
    bundles: Mapping[Arm, SkillBundle],
    floor: Floor,
    seconds_left: float | None,
) -> tuple[JudgedTrial, ...] | None:
    """Return the judged attempts of a round's `work` in order, or None when the budget ended before the round did.

    What was finished is in the journal either way. Cancelling this cancels what is in flight.
    """
    floor.progress.round_started(skill, number, len(work))
    tasks: list[asyncio.Task[JudgedTrial]] = []
    ended = asyncio.Event()

    async def one(task: Task, key: TrialKey) -> JudgedTrial:
        recorded = floor.journal.outcome(key.key)
        outcome = recorded
        if outcome is None:
            outcome = floor.journal.record_outcome(key, await floor.runner.run(skill, task, key, bundles.get(key.arm)))
        return await _judged(skill, task, key, outcome, floor, recorded=recorded is not None)

    async def admitted(task: Task, key: TrialKey) -> JudgedTrial:
        try:
            return await one(task, key)
        except BaseException:
            ended.set()
            raise

    try:
        async with asyncio.timeout(seconds_left):
            for task, key in work:
                await floor.pool.acquire()
                if ended.is_set():
                    floor.pool.release()
                    break
                tasks.append(asyncio.create_task(admitted(task, key)))
                # Not in a `finally` of the coroutine: one that is cancelled before its first step never gets there.
                tasks[-1].add_done_callback(lambda _: floor.pool.release())
            results = await asyncio.gather(*tasks, return_exceptions=True)
    except TimeoutError:
        results = await _cancel(tasks)
        # Time may run out in the very moment in which the last trial is recorded: then the round is whole.
        return _collected(results) if len(tasks) == len(work) else None
    except BaseException:
        await _cancel(tasks)
        raise
    return _collected(results)


async def _judged(
    skill: SkillPlan, task: Task, key: TrialKey, outcome: Outcome, floor: Floor, *, recorded: bool
) -> JudgedTrial:
    judged = await floor.judge(skill, task, key, outcome)
    floor.progress.trial_done(skill, key, recorded)
    return judged


async def _cancel(tasks: Iterable[asyncio.Task[JudgedTrial]]) -> list[JudgedTrial | BaseException]:
    """Cancel what is not done, and return what each task came to."""
    for task in tasks:
        task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)


def _collected(results: list[JudgedTrial | BaseException]) -> tuple[JudgedTrial, ...] | None:
    problems = [result for result in results if isinstance(result, BaseException)]
    for problem in problems:
        if not isinstance(problem, BudgetReached | asyncio.CancelledError):
            raise problem
    if problems:
        return None
    return tuple(result for result in results if isinstance(result, JudgedTrial))
