"""The report as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sized

from ..domain.report import Report, Sample, SkillReport, TaskResult
from ..domain.skill import Finding
from ..domain.trial import Arm
from .markdown_text import block, inline
from .reach_words import reach_sentence, steps_sentence
from .words import (
    GATE_SIGNS,
    REASON_WORDS,
    VERDICT_SIGNS,
    check_sentence,
    confidence,
    percent,
    points,
    span,
    uncertainty_sentence,
)

MOST_TASKS = 60
MOST_FINDINGS = 30
MOST_LEFT_OUT = 100


def markdown(report: Report) -> str:
    """Return the whole report; the answer stands in the first line."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"## {GATE_SIGNS[report.gate]} {inline(report.sentence, 600)}"
    yield ""
    yield from _banners(report)
    if report.skills:
        yield from _table(report)
    for skill in report.skills:
        named = "" if len(report.skills) == 1 else f"{inline(_titled(skill), at_start=True)}: "
        yield f"{named}{inline(reach_sentence(skill), 400)}  "
        if steps := steps_sentence(skill):
            yield f"{inline(steps, 400)}  "
    yield ""
    yield from _left_out(report)
    yield from _flags(report)
    for skill in report.skills:
        yield from _skill(skill)
    yield from _findings(report)
    yield from _how(report)


def _banners(report: Report) -> Iterator[str]:
    if report.invocation.replay:
        yield "> **Replay.** Nobody was asked: every answer and every judgment comes from a recorded run."
        yield ""
    if report.embedded_model:
        yield (
            "> **A tiny local model answered** (135 M parameters). This demonstrates the tool; it says nothing about "
            "how a skill fares with a large model."
        )
        yield ""
    if report.spending.reached:
        yield f"> **The budget ended the run first** ({inline(report.spending.reached)})."
        yield ""


def _table(report: Report) -> Iterator[str]:
    same_level = len({skill.alpha for skill in report.skills}) == 1
    level = f"{confidence(report.skills[0].alpha)} interval" if same_level else "interval"
    yield f"| skill | verdict | before | after | Δ points | {level} | rounds | trials | cost | gate |"
    yield "|---|---|---:|---:|---:|:---:|---:|---:|---:|---|"
    for skill in report.skills:
        candidate, reference = skill.arms
        sign = VERDICT_SIGNS[skill.verdict] if skill.verdict else "⚪"
        verdict = skill.verdict.value if skill.verdict else "smoke run"
        at = "" if same_level else f" ({confidence(skill.alpha)})"
        other = {Arm.CONTROL: " (no skill)", Arm.SHAM: " (sham)", Arm.ABLATION: " (without a part)"}
        before = percent(reference.mean) + other.get(reference.arm, "")
        yield (
            f"| {inline(_titled(skill), 120)} | {sign} {verdict} | {before} | {percent(candidate.mean)} "
            f"| {points(skill.statistics.mean_delta)} | {span(skill.statistics.interval)}{at} "
            f"| {skill.rounds} of {skill.rounds_max} | {skill.trials} of {skill.trials_max} "
            f"| {money(skill.cost_usd)} | {skill.gate.value} |"
        )
    yield ""


def _titled(skill: SkillReport) -> str:
    """Return the skill's name; of a row beside the gate also on which suite it was measured."""
    return f"{skill.name} (new suite {skill.suite_version}, not the gate)" if skill.role == "beside" else skill.name


def money(cost: float | None) -> str:
    """Return a cost in dollars.

    >>> money(0.0), money(0.0312), money(None)
    ('$0', '$0.03', 'unknown')
    """
    if cost is None:
        return "unknown"
    return "$0" if cost == 0 else "under $0.01" if cost < 0.01 else f"${cost:,.2f}"


def _left_out(report: Report) -> Iterator[str]:
    if not report.left_out:
        return
    yield "**Not measured**"
    yield ""
    for one in report.left_out[:MOST_LEFT_OUT]:
        fix = f" To do: {inline(one.fix, 400)}." if one.fix else ""
        yield (
            f"- {GATE_SIGNS[one.gate]} {inline(one.skill_id, 80)} ({one.kind.value}, gate {one.gate.value}): "
            f"{inline(one.reason, 600)}.{fix}"
        )
        for finding in one.findings[:5]:
            yield f"  - {_finding(finding)}"
    yield from _rest(report.left_out, MOST_LEFT_OUT)
    yield ""


def _flags(report: Report) -> Iterator[str]:
    if not report.flags:
        return
    yield "**This change touches its own law**"
    yield ""
    for flag in report.flags[:MOST_FINDINGS]:
        yield f"- {inline(flag.path, 120, at_start=True)}: {inline(flag.message, 500)}."
        for line in flag.weakening[:10]:
            yield f"  - weaker: {inline(line, 300)}"
    yield from _rest(report.flags, MOST_FINDINGS)
    yield ""


def _rest(items: Sized, shown: int) -> Iterator[str]:
    if len(items) > shown:
        yield f"- {len(items) - shown:,} more are in report.json"


def _skill(skill: SkillReport) -> Iterator[str]:
    yield f"### {inline(_titled(skill), 120)}"
    yield ""
    yield f"On this suite: {inline(' '.join(filter(None, (skill.sentence, uncertainty_sentence(skill)))), 800)}  "
    if skill.population_sentence:
        yield f"{inline(skill.population_sentence, 400)}"
    yield ""
    if skill.effects_apart:
        yield f"{inline(skill.effects_apart, 700)}"
        yield ""
    for warning in skill.warnings:
        yield f"- {inline(warning, 500)}"
    for note in skill.notes:
        yield f"- {inline(note, 500)}"
    if skill.warnings or skill.notes:
        yield ""
    yield from _dropped(skill)
    yield from _statistics(skill)
    yield from _tasks(skill)


def _dropped(skill: SkillReport) -> Iterator[str]:
    """Yield what fresh rounds say of tasks that dropped, and which others dropped and are only to be watched."""
    checked = {check.task_id for check in skill.checks}
    watched = [task for task in skill.watch if task not in checked]
    if watched:
        named = ", ".join(inline(task, 60) for task in watched[:12])
        more = f" and {len(watched) - 12} more" if len(watched) > 12 else ""
        yield f"Watch (dropped, not shown to have regressed): {named}{more}"
        yield ""
    for check in skill.checks[:MOST_TASKS]:
        sign = "❌" if check.regressed else "❔"
        yield f"- {sign} {inline(check_sentence(check), 400)}"
    if skill.checks:
        yield ""


def _statistics(skill: SkillReport) -> Iterator[str]:
    stats = skill.statistics
    dz = "–" if stats.cohens_dz is None else f"{stats.cohens_dz:.2f}"
    p_value = "–" if stats.p_value is None else f"{stats.p_value:g}"
    yield "<details><summary>Statistics</summary>"
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| pairs (failed) | {stats.pairs} ({stats.failed_pairs}) |"
    yield f"| mean, median difference | {points(stats.mean_delta)}, {points(stats.median_delta)} points |"
    yield f"| {confidence(skill.alpha)} interval, valid at the stop | {span(stats.interval)} points |"
    yield f"| repeated p-value (exact sign flip) | {p_value} |"
    yield f"| Cohen's dz per pair | {dz} |"
    if stats.task_dz is not None:
        yield f"| Cohen's dz of {len(skill.tasks)} task means over {skill.rounds} rounds | {stats.task_dz:.2f} |"
    if skill.claim_alpha is not None and skill.claim_alpha != skill.alpha:
        yield f"| error of a claim, shared with the other skills | {skill.claim_alpha:.3g} |"
    if stats.copies:
        yield f"| copies, counted once | {stats.copies} |"
    yield f"| win, tie, loss | {stats.wins}, {stats.ties}, {stats.losses} |"
    yield f"| rounds | {skill.rounds} of at most {skill.rounds_max}: {REASON_WORDS[skill.reason]} |"
    approved = inline(skill.approved_by, 80)
    yield f"| suite | {skill.suite_version} (from the {skill.suite_from}), approved by {approved} |"
    for arm in skill.arms:
        if arm.skill_loaded is not None:
            yield f"| {arm.arm.value} loaded the skill | {percent(arm.skill_loaded)} of {arm.trials} trials |"
    yield ""
    yield "</details>"
    yield ""


def _tasks(skill: SkillReport) -> Iterator[str]:
    if not skill.tasks:
        return
    yield "<details><summary>Tasks</summary>"
    yield ""
    yield "| task | before | after | Δ points | pairs (failed) |"
    yield "|---|---:|---:|---:|---:|"
    for task in skill.tasks[:MOST_TASKS]:
        yield (
            f"| {inline(task.task_id, 80)} | {percent(task.reference)} | {percent(task.candidate)} "
            f"| {points(task.delta)} | {task.pairs} ({task.failed_pairs}) |"
        )
    if len(skill.tasks) > MOST_TASKS:
        yield ""
        yield f"{len(skill.tasks) - MOST_TASKS} further tasks are in report.json."
    yield ""
    yield "</details>"
    yield ""
    moved = [task for task in skill.tasks if task.samples]
    for task in sorted(moved, key=lambda task: task.delta or 0)[:10]:
        yield from _samples(task)


def _samples(task: TaskResult) -> Iterator[str]:
    yield f"<details><summary>{_summary(task)}</summary>"
    yield ""
    yield "The task:"
    yield ""
    yield block(task.prompt, 600)
    yield ""
    for sample in task.samples:
        yield from _sample(sample)
    yield "</details>"
    yield ""


def _summary(task: TaskResult) -> str:
    name = "".join(char if char.isalnum() or char in " -_." else " " for char in task.task_id[:60]).strip() or "task"
    name = re.sub(r"(?i)\b(gh)-(?=[0-9])", "\\1\N{NON-BREAKING HYPHEN}", name)  # which would refer to an issue
    return f"{name}: {points(task.delta)} points"


def _sample(sample: Sample) -> Iterator[str]:
    value = "lost" if sample.value is None else f"{sample.value:g}"
    reason = f" ({inline(sample.reason, 200)})" if sample.reason else ""
    yield f"{sample.arm.value}, round {sample.round}: {sample.status.value}{reason}, value {value}"
    yield ""
    if sample.answer:
        yield block(sample.answer, 900)
        yield ""
    for judge in sample.judges:
        yield f"- {inline(judge, 500)}"
    for flag in sample.flags:
        yield f"- flagged: {inline(flag)}"
    yield ""


def _finding(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    fix = f" ({inline(finding.fix, 300)})" if finding.fix else ""
    return f"{finding.severity.value} in {inline(finding.path, 120)}{line}: {inline(finding.message, 400)}{fix}"


def _findings(report: Report) -> Iterator[str]:
    findings = [*report.findings, *(finding for skill in report.skills for finding in skill.findings)]
    if not findings:
        return
    yield f"<details><summary>Findings ({len(findings)})</summary>"
    yield ""
    for finding in findings[:MOST_FINDINGS]:
        yield f"- {_finding(finding)}"
    yield from _rest(findings, MOST_FINDINGS)
    yield ""
    yield "</details>"
    yield ""


def _how(report: Report) -> Iterator[str]:
    spending, invocation = report.spending, report.invocation
    yield "<details><summary>How it was measured</summary>"
    yield ""
    base, head = report.base, report.head
    yield f"- baseline {report.baseline_commit[:12]}, candidate {head.commit[:12]} ({inline(head.ref, 80)})"
    yield f"- the law: configuration from the {report.config_from}, base {base.commit[:12]} ({inline(base.ref, 80)})"
    models = ", ".join(inline(model, 80) for model in report.answered_by) or "nobody"
    yield f"- answered by {models}; {spending.calls} model calls recorded, {money(spending.cost_usd)}"
    yield f"- attempts at this run: {invocation.attempts}; calls lost in interrupted attempts: {invocation.lost_calls}"
    yield f"- {inline(invocation.started_at)} to {inline(invocation.finished_at)}, {invocation.seconds:g} s"
    yield f"- run {report.identity[:12]}, skilldelta {inline(report.tool_version)}"
    yield ""
    yield "</details>"
