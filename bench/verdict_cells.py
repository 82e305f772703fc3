"""The simulated runs behind `calls_to_verdict.py`: cells, what is counted in each, and the counting of one batch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rules import RULES, Trials
from simulated import SCENARIOS, pairs, rounds, suites
from skilldelta.compare.decision import conclude
from skilldelta.domain.comparison import Verdict
from skilldelta.domain.design import Design, Goal
from skilldelta.plan.reach import fewest_rounds

EFFECTS = (-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4)
BATCH = 250


@dataclass(frozen=True)
class Plan:
    """The designs for suites of one size; the fixed one needs `fixed` rounds for 90% power at the margin.

    `gate` is the program's rule, one round more; `improve` is what the study needed for 90% power with futility, and
    `detect` for the test alone, which never gives up.
    """

    tasks: int
    margin: float
    fixed: int
    gate: int
    improve: int
    detect: int

    def designs(self) -> dict[str, Design]:
        """Return the designs under study by name."""
        fewest = fewest_rounds(self.tasks)
        gate = Design(goal=Goal.GATE, rounds=self.gate, margin=self.margin, min_rounds=fewest)
        return {
            "gate": gate,
            "gate_every_2": gate.model_copy(update={"look_every": 2}),
            "improve": Design(goal=Goal.IMPROVE, rounds=self.improve, margin=self.margin, min_rounds=fewest),
            "detect": Design(goal=Goal.IMPROVE, rounds=self.detect, futility=0, min_rounds=fewest),
            "improve_by_rule": gate.model_copy(update={"goal": Goal.IMPROVE}),
        }


PLANS = {
    10: Plan(tasks=10, margin=0.20, fixed=12, gate=13, improve=15, detect=12),
    20: Plan(tasks=20, margin=0.15, fixed=11, gate=12, improve=13, detect=11),
}


class Cell(NamedTuple):
    """A truth to simulate: so many tasks, how they vary, and by how much the suite's mean pass rate changes."""

    tasks: int
    scenario: str
    effect: float


class Batch(NamedTuple):
    """Some runs of one cell; its number makes its random numbers its own."""

    cell: Cell
    number: int
    runs: int
    seed: int


@dataclass
class Outcomes:
    """How the runs of one design ended in one cell."""

    runs: int = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    rounds: int = 0
    squares: int = 0
    covered: int = 0
    """Runs whose interval, read at the stop, holds the true effect."""

    def add(self, other: Outcomes) -> None:
        """Take in more runs."""
        self.runs += other.runs
        self.verdicts += other.verdicts
        self.rounds += other.rounds
        self.squares += other.squares
        self.covered += other.covered

    def share(self, *verdicts: Verdict) -> float:
        """Return the share of the runs that ended with one of the verdicts."""
        return sum(self.verdicts[verdict] for verdict in verdicts) / self.runs

    def cost(self, fixed: int) -> tuple[float, float]:
        """Return the mean rounds used as a share of `fixed` rounds, and its standard error."""
        mean = self.rounds / self.runs
        variance = max(self.squares / self.runs - mean**2, 0.0)
        return mean / fixed, math.sqrt(variance / self.runs) / fixed


@dataclass
class Tally:
    """What was counted in one cell: outcomes by design, calls by rule."""

    designs: dict[str, Outcomes] = field(default_factory=dict)
    rules: dict[str, Counter[int]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Take in another batch of the same cell."""
        for name, outcomes in other.designs.items():
            self.designs.setdefault(name, Outcomes()).add(outcomes)
        for name, calls in other.rules.items():
            self.rules.setdefault(name, Counter()).update(calls)


def rule_cells(plan: Plan) -> tuple[Cell, Cell, Cell]:
    """Return where the rules are compared: nothing changed, a drop and a rise of exactly the margin."""
    return (
        Cell(plan.tasks, "sharp", 0.0),
        Cell(plan.tasks, "main", -plan.margin),
        Cell(plan.tasks, "main", plan.margin),
    )


def error_cells(plan: Plan) -> tuple[Cell, ...]:
    """Return where error rates are read: those of the rules, and other ways of differing between tasks."""
    others = [Cell(plan.tasks, name, effect) for name in ("het", "U") for effect in (-plan.margin, 0.0)]
    return (*rule_cells(plan), Cell(plan.tasks, "main", 0.0), *others)


def batches(*, runs: int, null_runs: int, seed: int) -> Iterator[Batch]:
    """Yield all batches: `null_runs` where an error rate is read, `runs` at the other effects of the price's grid."""
    for plan in PLANS.values():
        errors = error_cells(plan)
        grid = (Cell(plan.tasks, "main", effect) for effect in EFFECTS)
        for cell in dict.fromkeys((*errors, *grid)):
            most = null_runs if cell in errors else runs
            for number, start in enumerate(range(0, most, BATCH)):
                yield Batch(cell, number, min(BATCH, most - start), seed)


def count(batch: Batch) -> tuple[Cell, Tally]:
    """Simulate a batch once, and give the same trials to every design and every rule."""
    cell, plan = batch.cell, PLANS[batch.cell.tasks]
    designs = plan.designs()
    place = [cell.tasks, sorted(SCENARIOS).index(cell.scenario), round(100 * (1 + cell.effect)), batch.number]
    generator = np.random.default_rng([batch.seed, *place])
    before, after = suites(generator, SCENARIOS[cell.scenario], count=batch.runs, tasks=cell.tasks, effect=cell.effect)
    most = max(plan.fixed, *(design.rounds for design in designs.values()))
    baseline, candidate = (rounds(generator, rates, count=most) for rates in (before, after))
    tally = Tally(designs={name: Outcomes() for name in designs})
    none_missing = np.zeros(baseline.shape[1:], dtype=np.bool_)
    for old, new in zip(baseline, candidate, strict=True):
        judged = pairs(new, old, none_missing)
        for name, design in designs.items():
            decision = conclude(judged[: design.rounds], design)
            last = decision.looks[-1]
            held = last.interval.low <= cell.effect <= last.interval.high
            one = Outcomes(1, Counter([decision.verdict]), last.rounds, last.rounds**2, int(held))
            tally.designs[name].add(one)
    if cell in rule_cells(plan):
        trials = Trials(candidate[:, : plan.fixed], baseline[:, : plan.fixed], plan.margin)
        tally.rules = {name: Counter(rule.calls(trials, generator).tolist()) for name, rule in RULES.items()}
    return cell, tally
