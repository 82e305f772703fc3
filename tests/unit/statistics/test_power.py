"""What a design can detect."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.statistics.power import exact_power, reachable_power, rounds_for_power, smallest_detectable
from skilldelta.statistics.sign_flip import sign_flip_p_value

ROUNDS = (1, 3, 5, 10, 20)
DETECTABLE = {
    5: ((None, None, 0.36, 0.26, 0.19), (None, None, None, None, 0.11)),
    8: ((None, 0.36, 0.29, 0.21, 0.15), (None, None, None, 0.12, 0.09)),
    10: ((None, 0.33, 0.26, 0.19, 0.13), (None, None, None, 0.11, 0.08)),
    12: ((None, 0.30, 0.24, 0.17, 0.12), (None, None, 0.14, 0.10, 0.07)),
    20: ((0.39, 0.24, 0.19, 0.13, 0.09), (None, 0.14, 0.11, 0.08, 0.06)),
    50: ((0.26, 0.15, 0.12, 0.08, 0.06), (None, 0.09, 0.07, 0.05, 0.04)),
}


@pytest.mark.parametrize("tasks", DETECTABLE)
@pytest.mark.parametrize(("column", "discordance"), [(0, 0.42), (1, 0.15)])
def test_table_of_detectable_differences(tasks: int, column: int, discordance: float) -> None:
    """The smallest detectable differences of the method's study (80% power, two-sided .05) to their two digits."""
    found = [smallest_detectable(tasks=tasks, rounds=rounds, discordance=discordance) for rounds in ROUNDS]
    rounded = tuple(None if value is None else round(value, 2) for value in found)
    assert rounded == DETECTABLE[tasks][column]


@pytest.mark.parametrize(("tasks", "effect", "rounds"), [(10, 0.20, 12), (20, 0.15, 11)])
def test_fixed_designs_of_the_study(tasks: int, effect: float, rounds: int) -> None:
    """The rounds of the method study's fixed designs: 90% power takes 12 rounds of 10 tasks, 11 of 20."""
    assert rounds_for_power(tasks=tasks, effect=effect) == rounds


@given(st.integers(1, 14), st.floats(0.01, 1), st.floats(0, 1), st.sampled_from([0.01, 0.05, 0.2]))
def test_power_agrees_with_enumeration(pairs: int, discordance: float, share: float, alpha: float) -> None:
    """The power is the probability of all tables of wins, losses and ties that the exact test rejects."""
    effect = share * discordance
    win, loss = (discordance + effect) / 2, (discordance - effect) / 2
    total = 0.0
    for wins in range(pairs + 1):
        for losses in range(pairs + 1 - wins):
            if sign_flip_p_value([1] * wins + [-1] * losses) <= alpha:
                ways = comb(pairs, wins) * comb(pairs - wins, losses)
                total += ways * win**wins * loss**losses * (1 - discordance) ** (pairs - wins - losses)
    found = exact_power(pairs=pairs, effect=effect, discordance=discordance, alpha=alpha)
    assert found == pytest.approx(total, abs=1e-9)


@given(st.integers(1, 300), st.floats(0.02, 1))
def test_without_an_effect_the_power_is_at_most_alpha(pairs: int, discordance: float) -> None:
    """The test is exact: without an effect it rejects at most as often as it says."""
    assert exact_power(pairs=pairs, effect=0, discordance=discordance) <= 0.05 + 1e-12


def test_losses_are_found_as_well_as_wins() -> None:
    """Power does not depend on the sign of the effect."""
    assert exact_power(pairs=80, effect=-0.2) == pytest.approx(exact_power(pairs=80, effect=0.2), rel=1e-9)


def test_an_effect_beyond_the_discordance_raises_it() -> None:
    """An effect larger than the assumed share of differing pairs is a share of at least that size."""
    assert exact_power(pairs=10, effect=0.6) == exact_power(pairs=10, effect=0.6, discordance=0.6)


@pytest.mark.parametrize("pairs", [0, 1, 5])
def test_too_few_pairs_have_no_power(pairs: int) -> None:
    """With fewer than six pairs the two-sided .05 test cannot reject, whatever they show."""
    assert exact_power(pairs=pairs, effect=1.0, discordance=1.0) == 0


def test_what_cannot_be_reached_is_none() -> None:
    """A design that cannot reach the power says so instead of naming a number."""
    assert reachable_power(tasks=5, rounds=3) < 0.8
    assert smallest_detectable(tasks=5, rounds=3) is None
    assert rounds_for_power(tasks=5, effect=0.1) is None
    assert rounds_for_power(tasks=5, effect=0.1, at_most=100) is not None


def test_no_discordance_is_no_power() -> None:
    """Where no pair ever differs nothing can be detected."""
    assert exact_power(pairs=100, effect=0, discordance=0) == 0
    assert smallest_detectable(tasks=10, rounds=10, discordance=0) is None
