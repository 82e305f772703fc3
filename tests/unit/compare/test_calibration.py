"""How often the procedure errs, by simulation: the error rates are promises, so no cell is ever loosened."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from simulated import SCENARIOS, pairs, rounds, suites
from skilldelta.compare.decision import conclude
from skilldelta.domain.comparison import Verdict
from skilldelta.domain.design import Design, Goal
from skilldelta.statistics.power import rounds_for_power

pytestmark = pytest.mark.slow

RUNS = 2000
MARGIN = {6: 0.20, 10: 0.20, 20: 0.15}
MOST_ROUNDS = 20


def bound(rate: float) -> float:
    """A rate with three standard errors of its simulation."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / RUNS)


def planned(tasks: int, goal: Goal) -> Design:
    """The design of the R_max rule: one round more than the fixed test needs for 90% power at the margin."""
    fixed = rounds_for_power(tasks=tasks, effect=MARGIN[tasks]) or MOST_ROUNDS
    return Design(goal=goal, rounds=min(max(fixed + 1, 2), MOST_ROUNDS), margin=MARGIN[tasks])


@cache
def simulated(
    tasks: int, goal: Goal, scenario: str, effect: float, missing: float
) -> tuple[Counter[Verdict], float, float]:
    """Return the verdicts of the runs, the mean number of rounds, and the share of intervals that hold the truth."""
    design = planned(tasks, goal)
    seed = [20, tasks, int(goal is Goal.GATE), sorted(SCENARIOS).index(scenario), round(100 * (1 + effect))]
    generator = np.random.default_rng([*seed, round(100 * missing)])
    baseline, candidate = suites(generator, SCENARIOS[scenario], count=RUNS, tasks=tasks, effect=effect)
    old = rounds(generator, baseline, count=design.rounds)
    new = rounds(generator, candidate, count=design.rounds)
    failed = generator.random(old.shape) < missing
    verdicts, used, held = Counter[Verdict](), 0, 0
    for run in range(RUNS):
        decision = conclude(pairs(new[run], old[run], failed[run]), design)
        last = decision.looks[-1]
        verdicts[decision.verdict] += 1
        used += last.rounds
        held += last.interval.low <= effect <= last.interval.high
    return verdicts, used / RUNS, held / RUNS


CELLS = pytest.mark.parametrize(
    ("tasks", "goal", "missing"),
    [(tasks, goal, missing) for tasks in MARGIN for goal in Goal for missing in (0.0, 0.1)],
)


@CELLS
def test_a_drop_of_the_whole_margin_rarely_passes(tasks: int, goal: Goal, missing: float) -> None:
    """At a drop of exactly the margin at most .025 of the runs end `no-regression` or `improved`."""
    verdicts, _, _ = simulated(tasks, goal, "main", -MARGIN[tasks], missing)
    passed = verdicts[Verdict.NO_REGRESSION] + verdicts[Verdict.IMPROVED]
    assert passed / RUNS <= bound(0.025)


@CELLS
def test_no_change_is_rarely_claimed_to_be_one(tasks: int, goal: Goal, missing: float) -> None:
    """Where no task has changed at most .05 of the runs end `improved` or `regressed`."""
    verdicts, _, _ = simulated(tasks, goal, "sharp", 0.0, missing)
    claimed = verdicts[Verdict.IMPROVED] + verdicts[Verdict.REGRESSED]
    assert claimed / RUNS <= bound(0.05)


@CELLS
def test_the_interval_at_the_stop_holds_the_truth(tasks: int, goal: Goal, missing: float) -> None:
    """Read when the run has stopped, the interval holds the suite's effect in at least 95% of the runs."""
    for scenario, effect in (("main", -MARGIN[tasks]), ("sharp", 0.0)):
        _, _, coverage = simulated(tasks, goal, scenario, effect, missing)
        assert 1 - coverage <= bound(0.05)


@pytest.mark.parametrize(("tasks", "fixed", "shares"), [(10, 12, (0.63, 0.62, 0.27)), (20, 11, (0.44, 0.60, 0.22))])
def test_power_and_price_of_the_gate(tasks: int, fixed: int, shares: tuple[float, float, float]) -> None:
    """The gate answers as often, and as cheaply, as the method's study says (its tables of sections 0 and 2.3).

    Nine in ten runs find a drop of .2, and pass no change; `shares` are the rounds used at effects of −.2, 0
    and .2 as shares of the fixed design's.
    """
    drop, none, gain = (simulated(tasks, Goal.GATE, "main", effect, 0.0) for effect in (-0.2, 0.0, 0.2))
    assert drop[0][Verdict.REGRESSED] / RUNS >= 0.9
    assert none[0][Verdict.NO_REGRESSION] / RUNS >= 0.9
    assert [rounds_used / fixed for _, rounds_used, _ in (drop, none, gain)] == pytest.approx(shares, abs=0.03)
