"""The stages in their order: plan → run → judge → compare → report. Read this first.

What comes before needs the repository, and `cli` puts it together: `gathering` takes the changes (`diff/`) and the
suites that are the law (`plan/law`), `compare` makes the plan of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from .compare.decision import CLAIMS, conclude
from .compare.gate import exit_code, worst
from .compare.several_skills import AT_A_LOOK, Decided, claim_level, stepped_down
from .domain.comparison import StopReason, Verdict
from .domain.config import Price
from .domain.judgment import Judgment
from .domain.measured import Measured
from .domain.money import price_for, price_of
from .domain.plan import Plan, SkillPlan
from .domain.report import Report
from .domain.skill import SkillBundle
from .domain.suite import Task
from .domain.trial import Arm, Outcome, TrialKey
from .judge.rubric import RubricJudge
from .judge.trial import TaskJudges
from .one_skill import confirm_drops, gated, measure_skill, recorded_calls
from .ports import BudgetReached, Clock, Journal, MessagesApi, Progress, Runner
from .report.build import Told, build_report, spent_on
from .run.budget import Budget, BudgetedApi
from .run.messages_runner import MessagesRunner
from .run.round import Floor

MANY = 2
"""From so many skills on, the error of claims is shared."""


@dataclass(frozen=True, kw_only=True)
class Edges:
    """The doors to the world, built by `cli`."""

    runner_api: Callable[[SkillPlan], MessagesApi]
    """The server that answers this skill's trials."""
    judge_api: Callable[[SkillPlan], MessagesApi] | None
    """The server that judges; None where no suite needs a model to judge."""
    model_names: Mapping[str, str]
    """Provider → the model's name, for providers that have only one."""
    slots: Mapping[str, int]
    """Provider → how many requests it answers at a time, where that is fewer than may be in flight."""
    journal: Journal
    clock: Clock
    progress: Progress


async def measure(plan: Plan, bundles: Mapping[tuple[str, Arm], SkillBundle], edges: Edges, told: Told) -> Report:
    """Run what the plan says, skill after skill, until each is decided or the budget ends; return the report."""
    budget = begun_budget(plan, edges)
    heard: set[str] = set()

    def floor(skill: SkillPlan) -> Floor:
        return floor_of(plan, skill, budget, edges, heard)

    def given(skill: SkillPlan) -> Mapping[Arm, SkillBundle]:
        return {arm: bundles[skill.skill_id, arm] for arm in skill.arms if (skill.skill_id, arm) in bundles}

    measured = await _decided(plan, floor, given, budget, edges.progress)
    recorded = sum(spent.calls + spent.judge_calls for spent in map(spent_on, measured))
    lost = sum(edges.journal.lost())
    told = replace(told, lost_calls=budget.calls - recorded, lost_usd=lost)
    return _report(plan, measured, told, edges.clock, budget.reached)


def begun_budget(plan: Plan, edges: Edges) -> Budget:
    """Return the run's budget with everything booked that its journal holds already.

    A cap on calls or money is the run's, however often the run is started.
    """
    budget = Budget(plan.budget, edges.clock)
    lost = tuple(edges.journal.lost())
    budget.charge(calls=len(lost), usd=sum(lost))
    for skill in plan.skills:
        runner_price = price_for(plan.prices, skill.runner.provider, skill.runner.model)
        judge_price = price_for(plan.prices, skill.judge.provider, skill.judge.model)
        twice = plan.purpose == "calibrate"
        for outcome, judgments in recorded_calls(skill, edges.journal, judged_twice=twice):
            budget.charge(calls=outcome.turns, usd=_charge(outcome, runner_price))
            for judgment in judgments:
                budget.charge(calls=len(judgment.raw_replies), usd=_charge(judgment, judge_price))
    return budget


def _charge(recorded: Outcome | Judgment, price: Price | None) -> float:
    """Return what was charged then, or what the usage costs at today's price if that is more."""
    return max(recorded.charged_usd, price_of(recorded.usage, price) or 0.0)


async def _decided(
    plan: Plan,
    floor_of_skill: Callable[[SkillPlan], Floor],
    given: Callable[[SkillPlan], Mapping[Arm, SkillBundle]],
    budget: Budget | None,
    progress: Progress,
) -> list[Measured]:
    """Return every skill's rounds and decision: the law's first, then its single tasks, then what runs beside it.

    Within each of the two groups the error of claims is shared.
    """
    measured: list[Measured] = []
    for role in ("gate", "beside"):
        skills, group = [skill for skill in plan.skills if skill.role == role], list[Measured]()
        for skill in skills:
            progress.skill_started(skill)
            claimed = sum(one.decision.verdict in CLAIMS for one in group)
            level = claim_level(skill.design, skills=len(skills), claimed=claimed)
            group.append(
                await measure_skill(
                    skill, given(skill), floor_of_skill(skill), budget, claim_alpha=level, smoke=plan.smoke
                )
            )
        if not plan.smoke:
            group = _shared(group)
        if role == "gate" and not plan.smoke:
            group = [await confirm_drops(one, given(one.plan), floor_of_skill(one.plan), budget) for one in group]
        measured += group
    return measured


def _shared(group: Sequence[Measured]) -> list[Measured]:
    """Return the skills of one group after Holm's steps, each with what it would say were it alone."""
    if len(group) < MANY:
        return list(group)
    decisions = stepped_down([Decided(one.pairs, one.plan.design, one.decision) for one in group])
    return [
        gated(one.model_copy(update={"decision": decision, "unadjusted": _alone(one)}))
        for one, decision in zip(group, decisions, strict=True)
    ]


def _alone(one: Measured) -> Verdict:
    """Return the verdict of the same rounds without correction for the other skills."""
    if one.decision.reason not in AT_A_LOOK:
        return one.decision.verdict
    return conclude(one.pairs, one.plan.design).verdict


async def decide_again(plan: Plan, journal: Journal, clock: Clock, progress: Progress, told: Told) -> Report:
    """Judge and decide a recorded run again from its journal; nobody is asked."""
    floor = recorded_floor(plan, journal, progress)
    measured = await _decided(plan, lambda _: floor, lambda _: {}, None, progress)
    if told.reached is None:  # a journal that ends before the answer was cut off, whatever report stands beside it
        measured = [_unfinished(one) for one in measured]
    return _report(plan, measured, told, clock, told.reached)


def recorded_floor(plan: Plan, journal: Journal, progress: Progress) -> Floor:
    """Return a floor on which nothing is executed: it has no answers and no judgments but the journal's."""
    return Floor(
        runner=_Recorded(),
        judge=TaskJudges(_ReadOnly(journal), None, again=True),
        journal=_ReadOnly(journal),
        progress=progress,
        pool=asyncio.Semaphore(plan.concurrency),
    )


def _unfinished(one: Measured) -> Measured:
    """Return the same without the claim that a budget ended it, where nobody says so."""
    if one.decision.reason is not StopReason.BUDGET:
        return one
    return one.model_copy(update={"decision": one.decision.model_copy(update={"reason": StopReason.UNFINISHED})})


class _ReadOnly:
    """A journal that is read and never written."""

    def __init__(self, journal: Journal) -> None:
        self.outcome = journal.outcome
        self.judgment = journal.judgment
        self.lost = journal.lost

    def sent(self, key: str, reserved_usd: float) -> None:
        """Nothing is sent."""

    def record_outcome(self, key: TrialKey, outcome: Outcome) -> Outcome:  # noqa: ARG002 - the port's
        """Nothing is recorded."""
        return outcome

    def record_judgment(self, key: str, trial: TrialKey, judgment: Judgment) -> Judgment:  # noqa: ARG002 - the port's
        """Nothing is recorded."""
        return judgment


class _Recorded:
    """The runner `replay`: it has no answers but the journal's."""

    async def run(self, skill: SkillPlan, task: Task, key: TrialKey, bundle: SkillBundle | None) -> NoReturn:  # noqa: ARG002 - the port's signature
        raise BudgetReached(f"the journal ends before {skill.skill_id}, {task.id}, round {key.round}")


def _report(plan: Plan, measured: Sequence[Measured], told: Told, clock: Clock, reached: str | None) -> Report:
    gate = worst([*(one.gate for one in measured), *(one.gate for one in plan.left_out)])
    told = replace(told, seconds=clock.monotonic() - told.started)
    return build_report(
        plan, measured, told, gate=gate, exit_code=exit_code(gate), finished_at=clock.now(), reached=reached
    )


def floor_of(plan: Plan, skill: SkillPlan, budget: Budget, edges: Edges, heard: set[str]) -> Floor:
    """Return where a skill's trials are executed and judged; `heard`: the providers that have answered in this run."""
    provider = skill.runner.provider
    price = price_for(plan.prices, provider, skill.runner.model)
    rubric = rubric_of(plan, skill, budget, edges, heard)
    runner: Runner = MessagesRunner(
        BudgetedApi(edges.runner_api(skill), budget, price, edges.journal, provider=provider, heard=heard),
        model_names=dict(edges.model_names),
    )
    return Floor(
        runner=runner,
        judge=TaskJudges(edges.journal, rubric),
        journal=edges.journal,
        progress=edges.progress,
        pool=asyncio.Semaphore(min(plan.concurrency, edges.slots.get(provider, plan.concurrency))),
    )


def rubric_of(plan: Plan, skill: SkillPlan, budget: Budget, edges: Edges, heard: set[str]) -> RubricJudge | None:
    """Return who judges with a model, within the budget; None where the suite needs nobody."""
    if edges.judge_api is None or not skill.suite.suite.needs_judge_model:
        return None
    provider = skill.judge.provider
    price = price_for(plan.prices, provider, skill.judge.model)
    api = edges.judge_api(skill)
    return RubricJudge(BudgetedApi(api, budget, price, edges.journal, provider=provider, heard=heard))
