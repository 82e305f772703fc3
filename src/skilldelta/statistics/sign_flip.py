"""The exact sign-flip test of paired differences, at once or look by look, by dynamic programming."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_MOST_SUMS = 20_000_000
"""More distinct sums than this (160 MB) are refused rather than tried."""
_MOST_DOUBLINGS = 500
"""So many sums of two are halved together; of a thousand the sums would leave the range of floating point numbers."""
_NEGLIGIBLE = 1e-25
_MUCH_WORK = 2_000_000
"""Sums times differences from which on a Fourier transform takes the place of one addition after the other."""

_Steps = tuple[tuple[int, int], ...]
"""Sizes of differences in steps of the grid, each with the number of differences of that size."""


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
        stays in the budget of the later looks. (From some hundred differences of many sizes a look on, sums
        below 1e-16 of probability are not resolved: b can then be a little further out.)

        >>> five_wins, test = SignFlipTest().advance([100] * 5, 0.0625)
        >>> five_wins, test.spent
        (500, 0.0625)
        """
        return self.advance_by(sizes_of(differences), allowed)

    def advance_by(self, sizes: Mapping[int, int], allowed: float) -> tuple[int | None, SignFlipTest]:
        """Do the same as `advance`, from how often each size of a difference occurs (`sizes_of`)."""
        weights, grid = _with_signs_flipped(self.weights, self.grid, sizes, resolved=False)
        tails = _two_sided_tails(weights)
        affordable = int(tails.searchsorted(allowed - self.spent, side="right"))
        stopping = _attainable(weights, affordable)
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
    a common denominator, so ties between sums are exact. Raises ValueError for a number that is not finite, and
    when more than 20 million distinct sums are left: round such data first. Fisher, The Design of Experiments
    (1935) §21.

    >>> sign_flip_p_value([1, 1, 1, 1, -1])
    0.375
    """
    exact = [
        (number if isinstance(number, Fraction) else Fraction(str(number)), count)
        for number, count in Counter(differences).items()
    ]
    denominator = math.lcm(*(number.denominator for number, _ in exact))
    sizes, total = Counter[int](), 0
    for number, count in exact:
        whole = number.numerator * (denominator // number.denominator)
        sizes[abs(whole)] += count
        total += whole * count
    del sizes[0]
    weights, grid = _with_signs_flipped(np.ones(1), 0, sizes)
    if grid == 0:
        return 1.0
    tails = _two_sided_tails(weights)
    # tails[i] belongs to the sum grid·(len − 1 − 2i).
    steps = (weights.size - 1 - abs(total) // grid) // 2
    return min(1.0, float(tails[steps]))


def sizes_of(differences: Sequence[int]) -> dict[int, int]:
    """Return how often each size occurs among the differences; those of 0 are left out.

    >>> sizes_of([100, -100, 0, 40])
    {100: 2, 40: 1}
    """
    sizes = Counter(map(abs, differences))
    sizes.pop(0, None)
    return dict(sizes)


def _attainable(weights: NDArray[np.float64], outermost: int) -> int:
    """Return how many of the `outermost` sums there are up to the last that some signs give.

    Sums that no signs give (a coarse grid made finer) are no boundary: the next attainable one is.
    """
    if outermost == 0 or weights[outermost - 1] > 0:
        return outermost
    given = np.flatnonzero(weights[:outermost])
    return int(given[-1]) + 1 if given.size else 0


def _with_signs_flipped(
    weights: NDArray[np.float64], grid: int, sizes: Mapping[int, int], *, resolved: bool = True
) -> tuple[NDArray[np.float64], int]:
    """Return the distribution of the sum with differences of these sizes, of either sign, added; and its grid.

    Unless the smallest probabilities must be `resolved`, much work is done the faster way.
    """
    finer = math.gcd(grid, *sizes)
    weights = _on_finer_grid(weights, grid // finer if grid else 1)
    if weights.size == 0:
        return weights, finer
    steps = tuple(sorted((size // finer, count) for size, count in sizes.items()))
    sums = weights.size + _reach(steps)
    if sums > _MOST_SUMS:
        raise ValueError("the differences have too many distinct sums: round them to a coarser grid")
    if not resolved and sums * sum(sizes.values()) > _MUCH_WORK:
        return _convolved(weights, steps), finer
    return _flipped(weights, steps), finer


def _convolved(weights: NDArray[np.float64], steps: _Steps) -> NDArray[np.float64]:
    """Return what flipping step by step gives, to 1e-16, by a Fourier transform.

    Probabilities below that are noise, never negative; the outermost, below 1e-25, are left out.
    """
    length = weights.size + _alone(steps).size - 1
    points = 1 << (length - 1).bit_length()
    summed = np.fft.irfft(np.fft.rfft(weights, points) * _transformed(steps, points), points)[:length]
    return np.maximum((summed + summed[::-1]) / 2, 0.0)  # rounding must not make the two tails differ


@lru_cache(maxsize=64)
def _alone(steps: _Steps) -> NDArray[np.float64]:
    """Return the distribution of the sum of these steps, of either sign, from the first probability of 1e-25 on."""
    weights = _flipped(np.ones(1), steps)
    negligible = int(np.argmax(weights > _NEGLIGIBLE))
    return weights[negligible : weights.size - negligible].copy()


@lru_cache(maxsize=64)
def _transformed(steps: _Steps, points: int) -> NDArray[np.complex128]:
    transformed: NDArray[np.complex128] = np.fft.rfft(_alone(steps), points)
    return transformed


def _on_finer_grid(weights: NDArray[np.float64], factor: int) -> NDArray[np.float64]:
    if factor == 1 or weights.size == 0:
        return weights
    finer = np.zeros((weights.size - 1) * factor + 1)
    finer[::factor] = weights
    return finer


def _flipped(weights: NDArray[np.float64], steps: _Steps) -> NDArray[np.float64]:
    """Return the distribution of the sum after adding each step's size, of either sign, as often as it says.

    Halves are exact, so it is the same whether each sum of two is halved or many of them at once.
    """
    if steps and steps[0][0] == 1:
        weights, steps = np.convolve(weights, _coins(steps[0][1])), steps[1:]
    if not steps:
        return weights
    # Two rows take turns; the zeros before a row's weights stand for sums that are out of reach.
    start, length = steps[-1][0], weights.size
    here, there = np.zeros((2, start + length + _reach(steps)))
    here[start : start + length] = weights
    doubled = 0
    for size, count in steps:
        for _ in range(count):
            length += size
            end = start + length
            np.add(here[start:end], here[start - size : end - size], out=there[start:end])
            here, there = there, here
            doubled += 1
            if doubled == _MOST_DOUBLINGS:
                here[start:end] *= 0.5**doubled
                doubled = 0
    return here[start:] * 0.5**doubled


def _reach(steps: _Steps) -> int:
    return sum(size * count for size, count in steps)


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
    tails = weights[: weights.size - half].cumsum()
    tails *= 2
    if weights.size % 2:
        outside = tails[-2] if half else 0.0
        tails[-1] = outside + weights[half]
    return tails
