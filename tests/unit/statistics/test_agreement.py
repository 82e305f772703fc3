"""Shares and agreement."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from skilldelta.statistics.agreement import cohens_kappa, difference_interval, wilson_interval


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson(successes: int, trials: int) -> None:
    """It is scipy's `proportion_ci(method="wilson")`."""
    successes = min(successes, trials)
    expected = binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson_interval(successes / trials, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_observed_is_the_whole_range() -> None:
    """Without trials every share is possible."""
    assert wilson_interval(0.5, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("now", "then", "expected"),
    [
        pytest.param((56, 70), (48, 80), (0.0524, 0.3339), id="Newcombe 1998 table II, contrast a"),
        pytest.param((9, 10), (3, 10), (0.1705, 0.8090), id="contrast b"),
        pytest.param((10, 10), (0, 10), (0.6075, 1.0), id="contrast h"),
    ],
)
def test_newcombes_independent_interval(
    now: tuple[int, int], then: tuple[int, int], expected: tuple[float, float]
) -> None:
    """Method 10 of Newcombe, Stat Med 17 (1998) 873."""
    found = difference_interval(now=now[0] / now[1], now_size=now[1], then=then[0] / then[1], then_size=then[1])
    assert found == pytest.approx(expected, abs=6e-5)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 99), st.integers(1, 99))
def test_swapping_the_times_mirrors_the_interval(a: float, b: float, m: int, n: int) -> None:
    """From then to now and back."""
    low, high = difference_interval(now=a, now_size=m, then=b, then_size=n)
    back = difference_interval(now=b, now_size=n, then=a, then_size=m)
    assert back == pytest.approx((-high, -low), abs=1e-12)
    assert low <= a - b <= high


@pytest.mark.parametrize(
    ("table", "kappa", "error"),
    [([[20, 5], [10, 15]], 0.4000, None), ([[44, 5, 1], [7, 20, 3], [9, 5, 6]], 0.4915, 0.0721)],
)
def test_published_kappas(table: list[list[int]], kappa: float, error: float | None) -> None:
    """A textbook's 2 × 2 table, and the 3 × 3 table of statsmodels' documentation with its standard error."""
    found = cohens_kappa(table)
    assert found is not None
    assert found.value == pytest.approx(kappa, abs=5e-5)
    if error is not None:
        assert found.error == pytest.approx(error, abs=5e-5)
    assert found.low == pytest.approx(found.value - 1.959964 * found.error, abs=1e-6)


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[7, 0], [0, 0]]])
def test_no_kappa_where_chance_explains_everything(table: list[list[int]]) -> None:
    """Nothing rated, or all of it alike."""
    assert cohens_kappa(table) is None


def test_perfect_and_reversed_agreement() -> None:
    """1 with no error, and −1."""
    same, other = cohens_kappa([[5, 0], [0, 5]]), cohens_kappa([[0, 5], [5, 0]])
    assert same is not None
    assert other is not None
    assert (same.value, same.error) == (1.0, 0.0)
    assert math.isclose(other.value, -1.0)
