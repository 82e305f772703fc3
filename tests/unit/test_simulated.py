"""The generator of simulated suites."""

from __future__ import annotations

import numpy as np
import pytest

from simulated import SCENARIOS, pairs, rounds, scores, suites


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("effect", [-0.2, 0.0, 0.3])
def test_suites_have_exactly_the_effect(name: str, effect: float) -> None:
    """Every suite's mean difference of the pass rates is the effect asked for, and rates are probabilities."""
    baseline, candidate = suites(np.random.default_rng(1), SCENARIOS[name], count=300, tasks=6, effect=effect)
    assert (candidate - baseline).mean(axis=1) == pytest.approx(np.full(300, effect), abs=1e-9)
    assert baseline.shape == candidate.shape == (300, 6)
    assert min(baseline.min(), candidate.min()) >= 0
    assert max(baseline.max(), candidate.max()) <= 1


@pytest.mark.parametrize(("name", "spread"), [("main", 0.10), ("het", 0.22)])
def test_tasks_move_apart_as_much_as_the_study_says(name: str, spread: float) -> None:
    """The standard deviation of the tasks' own changes is about .1 in `main` and .22 in `het`; none in `sharp`."""
    baseline, candidate = suites(np.random.default_rng(1), SCENARIOS[name], count=4000, tasks=20, effect=0)
    assert (candidate - baseline).std() == pytest.approx(spread, abs=0.01)


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


def test_scores_have_the_rates_as_means() -> None:
    """Scores are twentieths whose means are the rates, and they vary more than twenty independent points would."""
    drawn = scores(np.random.default_rng(1), np.array([[0.0, 0.25, 0.6]]), count=20_000)
    assert drawn.shape == (1, 20_000, 3)
    assert set(np.unique(drawn)) == set(range(0, 101, 5))
    assert drawn.mean(axis=1)[0] == pytest.approx([0, 25, 60], abs=0.7)
    assert drawn.std(axis=1)[0, 2] == pytest.approx(100 * np.sqrt(0.24 * (1 / 5 + 4 / 5 / 20)), rel=0.03)
    (row,) = pairs(candidate=drawn[0, :1], baseline=drawn[0, 1:2], missing=np.zeros((1, 3), dtype=np.bool_))
    assert [pair.difference for pair in row] == (drawn[0, 0] - drawn[0, 1]).tolist()


def test_pairs_mark_what_is_missing() -> None:
    """A missing pair has failed; all others have the values drawn, in hundredths."""
    yes, no = np.array([[True, True]]), np.array([[False, True]])
    (row,) = pairs(candidate=yes, baseline=no, missing=np.array([[False, True]]))
    assert [(pair.task_id, pair.round, pair.difference) for pair in row] == [("task-0", 1, 100), ("task-1", 1, None)]
