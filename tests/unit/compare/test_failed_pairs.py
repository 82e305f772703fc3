"""What failed pairs do to a decision."""

from __future__ import annotations

import pytest

from played import played, said
from skilldelta.compare.decision import decide
from skilldelta.domain.comparison import StopReason, Verdict
from skilldelta.domain.design import Design


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


def test_dead_rounds_that_cannot_become_too_many_end_nothing() -> None:
    """Where even a loss of all that is to come stays within the share allowed, the share alone decides, as it must."""
    rounds = ["WLTT"] * 16 + ["FFFF"] * 2
    design = Design(rounds=20, margin=0.01, futility=0, min_rounds=20)
    assert decide(played(*rounds), design).finished is False
    whole = decide(played(*rounds, "FFFF", "FFFF"), design)
    assert said(whole) == (Verdict.INCONCLUSIVE, StopReason.ROUNDS, 20)


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
