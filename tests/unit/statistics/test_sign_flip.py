"""The exact sign-flip test, fixed and sequential."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.statistics import sign_flip
from skilldelta.statistics.sign_flip import SignFlipTest, sign_flip_p_value

DARWIN = [6.125, -8.375, 1, 2, 0.75, 2.875, 3.5, 5.125, 1.75, 3.625, 7, 3, 9.375, 7.5, -6]
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


def signings(differences: Sequence[int]) -> list[tuple[int, ...]]:
    """All choices of sign, each once for every choice."""
    return [
        tuple(sign * difference for sign, difference in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]


def test_darwins_maize() -> None:
    """Darwin's 15 differences of maize give p = 1726/32768 (Fisher, Design of Experiments §21; HistData::ZeaMays)."""
    assert sign_flip_p_value(DARWIN) == 1726 / 32768


def test_students_sleep() -> None:
    """Student's ten sleep differences (R's `sleep`) give p = 2/512: one of them is 0, and no other sum is as large."""
    assert sign_flip_p_value(SLEEP) == 2 / 512


@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    [(7, 1, 0.0703125), (40, 20, 0.013489), (0, 0, 1.0), (5, 5, 1.0), (1, 0, 1.0), (6, 0, 0.03125)],
)
def test_binary_differences_give_the_exact_mcnemar_test(wins: int, losses: int, expected: float) -> None:
    """For passes and failures the test is exact McNemar's.

    7/1: Bentur 2009, Fagerland, Lydersen and Laake ch. 8; 40/20: statsmodels; the rest by hand.
    """
    assert sign_flip_p_value([100] * wins + [-100] * losses + [0] * 9) == pytest.approx(expected, abs=5e-7)


@given(st.lists(st.integers(-9, 9), max_size=12))
def test_p_value_is_the_share_of_all_signings(differences: list[int]) -> None:
    """The p-value is the share of the 2^n choices of sign whose sum is at least as far from 0."""
    sums = [abs(sum(signed)) for signed in signings(differences)]
    share = sum(value >= abs(sum(differences)) for value in sums) / len(sums)
    assert sign_flip_p_value(differences) == pytest.approx(share, abs=1e-12)


def test_decimals_are_exact() -> None:
    """0.1 + 0.2 and 0.3 are tied sums: numbers are taken as written, not as binary fractions."""
    assert sign_flip_p_value([0.1, 0.2, -0.3]) == 1.0
    assert sign_flip_p_value([0.1, 0.2, 0.3]) == sign_flip_p_value([1, 2, 3]) == 0.25
    assert sign_flip_p_value([Fraction(1, 3), Fraction(2, 3), 1]) == 0.25


def test_numbers_without_a_common_grid_are_refused() -> None:
    """Differences that leave too many distinct sums are an error that says what to do, not a full memory."""
    with pytest.raises(ValueError, match="coarser grid"):
        sign_flip_p_value([1 / 3, 0.1234567, 1.0])


def test_tiny_p_values_keep_their_digits() -> None:
    """A p-value far below the rounding of 1 is still right: 300 wins of 300."""
    assert sign_flip_p_value([100] * 300) == pytest.approx(2.0**-299, rel=1e-9)


looks_of_differences = st.lists(st.lists(st.integers(-4, 4), max_size=5), min_size=1, max_size=4).filter(
    lambda looks: sum(map(len, looks)) <= 11
)


@given(looks_of_differences, st.sampled_from([0.05, 0.3, 0.6, 0.9]))
def test_sequential_test_agrees_with_enumeration(looks: list[list[int]], alpha: float) -> None:
    """Boundary and error spent are those found by walking all 2^n sign paths, look by look."""
    paths = signings([difference for look in looks for difference in look])
    test, spent, end = SignFlipTest(), 0.0, 0
    for number, look in enumerate(looks, start=1):
        end += len(look)
        allowed = alpha * (number / len(looks)) ** 1.5
        boundary, test = test.advance(look, allowed)
        sizes = [abs(sum(path[:end])) for path in paths]
        tails = {size: sum(other >= size for other in sizes) / 2 ** len(paths[0]) for size in set(sizes)}
        within = [size for size, tail in tails.items() if spent + tail <= allowed + 1e-12]
        assert boundary == (min(within) if within else None)
        if boundary is not None:
            spent += tails[boundary]
            paths = [path for path, size in zip(paths, sizes, strict=True) if size < boundary]
        assert test.spent == pytest.approx(spent, abs=1e-12)
        if not paths:
            return


@given(st.lists(st.lists(st.integers(-100, 100), max_size=6), max_size=5), st.randoms(use_true_random=False))
def test_order_and_arms_within_a_look_do_not_matter(looks: list[list[int]], shuffler: random.Random) -> None:
    """Neither the order of a look's differences nor which arm is which moves the boundary."""
    here = there = SignFlipTest()
    for number, look in enumerate(looks, start=1):
        mirrored = [-difference for difference in look]
        shuffler.shuffle(mirrored)
        boundary, here = here.advance(look, 0.01 * number)
        other, there = there.advance(mirrored, 0.01 * number)
        assert boundary == other
        assert here.spent == there.spent


@given(st.lists(st.lists(st.integers(-100, 100), max_size=8), max_size=6))
def test_never_spends_more_than_allowed(looks: list[list[int]]) -> None:
    """What is spent never decreases and never exceeds what is allowed up to the look."""
    test, spent = SignFlipTest(), 0.0
    for number, look in enumerate(looks, start=1):
        allowed = 0.05 * (number / len(looks)) ** 1.5
        _, test = test.advance(look, allowed)
        assert spent <= test.spent <= allowed * (1 + 1e-9)
        spent = test.spent


def test_the_unit_does_not_matter() -> None:
    """Hundredths and whole units give the same boundary in their own unit, also when a finer grid comes later."""
    coarse, test = SignFlipTest().advance([100] * 8 + [-100] * 2, 0.05)
    fine, _ = SignFlipTest().advance([1] * 8 + [-1] * 2, 0.05)
    assert (coarse, fine) == (800, 8)
    later, _ = test.advance([50, -100, 25], 0.05)
    assert later is not None
    assert later % 25 == 0


def test_a_finished_null_has_nothing_left() -> None:
    """When every path has been stopped no later look can cross."""
    boundary, test = SignFlipTest().advance([100], 1.0)
    assert boundary == 100
    assert test.advance([100, 50], 1.0)[0] is None


def test_a_thousand_tasks_and_twenty_rounds_take_less_than_a_second() -> None:
    """The largest suite in reach costs less than a second of processor time."""
    rounds = [[100 * sign for sign in (0, 1, 0, -1) for _ in range(250)] for _ in range(20)]
    started, test = time.process_time(), SignFlipTest()
    for number, differences in enumerate(rounds, start=1):
        _, test = test.advance(differences, 0.05 * (number / 20) ** 1.5)
    assert time.process_time() - started < 1


def test_many_differences_of_many_sizes_are_added_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look of a thousand scores has the same boundary by Fourier transform as by adding one after the other."""
    generator = np.random.default_rng(3)
    looks = [generator.integers(-100, 101, 1000).tolist() for _ in range(3)]
    found = []
    for much in (sign_flip._MUCH_WORK, math.inf):
        monkeypatch.setattr(sign_flip, "_MUCH_WORK", much)
        test, boundaries = SignFlipTest(), []
        for number, look in enumerate(looks, start=1):
            boundary, test = test.advance(look, 0.05 * (number / 3) ** 1.5)
            boundaries.append(boundary)
        found.append((boundaries, test))
    (fast, after_fast), (slow, after_slow) = found
    assert fast == slow
    assert None not in fast
    assert after_fast.spent == pytest.approx(after_slow.spent, abs=1e-14)
    assert after_fast.weights.min() >= 0
    assert (after_fast.weights == after_fast.weights[::-1]).all()
    assert after_fast.weights == pytest.approx(after_slow.weights, abs=1e-16)


def test_a_sum_too_rare_to_be_resolved_still_crosses() -> None:
    """A thousand differences of one sign cross, though sums so far out are not even counted."""
    differences = np.random.default_rng(3).integers(1, 101, 1000).tolist()
    boundary, _ = SignFlipTest().advance(differences, 1e-10)
    assert boundary is not None
    assert 6 < boundary / math.sqrt(sum(size**2 for size in differences)) < 7
    assert sum(differences) > boundary
