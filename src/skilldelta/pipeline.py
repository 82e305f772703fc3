"""The stages in their order: plan → run → judge → compare → report. Read this first.

What comes before needs the repository, and `cli` puts it together: `gathering` takes the changes (`diff/`) and the
suites that are the law (`plan/law`), `compare` makes the plan of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from .compare.decision import decide
from .compare.gate import exit_code, gate_of, worst
from .compare.pairs import pairs_of
from .domain.comparison import Decision, Pair, StopReason, Verdict
from .domain.config import Price
from .domain.draws import judgment_key, round_keys
from .domain.judged import JudgedTrial, TaskRound
from .domain.judgment import Judgment
from .domain.measured import Measured
from .domain.money import Spent, price_for, price_of
from .domain.plan import Gate, Plan, SkillPlan
from .domain.report import Report
from .domain.skill import SkillBundle
from .domain.suite import Task
from .domain.trial import Arm, Outcome, TrialKey, TrialStatus
from .errors import ModelRefused
from .judge.rubric import RubricJudge
from .judge.trial import TaskJudges, task_rounds
from .ports import BudgetReached, Clock, Journal, MessagesApi, Progress, Runner
from .report.build import Told, build_report, spent_on
from .report.words import look_sentence
from .run.budget import Budget, BudgetedApi
from .run.messages_runner import MessagesRunner
from .run.round import Floor, run_round


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
    budget = Budget(plan.budget, edges.clock)
    lost = tuple(edges.journal.lost())
    budget.charge(calls=len(lost), usd=sum(lost))
    _charge_recorded(plan, budget, edges.journal)
    measured: list[Measured] = []
    heard: set[str] = set()
    for skill in plan.skills:
        own = {arm: bundles[skill.skill_id, arm] for arm in skill.arms if (skill.skill_id, arm) in bundles}
        edges.progress.skill_started(skill)
        floor = _floor(plan, skill, budget, edges, heard)
        measured.append(await _measure_skill(skill, own, floor, budget, smoke=plan.smoke))
    recorded = sum(spent.calls + spent.judge_calls for spent in map(spent_on, measured))
    told = replace(told, lost_calls=budget.calls - recorded, lost_usd=sum(lost))
    return _report(plan, measured, told, edges.clock, budget.reached)


def _charge_recorded(plan: Plan, budget: Budget, journal: Journal) -> None:
    """Book what the journal already holds: a cap on calls or money is the run's, however often the run is started."""
    for skill in plan.skills:
        runner_price = price_for(plan.prices, skill.runner.provider, skill.runner.model)
        judge_price = price_for(plan.prices, skill.judge.provider, skill.judge.model)
        for number in range(1, skill.design.rounds + 1):
            recorded = list(_on_record(skill, number, journal))
            for outcome, judgments in recorded:
                budget.charge(calls=outcome.turns, usd=_charge(outcome, runner_price))
                for judgment in judgments:
                    budget.charge(calls=len(judgment.raw_replies), usd=_charge(judgment, judge_price))
            if not recorded:
                break  # no round is begun before the one before it is done


def _on_record(skill: SkillPlan, number: int, journal: Journal) -> Iterator[tuple[Outcome, list[Judgment]]]:
    """Yield what the journal holds of a round: each outcome, and the judgments of models on it."""
    for task, key in round_keys(skill, number):
        outcome = journal.outcome(key.key)
        if outcome is not None:
            judgments = (journal.judgment(judgment_key(skill, task, key, index)) for index in range(len(task.judges)))
            yield outcome, [each for each in judgments if each is not None and each.raw_replies]


def _charge(recorded: Outcome | Judgment, price: Price | None) -> float:
    """Return what was charged then, or what the usage costs at today's price if that is more."""
    return max(recorded.charged_usd, price_of(recorded.usage, price) or 0.0)


def _spent(skill: SkillPlan, number: int, journal: Journal) -> Spent:
    """Return what a round took that was begun and not finished."""
    spent = Spent()
    for outcome, judgments in _on_record(skill, number, journal):
        spent = spent.plus(Spent(calls=outcome.turns, usage=outcome.usage))
        for judgment in judgments:
            spent = spent.plus(Spent(judge_calls=len(judgment.raw_replies), judge_usage=judgment.usage))
    return spent


async def decide_again(plan: Plan, journal: Journal, clock: Clock, progress: Progress, told: Told) -> Report:
    """Judge and decide a recorded run again from its journal; nobody is asked."""
    measured: list[Measured] = []
    for skill in plan.skills:
        floor = Floor(
            runner=_Recorded(),
            judge=TaskJudges(_ReadOnly(journal), None, again=True),
            journal=_ReadOnly(journal),
            progress=progress,
            pool=asyncio.Semaphore(plan.concurrency),
        )
        one = await _measure_skill(skill, {}, floor, None, smoke=plan.smoke)
        measured.append(_unfinished(one) if told.cut_off else one)
    return _report(plan, measured, told, clock, told.reached)


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


async def _measure_skill(
    skill: SkillPlan,
    bundles: Mapping[Arm, SkillBundle],
    floor: Floor,
    budget: Budget | None,
    *,
    smoke: bool,
) -> Measured:
    rounds: list[tuple[TaskRound, ...]] = []
    pairs: list[tuple[Pair, ...]] = []
    cut_off = Spent()
    decision = decide((), skill.design)
    while not decision.finished:
        number = len(rounds) + 1
        trials = await run_round(skill, number, bundles, floor, budget.seconds_left() if budget else None)
        if trials is None:
            if budget:
                budget.out_of_time()
            cut_off = _spent(skill, number, floor.journal)
            decision = decide(pairs, skill.design, out_of_budget=True)
            break
        _refuse_if_refused(trials, skill)
        values = task_rounds(trials)
        rounds.append(values)
        pairs.append(pairs_of(values, Arm(skill.reference)))
        decision = _dead_from_the_start(decide(pairs, skill.design), trials)
        if not smoke:
            floor.progress.looked(skill, number, look_sentence(decision, skill))
    answers = [trial for values in rounds for value in values for trial in value.attempts]
    nothing_works = decision.verdict is Verdict.INSUFFICIENT_DATA or not any(
        trial.status is TrialStatus.ANSWERED for trial in answers
    )
    if smoke:
        decision = _smoke(decision)
    gate = gate_of(None if smoke else decision.verdict, skill.design.goal, skill.gate)
    if smoke and rounds and nothing_works:
        gate = Gate.FAIL
    return Measured(plan=skill, rounds=tuple(rounds), pairs=tuple(pairs), decision=decision, gate=gate, cut_off=cut_off)


def _dead_from_the_start(decision: Decision, trials: Sequence[JudgedTrial]) -> Decision:
    """End a comparison in whose first round nothing was answered, in time or at all: a server that is not there.

    More rounds would not help, and two arms that are both silent are no finding about a skill.
    """
    silent = (TrialStatus.FAILED, TrialStatus.TIMEOUT)
    heard = any(trial.status not in silent or trial.usage.output_tokens for trial in trials)
    if heard or any(trial.round > 1 for trial in trials):
        return decision
    return decision.model_copy(
        update={"verdict": Verdict.INSUFFICIENT_DATA, "reason": StopReason.FAILURES, "finished": True}
    )


def _refuse_if_refused(trials: Sequence[JudgedTrial], skill: SkillPlan) -> None:
    """Raise ModelRefused when the provider refused every single request of a round: no statistics can help then."""
    if trials and all(trial.refused_by_provider for trial in trials):
        raise ModelRefused(
            f"the provider refused every request of a round: {trials[0].reason}",
            where=skill.skill_id,
            fix="check the model's name, max_tokens and sampling parameters; then take a new --out folder",
        )


def _report(plan: Plan, measured: Sequence[Measured], told: Told, clock: Clock, reached: str | None) -> Report:
    gate = worst([*(one.gate for one in measured), *(one.gate for one in plan.left_out)])
    told = replace(told, seconds=clock.monotonic() - told.started)
    return build_report(
        plan, measured, told, gate=gate, exit_code=exit_code(gate), finished_at=clock.now(), reached=reached
    )


def _smoke(decision: Decision) -> Decision:
    """A smoke run shows that everything works and gives no verdict."""
    return decision.model_copy(
        update={"reason": StopReason.SMOKE, "verdict": Verdict.INCONCLUSIVE, "held_back": None, "finished": True}
    )


def _floor(plan: Plan, skill: SkillPlan, budget: Budget, edges: Edges, heard: set[str]) -> Floor:
    runner_price = price_for(plan.prices, skill.runner.provider, skill.runner.model)
    judge_price = price_for(plan.prices, skill.judge.provider, skill.judge.model)
    rubric = None
    if edges.judge_api is not None and skill.suite.suite.needs_judge_model:
        judge_api = edges.judge_api(skill)
        rubric = RubricJudge(
            BudgetedApi(judge_api, budget, judge_price, edges.journal, provider=skill.judge.provider, heard=heard)
        )
    runner_api = edges.runner_api(skill)
    runner: Runner = MessagesRunner(
        BudgetedApi(runner_api, budget, runner_price, edges.journal, provider=skill.runner.provider, heard=heard),
        model_names=dict(edges.model_names),
    )
    return Floor(
        runner=runner,
        judge=TaskJudges(edges.journal, rubric),
        journal=edges.journal,
        progress=edges.progress,
        pool=asyncio.Semaphore(min(plan.concurrency, edges.slots.get(skill.runner.provider, plan.concurrency))),
    )
