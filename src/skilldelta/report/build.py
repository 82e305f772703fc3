"""Measured skills become the report value; all rounding happens here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.comparison import Interval, Pair, TaskCheck
from ..domain.judged import JudgedTrial
from ..domain.measured import Measured
from ..domain.money import Spent, price_for, price_of
from ..domain.plan import Gate, Plan
from ..domain.report import (
    ArmResult,
    Commit,
    FailedPair,
    Invocation,
    Report,
    SkillReport,
    Spending,
    Statistics,
)
from ..domain.trial import Arm, TrialStatus
from ..statistics.effects import cohens_dz, median, population_interval, tally, weighted_mean
from .drift import drift_of
from .remarks import warnings_of
from .tasks import task_results
from .words import apart_sentence, headline, population_sentence, skill_sentence


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the invocation knows and the evidence does not: the report's named block."""

    run_id: str
    started_at: str
    started: float = 0.0
    """The clock's seconds when the invocation began."""
    attempts: int = 1
    lost_calls: int = 0
    lost_usd: float = 0.0
    seconds: float = 0.0
    replay: bool = False
    reached: str | None = None
    """The cap that ended the run, of a replay as its report says; None: as far as is known none did."""


def build_report(
    plan: Plan,
    measured: Sequence[Measured],
    told: Told,
    *,
    gate: Gate,
    exit_code: int,
    finished_at: str,
    reached: str | None,
) -> Report:
    """Return the report of a run: one row a skill, the worst gate, and the named block `invocation`."""
    skills = _apart(tuple(_skill_report(one, plan) for one in measured))
    trials = [trial for one in measured for trial in _trials(one)]
    costs = [skill.cost_usd for skill in skills]
    return Report(
        tool_version=plan.tool_version,
        identity=plan.identity,
        sentence=headline(skills, gate, plan.left_out, smoke=plan.smoke),
        gate=gate,
        exit_code=exit_code,
        base=Commit(ref=plan.base_ref, commit=plan.base_commit),
        head=Commit(ref=plan.head_ref, commit=plan.candidate_commit),
        baseline_commit=plan.baseline_commit,
        config_from=plan.config_from,
        smoke=plan.smoke,
        skills=skills,
        left_out=plan.left_out,
        unchanged=plan.unchanged,
        flags=plan.flags,
        findings=plan.findings,
        spending=Spending(
            caps=plan.budget,
            calls=sum(spent.calls + spent.judge_calls for spent in map(spent_on, measured)),
            cost_usd=None if None in costs else round(sum(cost for cost in costs if cost is not None), 6),
            reached=reached,
        ),
        answered_by=tuple(sorted({trial.model for trial in trials if trial.model})),
        embedded_model=any(skill.runner.provider == "local" for skill in plan.skills),
        invocation=invocation_of(told, finished_at, trials),
    )


def invocation_of(told: Told, finished_at: str, trials: Sequence[JudgedTrial]) -> Invocation:
    """Return the named block: all that may differ between two renderings of the same evidence."""
    return Invocation(
        run_id=told.run_id,
        started_at=told.started_at,
        finished_at=finished_at,
        seconds=round(told.seconds, 1),
        attempts=told.attempts,
        lost_calls=told.lost_calls,
        lost_usd=round(told.lost_usd, 6),
        answer_seconds=round(sum(trial.duration_ms for trial in trials) / 1000, 1),
        replay=told.replay,
    )


def _apart(skills: tuple[SkillReport, ...]) -> tuple[SkillReport, ...]:
    """Return the same; what was measured on a new suite says how the effects of skill and suite stand apart."""
    law = {skill.skill_id: skill for skill in skills if skill.role == "gate"}
    return tuple(
        skill.model_copy(update={"effects_apart": apart_sentence(law[skill.skill_id], skill)})
        if skill.role == "beside" and skill.skill_id in law
        else skill
        for skill in skills
    )


def _trials(one: Measured) -> list[JudgedTrial]:
    return [trial for values in one.rounds for value in values for trial in value.attempts]


def _skill_report(one: Measured, plan: Plan) -> SkillReport:
    skill, decision = one.plan, one.decision
    trials = _trials(one)
    pairs = [pair for round_pairs in one.pairs for pair in round_pairs]
    spent = spent_on(one)
    tasks = task_results(one)
    report = SkillReport(
        skill_id=skill.skill_id,
        name=skill.name,
        path=skill.path,
        skill_file=skill.skill_file,
        kind=skill.kind,
        renamed_from=skill.renamed_from,
        files=skill.files,
        verdict=None if plan.smoke else decision.verdict,
        gate=one.gate,
        sentence="",
        population_sentence="",
        reason=decision.reason,
        held_back=decision.held_back,
        unadjusted=one.unadjusted,
        claim_alpha=None if plan.smoke else decision.claim_alpha,
        role=skill.role,
        drift=None if plan.smoke else drift_of(one, plan.tool_version),
        goal=skill.design.goal,
        metric=skill.design.metric,
        margin=skill.design.margin,
        alpha=skill.design.alpha,
        reference=Arm(skill.reference),
        without=skill.without,
        suite_version=skill.suite.version,
        configuration=skill.configuration,
        suite_from=skill.suite_from,
        approved_by=skill.suite.record.approved_by,
        rounds=len(one.rounds),
        rounds_max=skill.design.rounds,
        trials=len(trials),
        trials_max=skill.estimate.trials,
        pass_k=skill.pass_k,
        arms=(_arm(Arm.CANDIDATE, one), _arm(Arm(skill.reference), one)),
        statistics=_counts_alone(_statistics(one, pairs)) if plan.smoke else _statistics(one, pairs),
        reach=skill.reach,
        estimate=skill.estimate,
        tasks=tasks,
        watch=() if plan.smoke else tuple(task.task_id for task in tasks if task.movement == "down"),
        checks=tuple(_check(check) for check in one.checks),
        failed=_failed(one),
        calls=spent.calls + spent.judge_calls,
        usage=spent.usage,
        judge_usage=spent.judge_usage,
        cost_usd=cost_of(spent, one, plan),
        warnings=(),
        notes=skill.notes,
        findings=skill.findings,
    )
    report = report.model_copy(update={"warnings": warnings_of(report, trials, skill)})
    return report.model_copy(
        update={"sentence": skill_sentence(report), "population_sentence": population_sentence(report)}
    )


def cost_of(spent: Spent, one: Measured, plan: Plan) -> float | None:
    """Return US dollars, None where a model that was asked has no price."""
    runner, judge = one.plan.runner, one.plan.judge
    answers = price_of(spent.usage, price_for(plan.prices, runner.provider, runner.model))
    judged = price_of(spent.judge_usage, price_for(plan.prices, judge.provider, judge.model))
    if not spent.judge_calls:
        judged = 0.0
    return None if answers is None or judged is None else round(answers + judged, 6)


def spent_on(one: Measured) -> Spent:
    """Return what one skill took, the round that the budget cut off included."""
    spent = one.cut_off
    for trial in (*_trials(one), *(trial for value in one.fresh for trial in value.attempts)):
        spent = spent.plus(
            Spent(calls=trial.calls, usage=trial.usage, judge_calls=trial.judge_calls, judge_usage=trial.judge_usage)
        )
    return spent


def _arm(arm: Arm, one: Measured) -> ArmResult:
    own = [trial for trial in _trials(one) if trial.arm is arm]
    loaded = [trial.skill_loaded for trial in own if trial.skill_loaded is not None]
    failures = Counter(trial.status for trial in own if trial.status.own_failure)
    return ArmResult(
        arm=arm,
        mean=_rounded(_suite_mean(arm, one)),
        trials=len(own),
        own_failures={status: failures[status] for status in TrialStatus if failures[status]},
        failed=sum(1 for trial in own if trial.value is None),
        skill_loaded=round(sum(loaded) / len(loaded), 4) if loaded else None,
        models=tuple(sorted({trial.model for trial in own if trial.model})),
    )


def _suite_mean(arm: Arm, one: Measured) -> float | None:
    """Return an arm's mean over the observed pairs; tasks with fewer rounds keep their share of the suite."""
    brief = one.plan.design.brief
    values: tuple[list[int], list[int]] = ([], [])
    for pair in (pair for pairs in one.pairs for pair in pairs if pair.difference is not None):
        value = pair.candidate if arm is Arm.CANDIDATE else pair.baseline
        values[pair.task_id in brief].append(value or 0)
    share = len(brief) / len(one.plan.tasks)
    groups = zip((1 - share, share), values, strict=True)
    return weighted_mean([(weight, sum(own), 100 * len(own)) for weight, own in groups if weight])


def _statistics(one: Measured, pairs: Sequence[Pair]) -> Statistics:
    look = one.decision.last
    differences = [pair.difference / 100 for pair in pairs if pair.difference is not None]
    counted, task_means = tally(differences), _task_means(pairs)
    generalised = population_interval(task_means)
    return Statistics(
        pairs=len(differences),
        failed_pairs=sum(pair.failed for pair in pairs),
        mean_delta=_rounded(look.delta if look else None),
        median_delta=_rounded(median(differences)),
        interval=_interval((look.interval.low, look.interval.high)) if look and differences else None,
        critical_value=_rounded(look.critical_value) if look else None,
        p_value=_significant(one.decision.p_value),
        cohens_dz=_rounded(cohens_dz(differences)),
        task_dz=_rounded(cohens_dz(task_means)),
        copies=sum(pair.copied for pair in pairs),
        wins=counted.wins,
        ties=counted.ties,
        losses=counted.losses,
        population_interval=_interval(generalised) if generalised else None,
        stopped_early=0 < len(one.pairs) < one.plan.design.rounds and one.decision.reason.value == "decided",
    )


def _check(check: TaskCheck) -> TaskCheck:
    """Return the check with its numbers rounded for the report."""
    return check.model_copy(
        update={
            "screen_p_value": _significant(check.screen_p_value),
            "candidate": _rounded(check.candidate),
            "reference": _rounded(check.reference),
            "p_value": _significant(check.p_value),
            "adjusted_p_value": _significant(check.adjusted_p_value),
        }
    )


def _counts_alone(statistics: Statistics) -> Statistics:
    """Return what a smoke run may say: one pair is no evidence, so nothing is inferred from it."""
    inferred = ("interval", "critical_value", "p_value", "cohens_dz", "task_dz", "population_interval")
    return statistics.model_copy(update=dict.fromkeys(inferred))


def _task_means(pairs: Sequence[Pair]) -> list[float]:
    by_task: dict[str, list[float]] = {}
    for pair in pairs:
        if pair.difference is not None:
            by_task.setdefault(pair.task_id, []).append(pair.difference / 100)
    return [sum(values) / len(values) for values in by_task.values()]


def _failed(one: Measured) -> tuple[FailedPair, ...]:
    return tuple(
        FailedPair(task_id=trial.task_id, round=trial.round, arm=trial.arm, reason=(trial.failure or "")[:300])
        for values in one.rounds
        for value in values
        if value.value is None
        for trial in value.attempts
        if trial.value is None
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0


def _significant(value: float | None) -> float | None:
    """Return a p-value to three significant digits."""
    return None if value is None else float(f"{value:.3g}")


def _interval(ends: tuple[float, float]) -> Interval:
    return Interval(low=round(max(-1.0, ends[0]), 4) + 0.0, high=round(min(1.0, ends[1]), 4) + 0.0)
