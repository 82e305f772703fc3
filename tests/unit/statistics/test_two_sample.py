"""Two unpaired samples, and Holm's correction."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

from skilldelta.statistics.two_sample import drop_p_value, holm

VALUES = st.lists(st.integers(0, 100), min_size=1, max_size=6)
PASSES = st.lists(st.sampled_from([0, 100]), min_size=1, max_size=12)


@given(PASSES, PASSES)
def test_passes_give_fishers_exact_test(candidate: list[int], reference: list[int]) -> None:
    """For values of 0 and 100 it is Fisher's one-sided test, as scipy computes it."""
    table = np.array([[values.count(100), values.count(0)] for values in (candidate, reference)])
    expected = fisher_exact(table, alternative="less").pvalue
    assert drop_p_value(candidate, reference) == pytest.approx(float(expected), rel=1e-9)


@given(VALUES, VALUES)
def test_scores_give_the_share_of_all_deals(candidate: list[int], reference: list[int]) -> None:
    """It is the share of all choices of the pooled values whose sum is no larger; mid-p counts the equal ones half."""
    pooled = [*candidate, *reference]
    sums = [sum(chosen) for chosen in itertools.combinations(pooled, len(candidate))]
    equal, below = sums.count(sum(candidate)), sum(one < sum(candidate) for one in sums)
    assert drop_p_value(candidate, reference) == pytest.approx((below + equal) / len(sums))
    assert drop_p_value(candidate, reference, mid=True) == pytest.approx((below + equal / 2) / len(sums))


def test_two_of_ten_against_seven_of_ten() -> None:
    """Both directions together are Fisher's two-sided p = .0697785 of this symmetric table (scipy `fisher_exact`)."""
    two, seven = [100] * 2 + [0] * 8, [100] * 7 + [0] * 3
    assert 2 * drop_p_value(two, seven) == pytest.approx(0.0697785, abs=5e-8)


@pytest.mark.parametrize(("candidate", "reference"), [([], [100]), ([100], []), ([], [])])
def test_nothing_to_compare(candidate: list[int], reference: list[int]) -> None:
    """An empty sample has dropped nowhere."""
    assert drop_p_value(candidate, reference) == 1.0


@pytest.mark.parametrize("value", [-1, 101])
def test_other_values_are_refused(value: int) -> None:
    """Values are hundredths."""
    with pytest.raises(ValueError, match="hundredths"):
        drop_p_value([value], [50])


def test_twenty_rounds_of_fine_scores_are_no_burden() -> None:
    """The largest samples there are: the count of ways stays a finite number."""
    candidate, reference = [(7 * n) % 101 for n in range(20)], [(13 * n + 5) % 101 for n in range(20)]
    p_value = drop_p_value(candidate, reference)
    assert 0 < p_value < 1
    assert math.comb(40, 20) < 2**53  # so that every count is exact


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_the_raw_values_and_bonferroni(p_values: list[float]) -> None:
    """Adjusted values are at least the raw ones, at most the number of tests times them, and keep the order."""
    adjusted = holm(p_values)
    for raw, after in zip(p_values, adjusted, strict=True):
        assert raw <= after <= min(1.0, len(p_values) * raw) + 1e-15
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[index] for index in order] == sorted(adjusted)


def test_holm_steps_down() -> None:
    """Holm's own way: the smallest is tested at alpha/m, the next at alpha/(m − 1), until one fails."""
    p_values = [0.01, 0.02, 0.03, 0.005]
    for alpha in (0.02, 0.03, 0.04, 0.05):
        rejected, left = set(), len(p_values)
        for index in sorted(range(4), key=p_values.__getitem__):
            if p_values[index] > alpha / left:
                break
            rejected.add(index)
            left -= 1
        assert {index for index, value in enumerate(holm(p_values)) if value <= alpha} == rejected
    assert holm([]) == []


def test_a_thousand_values_stay_within_a_floats_range() -> None:
    """C(2000, 1000) is beyond a float; the p-value is Fisher's all the same (scipy's hypergeometric tail)."""
    candidate, reference = [100] * 480 + [0] * 520, [100] * 530 + [0] * 470
    expected = hypergeom.cdf(480, 2000, 1010, 1000)
    assert drop_p_value(candidate, reference) == pytest.approx(expected, rel=1e-9)
