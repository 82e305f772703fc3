"""What fewer rounds for tasks that always ended alike cost and save: `make bench NAME=unequal_rounds`.

Simulates suites in which some tasks always pass and the others vary (`sharp` where nothing changes, `main` where the
mean drops by the margin), and decides each run twice, with all rounds for every task and with few for those that always
pass. Where the mean drops, the whole drop sits in the tasks with few rounds: the worst place. In the last cell the
tasks with few rounds are found as the program finds them, by twenty earlier trials that all ended alike, among tasks
that are very easy or very hard (`U`). The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulated import SCENARIOS, pairs, rounds, suites
from skilldelta.compare.decision import conclude
from skilldelta.domain.comparison import Decision, Verdict
from skilldelta.domain.design import Design

MARGIN = 0.15
HISTORY = 20
_PASSES = (Verdict.NO_REGRESSION, Verdict.IMPROVED)


@dataclass(frozen=True)
class Case:
    """A suite and a design: so many tasks, of which `brief` always pass and run in `brief_rounds` of `rounds`."""

    tasks: int
    brief: int
    rounds: int
    brief_rounds: int


CASES = (Case(12, 4, 18, 2), Case(20, 6, 12, 4))


@dataclass
class Counted:
    """Runs of one design: how many passed, how many trials they took, and how often the interval held the truth."""

    runs: int = 0
    passed: int = 0
    trials: int = 0
    covered: int = 0

    def add(self, decision: Decision, design: Design, tasks: int, effect: float) -> None:
        """Take in one run."""
        last = decision.looks[-1]
        of_all = tasks - len(design.brief)
        self.runs += 1
        self.passed += decision.verdict in _PASSES
        self.trials += 2 * (of_all * last.rounds + len(design.brief) * min(last.rounds, design.brief_rounds))
        self.covered += last.interval.low <= effect <= last.interval.high

    def figures(self, name: str) -> dict[str, float]:
        """Return the shares and the mean number of trials."""
        return {
            f"{name}_passed": round(self.passed / self.runs, 4),
            f"{name}_trials": round(self.trials / self.runs, 1),
            f"{name}_coverage": round(self.covered / self.runs, 4),
        }


def main() -> None:
    """Simulate, print a line for each cell, then all of it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=4000, help="runs of each cell")
    runs, started = parser.parse_args().runs, time.perf_counter()
    figures: dict[str, float] = {}
    for name, found in cells(runs):
        figures |= {f"{name}_{key}": value for key, value in found.items()}
        print(f"{name:34}" + "".join(f" {key} {value:g};" for key, value in found.items()))
    print(json.dumps({**figures, "runs": runs, "seconds": round(time.perf_counter() - started, 1)}))


def cells(runs: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each cell's name and figures."""
    for case in CASES:
        name = f"{case.tasks}_tasks_{case.brief}_at_{case.brief_rounds}_of_{case.rounds}"
        yield f"{name}_unchanged", always_passing(case, runs, effect=0.0)
        yield f"{name}_dropped", always_passing(case, runs, effect=-MARGIN)
    for brief_rounds in (2, 4):
        yield f"20_tasks_found_at_{brief_rounds}_of_12_unchanged", as_found(brief_rounds, runs)


def always_passing(case: Case, runs: int, *, effect: float) -> dict[str, float]:
    """Return the figures of a suite some of whose tasks always pass before; the effect sits in these alone."""
    generator = np.random.default_rng([3, case.tasks, case.brief, round(100 * (1 + effect))])
    rates, _ = suites(generator, SCENARIOS["sharp"], count=runs, tasks=case.tasks - case.brief, effect=0.0)
    ones = np.ones((runs, case.brief))
    before = np.hstack([ones, rates])
    after = np.hstack([ones + effect * case.tasks / case.brief, rates])
    brief = np.arange(case.tasks) < case.brief
    return compared(generator, before, after, np.tile(brief, (runs, 1)), case.rounds, case.brief_rounds, effect)


def as_found(brief_rounds: int, runs: int) -> dict[str, float]:
    """Return the figures of twenty very easy or very hard tasks; few rounds have those that always ended alike."""
    generator = np.random.default_rng([4, brief_rounds])
    before, after = suites(generator, SCENARIOS["U"], count=runs, tasks=20, effect=0.0)
    earlier = rounds(generator, before, count=HISTORY).sum(axis=1)
    return compared(generator, before, after, (earlier == 0) | (earlier == HISTORY), 12, brief_rounds, 0.0)


def compared(
    generator: np.random.Generator,
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    brief: NDArray[np.bool_],
    most: int,
    brief_rounds: int,
    effect: float,
) -> dict[str, float]:
    """Return the figures of both designs on the same trials; `brief` says of each run which tasks have few rounds."""
    old, new = (rounds(generator, rates, count=most) for rates in (before, after))
    equal, unequal = Counted(), Counted()
    tasks = before.shape[1]
    none_missing = np.zeros((most, tasks), dtype=np.bool_)
    for run in range(len(before)):
        names = tuple(f"task-{task}" for task in np.flatnonzero(brief[run]))
        whole = Design(rounds=most, margin=MARGIN)
        less = whole.model_copy(update={"brief": names, "brief_rounds": brief_rounds})
        judged = pairs(new[run], old[run], none_missing)
        for design, counted in ((whole, equal), (less, unequal)):
            run_pairs = [
                [pair for pair in row if design.runs(pair.task_id, number)]
                for number, row in enumerate(judged, start=1)
            ]
            counted.add(conclude(run_pairs, design), design, tasks, effect)
    return {
        **equal.figures("equal"),
        **unequal.figures("unequal"),
        "brief_tasks": round(float(brief.sum(axis=1).mean()), 2),
    }


if __name__ == "__main__":
    main()
