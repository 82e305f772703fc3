"""What a reader must know beside the numbers: warnings that are measured, never guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..domain.comparison import StopReason, Verdict
from ..domain.judged import JudgedTrial
from ..domain.plan import SkillPlan
from ..domain.report import SkillReport
from ..domain.trial import Arm
from .drift import drift_sentence
from .words import MOST_NAMED, called

WEAK_BASELINE = 0.2
MOST_REASONS = 3


def warnings_of(report: SkillReport, trials: Sequence[JudgedTrial], skill: SkillPlan) -> tuple[str, ...]:
    """Return the warnings on one skill's result, each one sentence."""
    about_the_suite = _about_the_suite(report, trials) if report.verdict is not None else ()  # one task is no suite
    return (
        *_about_the_result(report),
        *_about_confirming(report, skill),
        *about_the_suite,
        *_about_the_answers(report, trials, skill),
    )


def _about_the_result(report: SkillReport) -> Iterator[str]:
    if report.held_back is not None:
        yield (
            f"The observed pairs alone would say {report.held_back.value}; it does not hold when the "
            f"{report.statistics.failed_pairs} failed pairs are counted in the worst way, so it is not said."
        )
    if report.unadjusted is not None and report.unadjusted is not report.verdict and report.verdict is not None:
        yield (
            f"Alone it would be {report.unadjusted.value}; claims share their error with the other skills of this "
            f"change, and at {report.claim_alpha:.3g} it is not one."
        )
    if drift := drift_sentence(report.drift, report.alpha):
        yield drift
    if report.statistics.stopped_early and report.statistics.mean_delta:
        yield "The estimate is from an early stop and tends to overstate; the interval is valid at the stop."
    if report.reason is StopReason.BUDGET:
        yield "The budget ended before the answer was reached: this is not a finding of no difference."
    if report.reason is StopReason.UNFINISHED:
        yield "The recorded run is not finished: the command that began it continues it."
    if report.reason is StopReason.FAILURES:
        yield "What failed is recorded and final: to measure anew once the cause is mended, take a new --out folder."
    unseen = [called(task.task_id) for task in report.tasks if not task.pairs]
    if unseen and report.statistics.pairs:
        more = f" and {len(unseen) - MOST_NAMED} more" if len(unseen) > MOST_NAMED else ""
        yield (
            f"No pair came about of {', '.join(unseen[:MOST_NAMED])}{more}: the numbers are of the other tasks, and "
            "a claim is made only if it holds whatever these would have given."
        )
    lost = report.statistics.failed_pairs
    if lost:
        arms = Counter(pair.arm.value for pair in report.failed)
        shares = ", ".join(f"{count} in {arm}" for arm, count in sorted(arms.items()))
        yield f"{lost} of {lost + report.statistics.pairs} pairs failed ({shares}) and were not judged as bad answers."
        reasons = Counter(pair.reason for pair in report.failed).most_common(MOST_REASONS)
        yield f"Why they failed: {'; '.join(f'{reason} ({count} ×)' for reason, count in reasons)}."


def _about_confirming(report: SkillReport, skill: SkillPlan) -> Iterator[str]:
    """Say why tasks that dropped were not run again, where the plan foresees it."""
    if skill.confirm_rounds and report.watch and not report.checks and report.verdict is not None:
        if report.verdict is Verdict.INSUFFICIENT_DATA or report.reason is StopReason.COPIES:
            why = "what was measured does not suffice for it"
        else:
            why = "none of them dropped clearly (a one-sided mid-p of at most .10)"
        yield f"No task was run again on fresh rounds: {why}."


def _about_the_suite(report: SkillReport, trials: Sequence[JudgedTrial]) -> Iterator[str]:
    candidate, reference = report.arms
    if reference.arm is Arm.BASELINE and reference.mean is not None and reference.mean < WEAK_BASELINE:
        yield f"The baseline reaches only {100 * reference.mean:.0f} %: check that the suite fits the skill."
    if candidate.mean == 0 and reference.mean == 0:
        yield "No trial of either arm reached anything: a suite that nothing passes cannot show a difference."
    if trials and all(trial.value == 100 for trial in trials):
        yield "Every trial of both arms passed: a suite that cannot fail cannot show a difference."
    for arm in (candidate, reference):
        count = sum(arm.own_failures.values())
        if count:
            words = ", ".join(f"{number} {status.value}" for status, number in arm.own_failures.items())
            yield f"{count} of {arm.trials} trials of {arm.arm.value} are worth 0 for a reason of their own: {words}."


def _about_the_answers(report: SkillReport, trials: Sequence[JudgedTrial], skill: SkillPlan) -> Iterator[str]:
    flags = Counter(flag for trial in trials for flag in trial.flags)
    for flag, count in sorted(flags.items()):
        yield f"{count} answers were flagged: {flag}. They were judged as they are."
    copies = report.statistics.copies
    if copies:
        yield (
            f"{copies} pairs are not counted: they are of a round in which the server's cache gave an earlier answer "
            "again, and such a round is left out whole."
        )
    elif any(trial.server_cached for trial in trials):
        yield "The server answered from a cache, each time with a text that was not there before: these were counted."
    elif report.rounds > 1 and _copies(trials):
        yield "Every answer is the same text in all rounds: the rounds may be copies rather than replicates."
    models = {trial.model for trial in trials if trial.model}
    if len(models) > 1:
        yield f"More than one model answered: {', '.join(sorted(models)[:5])}."
    if skill.suite.suite.needs_judge_model and trials:
        yield "A language model judged; its word is triage until the author has validated it."
    if skill.runner.provider == "local":
        yield "The tiny embedded model answered: this demonstrates the tool and says nothing about a large model."


def _copies(trials: Sequence[JudgedTrial]) -> bool:
    """Return True when each arm answered each task with one text only, over several rounds."""
    texts: dict[tuple[str, Arm], set[str]] = {}
    for trial in trials:
        if trial.answer_chars:
            texts.setdefault((trial.task_id, trial.arm), set()).add(trial.answer_digest)
    return bool(texts) and all(len(seen) == 1 for seen in texts.values())
