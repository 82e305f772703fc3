"""One look of the sequential test: what the pairs so far say, as observed and with failed pairs at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from scipy.special import ndtr

from ..domain.comparison import Look, Verdict
from ..domain.design import Design, Goal
from ..statistics.sign_flip import SignFlipTest
from ..statistics.spending import critical_values_at
from .evidence import HUNDREDTHS, Evidence


def information(rounds: int, design: Design) -> float:
    """Return the information fraction t = rounds / R_max."""
    return rounds / design.rounds


def take_look(
    test: SignFlipTest,
    earlier: Sequence[Look],
    evidence: Evidence,
    differences: Sequence[int],
    rounds: int,
    design: Design,
    *,
    fraction: float,
    claim_alpha: float,
) -> tuple[Look, SignFlipTest]:
    """Return the look at `rounds` finished rounds, without a verdict yet, and the sign-flip test after it.

    `evidence` covers all pairs so far, `differences` (hundredths) the observed ones since the last of the
    `earlier` looks. `fraction` is the look's information fraction. The boundary spends `claim_alpha`, the interval
    `design.alpha`. A crossing stays crossed at the later looks, each direction for itself.
    """
    allowed = claim_alpha * math.pow(fraction, design.spending_power)
    boundary, test = test.advance(differences, allowed)
    critical_value = critical_value_at((*(look.information for look in earlier), fraction), design, design.alpha)
    lost, won = evidence.filled(won=False), evidence.filled(won=True)
    interval = evidence.interval(design.metric, critical_value)
    limit = math.inf if boundary is None else boundary
    before = earlier[-1] if earlier else None
    look = Look(
        rounds=rounds,
        information=fraction,
        pairs=evidence.observed,
        failed_pairs=evidence.failed,
        delta=evidence.mean,
        interval=interval,
        interval_if_lost=lost.interval(design.metric, critical_value) if evidence.failed else interval,
        interval_if_won=won.interval(design.metric, critical_value) if evidence.failed else interval,
        critical_value=critical_value,
        boundary=boundary,
        sum=evidence.total,
        crossed_up=evidence.total >= limit or (before is not None and before.crossed_up),
        crossed_down=-evidence.total >= limit or (before is not None and before.crossed_down),
        crossed_up_if_lost=lost.total >= limit or (before is not None and before.crossed_up_if_lost),
        crossed_down_if_won=-won.total >= limit or (before is not None and before.crossed_down_if_won),
        verdict=None,
        unfilled_verdict=None,
    )
    return look, test


def critical_value_at(fractions: tuple[float, ...], design: Design, alpha: float) -> float:
    """Return the critical value of the last of the looks at the given information fractions."""
    schedule = _schedule(design.rounds, design.looks())
    # The whole schedule is solved once; the values of its first looks do not depend on the later ones.
    looks = schedule if fractions == schedule[: len(fractions)] else fractions
    return _critical_values(looks, alpha, design.spending_power)[len(fractions) - 1]


@lru_cache(maxsize=64)
def _schedule(most: int, looks: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(rounds / most for rounds in looks)


@lru_cache(maxsize=256)
def _critical_values(fractions: tuple[float, ...], alpha: float, spending_power: float) -> tuple[float, ...]:
    return critical_values_at(fractions, tuple(alpha * fraction**spending_power for fraction in fractions))


def claims(look: Look, design: Design, *, filled: bool) -> list[Verdict]:
    """Return which of improved, regressed and no-regression the look supports, strongest first.

    `filled` also asks that each holds with the failed pairs filled in the worst way for it.
    """
    improved = look.crossed_up and look.interval.low > 0
    regressed = look.crossed_down and look.interval.high < 0
    no_worse = look.interval.low > -design.margin
    if filled:
        improved = improved and look.crossed_up_if_lost and look.interval_if_lost.low > 0
        regressed = regressed and look.crossed_down_if_won and look.interval_if_won.high < 0
        no_worse = no_worse and look.interval_if_lost.low > -design.margin
    supported = {
        Verdict.IMPROVED: improved,
        Verdict.REGRESSED: regressed,
        Verdict.NO_REGRESSION: no_worse,
    }
    return [verdict for verdict, holds in supported.items() if holds]


def predictive_power(evidence: Evidence, fraction: float, design: Design, claim_alpha: float | None = None) -> float:
    """Return the largest predictive power of a verdict that is still open, under a flat prior.

    PP(z) = Φ((z − c_end·√t)/√(1 − t)), t = `fraction` < 1, for z = S/√(Σd² + 2) up and down with the last critical
    value at `claim_alpha`, and for goal gate also with every d raised by the margin, at `design.alpha`. Spiegelhalter,
    Freedman and Blackburn, Controlled Clinical Trials 7 (1986) 8.
    """
    total, squares = evidence.total / HUNDREDTHS, evidence.squares / HUNDREDTHS**2
    end = _schedule(design.rounds, design.looks())

    def power(score: float, alpha: float) -> float:
        needed = critical_value_at(end, design, alpha) * math.sqrt(fraction)
        return float(ndtr((score - needed) / math.sqrt(1 - fraction)))

    best = power(abs(total) / math.sqrt(squares + 2), claim_alpha or design.alpha)
    if design.goal is Goal.GATE:
        margin, pairs = design.margin, evidence.observed
        raised = squares + 2 * margin * total + margin**2 * pairs
        best = max(best, power((total + margin * pairs) / math.sqrt(raised + 2), design.alpha))
    return best
