"""The generator of simulated suites."""

from __future__ import annotations

import numpy as np
import pytest

from simulated import SCENARIOS, pairs, rounds, suites


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("effect", [-0.2, 0.0, 0.3])
def test_suites_have_exactly_the_effect(name: str, effect: float) -> None:
    """Every suite's mean difference of the pass rates is the effect asked for, and rates are probabilities."""
    baseline, candidate = suites(np.random.default_rng(1), SCENARIOS[name], count=300, tasks=6, effect=effect)
    assert (candidate - baseline).mean(axis=1) == pytest.approx(np.full(300, effect), abs=1e-9)
    assert baseline.shape == candidate.shape == (300, 6)
    assert min(baseline.min(), candidate.min()) >= 0
    assert max(baseline.max(), candidate.max()) <= 1


def test_the_sharp_null_changes_no_task() -> None:
    """Without an effect the sharp scenario has equal rates on every task, and the main one has not."""
    baseline, candidate = suites(np.random.default_rng(1), SCENARIOS["sharp"], count=20, tasks=6, effect=0)
    assert (baseline == candidate).all()
    baseline, candidate = suites(np.random.default_rng(1), SCENARIOS["main"], count=20, tasks=6, effect=0)
    assert 0.05 < (candidate - baseline).std() < 0.15


def test_rates_have_the_marginal_distribution() -> None:
    """Concentration 4 at mean .5 is Beta(2, 2): its mean and its standard deviation √.05."""
    baseline, _ = suites(np.random.default_rng(1), SCENARIOS["sharp"], count=4000, tasks=10, effect=0)
    assert baseline.mean() == pytest.approx(0.5, abs=0.01)
    assert baseline.std() == pytest.approx(np.sqrt(0.05), abs=0.005)


def test_rounds_pass_at_their_rates() -> None:
    """Passes occur at each task's own rate, independently from round to round."""
    rates = np.array([[0.0, 0.25, 1.0]])
    passes = rounds(np.random.default_rng(1), rates, count=4000)
    assert passes.shape == (1, 4000, 3)
    assert passes.mean(axis=1)[0] == pytest.approx([0, 0.25, 1], abs=0.03)


def test_pairs_mark_what_is_missing() -> None:
    """A missing pair has failed; all others have the values drawn, in hundredths."""
    yes, no = np.array([[True, True]]), np.array([[False, True]])
    (row,) = pairs(candidate=yes, baseline=no, missing=np.array([[False, True]]))
    assert [(pair.task_id, pair.round, pair.difference) for pair in row] == [("task-0", 1, 100), ("task-1", 1, None)]
