"""Group-sequential critical values for an error rate that is spent look by look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

_REACH = 8.5
"""Standard deviations beyond which a path's density (less than 1e-16) is left out of the integrals."""
_CLOSE = 1e-12
_MOST_STEPS = 80


@lru_cache(maxsize=256)
def critical_values_at(fractions: tuple[float, ...], spent: tuple[float, ...]) -> tuple[float, ...]:
    """Return c_1…c_K with P(|z_j| ≥ c_j at some look j ≤ k) = `spent[k]` for every k, z a standardised path.

    `fractions` are the looks' information fractions, increasing in (0, 1]; `spent` the two-sided error
    spent up to each look, not decreasing. A look that spends nothing has the critical value infinity. The value
    takes the place of 1.96: intervals with it at every look cover at all looks together with probability
    1 − `spent[K]`.
    Raises ValueError for other input. Recursive numerical integration for Brownian paths: Armitage,
    McPherson and Rowe, JRSS A 132 (1969) 235; spending: Lan and DeMets, Biometrika 70 (1983) 659.

    >>> [round(value, 4) for value in critical_values_at((0.5, 1.0), (0.01, 0.05))]
    [2.5758, 2.0027]
    """
    _check(fractions, spent)
    values: list[float] = []
    path = _Path(np.zeros(1), np.ones(1), 0.0)
    already = 0.0
    for fraction, total in zip(fractions, spent, strict=True):
        spread = math.sqrt(fraction - path.fraction)
        limit = path.limit_for(total - already, spread)
        values.append(limit / math.sqrt(fraction))
        path = path.continued(limit, fraction, spread)
        already = total
    return tuple(values)


def _check(fractions: tuple[float, ...], spent: tuple[float, ...]) -> None:
    if len(fractions) != len(spent):
        raise ValueError("fractions and spent differ in length")
    times, errors = (0.0, *fractions), (0.0, *spent)
    if any(b <= a for a, b in zip(times, fractions, strict=False)) or times[-1] > 1 + 1e-12:
        raise ValueError("information fractions must increase within (0, 1]")
    if any(b < a for a, b in zip(errors, spent, strict=False)) or errors[-1] >= 1:
        raise ValueError("the error spent must not decrease and must stay below 1")


@dataclass(frozen=True, eq=False)
class _Path:
    """The distance of the Brownian path from zero at one look, as far as it has not been stopped.

    The path is symmetric, so its distance is a Markov process too and needs half the nodes. `mass` is the
    density at `nodes` times the weight of the quadrature.
    """

    nodes: NDArray[np.float64]
    mass: NDArray[np.float64]
    fraction: float

    def crossing(self, limit: float, spread: float) -> tuple[float, float]:
        """Return the probability that the path, going on for `spread`², ends beyond ±`limit`, and its slope."""
        above, below = (self.nodes - limit) / spread, (-self.nodes - limit) / spread
        density = np.exp(-(above**2) / 2) + np.exp(-(below**2) / 2)
        probability = float(self.mass @ (ndtr(above) + ndtr(below)))
        return probability, -float(self.mass @ density) / (spread * math.sqrt(2 * math.pi))

    def limit_for(self, error: float, spread: float) -> float:
        """Return the limit that is crossed with probability `error`, by Newton's method on its logarithm.

        The root stays bracketed, and a step that leaves the bracket halves it instead.
        """
        if error <= 0:
            return math.inf
        if self.fraction == 0:
            return float(-ndtri(error / 2)) * spread
        low, high = 0.0, float(self.nodes[-1]) + 40 * spread
        limit = float(self.nodes[-1])
        for _ in range(_MOST_STEPS):
            probability, slope = self.crossing(limit, spread)
            low, high = (limit, high) if probability > error else (low, limit)
            step = -math.log(probability / error) * probability / slope if probability > 0 > slope else math.inf
            if abs(step) <= _CLOSE * limit:
                break
            limit = limit + step if low < limit + step < high else (low + high) / 2
        return limit

    def continued(self, limit: float, fraction: float, spread: float) -> _Path:
        """Return the path at `fraction`, stopped beyond ±`limit`."""
        end = min(limit, _REACH * math.sqrt(fraction))
        # The density bends on the scale of the last step, so a longer stretch of steps needs more panels.
        panels = math.ceil(end / (2 * spread))
        unit, weight = unit_rule()
        nodes = ((np.arange(panels)[:, None] + unit) * (end / panels)).ravel()
        weights = np.tile(weight * (end / panels), panels)
        distance = np.abs(nodes[:, None] - self.nodes[None, :]) / spread
        mirrored = (nodes[:, None] + self.nodes[None, :]) / spread
        density = np.exp(-(distance**2) / 2) + np.exp(-(mirrored**2) / 2)
        mass = (density @ self.mass) * weights / (spread * math.sqrt(2 * math.pi))
        return _Path(nodes, mass, fraction)


@cache
def unit_rule() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the nodes and weights of Gauss and Legendre on [0, 1], for one panel."""
    points, weights = np.polynomial.legendre.leggauss(10)
    return (points + 1) / 2, weights / 2
