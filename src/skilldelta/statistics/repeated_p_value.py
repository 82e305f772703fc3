"""The p-value of a sign-flip test that is read look by look."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .sign_flip import SignFlipTest, sizes_of

_SMALLEST = 1e-300
_CLOSE = 1e-9


def repeated_p_value(
    looks: Sequence[Sequence[int]], fractions: Sequence[float], *, spending_power: float, alpha: float
) -> float:
    """Return the smallest alpha, small gaps aside, at which the sequential sign-flip test crosses by the last look.

    `looks[k]` are the integer differences taken in at look k, `fractions[k]` is its information fraction in
    (0, 1]; the two-sided test spends alpha·fraction^spending_power. 1.0 when even alpha = 1 does not cross.
    Found by bisection (Jennison and Turnbull, Group Sequential Methods (2000) chapter 9).

    Because sums are discrete, the alphas that cross can have small gaps; the search therefore sets out from
    the design's `alpha` and looks on its one side only, so the result is at most `alpha` exactly when the
    test at `alpha` has crossed.

    >>> repeated_p_value([[100] * 6], [1.0], spending_power=1.5, alpha=0.05)
    0.03125
    """
    steps = [
        _Step(sizes_of(differences), sum(differences), fraction**spending_power)
        for differences, fraction in zip(looks, fractions, strict=True)
    ]
    at_design = _trial(steps, alpha)
    crossing, missing = (min(at_design.low, alpha), _SMALLEST) if at_design.crossed else (1.0, min(at_design.high, 1.0))
    while missing < crossing * (1 - _CLOSE):
        middle = math.sqrt(missing * crossing)
        trial = _trial(steps, middle)
        if trial.crossed:
            crossing = min(middle, trial.low)
        else:
            missing = max(middle, trial.high)
    return min(crossing, 1.0)


class _Step(NamedTuple):
    """What one look takes in: the sizes of its differences, their sum, and its share of the alpha."""

    sizes: Mapping[int, int]
    total: int
    share: float


class _Trial(NamedTuple):
    """Whether the test at one alpha crosses, and the alphas [low, high) with the very same boundaries."""

    crossed: bool
    low: float
    high: float


def _trial(steps: Sequence[_Step], alpha: float) -> _Trial:
    test, total, low, high = SignFlipTest(), 0, 0.0, math.inf
    for step in steps:
        boundary, test = test.advance_by(step.sizes, alpha * step.share)
        total += step.total
        low, high = max(low, test.spent / step.share), min(high, test.next_spent / step.share)
        if boundary is not None and abs(total) >= boundary:
            return _Trial(True, low, high)
    return _Trial(False, low, high)
