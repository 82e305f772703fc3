"""The rules of others, so that the benchmark that compares them with ours is fair to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact, ttest_1samp

import verdict_cells
from rules import (
    RULES,
    Calls,
    Trials,
    any_change,
    exact_at_the_end,
    fisher_p_values,
    point_threshold,
    pooled_fisher,
    pooled_resampling,
    task_means_t,
)
from skilldelta.compare.decision import conclude
from skilldelta.domain.comparison import Decision, Pair
from skilldelta.domain.design import Design
from verdict_cells import BATCH, PLANS, Batch, Cell, Tally, batches, count, rule_cells

NOBODY = np.random.default_rng(0)
"""For rules that draw nothing."""


def trials(*runs: tuple[int, int, int, int], margin: float = 0.2) -> Trials:
    """Return runs of wins, losses, pairs that both pass and pairs that both fail, all of one task."""
    new = [np.repeat([True, False, True, False], counts) for counts in runs]
    old = [np.repeat([False, True, True, False], counts) for counts in runs]
    return Trials(np.array(new)[:, :, None], np.array(old)[:, :, None], margin)


def mirrored(given: Trials) -> Trials:
    """The same trials with the arms swapped."""
    return Trials(given.baseline, given.candidate, given.margin)


def random_trials(runs: int, rounds: int, tasks: int) -> Trials:
    """Trials of which many are near the edge of significance."""
    generator = np.random.default_rng(5)
    rates = generator.uniform(0.1, 0.9, (2, runs, 1, 1))
    new, old = generator.random((2, runs, rounds, tasks)) < rates
    return Trials(new, old, 0.2)


def test_counts_of_pairs() -> None:
    """Wins and losses are pairs in which one arm alone passes."""
    given = trials((3, 1, 4, 2))
    assert (given.wins.tolist(), given.losses.tolist(), given.pairs) == ([3], [1], 10)


def test_the_exact_test_knows_its_edge() -> None:
    """Six wins of six have p = 2/64 and are called; five of five (p = 2/32) and seven of eight (p = 18/256) are not."""
    given = trials((6, 0, 2, 2), (5, 0, 3, 2), (7, 1, 1, 1), (0, 6, 2, 2))
    assert exact_at_the_end(given, NOBODY).tolist() == [1, 0, 0, -1]


def test_the_exact_test_is_mcnemars() -> None:
    """On random trials it calls what scipy's binomial test of the discordant pairs calls."""
    given = random_trials(200, 6, 5)
    expected = [
        0 if won + lost == 0 or binomtest(won, won + lost).pvalue > 0.05 else np.sign(won - lost)
        for won, lost in zip(given.wins.tolist(), given.losses.tolist(), strict=True)
    ]
    assert exact_at_the_end(given, NOBODY).tolist() == expected
    assert set(expected) == {-1, 0, 1}


def test_fisher_of_known_tables() -> None:
    """2 of 10 against 7 of 10 has p = .0697785, and is not called; 1 of 10 against 7 of 10 (p = .0198) is."""
    assert fisher_p_values(10)[2, 7] == pytest.approx(0.0697785, abs=1e-7)
    assert fisher_p_values(10)[1, 7] == pytest.approx(0.0197666, abs=1e-7)
    given = trials((0, 5, 2, 3), (0, 6, 1, 3), (6, 0, 1, 3))
    assert pooled_fisher(given, NOBODY).tolist() == [0, -1, 1]


@pytest.mark.parametrize("size", [1, 7, 120])
def test_fisher_agrees_with_scipy(size: int) -> None:
    """All p-values (of 120 trials, some) are scipy's."""
    ours = fisher_p_values(size)
    counts = range(size + 1) if size < 20 else (0, 1, 37, 60, 61, 83, 119, 120)
    for new in counts:
        for old in counts:
            theirs = fisher_exact(np.array([[new, size - new], [old, size - old]])).pvalue
            assert ours[new, old] == pytest.approx(theirs, rel=1e-6), (new, old)


def test_fisher_does_not_see_the_pairs() -> None:
    """Six losses in pairs that otherwise agree convince the paired test and not Fisher's."""
    given = trials((0, 6, 27, 27))
    assert exact_at_the_end(given, NOBODY).tolist() == [-1]
    assert pooled_fisher(given, NOBODY).tolist() == [0]


def test_resampling_calls_what_is_far_from_the_edge() -> None:
    """Ten wins of ten are called, ten of sixteen (p = .45) are not, and nothing is where nothing differs."""
    given = trials((10, 0, 5, 5), (10, 6, 2, 2), (0, 10, 5, 5), (0, 0, 10, 10))
    assert pooled_resampling(given, np.random.default_rng(1)).tolist() == [1, 0, -1, 0]


def test_resampling_has_the_power_of_its_parts() -> None:
    """With 15 wins of 20 (p = .041) nearly every seed calls; with 14 (p = .115) none does."""
    near, far = trials(*[(15, 5, 10, 10)] * 200), trials(*[(14, 6, 10, 10)] * 200)
    assert pooled_resampling(near, np.random.default_rng(1)).mean() > 0.85
    assert pooled_resampling(far, np.random.default_rng(1)).mean() == 0


def test_resampling_is_resampling_of_pairs() -> None:
    """The interval's counts have the distribution of pairs drawn with replacement: same mean and variance."""
    generator = np.random.default_rng(2)
    values = np.repeat([1, -1, 0], [15, 5, 20])
    drawn = generator.choice(values, (20_000, 40)).sum(axis=1)
    counts = generator.multinomial(40, [15 / 40, 5 / 40, 20 / 40], 20_000)
    assert (counts[:, 0] - counts[:, 1]).mean() == pytest.approx(drawn.mean(), abs=0.15)
    assert (counts[:, 0] - counts[:, 1]).std() == pytest.approx(drawn.std(), rel=0.03)


def test_any_change_calls_any_change() -> None:
    """One pair decides; a tie is no call."""
    assert any_change(trials((1, 0, 5, 4), (2, 3, 3, 2), (2, 2, 3, 3)), NOBODY).tolist() == [1, -1, 0]


@pytest.mark.parametrize(("margin", "pairs_in_all"), [(0.2, 120), (0.15, 220), (0.1, 30)])
def test_the_threshold_is_passed_only_beyond_it(margin: float, pairs_in_all: int) -> None:
    """A drop of exactly the margin is none; one pair more is a regression; every rise is an improvement."""
    edge = round(margin * pairs_in_all)
    rest = pairs_in_all - edge
    given = trials((0, edge, rest, 0), (0, edge + 1, rest - 1, 0), (1, 0, pairs_in_all - 1, 0), margin=margin)
    assert point_threshold(given, NOBODY).tolist() == [0, -1, 1]


def test_t_of_task_means_is_scipys() -> None:
    """On random trials it calls what scipy's one-sample t test of the tasks' mean differences calls."""
    given = random_trials(300, 4, 6)
    means = (given.candidate.astype(int) - given.baseline).mean(axis=1)
    kept = means.std(axis=1) > 1e-12
    tests = [ttest_1samp(row, 0) for row in means[kept]]
    expected = [int(np.sign(test.statistic)) if test.pvalue < 0.05 else 0 for test in tests]
    assert task_means_t(given, NOBODY)[kept].tolist() == expected
    assert set(expected) == {-1, 0, 1}


def test_t_says_nothing_of_equal_means() -> None:
    """Where every task moves by the same there is no spread to measure by, and no call."""
    new = np.ones((1, 3, 4), dtype=bool)
    assert task_means_t(Trials(new, ~new, 0.2), NOBODY).tolist() == [0]


@pytest.mark.parametrize("name", sorted(set(RULES) - {"point_threshold", "pooled_resampling"}))
def test_rules_do_not_prefer_an_arm(name: str) -> None:
    """With the arms swapped every call has the other sign."""
    given = random_trials(200, 5, 6)
    calls: Calls = RULES[name].calls(given, NOBODY)
    assert (RULES[name].calls(mirrored(given), NOBODY) == -calls).all()


def test_a_batch_counts_what_the_procedure_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of a batch are decided by the program's procedure, and each ends with one verdict and one call."""
    seen = []

    def noting(judged: Sequence[Sequence[Pair]], design: Design) -> Decision:
        seen.append(conclude(judged, design))
        return seen[-1]

    monkeypatch.setattr(verdict_cells, "conclude", noting)
    cell = Cell(10, "main", -0.2)
    found, tally = count(Batch(cell, 0, 20, seed=1))
    assert found == cell
    assert len(seen) == 20 * len(tally.designs)
    assert sum(outcomes.rounds for outcomes in tally.designs.values()) == sum(each.looks[-1].rounds for each in seen)
    assert [outcomes.verdicts.total() for outcomes in tally.designs.values()] == [20] * len(PLANS[10].designs())
    assert [calls.total() for calls in tally.rules.values()] == [20] * len(RULES)
    again = count(Batch(cell, 0, 20, seed=1))[1]
    assert again == tally
    assert count(Batch(cell, 1, 20, seed=1))[1] != tally


def test_batches_cover_their_cells() -> None:
    """Each cell gets its number of runs, in batches with numbers of their own; error cells get more."""
    counted: dict[Cell, int] = {}
    for batch in batches(runs=BATCH + 10, null_runs=2 * BATCH, seed=1):
        counted[batch.cell] = counted.get(batch.cell, 0) + batch.runs
    assert set(counted.values()) == {BATCH + 10, 2 * BATCH}
    assert all(counted[cell] == 2 * BATCH for plan in PLANS.values() for cell in rule_cells(plan))
    assert counted[Cell(20, "main", 0.4)] == BATCH + 10


def test_tallies_add_up() -> None:
    """Two batches of one cell are counted together."""
    cell = Cell(10, "sharp", 0.0)
    both = Tally()
    for number in range(2):
        both.add(count(Batch(cell, number, 10, seed=1))[1])
    assert both.designs["gate"].runs == 20
    assert both.rules["any_change"].total() == 20
    share, error = both.designs["gate"].cost(12)
    assert 2 / 12 <= share <= 13 / 12
    assert 0 < error < 0.2
