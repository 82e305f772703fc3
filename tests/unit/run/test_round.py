"""A round runs every task in both arms, pays for nothing twice, and ends cleanly whatever happens."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from fakes import MemoryJournal, SilentProgress, answered, bundle, skill_plan, task
from skilldelta.domain.draws import round_keys
from skilldelta.domain.judged import JudgedTrial
from skilldelta.domain.plan import SkillPlan
from skilldelta.domain.skill import SkillBundle
from skilldelta.domain.suite import Task
from skilldelta.domain.trial import Arm, Outcome, TrialKey
from skilldelta.judge.trial import TaskJudges
from skilldelta.ports import BudgetReached
from skilldelta.run.round import Floor, run_round

PLAN = skill_plan(*[task(f"task-{number}") for number in range(6)])
BUNDLES = {Arm.CANDIDATE: bundle("new"), Arm.BASELINE: bundle("old")}
Act = Callable[[TrialKey], Awaitable[Outcome]]


@dataclass
class Acting:
    """A runner that does what the test says, and remembers who came, who is in flight and who was cut off."""

    act: Act
    started: list[TrialKey] = field(default_factory=list)
    bundles: list[tuple[Arm, SkillBundle | None]] = field(default_factory=list)
    cut_off: list[TrialKey] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    async def run(self, skill: SkillPlan, task: Task, key: TrialKey, bundle: SkillBundle | None) -> Outcome:
        """Do it."""
        assert skill.skill_id == key.skill_id
        assert task.id == key.task_id
        self.started.append(key)
        self.bundles.append((key.arm, bundle))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self.act(key)
        except asyncio.CancelledError:
            self.cut_off.append(key)
            raise
        finally:
            self.in_flight -= 1


async def at_once(key: TrialKey) -> Outcome:
    """Answer with the trial's name."""
    await asyncio.sleep(0)
    return answered(f"yes {key.task_id} {key.arm}")


async def for_ever(_: TrialKey) -> Outcome:
    """Wait until cancelled."""
    await asyncio.Event().wait()
    raise AssertionError


def floor(
    act: Act = at_once, *, pool: int = 4, journal: MemoryJournal | None = None
) -> tuple[Floor, Acting, MemoryJournal, SilentProgress]:
    """Return a floor with its parts."""
    runner, journal, progress = Acting(act), journal or MemoryJournal(), SilentProgress()
    made = Floor(
        runner=runner, judge=TaskJudges(journal, None), journal=journal, progress=progress, pool=asyncio.Semaphore(pool)
    )
    return made, runner, journal, progress


def free(made: Floor) -> int:
    """Return how many places of the pool are free."""
    return made.pool._value


def names(trials: Sequence[JudgedTrial | TrialKey]) -> list[tuple[str, Arm, int]]:
    """Return who they are."""
    return [(trial.task_id, trial.arm, trial.attempt) for trial in trials]


async def test_a_round() -> None:
    """Every task runs once in both arms, each with its own arm's skill, and each trial is recorded and judged."""
    made, runner, journal, progress = floor()
    trials = await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None)
    assert trials is not None
    keys = [key for _, key in round_keys(PLAN, 1)]
    assert names(trials) == names(keys) == names(runner.started)
    assert {name: sum(key.arm is name for key in keys) for name in PLAN.arms} == dict.fromkeys(PLAN.arms, 6)
    assert all(given == BUNDLES[arm] for arm, given in runner.bundles)
    assert [trial.excerpt for trial in trials] == [f"yes {key.task_id} {key.arm}" for key in keys]
    assert {trial.value for trial in trials} == {100}
    assert list(journal.outcomes) == [key.key for key in keys]
    assert progress.rounds == [(1, 12)]
    assert [recorded for _, recorded in progress.done] == [False] * 12
    assert free(made) == 4


async def test_time_that_runs_out_with_the_last_record_leaves_the_round_whole() -> None:
    """A replay finds every trial in the journal: so the round counts in the run as well, though time is over."""

    async def blocking(key: TrialKey) -> Outcome:
        time.sleep(0.02)  # noqa: ASYNC251 - nothing of the loop's comes to pass before the last one is recorded
        return answered(f"yes {key.task_id}")

    made, _, journal, _ = floor(blocking, pool=64)
    trials = await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, 0.1)
    assert len(journal.outcomes) == 12
    assert trials is not None
    assert len(trials) == 12


async def test_time_that_ends_a_round_leaves_nobody_unheard(caplog: pytest.LogCaptureFixture) -> None:
    """A trial that found no budget left, just before time cancels the others, is no exception that nobody took."""

    async def over(key: TrialKey) -> Outcome:
        if key.task_id == PLAN.tasks[0].id:
            raise BudgetReached("max_minutes (1)")
        return await for_ever(key)

    made, _, _, _ = floor(over, pool=64)
    assert await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, 0.05) is None
    gc.collect()
    await asyncio.sleep(0)
    assert caplog.records == []


async def test_control_runs_without_a_skill() -> None:
    """The control arm is given nothing."""
    plan = skill_plan(reference=Arm.CONTROL, reference_tree=None)
    made, runner, _, _ = floor()
    assert await run_round(plan, 1, list(round_keys(plan, 1)), {Arm.CANDIDATE: bundle("new")}, made, None)
    assert dict(runner.bundles) == {Arm.CANDIDATE: bundle("new"), Arm.CONTROL: None}


async def test_attempts() -> None:
    """`pass_k` attempts of each trial run in every round, under keys of their own."""
    plan = skill_plan(task("a"), task("b"), pass_k=3)
    made, runner, _, _ = floor()
    trials = await run_round(plan, 1, list(round_keys(plan, 1)), BUNDLES, made, None)
    assert trials is not None
    assert sorted(names(trials)) == sorted(
        (name, arm, attempt) for name in "ab" for arm in plan.arms for attempt in (1, 2, 3)
    )
    assert len({key.key for key in runner.started}) == 12


async def test_the_order_of_the_arms_is_drawn() -> None:
    """Which arm goes first changes from task to task and from round to round, and is the same on every run."""
    firsts = []
    for number in (1, 2, 1):
        made, runner, _, _ = floor(pool=1)
        await run_round(PLAN, number, list(round_keys(PLAN, number)), BUNDLES, made, None)
        firsts.append([key.arm for key in runner.started[::2]])
    assert firsts[0] == firsts[2] != firsts[1]
    assert len(set(firsts[0])) == 2


async def test_the_result_does_not_depend_on_who_is_ready_first() -> None:
    """Trials come back in the order in which they were sent, however long each took."""
    turns = {key.key: number for number, (_, key) in enumerate(round_keys(PLAN, 1))}

    async def last_first(key: TrialKey) -> Outcome:
        for _ in range(60 - 5 * turns[key.key]):
            await asyncio.sleep(0)
        return await at_once(key)

    made, _, journal, _ = floor(last_first, pool=12)
    trials = await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None)
    assert trials is not None
    assert names(trials) == names([key for _, key in round_keys(PLAN, 1)])
    assert list(journal.outcomes) == list(reversed(turns))


@pytest.mark.parametrize("pool", [1, 3, 64])
async def test_the_pool_is_the_limit(pool: int) -> None:
    """Never more trials are in flight than the pool has places, and it is used to the full."""
    made, runner, _, _ = floor(pool=pool)
    await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None)
    assert runner.most_in_flight == min(pool, 12)


async def test_what_is_recorded_is_not_run_again() -> None:
    """An outcome that the journal holds is judged as it stands; only the others are run."""
    _, _, journal, _ = floor()
    recorded = [key for _, key in round_keys(PLAN, 1)][:5]
    for key in recorded:
        journal.record_outcome(key, answered("from the journal"))
    made, runner, _, progress = floor(journal=journal)
    trials = await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None)
    assert trials is not None
    assert [trial.value for trial in trials] == [0] * 5 + [100] * 7
    assert not {key.key for key in runner.started} & {key.key for key in recorded}
    assert sorted(flag for _, flag in progress.done) == [False] * 7 + [True] * 5
    again, runner, _, progress = floor(journal=journal)
    assert await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, again, None) == trials
    assert (runner.started, [flag for _, flag in progress.done]) == ([], [True] * 12)


async def test_the_end_of_the_budget() -> None:
    """A round that the budget ended has no result; what was in flight is finished and recorded, nothing more begins."""
    made, runner, journal, _ = floor(pool=4)
    begun: list[TrialKey] = []

    async def until_the_fourth(key: TrialKey) -> Outcome:
        begun.append(key)
        if len(begun) == 4:
            raise BudgetReached("max_calls (3)")
        await asyncio.sleep(0.02)
        return await at_once(key)

    runner.act = until_the_fourth
    assert await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None) is None
    assert list(journal.outcomes) == [key.key for key in begun[:3]]
    assert (len(begun), runner.cut_off, free(made)) == (4, [], 4)


async def test_a_crash_ends_the_round() -> None:
    """A bug in one trial begins no further one, lets those in flight be recorded, and is raised as it is."""
    begun: list[TrialKey] = []

    async def crash(key: TrialKey) -> Outcome:
        begun.append(key)
        if len(begun) == 2:
            raise ZeroDivisionError("a bug")
        await asyncio.sleep(0.01)
        return await at_once(key)

    made, runner, journal, _ = floor(crash, pool=3)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None)
    assert len(begun) == 3
    assert list(journal.outcomes) == [begun[0].key, begun[2].key]
    assert (runner.in_flight, free(made)) == (0, 3)


async def test_a_crash_counts_for_more_than_the_budget() -> None:
    """When the budget ends and something breaks in the same round, what broke is said."""
    ends: list[BaseException] = [BudgetReached("max_calls (3)"), ZeroDivisionError("a bug")]

    async def both(_: TrialKey) -> Outcome:
        raise ends.pop(0)

    made, _, _, _ = floor(both, pool=2)
    with pytest.raises(ZeroDivisionError):
        await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None)


@pytest.mark.parametrize("pool", [4, 64])
async def test_cancelling(pool: int) -> None:
    """Cancelling the round cancels everything in flight before it returns, and every place is free again."""
    made, runner, journal, _ = floor(for_ever, pool=pool)
    going = asyncio.create_task(run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, None))
    while len(runner.started) < min(pool, 12):  # noqa: ASYNC110 - a few turns of the loop
        await asyncio.sleep(0)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert names(runner.cut_off) == names(runner.started)
    assert (journal.outcomes, runner.in_flight, free(made)) == ({}, 0, pool)


@pytest.mark.parametrize("pool", [4, 64])
async def test_the_end_of_the_time(pool: int) -> None:
    """A round that runs out of time has no result; what was finished is recorded, the rest is cancelled."""
    quick = {key.key for _, key in list(round_keys(PLAN, 1))[:3]}

    async def some(key: TrialKey) -> Outcome:
        return await (at_once(key) if key.key in quick else for_ever(key))

    made, runner, journal, _ = floor(some, pool=pool)
    assert await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, 0.05) is None
    assert set(journal.outcomes) == quick
    assert len(runner.cut_off) == len(runner.started) - 3
    assert (runner.in_flight, free(made)) == (0, pool)


@pytest.mark.parametrize("seconds", [0.0, -5.0])
async def test_no_time_at_all(seconds: float) -> None:
    """A round without time begins no trial and gives every place back."""
    made, runner, _, _ = floor(pool=64)
    assert await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, seconds) is None
    assert (runner.started, free(made)) == ([], 64)


async def test_a_runners_own_timeout_is_no_end_of_the_time() -> None:
    """A TimeoutError that a trial raises is a bug in it, not the end of the budget."""

    async def late(_: TrialKey) -> Outcome:
        raise TimeoutError("a trial's own")

    made, _, _, _ = floor(late)
    with pytest.raises(TimeoutError, match="a trial's own"):
        await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, made, 60)


async def test_the_budget_may_end_at_a_judge() -> None:
    """A judge that the budget refuses ends the round too; the outcome stays recorded, so that it is not paid again."""
    made, _, journal, progress = floor(pool=1)

    async def refused(skill: SkillPlan, task: Task, key: TrialKey, outcome: Outcome) -> JudgedTrial:  # noqa: ARG001 - a judge's
        raise BudgetReached("max_calls (1)")

    poor = Floor(runner=made.runner, judge=refused, journal=journal, progress=progress, pool=made.pool)
    assert await run_round(PLAN, 1, list(round_keys(PLAN, 1)), BUNDLES, poor, None) is None
    assert (len(journal.outcomes), progress.done) == (1, [])
