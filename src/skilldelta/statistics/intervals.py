"""Confidence intervals for a mean paired difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

_CLOSE = 1e-14
_MOST_STEPS = 100


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


@lru_cache(maxsize=1 << 14)
def _tango_low(wins: int, losses: int, pairs: int, critical_value: float) -> float:
    """Return the lower limit."""
    squared = critical_value**2
    # Where the estimate has no variance of its own a solution by hand takes the place of the search.
    if losses == pairs:
        return -1.0
    if wins == losses == 0:
        return -squared / (pairs + squared)
    if wins == pairs:
        return (pairs - squared) / (pairs + squared)

    estimate = (wins - losses) / pairs

    def excess(delta: float) -> tuple[float, float]:
        """Return by how much wins − losses exceeds what the true difference `delta` lets expect, and the slope."""
        linear = -wins - losses + (2 * pairs - wins + losses) * delta
        constant = -losses * delta * (1 - delta)
        root = math.sqrt(max(linear * linear - 8 * pairs * constant, 0.0))
        # Of the two forms of the quadratic's root, the one that does not subtract nearly equal numbers.
        loss_rate = (root - linear) / (4 * pairs) if linear <= 0 else -2 * constant / (root + linear)
        deviation = math.sqrt(max(pairs * (2 * loss_rate + delta * (1 - delta)), 0.0))
        value = wins - losses - pairs * delta - critical_value * deviation
        if root == 0 or deviation == 0:
            return value, 0.0
        loss_slope = (losses * (1 - 2 * delta) - (2 * pairs - wins + losses) * loss_rate) / root
        return value, -pairs - critical_value * pairs * (2 * loss_slope + 1 - 2 * delta) / (2 * deviation)

    spread = math.sqrt(wins + losses + 1 - (wins - losses) * estimate)
    return _root(excess, -1.0, estimate, estimate - critical_value * spread / pairs)


def _root(function: Callable[[float], tuple[float, float]], low: float, high: float, start: float) -> float:
    """Return where a function that is positive at `low` and negative at `high` changes sign, by Newton's method.

    The function returns its slope too. The root stays bracketed, so the search cannot run away: a step out of the
    bracket, or of a slope that says nothing, halves it instead.
    """
    found = start if low < start < high else (low + high) / 2
    for _ in range(_MOST_STEPS):
        value, slope = function(found)
        low, high = (found, high) if value > 0 else (low, found)
        step = -value / slope if slope < 0 else math.inf
        if abs(step) <= _CLOSE or high - low <= _CLOSE:
            break
        found = found + step if low < found + step < high else (low + high) / 2
    return found


def self_normalised_interval(
    *, total: float, sum_of_squares: float, pairs: int, critical_value: float
) -> tuple[float, float]:
    """Return the self-normalised interval for a mean paired difference, from differences in [−1, 1].

    After adding the two pseudo-differences +1 and −1: all x with |S − N·x| ≤ critical_value·√Σ(d − x)², so
    x = S/N ± (critical_value/N)·√((N·Q − S²)/(N − critical_value²)), N = pairs + 2, Q = sum_of_squares + 2,
    kept within [−1, 1], which is also the answer when N ≤ critical_value². For critical values of at least 1
    it contains the estimate; one more large difference can widen it, which is the price of holding for small samples
    without an assumption on their shape. De la Peña, Lai and Shao, Self-Normalized Processes (2009).

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
