"""The power that a plan claims is the power that its runs have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulated import SCENARIOS, pairs, rounds, suites
from skilldelta.compare.decision import conclude
from skilldelta.domain.comparison import Verdict
from skilldelta.domain.design import Design, Goal
from skilldelta.plan.power import Moved
from skilldelta.plan.reach import POWER, fewest_rounds, reach_of
from skilldelta.statistics.power import exact_power

RUNS = 1000


@pytest.mark.slow
@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize(("tasks", "most"), [(10, 13), (12, 18), (20, 12), (20, 20), (40, 5)])
def test_what_is_found_with_80_percent_is_found_so_often(tasks: int, most: int, goal: Goal) -> None:
    """Whole simulated runs, tasks differing, the mean moved by just what the plan names: a drop, or for improve a rise.

    At least .8 less three standard errors; and at most .9, so that the plan does not say too little either. The power
    of one test at the end at its own smallest effect was .70 to .79 in these runs.
    """
    design = Design(goal=goal, rounds=most, margin=0.15, min_rounds=fewest_rounds(tasks))
    smallest = reach_of(design, tasks).smallest_effect
    assert smallest is not None
    effect = -smallest if goal is Goal.GATE else smallest
    generator = np.random.default_rng([9, tasks, most])
    before, after = suites(generator, SCENARIOS["main"], count=RUNS, tasks=tasks, effect=effect)
    old, new = (rounds(generator, rates, count=most) for rates in (before, after))
    none_missing = np.zeros((most, tasks), dtype=np.bool_)
    sought = Verdict.REGRESSED if goal is Goal.GATE else Verdict.IMPROVED
    decisions = (conclude(pairs(*run, none_missing), design) for run in zip(new, old, strict=True))
    found = sum(decision.verdict is sought for decision in decisions) / RUNS
    assert POWER - 3 * math.sqrt(POWER * (1 - POWER) / RUNS) <= found <= 0.9


@pytest.mark.parametrize("goal", list(Goal))
def test_one_test_at_the_end_has_the_power_of_the_exact_test(goal: Goal) -> None:
    """Without looks nothing ends early, and nothing is lost."""
    design = Design(goal=goal, rounds=10, sequential=False)
    exact = exact_power(pairs=100, effect=0.2)
    assert Moved(design, 10, 1.0, 0.42, 0.05).power(0.2) == pytest.approx(exact, abs=0.002)
    assert Moved(design.model_copy(update={"sequential": True}), 10, 1.0, 0.42, 0.05).power(0.2) < exact - 0.02


def test_under_gate_a_drop_within_the_margin_is_mostly_passed() -> None:
    """However many rounds there are: the run ends as soon as the drop is shown to be within the margin."""
    many = Design(rounds=20, margin=0.15, min_rounds=1)
    assert Moved(many, 40, 1.0, 0.42, 0.05).power(0.07) < 0.5
    assert Moved(many.model_copy(update={"goal": Goal.IMPROVE}), 40, 1.0, 0.42, 0.05).power(0.07) > 0.7


@pytest.mark.parametrize("effect", [0.0, 0.42, 0.6, 1.0])
def test_effects_at_the_ends(effect: float) -> None:
    """No effect is found as seldom as the exact test errs; one that moves every pair is found as that finds it."""
    power = Moved(Design(rounds=5), 12, 1.0, 0.42, 0.05).power(effect)
    assert 0 <= power <= 1
    assert power == pytest.approx(exact_power(pairs=60, effect=effect), abs=1e-6)
