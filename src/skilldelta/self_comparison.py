"""A skill against itself: run → judge → judge again → what is on record of the suite from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .compare.false_alarms import false_alarms
from .domain.calibration import Calibration
from .domain.draws import round_keys
from .domain.measured import Measured
from .domain.plan import MOST_JUDGED_TWICE, Plan, SkillPlan
from .domain.skill import SkillBundle
from .domain.suite import Task
from .domain.trial import Arm, TrialKey
from .judge.again import Twice, judged_twice
from .one_skill import measure_skill
from .pipeline import Edges, begun_budget, floor_of, recorded_floor, rubric_of
from .plan.known import known_of
from .plan.reach import design_for
from .ports import Clock, Journal, Progress
from .report.build import Told, spent_on
from .report.calibration import alarms_of, calibration_of, values_of

Found = tuple[Measured, tuple[Twice, ...]]


async def calibrate(
    plan: Plan, bundles: Mapping[tuple[str, Arm], SkillBundle], edges: Edges, told: Told
) -> tuple[Calibration, ...]:
    """Run every skill of the plan against itself, all rounds of it, and return what is then known of its suite."""
    budget = begun_budget(plan, edges)
    heard: set[str] = set()
    found: list[Found] = []
    for skill in plan.skills:
        own = {arm: bundles[skill.skill_id, arm] for arm in skill.arms}
        edges.progress.skill_started(skill)
        floor = floor_of(plan, skill, budget, edges, heard)
        one = await measure_skill(skill, own, floor, budget, claim_alpha=skill.design.alpha, smoke=False)
        twice = await judged_twice(
            skill,
            _work(skill, one),
            edges.journal,
            rubric_of(plan, skill, budget, edges, heard),
            floor.pool,
            edges.progress,
            seconds_left=budget.seconds_left(),
            most=MOST_JUDGED_TWICE,
        )
        found.append((one, twice))
    recorded = sum(spent.calls + spent.judge_calls for spent in (spent_on(one) for one, _ in found))
    recorded += sum(len(second.raw_replies) for _, twice in found for _, second in twice)
    told = replace(told, lost_calls=budget.calls - recorded, lost_usd=sum(edges.journal.lost()))
    return _recorded(plan, found, told, edges.clock)


async def calibrated_again(
    plan: Plan, journal: Journal, clock: Clock, progress: Progress, told: Told
) -> tuple[Calibration, ...]:
    """Judge a recorded calibration again from its journal, and say the same of it; nobody is asked."""
    found: list[Found] = []
    for skill in plan.skills:
        floor = recorded_floor(plan, journal, progress)
        one = await measure_skill(skill, {}, floor, None, claim_alpha=skill.design.alpha, smoke=False)
        pool = asyncio.Semaphore(plan.concurrency)
        twice = await judged_twice(
            skill, _work(skill, one), floor.journal, None, pool, progress, seconds_left=None, most=MOST_JUDGED_TWICE
        )
        found.append((one, twice))
    return _recorded(plan, found, told, clock)


def _work(skill: SkillPlan, one: Measured) -> Sequence[tuple[Task, TrialKey]]:
    """Return the attempts of the finished rounds, in their order."""
    return [each for number in range(1, len(one.rounds) + 1) for each in round_keys(skill, number)]


def _recorded(plan: Plan, found: Sequence[Found], told: Told, clock: Clock) -> tuple[Calibration, ...]:
    told = replace(told, seconds=clock.monotonic() - told.started)
    records = [calibration_of(plan, one, twice, told, finished_at=clock.now()) for one, twice in found]
    return tuple(_with_alarms(record, one) for record, (one, _) in zip(records, found, strict=True))


def _with_alarms(record: Calibration, one: Measured) -> Calibration:
    """Return the record with the false alarms of the comparisons that it leads to."""
    skill = one.plan
    if skill.usual is None:
        raise AssertionError("a calibration has them")
    design = design_for(
        skill.usual,
        skill.design.metric,
        [task.id for task in skill.tasks],
        known_of(record),
        replicates=skill.runner.replicates,
    )
    dealt = false_alarms(values_of(one), design, seed=skill.seed)
    return record if dealt is None else record.model_copy(update={"false_alarms": alarms_of(*dealt)})
