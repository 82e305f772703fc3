"""Judgments become a trial's value: one number in hundredths, or nothing where the pair is lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..domain.design import Metric
from ..domain.judgment import Judgment
from ..domain.suite import Task
from ..domain.trial import Outcome, TrialStatus

_ADDRESSES_JUDGE = re.compile(
    r"(?i)\b(ignore|disregard|forget)\b.{0,40}\b(rubric|criteria|instructions|prompt)\b"
    r"|\b(dear|note to( the)?|attention)\s+(judge|grader|evaluator|reviewer)\b"
    r"|\b(give|award|assign|grant)\b.{0,30}\b(full|top|maximum|highest|perfect)\s+(score|marks|points)\b"
)
_CLAIMS_SCORE = re.compile(r"(?i)\b(score|rating|grade)\b\s*[:=]\s*(1(\.0+)?|10|100|[0-9.]+\s*/\s*[0-9]+)\b")
_LOOKED_AT = 100_000


class TrialValue(NamedTuple):
    """`value` in hundredths, None where the pair is lost, and then why."""

    value: int | None
    failure: str | None


def trial_value(outcome: Outcome, judgments: Sequence[Judgment], task: Task, metric: Metric) -> TrialValue:
    """Return the value of one attempt.

    `metric: pass`: 100 if all judges pass (`require: any`: one of them), else 0. `metric: score`: the weighted mean of
    the judges' scores, rounded to hundredths. The agent's own failure is 0; a lost trial or a judge failure is None.
    """
    if outcome.status is TrialStatus.FAILED:
        return TrialValue(None, outcome.reason or "the trial failed")
    if outcome.status.own_failure:
        return TrialValue(0, None)
    failed = next((judgment.failure for judgment in judgments if judgment.failure is not None), None)
    if metric is Metric.PASS:
        passes = [judgment.passed for judgment in judgments if judgment.failure is None]
        if task.require == "any" and any(passes):
            return TrialValue(100, None)  # whatever another judge would have said
        if failed is not None:
            return TrialValue(None, failed)
        return TrialValue(100 if task.require == "all" and all(passes) else 0, None)
    if failed is not None:
        return TrialValue(None, failed)
    weights = [judge.weight for judge in task.judges]
    total = sum(weight * judgment.score for weight, judgment in zip(weights, judgments, strict=True))
    return TrialValue(round(100 * total / sum(weights)), None)


def attempts_value(values: Sequence[TrialValue]) -> TrialValue:
    """Return the value of `pass_k` attempts: a pass decides, else a failed attempt fails the pair."""
    if len(values) == 1:
        return values[0]
    if any(value.value == 100 for value in values):
        return TrialValue(100, None)
    return next((value for value in values if value.value is None), TrialValue(0, None))


def flags_of(answer: str) -> tuple[str, ...]:
    """Return what is odd about an answer: that it speaks to the judge or claims a score; it is judged as it is."""
    text = answer[:_LOOKED_AT]
    flags = []
    if _ADDRESSES_JUDGE.search(text):
        flags.append("addresses the judge")
    if _CLAIMS_SCORE.search(text):
        flags.append("claims a score")
    return tuple(flags)
