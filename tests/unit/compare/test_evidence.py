"""What the pairs so far amount to: copies, tasks with fewer rounds, and the interval over both groups."""

from __future__ import annotations

import math

import pytest

from skilldelta.compare.decision import conclude, decide
from skilldelta.compare.evidence import Counts, Evidence
from skilldelta.domain.comparison import Pair, StopReason, Verdict
from skilldelta.domain.design import Design, Metric
from skilldelta.statistics.intervals import tango_interval

C = 2.3


def pair(task: str, difference: int, *, number: int = 1, copied: bool = False) -> Pair:
    """A pair with a difference of −100, 0 or 100."""
    return Pair(task_id=task, round=number, candidate=max(difference, 0), baseline=max(-difference, 0), copied=copied)


def test_a_copy_is_neither_observed_nor_failed() -> None:
    """A pair that repeats a cached answer adds to nothing, whatever its values are."""
    lost = Pair(task_id="c", round=2, candidate=None, baseline=100, copied=True)
    counts = Counts().plus([pair("a", 100), pair("b", -100, copied=True), lost])
    assert counts == Counts().plus([pair("a", 100)])
    assert (lost.failed, lost.difference) == (False, None)


def test_equal_rounds_have_the_pooled_interval() -> None:
    """Without tasks that have fewer rounds the interval is Tango's over all pairs."""
    evidence = Evidence().plus([pair(str(n), 100 * ((n % 3) - 1)) for n in range(20)])
    low, high = tango_interval(wins=6, losses=7, pairs=20, critical_value=C)
    interval = evidence.interval(Metric.PASS, C)
    assert (interval.low, interval.high) == (low, high)
    assert evidence.mean == pytest.approx(-0.05)


def test_unequal_rounds_keep_the_weight_of_every_task() -> None:
    """Two of four tasks ran once, two ten times: the mean is over tasks, and the interval has both groups' arms."""
    brief = {"c", "d"}
    evidence = Evidence(share=0.5).plus([pair("c", -100), pair("d", 0)], brief)
    for number in range(10):
        evidence = evidence.plus([pair("a", 100, number=number), pair("b", 0, number=number)], brief)
    assert evidence.mean == pytest.approx(0.5 * 0.5 + 0.5 * -0.5)
    assert (evidence.observed, evidence.total) == (22, 900)
    full = tango_interval(wins=10, losses=0, pairs=20, critical_value=C)
    few = tango_interval(wins=0, losses=1, pairs=2, critical_value=C)
    below = math.sqrt((0.5 * (0.5 - full[0])) ** 2 + (0.5 * (-0.5 - few[0])) ** 2)
    above = math.sqrt((0.5 * (full[1] - 0.5)) ** 2 + (0.5 * (few[1] + 0.5)) ** 2)
    interval = evidence.interval(Metric.PASS, C)
    assert (interval.low, interval.high) == pytest.approx((-below, above))


def test_failed_pairs_of_both_groups_are_filled() -> None:
    """A lost pair counts against the claim wherever it is: of a task with all rounds, and of one with fewer."""
    lost = Pair(task_id="c", round=1, candidate=None, baseline=0)
    evidence = Evidence(share=0.5).plus([pair("a", 100), pair("b", 0), lost, pair("d", 0)], {"c", "d"})
    worst, best = evidence.filled(won=False), evidence.filled(won=True)
    assert (evidence.mean, worst.mean, best.mean) == (0.25, 0.0, 0.5)
    assert (worst.failed, worst.brief.losses, best.brief.wins) == (0, 1, 1)
    assert worst.interval(Metric.PASS, C).low < evidence.interval(Metric.PASS, C).low


def test_the_design_says_which_tasks_run_in_which_round() -> None:
    """A task with fewer rounds runs in the first ones, every other task in all."""
    design = Design(rounds=5, brief=("b",), brief_rounds=2)
    assert [[task for task in "ab" if design.runs(task, number)] for number in (1, 2, 3)] == [
        ["a", "b"], ["a", "b"], ["a"],
    ]  # fmt: skip


def test_failures_are_counted_against_the_pairs_that_the_design_has() -> None:
    """Tasks with fewer rounds make fewer pairs, so that fewer failures settle the run."""
    brief = tuple(f"b{n}" for n in range(9))

    def failing(number: int, *names: str) -> list[Pair]:
        return [
            Pair(task_id=name, round=number, candidate=None if name in names else 0, baseline=0) for name in ("a", "z")
        ]

    rounds = [[*failing(1, "a", "z"), *(pair(name, 0) for name in brief)], failing(2, "a", "z")]
    few = Design(rounds=4, brief=brief, brief_rounds=1, sequential=False)
    # 2 × 4 + 9 × 1 = 17 pairs are planned; more than a quarter of these are 5 failures, of 44 pairs they would be 12.
    assert not conclude(rounds, few).finished
    rounds.append(failing(3, "a"))
    assert conclude(rounds, few).verdict is Verdict.INSUFFICIENT_DATA
    assert not conclude(rounds, few.model_copy(update={"brief": ()})).finished


@pytest.mark.parametrize("sequential", [True, False])
def test_a_round_of_copies_is_the_end_of_the_design(sequential: bool) -> None:
    """What further rounds would say is known: the last look is taken, with all the error there is, on what was new."""
    new = [pair(str(n), -100 if n < 6 else 0) for n in range(12)]
    again = [one.model_copy(update={"round": 2, "copied": True}) for one in new]
    design = Design(rounds=10, sequential=sequential, margin=0.05)
    decision = decide([new, again], design)
    last = decision.looks[-1]
    assert (decision.verdict, last.information, last.pairs, last.rounds) == (Verdict.REGRESSED, 1.0, 12, 2)
    undecided = [pair(str(n), 0) for n in range(12)]
    copies = [one.model_copy(update={"round": 2, "copied": True}) for one in undecided]
    decision = decide([undecided, copies], design)
    assert (decision.verdict, decision.reason, decision.finished) == (Verdict.INCONCLUSIVE, StopReason.COPIES, True)


def test_a_round_with_some_copies_goes_on() -> None:
    """As long as a round brings something new, the run goes on."""
    rounds = [[pair("a", 0), pair("b", 0)], [pair("a", 0, number=2, copied=True), pair("b", 0, number=2)]]
    decision = decide(rounds, Design(rounds=10))
    assert (decision.finished, decision.looks[-1].pairs, decision.looks[-1].information) == (False, 3, 0.2)
