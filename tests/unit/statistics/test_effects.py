"""Sizes of effects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.statistics.effects import Tally, cohens_dz, median, population_interval, tally, weighted_mean

DARWIN = [6.125, -8.375, 1, 2, 0.75, 2.875, 3.5, 5.125, 1.75, 3.625, 7, 3, 9.375, 7.5, -6]
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        pytest.param(DARWIN, (0.0039, 5.2294), id="Fisher, Design of Experiments §21; HistData::ZeaMays"),
        pytest.param(SLEEP, (0.7001142, 2.4598858), id="R t.test documentation, sleep"),
    ],
)
def test_population_interval_is_the_paired_t_interval(differences: list[float], expected: tuple[float, float]) -> None:
    """The interval is that of the paired t test, for data brought into [−1, 1] (source in each case's name)."""
    found = population_interval([difference / 10 for difference in differences])
    assert found == pytest.approx([limit / 10 for limit in expected], abs=5e-6)


@pytest.mark.parametrize(
    ("differences", "statistic", "p_value"),
    [
        pytest.param(DARWIN, 2.148, 0.0497, id="Fisher, Design of Experiments §21"),
        pytest.param(SLEEP, 4.0621, 0.002833, id="R t.test documentation, sleep"),
    ],
)
def test_t_and_its_p_value(differences: list[float], statistic: float, p_value: float) -> None:
    """t is dz·√n, and the interval at alpha = p ends at 0 (source in each case's name)."""
    dz = cohens_dz(differences)
    assert dz is not None
    assert dz * len(differences) ** 0.5 == pytest.approx(statistic, abs=5e-4)
    ends = population_interval([difference / 10 for difference in differences], alpha=p_value)
    assert ends is not None
    assert ends[0] == pytest.approx(0, abs=1e-4)


def test_cohens_dz_of_the_sleep_data() -> None:
    """Student's sleep data have dz = 1.2846, which is t/√n = 4.0621/√10 (R t.test documentation)."""
    assert cohens_dz(SLEEP) == pytest.approx(1.2846, abs=5e-5)


@pytest.mark.parametrize("means", [[], [0.1], [0.1, 0.2, 0.3, 0.4], [0.0] * 9])
def test_population_interval_knows_what_it_cannot_say(means: list[float]) -> None:
    """Fewer than five tasks, or tasks that all have the same mean, say nothing of a population."""
    assert population_interval(means) is None


def test_population_interval_stays_in_range() -> None:
    """A difference of proportions cannot be beyond ±1, so neither are the limits."""
    assert population_interval([-1.0, 1.0, -1.0, 1.0, -1.0]) == (-1.0, 1.0)


@pytest.mark.parametrize("differences", [[], [0.3], [0.5, 0.5]])
def test_cohens_dz_needs_a_spread(differences: list[float]) -> None:
    """Without a spread there is no unit to measure the mean in."""
    assert cohens_dz(differences) is None


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=20), st.integers(1, 9))
def test_cohens_dz_has_no_unit(differences: list[int], factor: int) -> None:
    """dz does not change with the unit, and changes its sign with the arms."""
    found, scaled = cohens_dz(differences), cohens_dz([-factor * value for value in differences])
    if found is None or scaled is None:
        assert found == scaled
    else:
        assert scaled == pytest.approx(-found, abs=1e-12)


def test_centre_and_counts() -> None:
    """Median and counts of wins, ties and losses of a small list, and of nothing."""
    differences = [100, 0, -100, 100, 50]
    assert median(differences) == 50
    assert tally(differences) == Tally(wins=3, ties=1, losses=1)
    assert (median([]), tally([])) == (None, Tally(0, 0, 0))


def test_a_weighted_mean_keeps_the_groups_weights() -> None:
    """However many values a group has; with one group it is the mean, and with an empty group there is none."""
    assert weighted_mean([(1.0, 150, 500)]) == 0.3
    assert weighted_mean([(0.5, 300, 300), (0.5, 0, 3)]) == 0.5
    assert weighted_mean([(0.5, 300, 300), (0.5, 0, 0)]) is None
