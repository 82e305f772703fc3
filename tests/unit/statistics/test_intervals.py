"""Intervals for paired differences and proportions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.statistics.intervals import self_normalised_interval, tango_interval

Z = 1.959963984540054
CRITICAL = st.floats(1, 8)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """Wins, losses and pairs."""
    wins, losses, ties = draw(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60)))
    return wins, losses, wins + losses + ties


@pytest.mark.parametrize(
    ("wins", "losses", "pairs", "expected", "digits"),
    [
        pytest.param(12, 2, 50, (0.0611, 0.3447), 4, id="Newcombe 1998, Stat Med 17:2635, table 36/12/2/0"),
        pytest.param(5, 0, 41, (0.0258, 0.2554), 4, id="Altman et al. 2000, table 6.2"),
        pytest.param(7, 1, 21, (0.0260, 0.5172), 4, id="Bentur 2009: Fagerland, Lydersen and Laake ch. 8"),
        pytest.param(40, 20, 160, (0.03086, 0.21806), 5, id="R PropCIs scoreci.mp, example input"),
        pytest.param(150, 86, 1600, (0.0214, 0.0590), 4, id="Agresti, Categorical Data Analysis §10.1"),
    ],
)
def test_published_tables(wins: int, losses: int, pairs: int, expected: tuple[float, float], digits: int) -> None:
    """Tango's interval for the tables of the literature (source in each case's name; limits computed twice)."""
    found = tango_interval(wins=wins, losses=losses, pairs=pairs, critical_value=Z)
    assert found == pytest.approx(expected, abs=0.51 * 10**-digits)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.floats(1, 4), st.floats(-0.999, 0.999))
def test_tango_is_the_set_of_differences_its_score_test_accepts(
    wins: int, losses: int, ties: int, critical_value: float, delta: float
) -> None:
    """A difference lies within exactly when the score test, maximised over a fine grid, does not reject it."""
    pairs = wins + losses + ties
    if pairs == 0:
        return
    low, high = tango_interval(wins=wins, losses=losses, pairs=pairs, critical_value=critical_value)
    loss_rates = np.linspace(max(0.0, -delta), (1 - delta) / 2, 20001)[1:-1]
    likelihood = (
        wins * np.log(loss_rates + delta) + losses * np.log(loss_rates) + ties * np.log1p(-2 * loss_rates - delta)
    )
    loss_rate = float(loss_rates[np.argmax(likelihood)])
    spread = math.sqrt(pairs * (2 * loss_rate + delta * (1 - delta)))
    score = abs(wins - losses - pairs * delta) / spread
    if abs(score - critical_value) > 0.02:
        assert (low <= delta <= high) is (score < critical_value)


@given(counts(), CRITICAL)
def test_tango_contains_its_estimate_within_the_range(table: tuple[int, int, int], critical_value: float) -> None:
    """The limits lie in [−1, 1], enclose the estimate and are never the same."""
    wins, losses, pairs = table
    low, high = tango_interval(wins=wins, losses=losses, pairs=pairs, critical_value=critical_value)
    estimate = (wins - losses) / pairs if pairs else 0.0
    assert -1 <= low <= estimate <= high <= 1
    assert low < high


@given(counts(), CRITICAL)
def test_tango_mirrors_when_the_arms_are_swapped(table: tuple[int, int, int], critical_value: float) -> None:
    """Swapping the arms gives the mirror image to the last bit."""
    wins, losses, pairs = table
    low, high = tango_interval(wins=wins, losses=losses, pairs=pairs, critical_value=critical_value)
    swapped = tango_interval(wins=losses, losses=wins, pairs=pairs, critical_value=critical_value)
    assert swapped == (-high, -low)


@pytest.mark.parametrize("pairs", [1, 2, 7, 1000])
def test_tango_at_the_edges(pairs: int) -> None:
    """All ties give ±c²/(n + c²), and all wins [(n − c²)/(n + c²), 1]: the equations' solutions by hand."""
    squared = Z**2
    ties = tango_interval(wins=0, losses=0, pairs=pairs, critical_value=Z)
    assert ties == pytest.approx((-squared / (pairs + squared), squared / (pairs + squared)), abs=1e-12)
    wins = tango_interval(wins=pairs, losses=0, pairs=pairs, critical_value=Z)
    assert wins == pytest.approx(((pairs - squared) / (pairs + squared), 1.0), abs=1e-12)


def test_nothing_known_is_the_whole_range() -> None:
    """Without pairs, or with nothing to spend, the interval is [−1, 1]."""
    assert tango_interval(wins=0, losses=0, pairs=0, critical_value=Z) == (-1, 1)
    assert tango_interval(wins=3, losses=0, pairs=9, critical_value=math.inf) == (-1, 1)
    assert self_normalised_interval(total=0, sum_of_squares=0, pairs=0, critical_value=Z) == (-1, 1)
    assert self_normalised_interval(total=3, sum_of_squares=3, pairs=9, critical_value=math.inf) == (-1, 1)


@pytest.mark.parametrize(("wins", "losses", "pairs"), [(-1, 0, 5), (0, -1, 5), (3, 3, 5)])
def test_impossible_counts_are_refused(wins: int, losses: int, pairs: int) -> None:
    """Counts below zero or above the number of pairs are errors."""
    with pytest.raises(ValueError, match="pairs"):
        tango_interval(wins=wins, losses=losses, pairs=pairs, critical_value=Z)


@given(st.lists(st.integers(-100, 100), max_size=40), CRITICAL)
def test_self_normalised_interval_contains_its_estimate(hundredths: list[int], critical_value: float) -> None:
    """The limits lie in [−1, 1], enclose the mean, and mirror when the arms are swapped."""
    differences = [value / 100 for value in hundredths]
    total, squares = math.fsum(differences), math.fsum(value**2 for value in differences)
    low, high = self_normalised_interval(
        total=total, sum_of_squares=squares, pairs=len(differences), critical_value=critical_value
    )
    estimate = total / len(differences) if differences else 0.0
    assert -1 <= low <= estimate + 1e-12
    assert estimate - 1e-12 <= high <= 1
    assert low < high
    mirrored = self_normalised_interval(
        total=-total, sum_of_squares=squares, pairs=len(differences), critical_value=critical_value
    )
    assert mirrored == (-high, -low)


def test_self_normalised_limits_solve_their_equation() -> None:
    """At each limit the sum's distance is the critical value times its own spread, pseudo-pairs included."""
    differences = [0.2, -0.1, 0.4, 0.0, 0.35, 0.5, -0.25, 0.3, 0.1, 0.0]
    low, high = self_normalised_interval(
        total=sum(differences),
        sum_of_squares=sum(value**2 for value in differences),
        pairs=len(differences),
        critical_value=2.2,
    )
    everything = np.array([*differences, 1.0, -1.0])
    for limit in (low, high):
        distance = abs((everything - limit).sum())
        assert distance == pytest.approx(2.2 * math.sqrt(((everything - limit) ** 2).sum()), rel=1e-9)
