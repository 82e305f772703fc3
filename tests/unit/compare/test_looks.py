"""One look of the sequential test."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from scipy.special import ndtr

from skilldelta.compare import decision
from skilldelta.compare.evidence import Counts, Evidence
from skilldelta.compare.looks import predictive_power
from skilldelta.domain import design
from skilldelta.domain.design import Design, Goal
from skilldelta.statistics.spending import critical_values_at


@pytest.mark.parametrize("module", [design, decision])
def test_worked_examples(module: object) -> None:
    """The modules' worked examples give what they say."""
    results = doctest.testmod(module)  # type: ignore[arg-type]  # a table of modules
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("done", [1, 4, 9])
@pytest.mark.parametrize(("wins", "losses"), [(12, 2), (3, 9), (0, 0)])
def test_predictive_power_averages_over_what_may_be_true(done: int, wins: int, losses: int) -> None:
    """Predictive power is the chance of the final crossing, averaged over the posterior of the drift."""
    counts = Counts(
        attempted=40, wins=wins, losses=losses, total=100 * (wins - losses), squares=10_000 * (wins + losses)
    )
    evidence = Evidence(counts)
    design, fraction = Design(rounds=10, goal=Goal.IMPROVE), done / 10
    score = abs(wins - losses) / math.sqrt(wins + losses + 2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    drift = score / math.sqrt(fraction) + nodes / math.sqrt(fraction)
    tenths = tuple(look / 10 for look in range(1, 11))
    last = critical_values_at(tenths, tuple(0.05 * tenth**1.5 for tenth in tenths))[-1]
    needed = last - score * math.sqrt(fraction)
    reached = ndtr((drift * (1 - fraction) - needed) / math.sqrt(1 - fraction))
    expected = float(weights @ reached / weights.sum())
    assert predictive_power(evidence, fraction, design) == pytest.approx(expected, abs=1e-4)


def test_predictive_power_counts_the_margin_for_the_gate_only() -> None:
    """All ties are hopeless for an improvement and promising for a gate."""
    ties = Evidence(Counts(attempted=100))
    improve, gate = (predictive_power(ties, 0.5, Design(rounds=10, goal=goal)) for goal in (Goal.IMPROVE, Goal.GATE))
    assert improve < 0.1
    assert gate > 0.9


def test_filling_counts_failed_pairs_once() -> None:
    """A filled pair is an observed one with a full win or loss, and nothing else changes."""
    evidence = Counts(attempted=10, failed=3, wins=4, losses=1, total=300, squares=50_000)
    won, lost = evidence.filled(won=True), evidence.filled(won=False)
    assert (won.observed, won.wins, won.losses, won.total, won.squares) == (10, 7, 1, 600, 80_000)
    assert (lost.observed, lost.wins, lost.losses, lost.total, lost.squares) == (10, 4, 4, 0, 80_000)
