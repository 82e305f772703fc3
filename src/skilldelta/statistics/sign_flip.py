"""The exact sign-flip test of paired differences, at once or look by look, by dynamic programming."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_MOST_SUMS = 20_000_000
"""More distinct sums than this (160 MB) are refused rather than tried."""


@dataclass(frozen=True, eq=False)
class SignFlipTest:
    """The sequential sign-flip test after some looks: the null distribution of the sum, and the error spent.

    Under the null ("no change on any task") each difference is as likely to have either sign, given its size.
    `weights[i]` is the probability that the sum is `grid`·(2i − len(weights) + 1) and that no earlier look
    stopped the test; a start from `SignFlipTest()` stands before the first look.
    """

    weights: NDArray[np.float64] = field(default_factory=lambda: np.ones(1))
    grid: int = 0
    """The greatest common divisor of all differences so far; 0 while all of them are 0."""
    spent: float = 0.0
    """Probability under the null of having crossed at a look so far."""
    next_spent: float = 1.0
    """What `spent` would have become at the last look with a boundary lower by one attainable sum."""

    def advance(self, differences: Sequence[int], allowed: float) -> tuple[int | None, SignFlipTest]:
        """Take in the differences since the last look; return the boundary b of this look and the test after.

        b is the smallest attainable |sum| of all differences so far, in the unit of the differences, with
        spent + P(|sum| ≥ b, not stopped before) ≤ `allowed`, the error that may be spent in all up to this
        look (two-sided); None when no attainable sum is that rare. A sum crosses when |sum| ≥ b.
        Exact: Fisher, The Design of Experiments (1935) §21; the error that discreteness leaves unspent
        stays in the budget of the later looks.

        >>> five_wins, test = SignFlipTest().advance([100] * 5, 0.0625)
        >>> five_wins, test.spent
        (500, 0.0625)
        """
        weights, grid = _with_signs_flipped(self.weights, self.grid, differences)
        tails = _two_sided_tails(weights)
        affordable = int(np.searchsorted(tails, allowed - self.spent, side="right"))
        # Sums that no signs give (a coarse grid made finer) are no boundary: the next attainable one is.
        outer = weights[: tails.size][:affordable]
        stopping = int(np.flatnonzero(outer)[-1]) + 1 if outer.any() else 0
        next_spent = self.spent + float(tails[affordable]) if affordable < tails.size else math.inf
        if stopping == 0:
            return None, SignFlipTest(weights, grid, self.spent, next_spent)
        boundary = grid * (weights.size + 1 - 2 * stopping)
        spent = self.spent + float(tails[stopping - 1])
        going_on = weights[stopping : weights.size - stopping]
        return boundary, SignFlipTest(going_on, grid, spent, next_spent)


def sign_flip_p_value(differences: Sequence[float | Fraction]) -> float:
    """Return the exact two-sided p-value of the sign-flip test on the sum of the differences.

    p = share of the 2^n choices of signs whose |sum| is at least the one observed. For differences of ±1 this
    is the exact McNemar (sign) test. Numbers are taken as they are written (0.1 is one tenth) and brought to
    a common denominator, so ties between sums are exact. Raises ValueError when that leaves more than 20
    million distinct sums: round such data first. Fisher, The Design of Experiments (1935) §21.

    >>> sign_flip_p_value([1, 1, 1, 1, -1])
    0.375
    """
    exact = [number if isinstance(number, Fraction) else Fraction(str(number)) for number in differences]
    denominator = math.lcm(*(number.denominator for number in exact))
    integers = [int(number * denominator) for number in exact]
    weights, grid = _with_signs_flipped(np.ones(1), 0, integers)
    if grid == 0:
        return 1.0
    tails = _two_sided_tails(weights)
    # tails[i] belongs to the sum grid·(len − 1 − 2i).
    steps = (weights.size - 1 - abs(sum(integers)) // grid) // 2
    return min(1.0, float(tails[steps]))


def _with_signs_flipped(
    weights: NDArray[np.float64], grid: int, differences: Sequence[int]
) -> tuple[NDArray[np.float64], int]:
    """Return the distribution of the sum with `differences` of either sign added, and its grid."""
    sizes = Counter(abs(difference) for difference in differences if difference)
    finer = math.gcd(grid, *sizes)
    weights = _on_finer_grid(weights, grid // finer if grid else 1)
    if weights.size + sum(size * count for size, count in sizes.items()) // max(finer, 1) > _MOST_SUMS:
        raise ValueError("the differences have too many distinct sums: round them to a coarser grid")
    for size, count in sorted(sizes.items()):
        weights = _flipped(weights, size // finer, count)
    return weights, finer


def _on_finer_grid(weights: NDArray[np.float64], factor: int) -> NDArray[np.float64]:
    if factor == 1 or weights.size == 0:
        return weights
    finer = np.zeros((weights.size - 1) * factor + 1)
    finer[::factor] = weights
    return finer


def _flipped(weights: NDArray[np.float64], size: int, count: int) -> NDArray[np.float64]:
    """Return the distribution of the sum after `count` more differences of ±`size` grid steps."""
    if weights.size == 0:
        return weights
    if size == 1:
        return np.convolve(weights, _coins(count))
    summed = np.zeros(weights.size + size * count)
    summed[: weights.size] = weights
    length = weights.size
    for _ in range(count):
        summed[:length] *= 0.5
        summed[size : length + size] += summed[:length]
        length += size
    return summed


@lru_cache(maxsize=1024)
def _coins(count: int) -> NDArray[np.float64]:
    """Return the probabilities of 0…`count` heads among `count` fair coins, each correctly rounded."""
    ways, heads, all_ways = 1, [], 1 << count
    for number in range(count + 1):
        heads.append(ways / all_ways)
        ways = ways * (count - number) // (number + 1)
    return np.array(heads)


def _two_sided_tails(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P(|sum| ≥ s) for every s ≥ 0 of the grid, from the largest s down."""
    half = weights.size // 2
    tails = 2 * np.cumsum(weights[:half])
    if weights.size % 2 == 0:
        return tails
    outside = tails[-1] if half else 0.0
    return np.append(tails, outside + weights[half])
