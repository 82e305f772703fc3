"""A report in which every field that a skill, a prompt, a model or a judge can fill holds a given text."""

from __future__ import annotations

from skilldelta.domain.comparison import Interval, StopReason, Verdict
from skilldelta.domain.config import BudgetSettings
from skilldelta.domain.design import Goal, Metric
from skilldelta.domain.plan import Estimate, Flag, Gate, LeftOut, Reach
from skilldelta.domain.report import (
    ArmResult,
    Commit,
    FailedPair,
    Invocation,
    Report,
    Sample,
    SkillReport,
    Spending,
    Statistics,
    TaskResult,
)
from skilldelta.domain.skill import ChangeKind, FileChange, Finding, Severity
from skilldelta.domain.trial import Arm, TrialStatus, Usage

_BASE, _FORK, _HEAD = "b" * 40, "f" * 40, "c" * 40


def reported(text: str, *, skills: int = 1, replay: bool = False) -> Report:
    """Return a report with `text` in every place that is not ours."""
    return Report(
        tool_version="0.0.0",
        identity="d" * 64,
        sentence=f"{text} got worse on these 2 tasks.",
        gate=Gate.FAIL,
        exit_code=1,
        base=Commit(ref=text, commit=_BASE),
        head=Commit(ref=text, commit=_HEAD),
        baseline_commit=_FORK,
        config_from="base",
        smoke=False,
        skills=tuple(_skill(text) for _ in range(skills)),
        left_out=(
            LeftOut(
                skill_id=text, name=text, path=text, kind=ChangeKind.MODIFIED, gate=Gate.BLOCKED, reason=text, fix=text,
                findings=(_finding(text),),
            ),
        ),
        unchanged=3,
        flags=(Flag(kind="suite", path=text, message=text, weakening=(text, text)),),
        findings=(_finding(text),),
        spending=Spending(caps=BudgetSettings(max_calls=9), calls=8, cost_usd=0.0123, reached="max_calls (9)"),
        answered_by=(text, "other"),
        embedded_model=False,
        invocation=Invocation(
            run_id="r-1", started_at="2026-01-02T03:04:05Z", finished_at="2026-01-02T03:05:05Z", seconds=60.0,
            attempts=2, lost_calls=1, lost_usd=0.0, answer_seconds=30.0, replay=replay,
        ),
    )  # fmt: skip


def _finding(text: str) -> Finding:
    return Finding(severity=Severity.WARNING, path=text, line=3, message=text, fix=text)


def _skill(text: str) -> SkillReport:
    return SkillReport(
        skill_id=text,
        name=text,
        path=text,
        skill_file=text,
        kind=ChangeKind.MODIFIED,
        renamed_from=text,
        files=(FileChange(path=text, kind="modified"),),
        verdict=Verdict.REGRESSED,
        gate=Gate.FAIL,
        sentence=f"{text} got worse on these 2 tasks.",
        population_sentence="If these tasks were a random sample of similar tasks: nothing was measured.",
        reason=StopReason.DECIDED,
        held_back=None,
        goal=Goal.GATE,
        metric=Metric.PASS,
        margin=0.15,
        alpha=0.05,
        reference=Arm.BASELINE,
        suite_version="v1-0123456789ab",
        suite_from="base",
        approved_by=text,
        rounds=2,
        rounds_max=20,
        trials=8,
        trials_max=80,
        pass_k=1,
        arms=(
            ArmResult(arm=Arm.CANDIDATE, mean=0.0, trials=4, skill_loaded=0.5, models=(text,)),
            ArmResult(arm=Arm.BASELINE, mean=1.0, trials=4, skill_loaded=1.0, models=(text,)),
        ),
        statistics=Statistics(
            pairs=4, failed_pairs=0, mean_delta=-1.0, median_delta=-1.0, interval=Interval(low=-1.0, high=-0.4),
            critical_value=2.5, p_value=0.0123, cohens_dz=None, wins=0, ties=0, losses=4, population_interval=None,
            stopped_early=True,
        ),
        reach=Reach(tasks=2, discordance=0.42, rounds_needed=None, power_at_margin=0.5, smallest_effect=0.29),
        estimate=Estimate(trials=80, trial_calls=80, judge_calls=0, input_tokens=1, output_tokens=1, cost_usd=None),
        tasks=(_task(text, -1.0), _task("steady", 0.0)),
        watch=(text,),
        failed=(FailedPair(task_id=text, round=1, arm=Arm.CANDIDATE, reason=text),),
        calls=80,
        usage=Usage(),
        judge_usage=Usage(),
        cost_usd=0.0123,
        warnings=(f"More than one model answered: {text}.",),
        notes=("2 tasks are few",),
        findings=(_finding(text),),
    )  # fmt: skip


def _task(text: str, delta: float) -> TaskResult:
    samples = tuple(
        Sample(
            arm=arm, round=1, value=value, status=TrialStatus.ANSWERED, reason=text, answer=f"An answer: {text}",
            answer_chars=20, judges=(f"contains: fail (0): {text}",), flags=("addresses the judge",),
        )
        for arm, value in ((Arm.CANDIDATE, 0.0), (Arm.BASELINE, 1.0))
    )  # fmt: skip
    return TaskResult(
        task_id=text, description=text, prompt=f"A prompt: {text}", pairs=2, failed_pairs=0, candidate=1.0 + delta,
        reference=1.0, delta=delta, movement="down" if delta else "same", samples=samples if delta else (),
    )  # fmt: skip
