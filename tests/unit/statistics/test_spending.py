"""Critical values of group-sequential tests."""

from __future__ import annotations

import math
import time

import pytest
from scipy.special import ndtr, ndtri

from skilldelta.statistics.spending import critical_values_at


def obrien_fleming(one_sided: float, fraction: float) -> float:
    """Lan and DeMets' spending function of the O'Brien-Fleming type."""
    return float(2 * ndtr(ndtri(one_sided / 2) / math.sqrt(fraction)))


def pocock(one_sided: float, fraction: float) -> float:
    """Lan and DeMets' spending function of the Pocock type."""
    return one_sided * math.log(1 + (math.e - 1) * fraction)


def power_family(looks: int, alpha: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Equally spaced looks, and what Kim and DeMets' alpha·t^1.5 (Biometrika 74 (1987) 149) has spent by each."""
    fractions = tuple(look / looks for look in range(1, looks + 1))
    return fractions, tuple(alpha * fraction**1.5 for fraction in fractions)


FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)


def test_obrien_fleming_type_bounds_of_five_looks() -> None:
    """Five looks of O'Brien-Fleming type, one-sided .025, agree with gsDesign and rpact to 1e-4.

    Their bounds are one-sided; twice the error shared by two symmetric bounds gives the same figures, as a
    path that meets both bounds is rarer than 1e-5.
    """
    values = critical_values_at(FIFTHS, tuple(2 * obrien_fleming(0.025, t) for t in FIFTHS))
    assert values == pytest.approx((4.8769, 3.3570, 2.6803, 2.2898, 2.0310), abs=1e-4)


def test_pocock_type_bounds_of_five_looks() -> None:
    """Five looks of Pocock type, one-sided .025, agree with gsDesign's and rpact's standard values to 1e-4."""
    values = critical_values_at(FIFTHS, tuple(2 * pocock(0.025, t) for t in FIFTHS))
    assert values == pytest.approx((2.4380, 2.4268, 2.4101, 2.3966, 2.3859), abs=1e-4)


def test_obrien_fleming_type_bounds_of_four_looks() -> None:
    """Four looks of O'Brien-Fleming type, one-sided .05, agree with the README of SeqBounds.jl to 1e-4."""
    quarters = (0.25, 0.5, 0.75, 1.0)
    values = critical_values_at(quarters, tuple(2 * obrien_fleming(0.05, t) for t in quarters))
    assert values == pytest.approx((3.74955, 2.53993, 2.01604, 1.72014), abs=1e-4)


def test_obrien_fleming_boundary_constant() -> None:
    """The classic O'Brien-Fleming constant of five looks, 2.040 (Jennison and Turnbull, table 2.3), has level .05."""
    classic = [2.040 / math.sqrt(t) for t in FIFTHS]
    spent = [0.0]
    for look, target in enumerate(classic):
        low, high = spent[-1], 0.1
        for _ in range(50):
            middle = (low + high) / 2
            found = critical_values_at(FIFTHS[: look + 1], (*spent[1:], middle))[-1]
            low, high = (middle, high) if found > target else (low, middle)
        spent.append(low)
    assert spent[-1] == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("looks", [1, 2, 12, 60])
def test_last_value_lies_between_fixed_and_bonferroni(looks: int) -> None:
    """The last look's value is the fixed design's with one look, and otherwise above it and below Bonferroni's."""
    last = critical_values_at(*power_family(looks, 0.05))[-1]
    fixed, bonferroni = -ndtri(0.025), -ndtri(0.025 / looks)
    assert fixed - 1e-9 <= last <= bonferroni + 1e-9
    assert (last > fixed + 1e-6) == (looks > 1)


def test_early_values_do_not_depend_on_later_looks() -> None:
    """A look's value is fixed by the looks up to it, so the schedule can be cut short or changed."""
    whole = critical_values_at(*power_family(10, 0.05))
    part = critical_values_at((0.1, 0.2, 0.3), tuple(0.05 * t**1.5 for t in (0.1, 0.2, 0.3)))
    assert part == pytest.approx(whole[:3], abs=1e-9)


def test_a_look_that_spends_nothing_cannot_cross() -> None:
    """No error spent means an infinite critical value, and the looks after it lose nothing by it."""
    values = critical_values_at((0.5, 1.0), (0.0, 0.05))
    assert values[0] == math.inf
    assert values[1] == pytest.approx(-ndtri(0.025), abs=1e-9)


@pytest.mark.parametrize(
    ("fractions", "spent"),
    [
        ((0.5, 0.5), (0.01, 0.05)),
        ((0.0, 1.0), (0.01, 0.05)),
        ((0.5, 1.1), (0.01, 0.05)),
        ((0.5, 1.0), (0.05, 0.01)),
        ((0.5, 1.0), (0.05, 1.0)),
        ((0.5, 1.0), (0.05,)),
    ],
)
def test_impossible_plans_are_refused(fractions: tuple[float, ...], spent: tuple[float, ...]) -> None:
    """Fractions that do not increase within (0, 1] and errors that decrease or reach 1 are errors."""
    with pytest.raises(ValueError, match=r"fractions|error spent"):
        critical_values_at(fractions, spent)


def test_twenty_looks_take_no_time() -> None:
    """Twenty looks are solved in less than a tenth of a second of processor time."""
    started = time.process_time()
    critical_values_at.__wrapped__(*power_family(20, 0.0499))
    assert time.process_time() - started < 0.1
