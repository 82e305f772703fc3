"""Two unpaired samples of values in hundredths, and Holm's correction: is one lower than chance explains?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def drop_p_value(candidate: Sequence[int], reference: Sequence[int], *, mid: bool = False) -> float:
    """Return the exact one-sided p-value of the candidate's values being lower than the reference's.

    The share of all ways to deal the pooled values (hundredths, 0 to 100) to two samples of these sizes in which the
    candidate's sum is at most the observed one. For values of 0 and 100 it is Fisher's exact test. With `mid` the
    observed sum counts half: sharper, and no longer exact. 1.0 when a sample is empty. Raises ValueError for other
    values. Fisher, The Design of Experiments (1935) §21; Pitman, Supplement to JRSS 4 (1937) 119; mid-p: Lancaster,
    JASA 56 (1961) 223.

    >>> drop_p_value([0, 0, 0], [100, 100, 100])
    0.05
    """
    pooled = [*candidate, *reference]
    if any(not 0 <= value <= 100 for value in pooled):
        raise ValueError("values are hundredths from 0 to 100")
    if not candidate or not reference:
        return 1.0
    step = math.gcd(*pooled) or 1
    ways = _ways([value // step for value in pooled], len(candidate))
    observed = sum(candidate) // step
    below = ways[:observed].sum() + ways[observed] * (0.5 if mid else 1.0)
    return float(below / ways.sum())


def _ways(values: Sequence[int], chosen: int) -> NDArray[np.float64]:
    """Return, for every sum, the share of the choices of `chosen` of the values that have it, up to a common factor.

    Every value is in or out by a fair coin, so that the numbers stay within a float's range.
    """
    most = sum(sorted(values)[-chosen:])
    ways = np.zeros((chosen + 1, most + 1))
    ways[0, 0] = 1.0
    for number, value in enumerate(values, start=1):
        for taken in range(min(number, chosen), 0, -1):
            ways[taken, value:] += ways[taken - 1, : most + 1 - value]
        ways *= 0.5
    of_all: NDArray[np.float64] = ways[chosen]
    return of_all


def fewest_values(alpha: float) -> int:
    """Return how many values each side needs before `drop_p_value` can reach alpha: its least is 1/C(2n, n).

    >>> fewest_values(0.05)
    3
    """
    return next(number for number in itertools.count(1) if 1 / math.comb(2 * number, number) <= alpha)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values after Holm's step-down correction, in the order given; each is at most 1.

    Rejecting where the adjusted value is at most alpha keeps the chance of any false rejection at most alpha,
    whatever the dependence. Holm, Scandinavian Journal of Statistics 6 (1979) 65.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted
