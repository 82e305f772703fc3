"""When a comparison stops, and what it says then."""

from __future__ import annotations

import json

import pytest

from skilldelta.compare.decision import conclude, decide
from skilldelta.domain.comparison import Decision, Pair, StopReason, Verdict
from skilldelta.domain.design import Design, Goal, Metric

VALUES: dict[str, tuple[int | None, int | None]] = {
    "W": (100, 0),
    "L": (0, 100),
    "T": (100, 100),
    "F": (None, 100),
    "f": (100, None),
}


def played(*rounds: str) -> list[list[Pair]]:
    """Rounds written as one letter per task: Win, Loss, Tie, Failed."""
    return [
        [
            Pair(task_id=f"task-{task}", round=number, candidate=VALUES[letter][0], baseline=VALUES[letter][1])
            for task, letter in enumerate(letters)
        ]
        for number, letters in enumerate(rounds, start=1)
    ]


def scored(*rounds: list[int]) -> list[list[Pair]]:
    """Rounds written as differences in hundredths."""
    return [
        [Pair(task_id=f"task-{task}", round=number, candidate=50 + d - d // 2, baseline=50 - d // 2) for task, d in row]
        for number, row in enumerate(map(list, map(enumerate, rounds)), start=1)
    ]


def said(decision: Decision) -> tuple[Verdict, StopReason, int]:
    """Verdict, reason, and the rounds after which the run ended."""
    assert decision.finished
    return decision.verdict, decision.reason, decision.looks[-1].rounds if decision.looks else 0


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


@pytest.mark.parametrize(
    ("letters", "design", "held_back"),
    [
        ("W" * 9 + "T" * 11 + "F" * 4, Design(rounds=1, margin=0.01), Verdict.IMPROVED),
        ("L" * 9 + "T" * 11 + "f" * 4, Design(rounds=1, margin=0.01), Verdict.REGRESSED),
        ("T" * 18 + "F" * 2, Design(rounds=1, margin=0.2), Verdict.NO_REGRESSION),
    ],
)
def test_what_failed_pairs_could_overturn_is_held_back(letters: str, design: Design, held_back: Verdict) -> None:
    """A verdict that the failed pairs could overturn ends inconclusive and is named as held back."""
    decision = decide(played(letters), design)
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.ROUNDS, 1)
    assert decision.held_back is held_back
    without = decide(played(letters.replace("F", "").replace("f", "")), design)
    assert (without.verdict, without.held_back) == (held_back, None)


def test_an_unfinished_run_holds_nothing_back() -> None:
    """While the run goes on nothing is held back: failures may yet weigh less, or be outweighed."""
    decision = decide(played("WWWWWWWFFT", "WWWWWTTTFF"), Design(rounds=6, margin=0.01))
    assert decision.looks[-1].unfilled_verdict is Verdict.IMPROVED
    assert (decision.finished, decision.held_back) == (False, None)


def test_a_crossing_survives_later_failures() -> None:
    """What crossed its boundary with all failures of its time counted in stays crossed when more pairs fail."""
    decision = decide(played("W" * 16 + "TTTT", "W" * 4 + "T" * 8 + "F" * 8, "T" * 12 + "F" * 8), Design(rounds=12))
    first, last = decision.looks[0], decision.looks[-1]
    assert first.crossed_up_if_lost
    assert last.crossed_up_if_lost
    assert last.boundary is not None
    assert last.sum - 100 * last.failed_pairs < last.boundary


@pytest.mark.parametrize(
    ("wins", "losses", "tasks", "crossed", "excluded"), [(7, 0, 20, False, True), (16, 1, 36, True, False)]
)
def test_filled_in_boundary_and_interval_must_both_hold(
    wins: int, losses: int, tasks: int, crossed: bool, excluded: bool
) -> None:
    """With the failed pairs filled in, neither the crossing alone nor the interval alone makes an improvement."""
    failed = 1 if tasks == 20 else 6
    letters = "W" * wins + "L" * losses + "F" * failed
    decision = decide(played(letters + "T" * (tasks - len(letters))), Design(rounds=1, margin=0.01))
    look = decision.looks[-1]
    assert (look.crossed_up_if_lost, look.interval_if_lost.low > 0) == (crossed, excluded)
    assert (look.verdict, look.unfilled_verdict) != (Verdict.IMPROVED, Verdict.IMPROVED)
    assert decision.held_back is Verdict.IMPROVED


def test_failed_pairs_that_overturn_nothing() -> None:
    """A verdict that holds even if every failed pair had gone the other way is given."""
    decision = decide(played("W" * 9 + "T" * 11 + "FF"), Design(rounds=1, margin=0.01))
    assert (decision.verdict, decision.held_back) == (Verdict.IMPROVED, None)


def test_a_weaker_verdict_stands_in_for_the_one_held_back() -> None:
    """When failures hold back an improvement but not `no-regression`, the gate still passes and says both."""
    decision = decide(played("W" * 9 + "T" * 21 + "F" * 5), Design(rounds=1, margin=0.2))
    assert (decision.verdict, decision.held_back) == (Verdict.NO_REGRESSION, Verdict.IMPROVED)


def test_failed_pairs_do_not_move_the_boundary() -> None:
    """The boundary comes from the observed pairs: failures shift the sums that are held against it."""
    whole = decide(played("W" * 9 + "T" * 11), Design(rounds=1)).looks[0]
    failing = decide(played("W" * 9 + "T" * 11 + "FFFF"), Design(rounds=1)).looks[0]
    assert (failing.boundary, failing.sum, failing.pairs) == (whole.boundary, whole.sum, whole.pairs)
    assert failing.interval == whole.interval
    assert failing.interval_if_lost.low < whole.interval.low
    assert failing.interval_if_won.high > whole.interval.high
    assert (failing.crossed_up, failing.crossed_up_if_lost) == (True, False)


def test_too_many_failures_so_far_give_no_verdict_yet() -> None:
    """While more than a quarter of the pairs have failed nothing is decided, and the run goes on to recover."""
    failing = ["WWWWWWWFFF"] * 2
    early = decide(played(*failing), Design(rounds=10, margin=0.9))
    assert early.finished is False
    assert early.looks[-1].verdict is None
    later = decide(played(*failing, *["W" * 10] * 8), Design(rounds=10))
    assert said(later) == (Verdict.IMPROVED, StopReason.DECIDED, 3)


def test_failures_beyond_recovery_end_the_run() -> None:
    """The run ends once the failures exceed the share allowed of all planned pairs."""
    rounds = played(*["WWFF"] * 10)
    assert said(decide(rounds, Design(rounds=10))) == (Verdict.INSUFFICIENT_DATA, StopReason.FAILURES, 6)
    assert decide(rounds[:5], Design(rounds=10)).finished is False


@pytest.mark.parametrize(
    ("rounds", "ended"),
    [(["FFFF", "ffff", "WWWW"], 2), (["WLTT", "FFFF", "WLTT", "FFFF", "FfFf"], 5)],
)
def test_two_dead_rounds_end_the_run(rounds: list[str], ended: int) -> None:
    """Two rounds in a row in which every pair failed end the run: nothing works any more."""
    decision = decide(played(*rounds), Design(rounds=20, margin=0.01))
    assert said(decision) == (Verdict.INSUFFICIENT_DATA, StopReason.FAILURES, ended)


def test_dead_rounds_at_the_very_end_count_by_their_share() -> None:
    """At the last round there is nothing left to spare, so the share of failed pairs alone decides."""
    rounds = ["WWWW"] * 8 + ["FFFF"] * 2
    decision = decide(played(*rounds), Design(rounds=10, min_rounds=10))
    assert said(decision) == (Verdict.IMPROVED, StopReason.DECIDED, 10)
    rounds = ["WLTT"] * 8 + ["FFFF"] * 2
    decision = decide(played(*rounds), Design(rounds=10, min_rounds=10, margin=0.01))
    assert said(decision) == (Verdict.INCONCLUSIVE, StopReason.ROUNDS, 10)


def test_dead_rounds_do_not_undo_a_verdict_that_survives_them() -> None:
    """A verdict that holds with every pair of the dead rounds lost stands; one that does not is not even held back."""
    stands = decide(played(*["WWWW"] * 8, *["FFFF"] * 2), Design(rounds=20, min_rounds=10))
    assert said(stands) == (Verdict.IMPROVED, StopReason.DECIDED, 10)
    falls = decide(played(*["WTTT"] * 12, *["FFFF"] * 2), Design(rounds=20, min_rounds=14, margin=0.01))
    assert said(falls) == (Verdict.INSUFFICIENT_DATA, StopReason.FAILURES, 14)
    assert falls.looks[-1].unfilled_verdict is Verdict.IMPROVED
    assert falls.held_back is None


def test_dead_rounds_are_noticed_between_looks() -> None:
    """Failures end a run at any round, not only where a look was planned; the report gets its closing look."""
    decision = decide(played("WLTT", "FFFF", "FFFF"), Design(rounds=20, look_every=10))
    assert said(decision) == (Verdict.INSUFFICIENT_DATA, StopReason.FAILURES, 3)


@pytest.mark.parametrize("max_failed", [0.0, 0.25, 1.0])
def test_nothing_observed_is_insufficient(max_failed: float) -> None:
    """A run in which every pair failed has no data, whatever share is allowed to fail."""
    decision = decide(played("FFFF"), Design(rounds=1, max_failed=max_failed))
    assert decision.verdict is Verdict.INSUFFICIENT_DATA
    assert (decision.p_value, decision.looks[0].delta) == (None, None)


def test_exactly_the_share_allowed_may_fail() -> None:
    """A quarter of failed pairs is allowed, and one more is not."""
    allowed = decide(played("W" * 30 + "F" * 10), Design(rounds=1))
    assert allowed.verdict is Verdict.IMPROVED
    assert decide(played("W" * 29 + "F" * 11), Design(rounds=1)).verdict is Verdict.INSUFFICIENT_DATA


def test_out_of_budget_with_too_many_failures() -> None:
    """A run that ends for money with too many failures has insufficient data, not an open question."""
    decision = decide(played("WWFF"), Design(rounds=10), out_of_budget=True)
    assert said(decision) == (Verdict.INSUFFICIENT_DATA, StopReason.BUDGET, 1)


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
