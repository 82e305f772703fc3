"""The same answers to the same judge a second time: does it agree with itself?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from ..domain.draws import judgment_key
from ..domain.judgment import Judgment
from ..domain.plan import SkillPlan
from ..domain.suite import LlmRubricJudge, Task
from ..domain.trial import TrialKey, TrialStatus
from ..ports import BudgetReached, Journal, Progress
from .rubric import RubricJudge, judged_again

SECOND_TIME = 2
"""The time at which a judge is asked about an answer again."""
Twice = tuple[Judgment, Judgment]


async def judged_twice(
    skill: SkillPlan,
    work: Sequence[tuple[Task, TrialKey]],
    journal: Journal,
    rubric: RubricJudge | None,
    pool: asyncio.Semaphore,
    progress: Progress,
    *,
    seconds_left: float | None,
    most: int,
) -> tuple[Twice, ...]:
    """Return the first and the second judgment of up to `most` answers in the order of `work`, as far as there are two.

    Without `rubric` nobody is asked and the journal's are returned. What the budget did not reach is left out; it is
    in the journal as far as it was paid for.
    """
    asked = [each for task, key in work for each in _first(skill, task, key, journal)][:most]

    if asked:
        progress.round_started(skill, skill.design.rounds + 1, len(asked))

    async def one(task: Task, key: TrialKey, index: int, settings: LlmRubricJudge, first: Judgment) -> Twice:
        async with pool:
            second = await _second(skill, task, key, index, settings, journal, rubric)
        progress.trial_done(skill, key, rubric is None)
        return first, second

    tasks = [asyncio.create_task(one(*each)) for each in asked]
    try:
        async with asyncio.timeout(seconds_left):
            results = await asyncio.gather(*tasks, return_exceptions=True)
    except TimeoutError:
        results = await _cancelled(tasks)
    except BaseException:
        await _cancelled(tasks)
        raise
    return tuple(_kept(results))


async def _cancelled(tasks: Sequence[asyncio.Task[Twice]]) -> list[Twice | BaseException]:
    for task in tasks:
        task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)


def _kept(results: Sequence[Twice | BaseException]) -> Iterator[Twice]:
    for result in results:
        if isinstance(result, tuple):
            yield result
        elif not isinstance(result, BudgetReached | asyncio.CancelledError):
            raise result


def _first(
    skill: SkillPlan, task: Task, key: TrialKey, journal: Journal
) -> Iterator[tuple[Task, TrialKey, int, LlmRubricJudge, Judgment]]:
    outcome = journal.outcome(key.key)
    if outcome is None or outcome.status is not TrialStatus.ANSWERED:
        return
    for index, settings in enumerate(task.judges):
        if isinstance(settings, LlmRubricJudge):
            first = journal.judgment(judgment_key(skill, task, key, index))
            if first is not None:
                yield task, key, index, settings, judged_again(settings, skill, first)


async def _second(
    skill: SkillPlan,
    task: Task,
    key: TrialKey,
    index: int,
    settings: LlmRubricJudge,
    journal: Journal,
    rubric: RubricJudge | None,
) -> Judgment:
    name = judgment_key(skill, task, key, index, time=SECOND_TIME)
    recorded = journal.judgment(name)
    if recorded is not None:
        return judged_again(settings, skill, recorded)
    outcome = journal.outcome(key.key)
    if rubric is None or outcome is None:
        raise BudgetReached("the journal ends before the judge was asked again")
    judgment = await rubric.judge(skill, task, settings, index, outcome.text, name)
    return journal.record_judgment(name, key, judgment)
