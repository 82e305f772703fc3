"""Shares and agreement, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_Z = 1.959963984540054
"""Two-sided 5 % quantile of the normal distribution."""


def wilson_interval(mean: float, size: int, critical_value: float = _Z) -> tuple[float, float]:
    """Return Wilson's score interval for a share in [0, 1] of which `mean` was observed in `size` trials.

    95 % unless another two-sided normal quantile is given. For means of values between 0 and 1 it is conservative:
    their variance is at most mean·(1 − mean). (0, 1) without trials. Wilson, JASA 22 (1927) 209.

    >>> low, high = wilson_interval(0.5, 10)
    >>> round(low, 4), round(high, 4)
    (0.2366, 0.7634)
    """
    if size < 1:
        return 0.0, 1.0
    spread = critical_value**2 / size
    centre = (mean + spread / 2) / (1 + spread)
    half = math.sqrt(mean * (1 - mean) * spread + spread**2 / 4) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def difference_interval(
    *, now: float, now_size: int, then: float, then_size: int, critical_value: float = _Z
) -> tuple[float, float]:
    """Return the interval for the difference of two independent shares, `now` − `then`, in [−1, 1].

    95 % unless another two-sided normal quantile is given. Newcombe's hybrid of two Wilson intervals (Statistics in
    Medicine 17 (1998) 873, method 10); conservative for means of values between 0 and 1.

    >>> low, high = difference_interval(now=56 / 70, now_size=70, then=48 / 80, then_size=80)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    low_now, high_now = wilson_interval(now, now_size, critical_value)
    low_then, high_then = wilson_interval(then, then_size, critical_value)
    below, above = math.hypot(now - low_now, high_then - then), math.hypot(high_now - now, then - low_then)
    return max(now - then - below, -1.0), min(now - then + above, 1.0)


class Kappa(NamedTuple):
    """Cohen's kappa, its asymptotic standard error, and the 95 % interval from it."""

    value: float
    error: float
    low: float
    high: float


def cohens_kappa(table: Sequence[Sequence[int]]) -> Kappa | None:
    """Return Cohen's kappa of a square table of counts: rows one rating, columns the other.

    None without counts, or when chance explains everything (all ratings alike). The interval covers about 90 % at 30
    ratings and 93 % at 100. Cohen, Educational and Psychological Measurement 20 (1960) 37; standard error: Fleiss,
    Cohen and Everitt, Psychological Bulletin 72 (1969) 323.

    >>> round(cohens_kappa([[20, 5], [10, 15]]).value, 4)
    0.4
    """
    total = sum(map(sum, table))
    if not total:
        return None
    share = [[count / total for count in row] for row in table]
    rows = [sum(row) for row in share]
    columns = [sum(column) for column in zip(*share, strict=True)]
    chance = sum(row * column for row, column in zip(rows, columns, strict=True))
    if chance >= 1:
        return None
    kappa = (sum(share[i][i] for i in range(len(share))) - chance) / (1 - chance)
    kinds = range(len(share))
    on = sum(share[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in kinds)
    off = (1 - kappa) ** 2 * sum(share[i][j] * (columns[i] + rows[j]) ** 2 for i in kinds for j in kinds if i != j)
    variance = (on + off - (kappa - chance * (1 - kappa)) ** 2) / (total * (1 - chance) ** 2)
    error = math.sqrt(max(variance, 0.0))
    return Kappa(kappa, error, max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error))
