"""Confidence intervals for a mean paired difference and for one proportion."""

from __future__ import annotations

import math
from functools import lru_cache

_HALVINGS = 48
"""Of an interval of length 2 at most: to within 1e-14."""


def tango_interval(*, wins: int, losses: int, pairs: int, critical_value: float) -> tuple[float, float]:
    """Return Tango's score interval for the difference of two paired proportions, (wins − losses) / pairs.

    All Δ in [−1, 1] with |wins − losses − pairs·Δ| ≤ critical_value·√(pairs·(2q + Δ(1 − Δ))), where q is the
    constrained estimate of the probability of a loss. It always contains the estimate and never has width 0;
    (−1, 1) without pairs. Raises ValueError for impossible counts. Tango, Statistics in Medicine 17
    (1998) 891.

    >>> low, high = tango_interval(wins=40, losses=20, pairs=160, critical_value=1.959964)
    >>> round(low, 5), round(high, 5)
    (0.03086, 0.21806)
    """
    if min(wins, losses) < 0 or wins + losses > pairs:
        raise ValueError(f"{wins} wins and {losses} losses among {pairs} pairs")
    if pairs == 0 or math.isinf(critical_value):
        return -1.0, 1.0
    # The upper limit is the lower one with the arms swapped: so computed, the mirror image is exact.
    low = _tango_low(wins, losses, pairs, critical_value)
    return low, -_tango_low(losses, wins, pairs, critical_value)


@lru_cache(maxsize=4096)
def _tango_low(wins: int, losses: int, pairs: int, critical_value: float) -> float:
    """Return the lower limit by bisection, which needs no start and cannot run away at the edges."""
    inside, outside = (wins - losses) / pairs, -1.0
    squared = critical_value**2
    for _ in range(_HALVINGS):
        delta = (inside + outside) / 2
        linear = -wins - losses + (2 * pairs - wins + losses) * delta
        constant = -losses * delta * (1 - delta)
        root = math.sqrt(max(linear**2 - 8 * pairs * constant, 0.0))
        # Of the two forms of the quadratic's root, the one that does not subtract nearly equal numbers.
        loss_rate = (root - linear) / (4 * pairs) if linear <= 0 else -2 * constant / (root + linear)
        variance = pairs * (2 * loss_rate + delta * (1 - delta))
        if (wins - losses - pairs * delta) ** 2 > squared * variance:
            outside = delta
        else:
            inside = delta
    return outside


def self_normalised_interval(
    *, total: float, sum_of_squares: float, pairs: int, critical_value: float
) -> tuple[float, float]:
    """Return the self-normalised interval for a mean paired difference, from differences in [−1, 1].

    After adding the two pseudo-differences +1 and −1: all x with |S − N·x| ≤ critical_value·√Σ(d − x)², so
    x = S/N ± (critical_value/N)·√((N·Q − S²)/(N − critical_value²)), N = pairs + 2, Q = sum_of_squares + 2,
    kept within [−1, 1], which is also the answer when N ≤ critical_value². For critical values of at least 1
    it contains the estimate. De la Peña, Lai and Shao, Self-Normalized Processes (2009).

    >>> low, high = self_normalised_interval(total=4.0, sum_of_squares=3.0, pairs=20, critical_value=2.0)
    >>> round(low, 4), round(high, 4)
    (-0.0259, 0.3896)
    """
    size, squares = pairs + 2, sum_of_squares + 2
    freedom = size - critical_value**2
    if freedom <= 0:
        return -1.0, 1.0
    centre = total / size
    half = critical_value / size * math.sqrt(max(size * squares - total**2, 0.0) / freedom)
    return max(centre - half, -1.0), min(centre + half, 1.0)


def wilson_interval(*, successes: int, trials: int, critical_value: float) -> tuple[float, float]:
    """Return Wilson's score interval for one proportion; (0, 1) without trials.

    (p + c²/2n ± c·√(p(1 − p)/n + c²/4n²)) / (1 + c²/n). Raises ValueError for impossible counts.
    Wilson, JASA 22 (1927) 209.

    >>> low, high = wilson_interval(successes=8, trials=10, critical_value=1.959964)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    if trials == 0:
        return 0.0, 1.0
    rate, penalty = successes / trials, critical_value**2 / trials
    centre = (rate + penalty / 2) / (1 + penalty)
    half = math.sqrt(penalty * (rate * (1 - rate) + penalty / 4)) / (1 + penalty)
    return max(min(centre - half, rate), 0.0), min(max(centre + half, rate), 1.0)
