"""The record of a calibration as plain text for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain.calibration import Calibration, FalseAlarms, JudgeAgreement
from ..domain.comparison import Interval
from ..domain.counted import counted
from ..domain.plan import LeftOut
from .markdown import money
from .markdown_text import visible
from .words import REASON_WORDS, percent

MOST_TASKS = 60


def calibration_text(found: Sequence[Calibration], left_out: Sequence[LeftOut] = ()) -> str:
    """Return what is known of each suite now, in a few lines each."""
    lines = [line for one in found for line in _one(one)]
    lines += [f"{_line(one.skill_id, 80)}: not measured: {_line(one.reason)}" for one in left_out]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _line(text: str, most: int = 600) -> str:
    line = " ".join(visible(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _one(one: Calibration) -> Iterator[str]:
    whole = "" if one.finished else f", NOT FINISHED: {REASON_WORDS[one.reason]}, so it is not recorded"
    rounds = counted(one.rounds, "round")
    yield f"{_line(one.name, 80)} against itself on {one.suite_version}: {rounds}{whole}"
    if one.invocation.replay:
        yield "  Replay: nobody was asked, everything comes from the journal."
    if one.embedded_model:
        yield "  A tiny local model answered (135 M parameters): a demonstration, not evidence about large models."
    if one.discordance is not None:
        yield (
            f"  discordance {percent(one.discordance)}: so often do two trials of one skill and task differ (the mean "
            "over the tasks)"
        )
    yield f"  this one comparison of the skill with itself said: {one.verdict.value}"
    if one.false_alarms:
        yield f"  {_alarms(one.false_alarms)}"
    if one.judges:
        yield f"  {_judges(one.judges)}"
    for finding in one.findings:
        yield f"  finding: {_line(finding)}"
    for task in one.tasks[:MOST_TASKS]:
        yield (
            f"  {_line(task.task_id, 60)}: {task.kind}, {percent(task.mean)} of {task.trials} trials, "
            f"discordance {percent(task.discordance)}{_between(task.discordance_interval)}"
        )
    if len(one.tasks) > MOST_TASKS:
        yield f"  {len(one.tasks) - MOST_TASKS:,} further tasks are in calibration.json"
    yield f"  {one.spent.calls + one.spent.judge_calls} model calls, {money(one.cost_usd)}"
    yield ""


def _alarms(alarms: FalseAlarms) -> str:
    return (
        f"false alarms: {_tenths(alarms.rate)} ({_tenths(alarms.rate_interval.low)} to "
        f"{_tenths(alarms.rate_interval.high)}) of {alarms.deals:,} times that these "
        f"trials were dealt to two arms and {counted(alarms.rounds, 'round')} at random ({alarms.improved} improved, "
        f'{alarms.regressed} regressed); the rule "any drop is a regression" would have failed '
        f"{percent(alarms.any_drop)}"
    )


def _tenths(share: float) -> str:
    """Return a small share as a percentage with one decimal."""
    return f"{100 * share:.1f} %"


def _judges(judges: JudgeAgreement) -> str:
    if not judges.asked:
        return "the judge was asked about no answer twice"
    kappa = "" if judges.kappa is None else f", kappa {judges.kappa:.2f}{_plain(judges.kappa_interval)}"
    failed = f"; {judges.failed} failed" if judges.failed else ""
    return (
        f"the judge agreed with itself in {judges.agreeing} of {judges.asked} judgments asked twice"
        f"{_between(judges.agreement_interval)}{kappa}, scores {judges.mean_score_gap or 0:.2f} apart on average"
        f"{failed}"
    )


def _between(interval: Interval | None) -> str:
    """Return an interval of shares in brackets."""
    return "" if interval is None else f" ({percent(interval.low)} to {percent(interval.high)})"


def _plain(interval: Interval | None) -> str:
    return "" if interval is None else f" ({interval.low:.2f} to {interval.high:.2f})"
