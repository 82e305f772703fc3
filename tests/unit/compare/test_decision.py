"""When a comparison stops, and what it says then."""

from __future__ import annotations

import json

import pytest

from played import played, said
from skilldelta.compare.decision import conclude, decide
from skilldelta.domain.comparison import Decision, Pair, StopReason, Verdict
from skilldelta.domain.design import Design, Goal, Metric


def scored(*rounds: list[int]) -> list[list[Pair]]:
    """Rounds written as differences in hundredths."""
    return [
        [Pair(task_id=f"task-{task}", round=number, candidate=50 + d - d // 2, baseline=50 - d // 2) for task, d in row]
        for number, row in enumerate(map(list, map(enumerate, rounds)), start=1)
    ]


def looked_at(decision: Decision) -> list[int]:
    """The rounds after which there was a look."""
    return [look.rounds for look in decision.looks]


@pytest.mark.parametrize(
    ("rounds", "design", "expected"),
    [
        pytest.param(
            ["W" * 10] * 2, Design(rounds=10), (Verdict.IMPROVED, StopReason.DECIDED, 2), id="clear improvement"
        ),
        pytest.param(
            ["L" * 10] * 2, Design(rounds=10), (Verdict.REGRESSED, StopReason.DECIDED, 2), id="clear regression"
        ),
        pytest.param(
            ["T" * 10] * 5, Design(rounds=10), (Verdict.NO_REGRESSION, StopReason.DECIDED, 5), id="gate passes early"
        ),
        pytest.param(
            ["WWLLTTTTTT"] * 3 + ["LTTTTTTTTT"] * 7,
            Design(rounds=10, futility=0),
            (Verdict.INCONCLUSIVE, StopReason.ROUNDS, 10),
            id="rounds used up without an answer",
        ),
        pytest.param(
            ["T" * 20] * 3,
            Design(rounds=3, goal=Goal.IMPROVE, futility=0),
            (Verdict.NO_REGRESSION, StopReason.ROUNDS, 3),
            id="improve says no regression only at the end",
        ),
        pytest.param(
            ["T" * 10] * 3,
            Design(rounds=10, goal=Goal.IMPROVE),
            (Verdict.INCONCLUSIVE, StopReason.FUTILE, 3),
            id="improve stops when nothing is in reach",
        ),
        pytest.param(
            ["T" * 50] * 3,
            Design(rounds=10, goal=Goal.IMPROVE),
            (Verdict.NO_REGRESSION, StopReason.FUTILE, 3),
            id="a futile stop still says no regression",
        ),
        pytest.param(
            ["WL" * 5] * 9,
            Design(rounds=10, margin=0.02),
            (Verdict.INCONCLUSIVE, StopReason.FUTILE, 3),
            id="gate stops when nothing is in reach",
        ),
        pytest.param(
            ["W" * 12], Design(rounds=1), (Verdict.IMPROVED, StopReason.DECIDED, 1), id="one round, despite min_rounds"
        ),
    ],
)
def test_ends(rounds: list[str], design: Design, expected: tuple[Verdict, StopReason, int]) -> None:
    """A run ends at the first round that settles it, with the verdict and the reason that its rounds support."""
    assert said(decide(played(*rounds), design)) == expected


def test_goes_on_while_nothing_is_settled() -> None:
    """An unsettled run asks for another round, names no verdict and has no p-value."""
    decision = decide(played("WLTTT", "TTTTW"), Design(rounds=10))
    assert (decision.finished, decision.verdict, decision.p_value) == (False, Verdict.INCONCLUSIVE, None)
    assert [look.verdict for look in decision.looks] == [None, None]


def test_no_rounds_yet() -> None:
    """Before the first round there is nothing to say; without budget for it, that is the end."""
    assert decide([], Design(rounds=5)).finished is False
    decision = decide([], Design(rounds=5), out_of_budget=True)
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.BUDGET, 0)
    assert (decision.last, decision.p_value) == (None, None)


@pytest.mark.parametrize("min_rounds", [2, 3, 7])
def test_no_stop_before_the_fewest_rounds(min_rounds: int) -> None:
    """However clear the result, the run does not end before `min_rounds`."""
    decision = decide(played(*["W" * 20] * 10), Design(rounds=10, min_rounds=min_rounds))
    assert said(decision) == (Verdict.IMPROVED, StopReason.DECIDED, min_rounds)


def test_a_crossing_before_the_fewest_rounds_is_kept() -> None:
    """A boundary crossed in a round that could not end the run yet stays crossed, for its direction only."""
    decision = decide(played("W" * 20, "T" * 20, "WL" + "T" * 18), Design(rounds=10, min_rounds=9, margin=0.01))
    first, last = decision.looks[0], decision.looks[-1]
    assert first.crossed_up
    assert last.crossed_up
    assert not last.crossed_down


def test_a_crossing_alone_is_not_enough() -> None:
    """A crossing that the interval no longer bears out gives no verdict: both are needed."""
    rounds = ["W" * 9 + "T"] * 3 + ["L" * 9 + "T"] * 3
    decision = decide(played(*rounds), Design(rounds=6, min_rounds=6, futility=0))
    assert decision.looks[-1].crossed_up
    assert decision.looks[-1].interval.low < 0
    assert (decision.verdict, decision.held_back) == (Verdict.INCONCLUSIVE, None)


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (Design(rounds=7, look_every=3, min_rounds=7), [3, 6, 7]),
        (Design(rounds=6, look_every=3, min_rounds=6), [3, 6]),
        (Design(rounds=4, look_every=9), [4]),
        (Design(rounds=4, sequential=False), [4]),
        (Design(rounds=4, min_rounds=4), [1, 2, 3, 4]),
    ],
)
def test_looks_are_taken_as_planned(design: Design, expected: list[int]) -> None:
    """Looks are at the multiples of `look_every` and at the last round; a fixed design looks once."""
    assert looked_at(decide(played(*["WLTTT"] * design.rounds), design)) == expected


def test_a_fixed_design_has_the_fixed_test() -> None:
    """One look at the end spends all of alpha there: critical value 1.96 and the exact test's p-value."""
    rounds = played("W" * 7 + "L" + "T" * 13, "T" * 21)
    decision = decide(rounds, Design(rounds=2, sequential=False))
    assert decision.looks[-1].critical_value == pytest.approx(1.959964, abs=1e-6)
    assert decision.p_value == pytest.approx(0.0703125)
    assert decide(rounds[:1], Design(rounds=2, sequential=False)).looks == ()


def test_rare_looks_spend_what_their_time_allows() -> None:
    """With fewer looks each critical value is smaller, as the error of the looks left out is still there."""
    often = decide(played(*["WLTTT"] * 6), Design(rounds=6, min_rounds=6)).looks
    seldom = decide(played(*["WLTTT"] * 6), Design(rounds=6, min_rounds=6, look_every=3)).looks
    assert seldom[0].critical_value < often[2].critical_value
    assert seldom[1].critical_value < often[5].critical_value


def test_budget_reached_first() -> None:
    """Money that ends before an answer leaves the question open, with the interval that is valid there."""
    decision = decide(played("WL" * 5, "WL" * 5), Design(rounds=10), out_of_budget=True)
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.BUDGET, 2)
    assert decision.p_value == 1.0


def test_budget_reached_at_the_end_goal_improve() -> None:
    """Below the planned rounds a run without budget does not say no regression under goal improve."""
    rounds, design = played(*["T" * 50] * 2), Design(rounds=10, goal=Goal.IMPROVE, futility=0)
    decision = decide(rounds, design, out_of_budget=True)
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.BUDGET, 2)
    assert (decision.held_back, decision.looks[-1].verdict) == (None, None)


def test_budget_reached_with_an_answer() -> None:
    """An answer reached with the last money is an answer."""
    decision = decide(played("W" * 10, "W" * 10), Design(rounds=10), out_of_budget=True)
    assert said(decision) == (Verdict.IMPROVED, StopReason.DECIDED, 2)


def test_a_look_out_of_schedule_gives_no_verdict() -> None:
    """Where the budget ends between two looks there is a closing look for the report, and no verdict from it."""
    decision = decide(played(*["W" * 20] * 2), Design(rounds=10, look_every=5), out_of_budget=True)
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.BUDGET, 2)
    assert decision.looks[-1].interval.low > 0


def test_budget_before_the_fewest_rounds() -> None:
    """Fewer rounds than `min_rounds` carry no verdict, budget or not."""
    decision = decide(played("W" * 20), Design(rounds=10), out_of_budget=True)
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.BUDGET, 1)


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("goal", list(Goal))
@pytest.mark.parametrize("letters", ["", "T", "W", "L", "F", "TTTTT", "FFFFF", "WFLTf"])
def test_edges_are_numbers(letters: str, goal: Goal, metric: Metric) -> None:
    """Empty suites, single tasks, all ties and all failures give whole decisions without a NaN."""
    design = Design(rounds=4, goal=goal, metric=metric)
    for count in range(5):
        for out_of_budget in (False, True):
            decision = decide(played(*[letters] * count), design, out_of_budget=out_of_budget)
            json.dumps(decision.model_dump(mode="python"), allow_nan=False, default=str)
            assert decision.finished is (count == 4 or out_of_budget or decision.reason is not StopReason.ROUNDS)


def test_scores_use_their_own_interval_on_hundredths() -> None:
    """Under the metric score sums and boundary are in hundredths, and small steady gains are found."""
    decision = decide(scored(*[[5, 10, 5, 0, 15, 10, 5, 5, 10, 5]] * 10), Design(rounds=10, metric=Metric.SCORE))
    last = decision.looks[-1]
    assert decision.verdict is Verdict.NO_REGRESSION
    assert last.delta == pytest.approx(0.07)
    assert last.boundary is not None
    assert last.boundary % 5 == 0
    assert last.sum == 70 * last.rounds


@pytest.mark.parametrize(
    ("rounds", "design", "message"),
    [
        (played("T", "T"), Design(rounds=1), "2 rounds finished of a design of 1"),
        (scored([50]), Design(rounds=1), "metric pass"),
    ],
)
def test_impossible_input_is_refused(rounds: list[list[Pair]], design: Design, message: str) -> None:
    """More rounds than designed, or half passes, are the caller's mistake and say so."""
    with pytest.raises(ValueError, match=message):
        decide(rounds, design)


def test_a_claim_has_a_p_value_within_alpha() -> None:
    """What is claimed is significant by its own p-value, and the conclusion without it is otherwise the same."""
    rounds, design = played("WWWWWWWWLT", "WWWWWTTTTL", "WWWWWWWWTT"), Design(rounds=8, goal=Goal.IMPROVE)
    decision = decide(rounds, design)
    assert decision.verdict is Verdict.IMPROVED
    assert decision.p_value is not None
    assert 0 < decision.p_value <= design.alpha
    assert conclude(rounds, design) == decision.model_copy(update={"p_value": None})
