"""What holds for every decision, whatever the pairs."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from skilldelta.compare.decision import decide
from skilldelta.compare.looks import claims
from skilldelta.domain.comparison import Look, Pair, Verdict
from skilldelta.domain.design import Design, Goal, Metric

Cell = tuple[int | None, int | None]
Rounds = list[list[Pair]]

MIRROR = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
FAVOURABLE = {Verdict.NO_REGRESSION, Verdict.IMPROVED}

passes: st.SearchStrategy[int | None] = st.sampled_from([0, 100, 100, 0, 100, 0, 100, None])
scores: st.SearchStrategy[int | None] = st.one_of(st.none(), st.integers(0, 20).map(lambda step: 5 * step))


def as_pairs(rows: list[list[Cell]]) -> Rounds:
    """Rows of (candidate, baseline) as rounds of pairs."""
    return [
        [Pair(task_id=f"task-{task}", round=number, candidate=c, baseline=b) for task, (c, b) in enumerate(row)]
        for number, row in enumerate(rows, start=1)
    ]


@st.composite
def runs(draw: st.DrawFn, *, metric: Metric | None = None) -> tuple[Rounds, Design]:
    """Rounds of a suite, some drawn towards one arm so that all verdicts occur, and a design they fit."""
    chosen = metric or draw(st.sampled_from(list(Metric)))
    value = passes if chosen is Metric.PASS else scores
    tilt = draw(st.sampled_from(["none", "candidate", "baseline"]))
    best: st.SearchStrategy[int | None] = st.just(100)
    worst: st.SearchStrategy[int | None] = st.just(0)
    tilted: dict[str, st.SearchStrategy[Cell]] = {
        "none": st.tuples(value, value),
        "candidate": st.tuples(st.one_of(best, value), st.one_of(worst, value)),
        "baseline": st.tuples(st.one_of(worst, value), st.one_of(best, value)),
    }
    tasks, played = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    row = st.lists(tilted[tilt], min_size=tasks, max_size=tasks)
    rows = draw(st.lists(row, min_size=played, max_size=played))
    design = Design(
        goal=draw(st.sampled_from(list(Goal))),
        metric=chosen,
        rounds=played + draw(st.integers(0, 3)),
        margin=draw(st.sampled_from([0.05, 0.2, 0.5])),
        look_every=draw(st.sampled_from([1, 1, 2])),
        min_rounds=draw(st.sampled_from([1, 2, 4])),
        max_failed=draw(st.sampled_from([0.25, 0.6])),
        futility=draw(st.sampled_from([0.0, 0.1])),
    )
    return as_pairs(rows), design


@st.composite
def unequal(draw: st.DrawFn) -> tuple[Rounds, Design]:
    """The same with tasks that have fewer rounds, and with answers from a cache that are copies."""
    rounds, design = draw(runs())
    names = [pair.task_id for pair in rounds[0]]
    brief = tuple(draw(st.sets(st.sampled_from(names), max_size=len(names) - 1)))
    design = design.model_copy(update={"brief": brief, "brief_rounds": draw(st.integers(1, 3))})
    return [
        [
            pair.model_copy(update={"copied": pair.round > 1 and draw(st.integers(0, 9)) == 0})
            for pair in pairs
            if design.runs(pair.task_id, pair.round)
        ]
        for pairs in rounds
    ], design


def swapped(rounds: Rounds) -> Rounds:
    """The same rounds with the arms' names exchanged."""
    return [
        [pair.model_copy(update={"candidate": pair.baseline, "baseline": pair.candidate}) for pair in pairs]
        for pairs in rounds
    ]


def mirrored(look: Look) -> dict[str, object]:
    """What the look of the swapped arms must be, verdicts aside."""
    return {
        "delta": None if look.delta is None else -look.delta,
        "low": -look.interval.high,
        "high": -look.interval.low,
        "low_if_lost": -look.interval_if_won.high,
        "sum": -look.sum,
        "crossed": (look.crossed_down, look.crossed_up, look.crossed_down_if_won, look.crossed_up_if_lost),
        "boundary": look.boundary,
    }


def plain(look: Look) -> dict[str, object]:
    """The same facts of a look as it is."""
    return {
        "delta": look.delta,
        "low": look.interval.low,
        "high": look.interval.high,
        "low_if_lost": look.interval_if_lost.low,
        "sum": look.sum,
        "crossed": (look.crossed_up, look.crossed_down, look.crossed_up_if_lost, look.crossed_down_if_won),
        "boundary": look.boundary,
    }


@given(st.one_of(runs(), unequal()), st.booleans(), st.sampled_from([None, 0.01]))
def test_swapping_the_arms_mirrors_the_decision(
    run: tuple[Rounds, Design], out_of_budget: bool, level: float | None
) -> None:
    """With the arms swapped an improvement is a regression, after the same looks and with the same p-value."""
    rounds, design = run
    design = design.model_copy(update={"goal": Goal.IMPROVE})
    here = decide(rounds, design, out_of_budget=out_of_budget, claim_alpha=level)
    there = decide(swapped(rounds), design, out_of_budget=out_of_budget, claim_alpha=level)
    assert [mirrored(look) for look in here.looks] == [plain(look) for look in there.looks]
    assert (here.p_value, here.reason, here.finished) == (there.p_value, there.reason, there.finished)
    for one, other in ((here, there), (there, here)):
        if one.verdict in MIRROR:
            assert other.verdict is MIRROR[one.verdict]


@given(st.one_of(runs(), unequal()), st.randoms(use_true_random=False))
def test_the_order_of_tasks_does_not_matter(run: tuple[Rounds, Design], shuffler: random.Random) -> None:
    """The same pairs in another order within their rounds give the same decision."""
    rounds, design = run
    decision = decide(rounds, design)
    for pairs in rounds:
        shuffler.shuffle(pairs)
    assert decide(rounds, design) == decision


@given(st.one_of(runs(), unequal()))
def test_deciding_round_by_round_is_deciding_once(run: tuple[Rounds, Design]) -> None:
    """Each further round adds to the looks, and after the end nothing changes any more."""
    rounds, design = run
    before = decide([], design)
    for count in range(1, len(rounds) + 1):
        now = decide(rounds[:count], design)
        assert now.looks[: len(before.looks)] == before.looks
        assert now == before or not before.finished
        before = now
    assert before.finished or len(rounds) < design.rounds


@given(st.one_of(runs(), unequal()))
def test_every_look_is_sound(run: tuple[Rounds, Design]) -> None:
    """Intervals lie in [−1, 1] and contain the estimate, and no verdict holds that would not without failures."""
    rounds, design = run
    for look in decide(rounds, design).looks:
        for interval in (look.interval, look.interval_if_lost, look.interval_if_won):
            assert -1 <= interval.low <= interval.high <= 1
        assert look.delta is None or look.interval.low <= look.delta <= look.interval.high
        assert not (look.crossed_up_if_lost and not look.crossed_up)
        assert not (look.crossed_down_if_won and not look.crossed_down)
        assert set(claims(look, design, filled=True)) <= set(claims(look, design, filled=False))


@given(runs())
def test_leaving_failed_pairs_out_never_takes_a_verdict_away(run: tuple[Rounds, Design]) -> None:
    """A verdict given despite failed pairs also holds, at the same look, for the run without those pairs."""
    rounds, design = run
    decision = decide(rounds, design)
    kept = [[pair for pair in pairs if pair.difference is not None] for pairs in rounds]
    until_the_end = design.model_copy(update={"min_rounds": design.rounds})
    without = {look.rounds: look for look in decide(kept, until_the_end).looks}
    for look in decision.looks:
        if look.verdict is not None:
            assert look.verdict in claims(without[look.rounds], design, filled=True)


@given(runs(metric=Metric.PASS), st.data())
def test_failing_never_serves_the_candidate_better_than_losing(run: tuple[Rounds, Design], data: st.DataObject) -> None:
    """What a candidate is credited with when its one trial fails it also is when it loses the pair instead.

    The boundary is the reason why it is one of the attainable sums: the next whole number would favour failing.
    """
    rounds, design = run
    lose = {"candidate": 0, "baseline": 100}
    rounds = [[p if p.difference is not None else p.model_copy(update=lose) for p in pairs] for pairs in rounds]
    design = design.model_copy(update={"rounds": len(rounds), "sequential": False, "max_failed": 1.0})
    number = data.draw(st.integers(0, len(rounds) - 1))
    task = data.draw(st.integers(0, len(rounds[0]) - 1))
    failed = [list(pairs) for pairs in rounds]
    lost = [list(pairs) for pairs in rounds]
    failed[number][task] = rounds[number][task].model_copy(update={"candidate": None, "baseline": 100})
    lost[number][task] = rounds[number][task].model_copy(update=lose)
    after_failing, after_losing = (
        set(claims(decide(rounds, design).looks[-1], design, filled=True)) for rounds in (failed, lost)
    )
    assert after_failing & FAVOURABLE <= after_losing


@given(st.one_of(runs(), unequal()))
def test_a_claim_is_significant_and_excludes_zero(run: tuple[Rounds, Design]) -> None:
    """Improved and regressed come with p ≤ alpha and an interval on their side of 0, no-regression with its margin."""
    rounds, design = run
    decision = decide(rounds, design)
    if decision.last is None or not decision.finished:
        return
    interval = decision.last.interval
    if decision.verdict in MIRROR:
        assert decision.p_value is not None
        assert decision.p_value <= design.alpha
        assert interval.low > 0 if decision.verdict is Verdict.IMPROVED else interval.high < 0
    if decision.verdict is Verdict.NO_REGRESSION:
        assert interval.low > -design.margin
        assert decision.last.interval_if_lost.low > -design.margin


def _better(pair: Pair) -> Pair:
    """A lost pair becomes a tie, a tie a win; a pair that is won, lost to a failure or a copy stays."""
    if pair.difference is None or pair.difference > 0:
        return pair
    return pair.model_copy(update={"candidate": 100, "baseline": 100 if pair.difference < 0 else 0})


@given(runs(metric=Metric.PASS), st.data())
def test_better_pairs_never_speak_against_the_candidate(run: tuple[Rounds, Design], data: st.DataObject) -> None:
    """At one look, turning a loss into a tie or a tie into a win lowers neither end of the interval nor the sum.

    A crossing needs the same boundary, so only losses that become wins, which leave it as it is, must keep one.
    """
    rounds, design = run
    design = design.model_copy(update={"rounds": len(rounds), "sequential": False, "max_failed": 1.0})
    number = data.draw(st.integers(0, len(rounds) - 1))
    task = data.draw(st.integers(0, len(rounds[0]) - 1))
    changed, won = [list(pairs) for pairs in rounds], [list(pairs) for pairs in rounds]
    pair = rounds[number][task]
    changed[number][task] = _better(pair)
    if pair.difference is not None and pair.difference < 0:
        won[number][task] = pair.model_copy(update={"candidate": 100, "baseline": 0})
    before, after, best = (decide(each, design).looks[-1] for each in (rounds, changed, won))
    for one in (after, best):
        assert one.interval.low >= before.interval.low - 1e-12
        assert one.interval.high >= before.interval.high - 1e-12
        assert one.sum >= before.sum
    assert best.boundary == before.boundary
    assert best.crossed_up or not before.crossed_up
    assert before.crossed_down or not best.crossed_down
