"""The decision of one comparison: when to stop, and what to say then."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.comparison import Decision, Look, Pair, StopReason, Verdict
from ..domain.design import Design, Goal, Metric
from ..statistics.repeated_p_value import repeated_p_value
from ..statistics.sign_flip import SignFlipTest
from .looks import Evidence, claims, information, predictive_power, scheduled_looks, take_look

_CLAIMS = (Verdict.IMPROVED, Verdict.REGRESSED)


def decide(rounds: Sequence[Sequence[Pair]], design: Design, *, out_of_budget: bool = False) -> Decision:
    """Return what the finished rounds say, and whether another round should run, by the design's procedure.

    `rounds` holds for each finished round one pair per task, failed ones included; rounds beyond the one
    that decides are left out of account. `out_of_budget` says that no further round can be paid. An
    unfinished decision reads `inconclusive` for the reason `rounds`, and has no p-value. A run that ends
    between two looks of the schedule gets a closing look for the report, which carries no verdict.
    Raises ValueError for more rounds than the design has, or for a difference other than −100, 0 and 100
    under the metric `pass`.

    >>> pairs = [Pair(task_id=str(task), round=1, candidate=100, baseline=0) for task in range(12)]
    >>> decide([pairs], Design(rounds=1)).verdict.value
    'improved'
    """
    decision = conclude(rounds, design, out_of_budget=out_of_budget)
    last = decision.last
    if not decision.finished or last is None or last.pairs == 0:
        return decision
    starts = [0, *(look.rounds for look in decision.looks)]
    p_value = repeated_p_value(
        [_differences(rounds[start : look.rounds]) for start, look in zip(starts, decision.looks, strict=False)],
        [information(look.rounds, design) for look in decision.looks],
        spending_power=design.spending_power,
        alpha=design.alpha,
    )
    return decision.model_copy(update={"p_value": p_value})


def conclude(rounds: Sequence[Sequence[Pair]], design: Design, *, out_of_budget: bool = False) -> Decision:
    """Return the same as `decide` without the p-value, which takes most of its time."""
    _check(rounds, design)
    schedule = scheduled_looks(design)
    evidence, test, looks, seen = Evidence(), SignFlipTest(), list[Look](), 0
    for done, pairs in enumerate(rounds, start=1):
        evidence = evidence.plus(pairs)
        lost_cause = _cannot_recover(rounds[:done], evidence, design)
        broke = out_of_budget and done == len(rounds)
        if not (done in schedule or lost_cause or broke):
            continue
        look, test = take_look(test, looks, evidence, _differences(rounds[seen:done]), done, design)
        looks.append(_with_verdict(look, evidence, design) if done in schedule else look)
        seen = done
        if ending := _ending(looks[-1], evidence, design, lost_cause=lost_cause, broke=broke):
            return _decision(*ending, looks)
    if out_of_budget:
        return _decision(Verdict.INCONCLUSIVE, StopReason.BUDGET, looks)
    return _decision(Verdict.INCONCLUSIVE, StopReason.ROUNDS, looks).model_copy(
        update={"finished": False, "held_back": None}
    )


def _check(rounds: Sequence[Sequence[Pair]], design: Design) -> None:
    if len(rounds) > design.rounds:
        raise ValueError(f"{len(rounds)} rounds finished of a design of {design.rounds}")
    if design.metric is Metric.PASS and not set(_differences(rounds)) <= {-100, 0, 100}:
        raise ValueError("under the metric pass every value is 0 or 100 hundredths")


def _differences(rounds: Sequence[Sequence[Pair]]) -> list[int]:
    return [difference for pairs in rounds for pair in pairs if (difference := pair.difference) is not None]


def _cannot_recover(rounds: Sequence[Sequence[Pair]], evidence: Evidence, design: Design) -> bool:
    """Say whether failures have settled the run: too many whatever follows, or too many once nothing works any more."""
    most = design.max_failed * design.rounds * len(rounds[0])
    if evidence.failed > most:
        return True
    last_two = rounds[-2:]
    dead = len(last_two) == 2 and all(pairs and not _differences([pairs]) for pairs in last_two)
    to_come = (design.rounds - len(rounds)) * len(rounds[0])
    return dead and to_come > 0 and evidence.failed + to_come > most


def _too_many_failed(evidence: Evidence, design: Design) -> bool:
    """Say whether the pairs so far are too few of those attempted to carry any verdict."""
    if evidence.observed == 0:
        return evidence.failed > 0
    return evidence.failed > design.max_failed * evidence.attempted


def _with_verdict(look: Look, evidence: Evidence, design: Design) -> Look:
    """Return the look with the verdict that may be given at it, if any."""
    if look.rounds < min(design.min_rounds, design.rounds) or _too_many_failed(evidence, design):
        return look
    stopping = _stopping_verdicts(design)
    verdict = _strongest(look, design, stopping, filled=True)
    unfilled = _strongest(look, design, stopping, filled=False)
    at_end = look.rounds == design.rounds
    futile = not at_end and verdict is None and _is_futile(look, evidence, design)
    if at_end or futile:
        sayable = (*_CLAIMS, Verdict.NO_REGRESSION)
        verdict = _strongest(look, design, sayable, filled=True)
        unfilled = _strongest(look, design, sayable, filled=False)
    return look.model_copy(update={"verdict": verdict, "unfilled_verdict": unfilled, "futile": futile})


def _stopping_verdicts(design: Design) -> tuple[Verdict, ...]:
    """Return the verdicts that end a run of this goal as soon as they hold."""
    return (*_CLAIMS, Verdict.NO_REGRESSION) if design.goal is Goal.GATE else _CLAIMS


def _strongest(look: Look, design: Design, sayable: tuple[Verdict, ...], *, filled: bool) -> Verdict | None:
    return next((verdict for verdict in claims(look, design, filled=filled) if verdict in sayable), None)


def _is_futile(look: Look, evidence: Evidence, design: Design) -> bool:
    return predictive_power(evidence, look.rounds, design) < design.futility


def _ending(
    look: Look, evidence: Evidence, design: Design, *, lost_cause: bool, broke: bool
) -> tuple[Verdict, StopReason] | None:
    """Return the verdict and reason with which the run ends at this look, None when it goes on."""
    at_end = look.rounds == design.rounds
    if look.verdict in _stopping_verdicts(design):
        return look.verdict, StopReason.DECIDED
    if lost_cause or (at_end and _too_many_failed(evidence, design)):
        return Verdict.INSUFFICIENT_DATA, StopReason.FAILURES
    if broke and _too_many_failed(evidence, design):
        return Verdict.INSUFFICIENT_DATA, StopReason.BUDGET
    if look.futile:
        return look.verdict or Verdict.INCONCLUSIVE, StopReason.FUTILE
    if at_end:
        return look.verdict or Verdict.INCONCLUSIVE, StopReason.ROUNDS
    return (Verdict.INCONCLUSIVE, StopReason.BUDGET) if broke else None


def _decision(verdict: Verdict, reason: StopReason, looks: Sequence[Look]) -> Decision:
    """Return a finished decision, with the verdict that only the observed pairs support, if there is one."""
    unfilled = looks[-1].unfilled_verdict if looks else None
    held_back = None if unfilled == verdict or verdict is Verdict.INSUFFICIENT_DATA else unfilled
    return Decision(
        verdict=verdict, reason=reason, finished=True, looks=tuple(looks), p_value=None, held_back=held_back
    )
