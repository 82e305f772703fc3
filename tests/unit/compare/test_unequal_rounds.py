"""Fewer rounds for tasks that always ended alike, fixed before the run: what it does to errors and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from simulated import SCENARIOS, rounds, suites
from skilldelta.compare.decision import conclude
from skilldelta.domain.comparison import Pair, Verdict
from skilldelta.domain.design import Design

TASKS, ROUNDS, MARGIN, HISTORY, RUNS = 20, 12, 0.15, 20, 800


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["U", "main"])
@pytest.mark.parametrize("brief_rounds", [2, 4])
def test_a_drop_of_the_margin_rarely_passes_and_the_interval_holds(scenario: str, brief_rounds: int) -> None:
    """False passes at most .025 and coverage at least .95, within two standard errors of 800 runs.

    Tasks are chosen by twenty earlier trials of the baseline that all ended alike, so a drop may sit just there. It
    was not simulated in the study of the method; measured here with 1,500 runs a cell: .001 to .021 and .977 to .999.
    """
    generator = np.random.default_rng([7, brief_rounds, sorted(SCENARIOS).index(scenario)])
    before, after = suites(generator, SCENARIOS[scenario], count=RUNS, tasks=TASKS, effect=-MARGIN)
    earlier = rounds(generator, before, count=HISTORY).sum(axis=1)
    old, new = rounds(generator, before, count=ROUNDS), rounds(generator, after, count=ROUNDS)
    passed = covered = 0
    for run in range(RUNS):
        alike = tuple(str(task) for task in range(TASKS) if earlier[run, task] in (0, HISTORY))
        design = Design(rounds=ROUNDS, margin=MARGIN, brief=alike[: TASKS - 1], brief_rounds=brief_rounds)
        pairs = [
            [
                Pair(
                    task_id=str(task), round=number + 1,
                    candidate=100 * int(new[run, number, task]), baseline=100 * int(old[run, number, task]),
                )
                for task in range(TASKS)
                if design.runs(str(task), number + 1)
            ]
            for number in range(ROUNDS)
        ]  # fmt: skip
        decision = conclude(pairs, design)
        interval = decision.looks[-1].interval
        passed += decision.verdict in (Verdict.NO_REGRESSION, Verdict.IMPROVED)
        covered += interval.low <= -MARGIN <= interval.high
    assert passed / RUNS <= 0.025 + 2 * (0.025 * 0.975 / RUNS) ** 0.5
    assert covered / RUNS >= 0.95 - 2 * (0.05 * 0.95 / RUNS) ** 0.5
