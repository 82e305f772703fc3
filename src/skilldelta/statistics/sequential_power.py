"""The power that looking after every round costs, and that passes and futility cost on top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .spending import unit_rule

_REACH = 8.5
"""Standard deviations beyond which the path's density (less than 1e-16) is left out of the integrals."""


@dataclass(frozen=True)
class Stops:
    """Where a path of the standardised sum z ends at one look: a claim at or beyond ±`claim`, else as the others say.

    `claim` is infinite at a look that may not end the run.
    """

    fraction: float
    """Information fraction of the look, in (0, 1]."""
    claim: float
    passed: float = math.inf
    """From here up the run ends without the claim that is asked about."""
    futile: tuple[float, float] = (0.0, 0.0)
    """Between these the run ends for futility; empty where the first is not smaller."""

    def going_on(self) -> list[tuple[float, float]]:
        """Return the intervals of z from which the run goes on, those that are empty left out."""
        low, high = -self.claim, min(self.claim, self.passed)
        if self.futile[0] >= self.futile[1]:
            return [(low, high)] if low < high else []
        parts = [(low, min(high, self.futile[0])), (max(low, self.futile[1]), high)]
        return [part for part in parts if part[0] < part[1]]


def chance_of_fall(stops: Sequence[Stops], drift: float) -> float:
    """Return the probability that a Brownian path that falls by `drift` until fraction 1 ends in a claim downwards.

    `stops` are the looks, their fractions increasing; at each the path that has not ended yet is held to the look's
    limits. Recursive numerical integration: Armitage, McPherson and Rowe, JRSS A 132 (1969) 235; Jennison and
    Turnbull, Group Sequential Methods (2000), chapter 19.

    >>> round(chance_of_fall([Stops(1.0, 1.96)], 2.8016), 3)
    0.8
    """
    nodes, mass, before, found = np.zeros(1), np.ones(1), 0.0, 0.0
    for look in stops:
        spread, root = math.sqrt(look.fraction - before), math.sqrt(look.fraction)
        at = nodes - drift * (look.fraction - before)
        found += float(mass @ ndtr((-look.claim * root - at) / spread))
        if look is stops[-1]:
            break
        middle = -drift * look.fraction
        low, high = middle - _REACH * root, middle + _REACH * root
        parts = [(max(low, start * root), min(high, end * root)) for start, end in look.going_on()]
        rules = [_nodes(start, end, spread) for start, end in parts if start < end]
        if not rules:
            break
        nodes = np.concatenate([points for points, _ in rules])
        weights = np.concatenate([weight for _, weight in rules])
        distance = (nodes[:, None] - at[None, :]) / spread
        mass = (np.exp(-(distance**2) / 2) @ mass) * weights / (spread * math.sqrt(2 * math.pi))
        before = look.fraction
    return min(1.0, found)


def _nodes(start: float, end: float, spread: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return quadrature nodes and weights between two limits, for a density that bends on the scale of `spread`."""
    panels = math.ceil((end - start) / (2 * spread))
    unit, weight = unit_rule()
    width = (end - start) / panels
    return (start + (np.arange(panels)[:, None] + unit) * width).ravel(), np.tile(weight * width, panels)


def share_of_pairs(stops: Sequence[Stops], drift: float, alpha: float) -> float:
    """Return which share of the pairs a single test at the end would need for the same chance of a claim, in [0, 1].

    It is one over the inflation factor of group sequential designs (Jennison and Turnbull 2000, chapter 2), here with
    everything that may end the run before a claim. `alpha` is two-sided, `drift` > 0 as in `chance_of_fall`.

    >>> round(share_of_pairs([Stops(0.5, 2.797), Stops(1.0, 1.977)], 2.8016, 0.05), 3)
    0.993
    """
    chance = chance_of_fall(stops, drift)
    single = float(ndtr(drift + ndtri(alpha / 2)))
    if chance >= single:
        return 1.0
    needed = float(ndtri(chance) - ndtri(alpha / 2)) if chance > 0 else 0.0
    return min(1.0, max(0.0, needed) / drift) ** 2
