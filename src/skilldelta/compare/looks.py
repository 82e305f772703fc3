"""One look of the sequential test: what the pairs so far say, as observed and with failed pairs at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scipy.special import ndtr

from ..domain.comparison import Interval, Look, Pair, Verdict
from ..domain.design import Design, Goal, Metric
from ..statistics.intervals import self_normalised_interval, tango_interval
from ..statistics.sign_flip import SignFlipTest
from ..statistics.spending import critical_values_at

_HUNDREDTHS = 100


@dataclass(frozen=True)
class Evidence:
    """Counts and sums over the pairs of some rounds; sums in hundredths."""

    attempted: int = 0
    failed: int = 0
    wins: int = 0
    losses: int = 0
    total: int = 0
    squares: int = 0

    @property
    def observed(self) -> int:
        """Pairs that did not fail."""
        return self.attempted - self.failed

    def plus(self, pairs: Sequence[Pair]) -> Evidence:
        """Return this evidence with one more round's pairs."""
        differences = [difference for pair in pairs if (difference := pair.difference) is not None]
        return Evidence(
            attempted=self.attempted + len(pairs),
            failed=self.failed + len(pairs) - len(differences),
            wins=self.wins + sum(difference > 0 for difference in differences),
            losses=self.losses + sum(difference < 0 for difference in differences),
            total=self.total + sum(differences),
            squares=self.squares + sum(difference**2 for difference in differences),
        )

    def filled(self, *, won: bool) -> Evidence:
        """Return the evidence with every failed pair taken as a full win or a full loss of the candidate."""
        return Evidence(
            attempted=self.attempted,
            wins=self.wins + (self.failed if won else 0),
            losses=self.losses + (0 if won else self.failed),
            total=self.total + (self.failed if won else -self.failed) * _HUNDREDTHS,
            squares=self.squares + self.failed * _HUNDREDTHS**2,
        )

    def interval(self, metric: Metric, critical_value: float) -> Interval:
        """Return the interval for the suite's mean difference at one critical value."""
        if metric is Metric.PASS:
            low, high = tango_interval(
                wins=self.wins, losses=self.losses, pairs=self.observed, critical_value=critical_value
            )
        else:
            low, high = self_normalised_interval(
                total=self.total / _HUNDREDTHS,
                sum_of_squares=self.squares / _HUNDREDTHS**2,
                pairs=self.observed,
                critical_value=critical_value,
            )
        return Interval(low=low, high=high)


def scheduled_looks(design: Design) -> tuple[int, ...]:
    """Return the numbers of finished rounds at which the design looks; the last is always R_max.

    >>> scheduled_looks(Design(rounds=7, look_every=3))
    (3, 6, 7)
    """
    if not design.sequential:
        return (design.rounds,)
    early = range(design.look_every, design.rounds, design.look_every)
    return (*early, design.rounds)


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
) -> tuple[Look, SignFlipTest]:
    """Return the look at `rounds` finished rounds, without a verdict yet, and the sign-flip test after it.

    `evidence` covers all pairs so far, `differences` (hundredths) the observed ones since the last of the
    `earlier` looks. A crossing stays crossed at the later looks, each direction for itself.
    """
    allowed = design.alpha * math.pow(information(rounds, design), design.spending_power)
    boundary, test = test.advance(differences, allowed)
    critical_value = critical_value_at((*(look.rounds for look in earlier), rounds), design)
    lost, won = evidence.filled(won=False), evidence.filled(won=True)
    limit = math.inf if boundary is None else boundary
    before = earlier[-1] if earlier else None
    look = Look(
        rounds=rounds,
        pairs=evidence.observed,
        failed_pairs=evidence.failed,
        delta=evidence.total / _HUNDREDTHS / evidence.observed if evidence.observed else None,
        interval=evidence.interval(design.metric, critical_value),
        interval_if_lost=lost.interval(design.metric, critical_value),
        interval_if_won=won.interval(design.metric, critical_value),
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


def critical_value_at(looked_at: tuple[int, ...], design: Design) -> float:
    """Return the critical value of the last of the looks made after the given numbers of rounds."""
    schedule = scheduled_looks(design)
    # The whole schedule is solved once; the values of its first looks do not depend on the later ones.
    looks = schedule if looked_at == schedule[: len(looked_at)] else looked_at
    return _critical_values(looks, design.rounds, design.alpha, design.spending_power)[len(looked_at) - 1]


@lru_cache(maxsize=256)
def _critical_values(looks: tuple[int, ...], most: int, alpha: float, spending_power: float) -> tuple[float, ...]:
    fractions = tuple(rounds / most for rounds in looks)
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


def predictive_power(evidence: Evidence, rounds: int, design: Design) -> float:
    """Return the largest predictive power of a verdict that is still open, under a flat prior.

    PP(z) = Φ((z − c_end·√t)/√(1 − t)), t < 1, for z = S/√(Σd² + 2) up and down, and for goal gate also with
    every d raised by the margin. Spiegelhalter, Freedman and Blackburn, Controlled Clinical Trials 7
    (1986) 8.
    """
    total, squares = evidence.total / _HUNDREDTHS, evidence.squares / _HUNDREDTHS**2
    scores = [total / math.sqrt(squares + 2), -total / math.sqrt(squares + 2)]
    if design.goal is Goal.GATE:
        margin, pairs = design.margin, evidence.observed
        raised = squares + 2 * margin * total + margin**2 * pairs
        scores.append((total + margin * pairs) / math.sqrt(raised + 2))
    end = critical_value_at(scheduled_looks(design), design)
    fraction = information(rounds, design)
    return float(ndtr((max(scores) - end * math.sqrt(fraction)) / math.sqrt(1 - fraction)))
