"""Methods of others, written down from their papers: to be checked against published figures, and then to check ours.

Nothing of the program uses them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaln, ndtri

Z = float(ndtri(0.975))
Floats = NDArray[np.float64]


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % score interval (JASA 22 (1927) 209), as the roots of its quadratic."""
    share, squared = successes / trials, Z**2 / trials
    roots = np.roots([1 + squared, -(2 * share + squared), share**2])
    return float(min(roots)), float(max(roots))


def newcombe_paired(both: int, wins: int, losses: int, neither: int) -> tuple[float, float]:
    """Newcombe's method 10 for the difference of paired proportions (Stat Med 17 (1998) 2635)."""
    pairs = both + wins + losses + neither
    first, second = (both + wins) / pairs, (both + losses) / pairs
    (low_1, high_1), (low_2, high_2) = wilson(both + wins, pairs), wilson(both + losses, pairs)
    margins = (both + wins) * (losses + neither) * (both + losses) * (wins + neither)
    cross = float(both * neither - wins * losses)
    # The continuity correction of the paper's φ, for positive association only.
    cross = max(cross - pairs / 2, 0) if cross > 0 else cross
    phi = cross / math.sqrt(margins) if margins else 0.0
    below, above = first - low_1, high_2 - second
    left = math.sqrt(below**2 - 2 * phi * below * above + above**2)
    over, under = high_1 - first, second - low_2
    right = math.sqrt(over**2 - 2 * phi * over * under + under**2)
    return first - second - left, first - second + right


def agresti_min(wins: int, losses: int, pairs: int) -> tuple[float, float]:
    """Agresti and Min's interval: Wald's after half a pair is added to each cell (Stat Med 24 (2005) 729)."""
    wins_2, losses_2, size = wins + 0.5, losses + 0.5, pairs + 2
    difference = (wins_2 - losses_2) / size
    half = Z * math.sqrt((wins_2 + losses_2) - (wins_2 - losses_2) ** 2 / size) / size
    return difference - half, difference + half


def best_rho(intrinsic_time: float, alpha: float) -> float:
    """The ρ of the two-sided normal mixture that is tightest at this time (Howard et al., AoS 49 (2021) 1055)."""
    twice = 2 * math.log(1 / alpha)
    return intrinsic_time / (twice + math.log(1 + twice))


def log_normal_mixture(total: float, intrinsic_time: float, rho: float) -> float:
    """Logarithm of the two-sided normal mixture supermartingale."""
    return 0.5 * math.log(rho / (intrinsic_time + rho)) + total**2 / (2 * (intrinsic_time + rho))


def normal_mixture_bound(intrinsic_time: float, rho: float, alpha: float) -> float:
    """The boundary that the sum crosses at any time with a probability of at most alpha."""
    return math.sqrt((intrinsic_time + rho) * (math.log(1 + intrinsic_time / rho) + 2 * math.log(1 / alpha)))


def bernoulli_sequence(successes: int, trials: int, *, alpha: float, best_at: float) -> tuple[float, float]:
    """Confidence sequence for a success probability, from a beta mixture of likelihood ratios.

    For each p the mixing distribution is Beta(r/(1 − p), r/p), r = best_rho(best_at·p(1 − p)) − p(1 − p); p belongs to
    the interval while the mixture is below 1/alpha (Howard et al. 2021, proposition 7). It is tightest at `best_at`.
    """

    def excess(p: float) -> float:
        variance = p * (1 - p)
        r = max(best_rho(best_at * variance, alpha) - variance, 1e-3 * variance)
        a, b = r / (1 - p), r / p
        mixed = betaln(a + successes, b + trials - successes) - betaln(a, b)
        return float(mixed - successes * math.log(p) - (trials - successes) * math.log(1 - p) - math.log(1 / alpha))

    middle = successes / trials
    return float(brentq(excess, 1e-6, middle)), float(brentq(excess, middle, 1 - 1e-6))


def krippendorff(
    ratings: Sequence[Sequence[float | None]], squared_gap: Callable[[float, float, Floats], float]
) -> float:
    """Krippendorff's alpha of raters × units, None where a rating is missing; `squared_gap` is the level's metric."""
    units = [[value for value in unit if value is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in units for value in unit})
    counts = np.array([sum(unit.count(value) for unit in units) for value in values], dtype=np.float64)
    gaps = {(value, value): 0.0 for value in values}
    for (i, a), (j, b) in combinations(enumerate(values), 2):
        first, second = (float(i), float(j)) if squared_gap is ordinal else (a, b)
        gaps[a, b] = gaps[b, a] = squared_gap(first, second, counts)
    observed = sum(2 * sum(gaps[pair] for pair in combinations(unit, 2)) / (len(unit) - 1) for unit in units)
    expected = math.fsum(
        2 * float(counts[i] * counts[j]) * gaps[a, b] for (i, a), (j, b) in combinations(enumerate(values), 2)
    ) / (float(counts.sum()) - 1)
    return 1 - observed / expected


def nominal(first: float, second: float, _counts: Floats) -> float:
    """Every difference is one."""
    return float(first != second)


def ordinal(first: float, second: float, counts: Floats) -> float:
    """The square of the ratings between two ranks, given by their places, with half of both ends."""
    low, high = int(min(first, second)), int(max(first, second))
    return float((counts[low : high + 1].sum() - (counts[low] + counts[high]) / 2) ** 2)


def interval(first: float, second: float, _counts: Floats) -> float:
    """The square of the difference."""
    return (first - second) ** 2


def ratio(first: float, second: float, _counts: Floats) -> float:
    """The square of the relative difference."""
    return ((first - second) / (first + second)) ** 2


def prediction_powered(
    labels: Sequence[float], predicted: Sequence[float], unlabelled: Sequence[float], *, weight: float | None = None
) -> tuple[float, float, float]:
    """Mean, standard error and weight λ of PPI++ (Angelopoulos, Duchi and Zrnic, arXiv 2311.01453).

    The labels' mean plus λ times (mean prediction of the unlabelled − of the labelled); λ = Cov(y, f) / (Var f·(1 +
    m/N)), within 0 and 1, where none is given.
    """
    y, f, g = (np.asarray(values, dtype=np.float64) for values in (labels, predicted, unlabelled))
    if weight is None:
        spread = float(np.var(f, ddof=1)) * (1 + len(y) / len(g))
        weight = min(max(float(np.cov(y, f)[0, 1]) / spread, 0.0), 1.0) if spread else 0.0
    mean = float(y.mean() + weight * (g.mean() - f.mean()))
    variance = weight**2 * np.var(g, ddof=1) / len(g) + np.var(y - weight * f, ddof=1) / len(y)
    return mean, math.sqrt(variance), weight


def questions_for(effect: float, variance: float, *, power: float) -> float:
    """Miller's number of questions for an effect, without sampling noise (arXiv 2411.00640 §5)."""
    return (Z + float(ndtri(power))) ** 2 * variance / effect**2
