"""Sizes of effects: centre, spread, and what would hold for tasks like these."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

FEWEST_TASKS = 5


class Tally(NamedTuple):
    """How many differences are above, at and below zero."""

    wins: int
    ties: int
    losses: int


def tally(differences: Sequence[float]) -> Tally:
    """Return the numbers of wins (above 0), ties and losses.

    >>> tally([100, 0, -40, 100])
    Tally(wins=2, ties=1, losses=1)
    """
    wins = sum(difference > 0 for difference in differences)
    losses = sum(difference < 0 for difference in differences)
    return Tally(wins, len(differences) - wins - losses, losses)


def weighted_mean(groups: Sequence[tuple[float, int, int]]) -> float | None:
    """Return the mean over groups, each given as its weight, the sum of its values and their number.

    It has the unit of the values; the weights add up to 1. None when a group has no value.

    >>> weighted_mean([(0.75, 30, 3), (0.25, 2, 1)])
    8.0
    """
    if not all(number for _, _, number in groups):
        return None
    return math.fsum(weight * total / number for weight, total, number in groups)


def median(differences: Sequence[float]) -> float | None:
    """Return the median in the unit of the differences, None when there are none."""
    return float(statistics.median(differences)) if differences else None


def cohens_dz(differences: Sequence[float]) -> float | None:
    """Return Cohen's dz: the mean of the pairs' differences in units of their standard deviation (n − 1).

    It has no unit. None with fewer than two differences, or when all are equal.
    Cohen, Statistical Power Analysis for the Behavioral Sciences (1988) chapter 2.

    >>> cohens_dz([1, 2, 3])
    2.0
    """
    if len(differences) < 2 or min(differences) == max(differences):
        return None
    return statistics.fmean(differences) / statistics.stdev(differences)


def population_interval(task_means: Sequence[float], *, alpha: float = 0.05) -> tuple[float, float] | None:
    """Return the paired t interval for the mean difference over the tasks that these are a random sample of.

    `task_means` is one mean difference per task, in [−1, 1]; the interval m ± t(1 − alpha/2; n − 1)·s/√n is
    kept within [−1, 1]. None with fewer than five tasks, or when all means are equal and say nothing of how
    tasks vary. Student, Biometrika 6 (1908) 1; as a clustered standard error: Miller, arXiv 2411.00640.

    >>> low, high = population_interval([0.1, 0.2, 0.3, 0.4, 0.5])
    >>> round(low, 4), round(high, 4)
    (0.1037, 0.4963)
    """
    from scipy.special import stdtrit  # so that the rest of the module costs nothing to import

    tasks = len(task_means)
    if tasks < FEWEST_TASKS or min(task_means) == max(task_means):
        return None
    centre = statistics.fmean(task_means)
    quantile = float(stdtrit(tasks - 1, 1 - alpha / 2))
    half = quantile * statistics.stdev(task_means) / math.sqrt(tasks)
    return max(centre - half, -1.0), min(centre + half, 1.0)
