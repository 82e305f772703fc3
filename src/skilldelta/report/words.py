"""The wording of results, in one place, so that no two renderings can disagree."""

from __future__ import annotations

from ..domain.comparison import Decision, Interval, StopReason, TaskCheck, Verdict
from ..domain.counted import counted
from ..domain.design import Metric
from ..domain.plan import Gate, LeftOut, SkillPlan
from ..domain.report import SkillReport
from ..domain.trial import Arm
from ..statistics.effects import FEWEST_TASKS

LONGEST_NAME = 80
MOST_NAMED = 5
VERDICT_SIGNS = {
    Verdict.IMPROVED: "✅",
    Verdict.REGRESSED: "❌",
    Verdict.NO_REGRESSION: "✅",
    Verdict.INCONCLUSIVE: "❔",
    Verdict.INSUFFICIENT_DATA: "⚠️",
}
GATE_SIGNS = {
    Gate.PASS: "✅",
    Gate.NEUTRAL: "⚪",
    Gate.WARN: "❔",
    Gate.FAIL: "❌",
    Gate.CONFLICTED: "⚠️",
    Gate.BLOCKED: "⛔",
}
REASON_WORDS = {
    StopReason.DECIDED: "stopped as soon as the answer held",
    StopReason.FUTILE: "stopped because more rounds were unlikely to settle it",
    StopReason.ROUNDS: "all rounds were run",
    StopReason.BUDGET: "the budget ended first",
    StopReason.FAILURES: "stopped because too many trials failed",
    StopReason.SMOKE: "a smoke run: one task, one round, no verdict",
    StopReason.COPIES: "stopped because the server's cache gave earlier answers again",
    StopReason.UNFINISHED: "the recorded run is not finished",
}


def percent(share: float | None) -> str:
    """Return a share as a percentage without decimals.

    >>> percent(0.625)
    '62 %'
    """
    return "–" if share is None else f"{100 * share:.0f} %"


def amount(share: float) -> str:
    """Return a share in points, without a sign and with as many digits as a small one or one near 1 needs.

    >>> amount(0.15), amount(0.004), amount(0.9999)
    ('15 points', '0.4 points', '99.99 points')
    """
    return f"{100 * share:.4g} points"


def points(difference: float | None) -> str:
    """Return a difference of shares in points, with its sign; one that is not 0 is never shown as 0.

    >>> points(-0.15), points(0.0), points(-0.004)
    ('−15', '±0', '−0.4')
    """
    if difference is None:
        return "–"
    rounded = round(100 * difference)
    if rounded == 0 and difference != 0:
        return f"{'+' if difference > 0 else '−'}{max(0.1, round(abs(100 * difference), 1)):g}"
    return "±0" if rounded == 0 else f"{'+' if rounded > 0 else '−'}{abs(rounded)}"


def span(interval: Interval | None) -> str:
    """Return an interval in points.

    >>> span(Interval(low=-0.04, high=0.22))
    '−4 to +22'
    """
    return "–" if interval is None else f"{points(interval.low)} to {points(interval.high)}"


def metric_words(metric: Metric) -> str:
    """Return what the mean value of an arm is called."""
    return "pass rate" if metric is Metric.PASS else "mean score"


def confidence(alpha: float) -> str:
    """Return the confidence level.

    >>> confidence(0.05)
    '95 %'
    """
    return f"{100 * (1 - alpha):g} %"


def look_sentence(decision: Decision, skill: SkillPlan, number: int) -> str:
    """Return what the statistics say after the round of this number, in one line."""
    look, most = decision.last, skill.design.rounds
    if look is None or look.rounds < number:
        return f"round {number} of {most if not skill.design.sequential else f'at most {most}'} done, no look yet"
    said = decision.verdict.value if decision.finished else "going on"
    return (
        f"round {look.rounds} of at most {most}: {points(look.delta)} points, "
        f"{confidence(skill.design.alpha)} interval {span(look.interval)}: {said}"
    )


def skill_sentence(report: SkillReport) -> str:
    """Return the answer about one skill in one sentence: it is what holds on this suite.

    The verdict comes first, before the name, which the head of a pull request chooses.
    """
    name, tasks = called(report.name), _on_tasks(report)
    if report.verdict is None:
        done = "one task and one round" if report.rounds else "the budget ended before its round was done"
        return f"smoke run: {name}: {done}; it gives no verdict."
    if report.verdict is Verdict.INSUFFICIENT_DATA:
        return f"{report.verdict.value}: {name}: {_what_failed(report)}."
    if report.statistics.mean_delta is None:
        return f"{report.verdict.value}: {name}: no round was finished, because {REASON_WORDS[report.reason]}."
    where = f"{name} on {report.suite_version}, which this change brings," if report.role == "beside" else name
    than = "" if report.reference is Arm.BASELINE else f" than {other_arm(report)}"
    claim = {
        Verdict.IMPROVED: f"{where} {'does' if than else 'got'} better{than} {tasks}",
        Verdict.REGRESSED: f"{where} {'does' if than else 'got'} worse{than} {tasks}",
        Verdict.NO_REGRESSION: f"{where} is worse{than} by no more than {amount(report.margin)} {tasks}",
        Verdict.INCONCLUSIVE: f"{where} {tasks}, which is not the same as no difference",
    }[report.verdict]
    return f"{report.verdict.value}: {claim}: {_numbers(report)}.{_regressed_tasks(report)}"


def _on_tasks(report: SkillReport) -> str:
    """Return for which tasks the answer holds: not for those of which no pair came about."""
    total, seen = len(report.tasks), sum(1 for task in report.tasks if task.pairs)
    if seen < total:
        return f"on {seen:,} of these {total:,} tasks"
    return "on this task" if total == 1 else f"on these {total:,} tasks"


def _regressed_tasks(report: SkillReport) -> str:
    """Return which tasks regressed on fresh rounds, for the end of the first sentence."""
    names = [called(check.task_id) for check in report.checks if check.regressed]
    if not names:
        return ""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f" On fresh rounds {counted(len(names), 'task')} regressed: {', '.join(names[:MOST_NAMED])}{more}."


def other_arm(report: SkillReport) -> str:
    """Return what the candidate is compared with, in words.

    `before` and `no skill at all` need no more; of a sham or an ablation it is said what they are.
    """
    if report.reference is Arm.ABLATION:
        return f"without {called(report.without or 'a part')}"
    return {Arm.CONTROL: "no skill at all", Arm.SHAM: "a sham of the same shape"}.get(report.reference, "before")


def called(name: str) -> str:
    """Return a skill's name as it is shown in a sentence: cut where it is longer than any name should be."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _numbers(report: SkillReport) -> str:
    candidate, reference = report.arms
    against = {
        Arm.CONTROL: "without any skill", Arm.SHAM: "with the sham", Arm.ABLATION: "without that part",
    }.get(reference.arm, "before")  # fmt: skip
    p_value = report.statistics.p_value
    return (
        f"{metric_words(report.metric)} {percent(reference.mean)} {against} → {percent(candidate.mean)}, "
        f"{points(report.statistics.mean_delta)} points, "
        f"{confidence(report.alpha)} interval {span(report.statistics.interval)}"
        f"{'' if p_value is None else f', p = {p_value:g}'}"
    )


def uncertainty_sentence(report: SkillReport) -> str:
    """Return what the interval and the p-value of the suite's line are about; empty where there are none."""
    if report.statistics.interval is None:
        return ""
    return (
        "The uncertainty here is the model's randomness only: the tasks are taken as fixed. It is valid at this stop."
    )


def _what_failed(report: SkillReport) -> str:
    lost = report.statistics.failed_pairs
    tried = lost + report.statistics.pairs
    if not lost:
        return "not one trial of either arm was answered in time"
    why = "more than a quarter" if 4 * lost > tried else "and in the end nothing answered any more"
    return f"{lost} of {tried} pairs failed, {why}"


def population_sentence(report: SkillReport) -> str:
    """Return what would hold if the tasks were a random sample: never the claim that decides the gate.

    It is empty for a smoke run.
    """
    if report.verdict is None:
        return ""
    interval = report.statistics.population_interval
    measured = sum(1 for task in report.tasks if task.pairs)
    if interval is None:
        if not measured:
            return "If these tasks were a random sample of similar tasks: nothing can be said."
        few = measured < FEWEST_TASKS
        why = "not estimable from fewer than five tasks" if few else "not estimable, as every task moved alike"
        return f"If these tasks were a random sample of similar tasks: {why}."
    holds = interval.low > 0 or interval.high < 0
    claimed = report.verdict in (Verdict.IMPROVED, Verdict.REGRESSED)
    tail = " It holds on this suite; it is not shown to generalise." if claimed and not holds else ""
    return (
        "If these tasks were a random sample of similar tasks: approximate 95 % interval "
        f"{span(interval)} points (n = {measured} tasks).{tail}"
    )


def headline(skills: tuple[SkillReport, ...], gate: Gate, left_out: tuple[LeftOut, ...], *, smoke: bool) -> str:
    """Return the report's first sentence."""
    skills = tuple(skill for skill in skills if skill.role == "gate")
    if not skills:
        if len(left_out) == 1:
            return f"{left_out[0].skill_id} was not measured (gate {gate.value}): {left_out[0].reason}."
        if left_out:
            return f"No comparison was run: gate {gate.value}; see why below."
        return "No skill changed: there is nothing to compare."
    if len(skills) == 1 and not left_out:
        return skills[0].sentence
    stopped = [f"{one.skill_id} {one.gate.value}" for one in left_out if one.gate in (Gate.BLOCKED, Gate.FAIL)]
    named = f" ({', '.join(stopped[:3])}{' …' if len(stopped) > 3 else ''})" if stopped else ""
    rest = f"; {len(left_out)} not measured{named}" if left_out else ""
    total = "1 skill" if len(skills) == 1 else f"{len(skills)} skills"
    if smoke:
        return f"A smoke run of {total}; it gives no verdict{rest}."
    counted = [
        f"{sum(1 for skill in skills if skill.verdict is verdict)} {verdict.value}"
        for verdict in (
            Verdict.REGRESSED,
            Verdict.INSUFFICIENT_DATA,
            Verdict.INCONCLUSIVE,
            Verdict.NO_REGRESSION,
            Verdict.IMPROVED,
        )
        if any(skill.verdict is verdict for skill in skills)
    ]
    fell = [f"{called(skill.name)}:{_regressed_tasks(skill)}" for skill in skills if _regressed_tasks(skill)]
    return f"{total} compared: {', '.join(counted)}{rest}.{' ' if fell else ''}{' '.join(fell)}"


def check_sentence(check: TaskCheck) -> str:
    """Return what the fresh rounds say of one task."""
    if check.p_value is None:
        why = "its fresh rounds were not finished, or gave nothing to go by"
        return f"{check.task_id} dropped; {why}, so nothing is said of it"
    shown = f"{percent(check.reference)} → {percent(check.candidate)} on {counted(check.rounds, 'fresh round')}"
    adjusted = f"p {check.adjusted_p_value:.2g} after correction"
    if check.regressed:
        return f"{check.task_id} regressed: {shown}, {adjusted}"
    return f"{check.task_id} dropped at first, and is not shown to have regressed: {shown}, {adjusted}"


def apart_sentence(law: SkillReport, new: SkillReport) -> str:
    """Return, where skill and suite change together, what the skill does on each version and what is the suite's."""
    before, after = law.arms[1], new.arms[1]
    if law.statistics.mean_delta is None or new.statistics.mean_delta is None:
        return ""
    equal = percent(before.mean) == percent(after.mean)
    whose = "on these two it is alike" if equal else "that difference is the suites', not the skill's"
    return (
        f"Skill and suite change together. The skill's own effect: {points(law.statistics.mean_delta)} points on "
        f"{law.suite_version} (the law), {points(new.statistics.mean_delta)} on {new.suite_version} (new). The skill "
        f"as it was has {percent(before.mean)} on the one and {percent(after.mean)} on the other: {whose}, and scores "
        "on different versions are never joined."
    )
