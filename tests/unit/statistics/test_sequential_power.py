"""The power of a path that is stopped at several looks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skilldelta.statistics.sequential_power import Stops, chance_of_fall, share_of_pairs

Z_TWO_SIDED = 1.959964


@pytest.mark.parametrize(
    ("last", "shape", "looks", "power", "inflation"),
    [
        (2.178, 0.0, 2, 0.8, 1.110),
        (2.413, 0.0, 5, 0.8, 1.228),
        (2.413, 0.0, 5, 0.9, 1.207),
        (2.555, 0.0, 10, 0.9, 1.271),
        (1.977, 0.5, 2, 0.8, 1.008),
        (2.040, 0.5, 5, 0.8, 1.028),
        (2.040, 0.5, 5, 0.9, 1.026),
        (2.087, 0.5, 10, 0.9, 1.037),
    ],
)
def test_inflation_factors_of_pocock_and_of_obrien_and_fleming(
    last: float, shape: float, looks: int, power: float, inflation: float
) -> None:
    """Jennison and Turnbull (2000), tables 2.1 to 2.4: constants and inflation factors at two-sided .05."""
    stops = [Stops(k / looks, last * (looks / k) ** shape) for k in range(1, looks + 1)]
    drift = (Z_TWO_SIDED + {0.8: 0.841621, 0.9: 1.281552}[power]) * math.sqrt(inflation)
    assert chance_of_fall(stops, drift) == pytest.approx(power, abs=6e-4)
    assert share_of_pairs(stops, drift, 0.05) == pytest.approx(1 / inflation, abs=2e-3)


def test_one_look_needs_no_more_pairs() -> None:
    """And one that claims more easily than the single test is not said to need fewer than none."""
    assert share_of_pairs([Stops(1.0, Z_TWO_SIDED)], 2.5, 0.05) == pytest.approx(1, abs=1e-6)
    assert share_of_pairs([Stops(1.0, 1.0)], 2.5, 0.05) == 1


def test_where_nothing_can_be_claimed_no_pairs_are_left() -> None:
    """A first look at which every path ends leaves no chance."""
    ends = [Stops(0.5, math.inf, passed=-50.0), Stops(1.0, 1.96)]
    assert chance_of_fall(ends, 2.0) == 0
    assert share_of_pairs(ends, 2.0, 0.05) == 0


@pytest.mark.parametrize("drift", [1.0, 3.0])
def test_all_ways_to_end_as_simulated(drift: float) -> None:
    """Passes and futility take their share of the claims: 200,000 paths, five standard errors."""
    stops = [
        Stops(0.25, math.inf),
        Stops(0.5, 2.6, passed=1.0, futile=(-0.4, 0.2)),
        Stops(0.75, 2.4, futile=(-0.8, 2.0)),
        Stops(1.0, 2.05),
    ]
    generator = np.random.default_rng(7)
    path = np.cumsum(generator.normal(-drift / 4, 0.5, (200_000, 4)), axis=1)
    going = np.ones(len(path), dtype=bool)
    claimed = 0
    for look, place in zip(stops, path.T, strict=True):
        z = place / math.sqrt(look.fraction)
        falls = going & (z <= -look.claim)
        claimed += int(falls.sum())
        ends = falls | (z >= min(look.claim, look.passed)) | ((z > look.futile[0]) & (z < look.futile[1]))
        going &= ~ends
    share = claimed / len(path)
    error = math.sqrt(share * (1 - share) / len(path))
    assert chance_of_fall(stops, drift) == pytest.approx(share, abs=5 * error)
