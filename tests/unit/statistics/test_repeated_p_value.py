"""The p-value that may be read at any look."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.statistics.repeated_p_value import repeated_p_value
from skilldelta.statistics.sign_flip import SignFlipTest, sign_flip_p_value

rounds_of_differences = st.lists(st.lists(st.sampled_from([-100, -50, 0, 50, 100]), max_size=8), min_size=1, max_size=6)


def crosses(looks: list[list[int]], fractions: list[float], alpha: float) -> bool:
    """Whether the sequential test at `alpha` has crossed by the last look."""
    test, total = SignFlipTest(), 0
    for differences, fraction in zip(looks, fractions, strict=True):
        boundary, test = test.advance(differences, alpha * fraction**1.5)
        total += sum(differences)
        if boundary is not None and abs(total) >= boundary:
            return True
    return False


def p_value(looks: list[list[int]], fractions: list[float]) -> float:
    """The p-value of the design that spends .05·t^1.5."""
    return repeated_p_value(looks, fractions, spending_power=1.5, alpha=0.05)


@given(st.lists(st.integers(-100, 100), max_size=12))
def test_one_look_gives_the_fixed_test(differences: list[int]) -> None:
    """With a single look at the end it is the fixed test's p-value."""
    assert p_value([differences], [1.0]) == pytest.approx(sign_flip_p_value(differences), rel=1e-12)


@given(rounds_of_differences, st.integers(0, 4))
def test_at_most_alpha_exactly_when_crossed(looks: list[list[int]], rounds_left: int) -> None:
    """It is at most the design's alpha exactly when the design's own test has crossed its boundary."""
    fractions = [number / (len(looks) + rounds_left) for number in range(1, len(looks) + 1)]
    assert (p_value(looks, fractions) <= 0.05) is crosses(looks, fractions, 0.05)


@given(rounds_of_differences, st.integers(0, 4))
def test_the_test_changes_its_mind_at_the_p_value(looks: list[list[int]], rounds_left: int) -> None:
    """A little above the p-value the test crosses and a little below it does not."""
    fractions = [number / (len(looks) + rounds_left) for number in range(1, len(looks) + 1)]
    found = p_value(looks, fractions)
    assert not crosses(looks, fractions, found * (1 - 1e-7))
    assert found == 1.0 or crosses(looks, fractions, found * (1 + 1e-7))


@given(rounds_of_differences)
def test_swapping_the_arms_changes_nothing(looks: list[list[int]]) -> None:
    """The p-value is two-sided: which arm is called the candidate does not matter."""
    fractions = [number / len(looks) for number in range(1, len(looks) + 1)]
    mirrored = [[-difference for difference in look] for look in looks]
    assert p_value(looks, fractions) == p_value(mirrored, fractions)


@pytest.mark.parametrize("looks", [[], [[]], [[0, 0, 0]], [[100, -100]]])
def test_no_evidence_is_one(looks: list[list[int]]) -> None:
    """Without a difference in the sum no alpha crosses, and the p-value is 1."""
    assert p_value(looks, [0.5] * len(looks)) == 1.0
