"""A skill measured against itself becomes the record of its suite; all rounding happens here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..domain.calibration import Calibration, FalseAlarms, JudgeAgreement, TaskCalibration
from ..domain.comparison import Interval, StopReason
from ..domain.judged import JudgedTrial
from ..domain.judgment import Judgment
from ..domain.measured import Measured
from ..domain.money import Spent
from ..domain.plan import Plan
from ..domain.report import Commit
from ..domain.trial import Usage
from ..reading.quotes import answers_quoting
from ..statistics.agreement import cohens_kappa, wilson_interval
from .build import Told, cost_of, invocation_of, spent_on
from .health import TaskHealth, findings, suite_discordance, task_health

LOW_AGREEMENT = 0.9
"""Share of judgments that agree with themselves below which a judge is called unsteady."""


def calibration_of(
    plan: Plan,
    one: Measured,
    twice: Sequence[tuple[Judgment, Judgment]],
    told: Told,
    *,
    finished_at: str,
) -> Calibration:
    """Return the record of one skill, false alarms not yet counted; `twice`: judgments that were asked for again."""
    skill = one.plan
    trials = [trial for values in one.rounds for value in values for trial in value.attempts]
    by_task = _arms(one)
    tasks = [task_health(task.id, by_task[task.id]) for task in skill.tasks]
    judges = _agreement(twice) if skill.suite.suite.needs_judge_model else None
    discordance = suite_discordance(tasks)
    spent = _spent(one, twice)
    return Calibration(
        tool_version=plan.tool_version,
        identity=plan.identity,
        skill_id=skill.skill_id,
        name=skill.name,
        commit=Commit(ref=plan.head_ref, commit=plan.candidate_commit),
        tree_hash=skill.candidate_tree,
        suite_version=skill.suite.version,
        configuration=skill.configuration,
        setup=skill.setup,
        models=tuple(sorted({trial.model for trial in trials if trial.model})),
        rounds=len(one.rounds),
        finished=len(one.rounds) == skill.design.rounds and one.decision.reason is not StopReason.COPIES,
        reason=one.decision.reason,
        metric=skill.design.metric,
        verdict=one.decision.verdict,
        delta=_rounded(one.decision.last.delta if one.decision.last else None),
        discordance=_rounded(discordance),
        false_alarms=None,
        judges=judges,
        tasks=tuple(map(_task, tasks)),
        cannot_fail=bool(trials) and all(trial.value == 100 for trial in trials),
        cannot_pass=bool(trials) and all(trial.value == 0 for trial in trials),
        findings=_findings(one, tasks, judges, trials),
        spent=spent,
        cost_usd=cost_of(spent, one, plan),
        embedded_model=skill.runner.provider == "local",
        measured_at=finished_at,
        invocation=invocation_of(told, finished_at, trials),
    )


def values_of(one: Measured) -> dict[str, list[int]]:
    """Return the values in hundredths of all trials of every task, both arms together; lost ones are left out."""
    values: dict[str, list[int]] = {task.id: [] for task in one.plan.tasks}
    for pairs in one.pairs:
        for pair in pairs:
            if not pair.copied:
                values[pair.task_id] += [value for value in (pair.candidate, pair.baseline) if value is not None]
    return values


def alarms_of(deals: int, rounds: int, improved: int, regressed: int, drops: int) -> FalseAlarms:
    """Return the false alarms with their rate and its 95 % interval."""
    rate = (improved + regressed) / deals
    low, high = wilson_interval(rate, deals)
    return FalseAlarms(
        deals=deals,
        rounds=rounds,
        improved=improved,
        regressed=regressed,
        rate=round(rate, 4),
        rate_interval=Interval(low=round(low, 4), high=round(high, 4)),
        any_drop=round(drops / deals, 4),
    )


def _arms(one: Measured) -> dict[str, list[list[int | None]]]:
    """Return each task's values, round by round, in each of the two arms."""
    values: dict[str, list[list[int | None]]] = {task.id: [[], []] for task in one.plan.tasks}
    for pairs in one.pairs:
        for pair in pairs:
            if not pair.copied:
                values[pair.task_id][0].append(pair.candidate)
                values[pair.task_id][1].append(pair.baseline)
    return values


def _task(task: TaskHealth) -> TaskCalibration:
    low, high = task.discordance_interval or (None, None)
    return TaskCalibration(
        task_id=task.task_id,
        trials=task.trials,
        mean=_rounded(task.mean),
        lowest=_rounded(task.lowest),
        highest=_rounded(task.highest),
        discordance=_rounded(task.discordance),
        discordance_interval=None if low is None or high is None else Interval(low=round(low, 4), high=round(high, 4)),
        kind=task.kind,
    )


def _findings(
    one: Measured, tasks: Sequence[TaskHealth], judges: JudgeAgreement | None, trials: Sequence[JudgedTrial]
) -> tuple[str, ...]:
    prompts: Mapping[str, str] = {task.id: task.prompt for task in one.plan.tasks}
    answers = [(prompts[trial.task_id], trial.excerpt) for trial in trials if trial.excerpt]
    low = judges is not None and judges.asked > 0 and judges.agreeing < LOW_AGREEMENT * judges.asked
    return findings(
        tasks,
        leaks=one.plan.leaks,
        quoting_answers=answers_quoting(one.plan.texts, answers) if one.plan.texts else 0,
        answers=len(answers),
        judge_agreement_low=low,
    )


def _agreement(twice: Sequence[tuple[Judgment, Judgment]]) -> JudgeAgreement:
    both = [(first, second) for first, second in twice if first.failure is None and second.failure is None]
    table = [[0, 0], [0, 0]]
    for first, second in both:
        table[first.passed][second.passed] += 1
    agreeing = table[0][0] + table[1][1]
    kappa = cohens_kappa(table)
    low, high = wilson_interval(agreeing / len(both), len(both)) if both else (0.0, 1.0)
    gaps = [abs(first.score - second.score) for first, second in both]
    return JudgeAgreement(
        asked=len(both),
        failed=len(twice) - len(both),
        agreeing=agreeing,
        agreement_interval=Interval(low=round(low, 4), high=round(high, 4)) if both else None,
        kappa=_rounded(kappa.value) if kappa else None,
        kappa_interval=Interval(low=round(kappa.low, 4), high=round(kappa.high, 4)) if kappa else None,
        mean_score_gap=_rounded(sum(gaps) / len(gaps)) if gaps else None,
    )


def _spent(one: Measured, twice: Sequence[tuple[Judgment, Judgment]]) -> Spent:
    usage, calls = Usage(), 0
    for _, second in twice:
        usage, calls = usage.plus(second.usage), calls + len(second.raw_replies)
    return spent_on(one).plus(Spent(judge_calls=calls, judge_usage=usage))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0
