"""The report as plain text for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.report import Report, SkillReport
from .markdown import money
from .markdown_text import visible
from .reach_words import reach_sentence, steps_sentence
from .words import (
    REASON_WORDS,
    check_sentence,
    confidence,
    percent,
    points,
    span,
    uncertainty_sentence,
)


def terminal(report: Report) -> str:
    """Return the report in a few lines; details are in report.md and report.json."""
    return "\n".join(line.rstrip() for line in _lines(report)) + "\n"


def _one(text: str, most: int = 600) -> str:
    line = " ".join(visible(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _lines(report: Report) -> Iterator[str]:
    yield _one(report.sentence)
    if report.invocation.replay:
        yield "Replay: nobody was asked, everything comes from the journal."
    if report.embedded_model:
        yield "A tiny local model answered (135 M parameters): a demonstration, not evidence about large models."
    if report.spending.reached:
        yield f"The budget ended the run first: {_one(report.spending.reached)}."
    yield ""
    for skill in report.skills:
        yield from _skill(skill)
    for one in report.left_out:
        yield f"{_one(one.skill_id, 80)}: not measured, gate {one.gate.value}: {_one(one.reason)}"
        if one.fix:
            yield f"  fix: {_one(one.fix)}"
        for finding in one.findings[:5]:
            line = f":{finding.line}" if finding.line else ""
            yield f"  {finding.severity.value}: {_one(finding.path, 200)}{line}: {_one(finding.message)}"
    for flag in report.flags:
        yield f"flag: {_one(flag.path, 200)}: {_one(flag.message)}"
        for weaker in flag.weakening[:10]:
            yield f"  weaker: {_one(weaker)}"
    for finding in report.findings[:10]:
        yield f"{finding.severity.value}: {_one(finding.path, 200)}: {_one(finding.message)}"
    spending, lost = report.spending, report.invocation.lost_calls
    more = f" and {lost} lost in interrupted work" if lost else ""
    yield (
        f"gate: {report.gate.value} (exit code {report.exit_code}); {spending.calls} model calls{more}, "
        f"{money(spending.cost_usd)}, attempt {report.invocation.attempts}"
    )


def _skill(skill: SkillReport) -> Iterator[str]:
    candidate, reference = skill.arms
    verdict = skill.verdict.value if skill.verdict else "smoke run, no verdict"
    stats = skill.statistics
    place = f"gate {skill.gate.value}" if skill.role == "gate" else f"new suite {skill.suite_version}, not the gate"
    yield f"{_one(skill.name, 80)}: {verdict} ({place})"
    yield (
        f"  {reference.arm.value} {percent(reference.mean)} → candidate {percent(candidate.mean)}, "
        f"{points(stats.mean_delta)} points, {confidence(skill.alpha)} interval {span(stats.interval)}, "
        f"p {'–' if stats.p_value is None else format(stats.p_value, 'g')}, "
        f"win/tie/loss {stats.wins}/{stats.ties}/{stats.losses}, failed pairs {stats.failed_pairs}"
    )
    yield f"  {skill.rounds} of at most {skill.rounds_max} rounds, {skill.trials} trials: {REASON_WORDS[skill.reason]}"
    yield f"  {reach_sentence(skill)}"
    if steps := steps_sentence(skill):
        yield f"  {steps}"
    if about := uncertainty_sentence(skill):
        yield f"  {about}"
    if skill.population_sentence:
        yield f"  {skill.population_sentence}"
    if skill.effects_apart:
        yield f"  {_one(skill.effects_apart, 900)}"
    checked = {check.task_id for check in skill.checks}
    if watched := [task for task in skill.watch if task not in checked]:
        yield f"  watch: {_one(', '.join(watched), 300)}"
    for check in skill.checks[:20]:
        yield f"  {_one(check_sentence(check), 400)}"
    for warning in (*skill.warnings, *skill.notes):
        yield f"  note: {_one(warning)}"
    yield ""
