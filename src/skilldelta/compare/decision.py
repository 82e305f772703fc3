"""The decision of one comparison: when to stop, and what to say then."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.comparison import Decision, Look, Pair, StopReason, Verdict
from ..domain.design import Design, Goal, Metric
from ..statistics.repeated_p_value import repeated_p_value
from ..statistics.sign_flip import SignFlipTest
from .evidence import Evidence
from .looks import claims, information, predictive_power, take_look

CLAIMS = (Verdict.IMPROVED, Verdict.REGRESSED)
_WHOLE = 1.0
Rounds = Sequence[Sequence[Pair]]


def decide(
    rounds: Rounds, design: Design, *, out_of_budget: bool = False, claim_alpha: float | None = None
) -> Decision:
    """Return what the finished rounds say, and whether another round should run, by the design's procedure.

    `rounds` holds for each finished round one pair per task, failed ones included; rounds beyond the one
    that decides are left out of account. `out_of_budget` says that no further round can be paid. `claim_alpha` is the
    two-sided error that a claim may have where the design's alpha is shared with other skills. An
    unfinished decision reads `inconclusive` for the reason `rounds`, and has no p-value. A run that ends
    between two looks of the schedule gets a closing look for the report, which carries no verdict.
    Raises ValueError for more rounds than the design has, or for a difference other than −100, 0 and 100
    under the metric `pass`.

    >>> pairs = [Pair(task_id=str(task), round=1, candidate=100, baseline=0) for task in range(12)]
    >>> decide([pairs], Design(rounds=1)).verdict.value
    'improved'
    """
    return _with_p_value(conclude(rounds, design, out_of_budget=out_of_budget, claim_alpha=claim_alpha), rounds, design)


def conclude(
    rounds: Rounds, design: Design, *, out_of_budget: bool = False, claim_alpha: float | None = None
) -> Decision:
    """Return the same as `decide` without the p-value, which takes most of its time."""
    _check(rounds, design)
    level = claim_alpha or design.alpha
    schedule = design.looks()
    evidence, test, looks, seen = Evidence.before(rounds, design.brief), SignFlipTest(), list[Look](), 0
    for done, pairs in enumerate(rounds, start=1):
        evidence = evidence.plus(pairs, design.brief)
        lost_cause = _cannot_recover(rounds[:done], evidence, design)
        broke = out_of_budget and done == len(rounds)
        # What follows would be copies again: the run is as complete as it can be.
        copies = bool(pairs) and all(pair.copied for pair in pairs)
        if not (done in schedule or lost_cause or broke or copies):
            continue
        fraction = _WHOLE if copies else information(done, design)
        new = _differences(rounds[seen:done])
        look, test = take_look(test, looks, evidence, new, done, design, fraction=fraction, claim_alpha=level)
        planned = done in schedule or copies
        looks.append(_with_verdict(look, evidence, design, level) if planned else look)
        seen = done
        if ending := _ending(looks[-1], evidence, design, lost_cause=lost_cause, broke=broke):
            verdict, reason = ending
            reason = StopReason.COPIES if copies and reason is StopReason.ROUNDS and done < design.rounds else reason
            return _decision(verdict, reason, looks, level)
    if out_of_budget:
        return _decision(Verdict.INCONCLUSIVE, StopReason.BUDGET, looks, level)
    return _decision(Verdict.INCONCLUSIVE, StopReason.ROUNDS, looks, level).model_copy(
        update={"finished": False, "held_back": None}
    )


def decide_at(decision: Decision, rounds: Rounds, design: Design, *, claim_alpha: float) -> Decision:
    """Return a finished decision with its claims judged at another error, over the same looks and rounds.

    What had crossed at an earlier look counts; nothing ends earlier for it. What then claims did not end for futility.
    """
    evidence, test, looks, seen = Evidence.before(rounds, design.brief), SignFlipTest(), list[Look](), 0
    for earlier in decision.looks:
        for pairs in rounds[seen : earlier.rounds]:
            evidence = evidence.plus(pairs, design.brief)
        look, test = take_look(
            test, looks, evidence, _differences(rounds[seen : earlier.rounds]), earlier.rounds, design,
            fraction=earlier.information, claim_alpha=claim_alpha,
        )  # fmt: skip
        looks.append(_with_verdict(look, evidence, design, claim_alpha))
        seen = earlier.rounds
    claimed = looks[-1].verdict if looks else None
    if claimed not in CLAIMS:
        return decision
    reason = StopReason.DECIDED if decision.reason is StopReason.FUTILE else decision.reason
    again = decision.model_copy(
        update={
            "verdict": claimed,
            "reason": reason,
            "looks": tuple(looks),
            "claim_alpha": claim_alpha,
            "held_back": None,
        }
    )
    return _with_p_value(again, rounds, design)


def _with_p_value(decision: Decision, rounds: Rounds, design: Design) -> Decision:
    last = decision.last
    if not decision.finished or last is None or last.pairs == 0:
        return decision
    starts = [0, *(look.rounds for look in decision.looks)]
    p_value = repeated_p_value(
        [_differences(rounds[start : look.rounds]) for start, look in zip(starts, decision.looks, strict=False)],
        [look.information for look in decision.looks],
        spending_power=design.spending_power,
        alpha=decision.claim_alpha,
    )
    return decision.model_copy(update={"p_value": p_value})


def _check(rounds: Rounds, design: Design) -> None:
    if len(rounds) > design.rounds:
        raise ValueError(f"{len(rounds)} rounds finished of a design of {design.rounds}")
    if design.metric is Metric.PASS and not set(_differences(rounds)) <= {-100, 0, 100}:
        raise ValueError("under the metric pass every value is 0 or 100 hundredths")


def _differences(rounds: Rounds) -> list[int]:
    return [difference for pairs in rounds for pair in pairs if (difference := pair.difference) is not None]


def _planned(rounds: Rounds, design: Design) -> int:
    """Return the number of pairs of the whole design; the first round holds every task."""
    brief = sum(pair.task_id in design.brief for pair in rounds[0])
    return design.rounds * (len(rounds[0]) - brief) + min(design.brief_rounds, design.rounds) * brief


def _cannot_recover(rounds: Rounds, evidence: Evidence, design: Design) -> bool:
    """Say whether failures have settled the run: too many whatever follows, or too many once nothing works any more."""
    planned = _planned(rounds, design)
    most = design.max_failed * planned
    if evidence.failed > most:
        return True
    last_two = rounds[-2:]
    dead = len(last_two) == 2 and all(pairs and all(pair.failed for pair in pairs) for pairs in last_two)
    to_come = planned - sum(len(pairs) for pairs in rounds)
    return dead and to_come > 0 and evidence.failed + to_come > most


def _too_many_failed(evidence: Evidence, design: Design) -> bool:
    """Say whether the pairs so far are too few of those attempted to carry any verdict."""
    if evidence.observed == 0:
        return evidence.failed > 0
    return evidence.failed > design.max_failed * evidence.attempted


def _with_verdict(look: Look, evidence: Evidence, design: Design, claim_alpha: float) -> Look:
    """Return the look with the verdict that may be given at it, if any."""
    if look.rounds < min(design.min_rounds, design.rounds) or _too_many_failed(evidence, design):
        return look
    stopping = _stopping_verdicts(design)
    verdict = _strongest(look, design, stopping, filled=True)
    unfilled = _strongest(look, design, stopping, filled=False)
    at_end = look.information == _WHOLE
    futile = not at_end and verdict is None and _is_futile(look, evidence, design, claim_alpha)
    if at_end or futile:
        sayable = (*CLAIMS, Verdict.NO_REGRESSION)
        verdict = _strongest(look, design, sayable, filled=True)
        unfilled = _strongest(look, design, sayable, filled=False)
    return look.model_copy(update={"verdict": verdict, "unfilled_verdict": unfilled, "futile": futile})


def _stopping_verdicts(design: Design) -> tuple[Verdict, ...]:
    """Return the verdicts that end a run of this goal as soon as they hold."""
    return (*CLAIMS, Verdict.NO_REGRESSION) if design.goal is Goal.GATE else CLAIMS


def _strongest(look: Look, design: Design, sayable: tuple[Verdict, ...], *, filled: bool) -> Verdict | None:
    return next((verdict for verdict in claims(look, design, filled=filled) if verdict in sayable), None)


def _is_futile(look: Look, evidence: Evidence, design: Design, claim_alpha: float) -> bool:
    return predictive_power(evidence, look.information, design, claim_alpha) < design.futility


def _ending(
    look: Look, evidence: Evidence, design: Design, *, lost_cause: bool, broke: bool
) -> tuple[Verdict, StopReason] | None:
    """Return the verdict and reason with which the run ends at this look, None when it goes on."""
    at_end = look.information == _WHOLE
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


def _decision(verdict: Verdict, reason: StopReason, looks: Sequence[Look], claim_alpha: float) -> Decision:
    """Return a finished decision, with the verdict that only the observed pairs support, if there is one."""
    unfilled = looks[-1].unfilled_verdict if looks else None
    held_back = None if unfilled == verdict or verdict is Verdict.INSUFFICIENT_DATA else unfilled
    return Decision(
        verdict=verdict,
        reason=reason,
        finished=True,
        looks=tuple(looks),
        p_value=None,
        held_back=held_back,
        claim_alpha=claim_alpha,
    )
