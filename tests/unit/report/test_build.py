"""The numbers of a skill's row, from its pairs."""

from __future__ import annotations

import pytest

from fakes import skill_plan, task
from played import played
from skilldelta.compare.decision import decide
from skilldelta.domain.comparison import Pair
from skilldelta.domain.design import Design
from skilldelta.domain.measured import Measured
from skilldelta.domain.plan import Gate, Plan
from skilldelta.domain.report import SkillReport
from skilldelta.report.build import Told, build_report
from skilldelta.report.words import uncertainty_sentence


def row(design: Design, *rounds: list[Pair], tasks: int = 4) -> SkillReport:
    """Return the row of a comparison of so many tasks that ended with these pairs."""
    skill = skill_plan(*(task(f"task-{number}") for number in range(tasks)), design=design)
    decision = decide(rounds, design, out_of_budget=True)
    one = Measured(plan=skill, rounds=(), pairs=tuple(map(tuple, rounds)), decision=decision, gate=Gate.WARN)
    plan = Plan(
        tool_version="0", base_ref="main", head_ref="change", base_commit="a" * 40, baseline_commit="a" * 40,
        candidate_commit="b" * 40, config_from="base", skills=(skill,), identity="1" * 64,
    )  # fmt: skip
    told = Told(run_id="r", started_at="2026-01-02T03:04:05Z")
    return build_report(plan, [one], told, gate=Gate.WARN, exit_code=0, finished_at="", reached=None).skills[0]


def test_an_estimate_from_an_early_stop_says_so() -> None:
    """A run that ended before its last round because the answer held tends to overstate; one that ran out does not."""
    said = "The estimate is from an early stop and tends to overstate; the interval is valid at the stop."
    early = row(Design(rounds=10, margin=0.05), *played(*["LLLL"] * 5))
    assert (early.verdict, early.statistics.stopped_early) == ("regressed", True)
    assert said in early.warnings
    last = row(Design(rounds=5, margin=0.05, sequential=False), *played(*["LLLL"] * 5))
    assert (last.verdict, last.statistics.stopped_early) == ("regressed", False)
    assert said not in last.warnings
    none = row(Design(rounds=10, margin=0.9), *played(*["TTTT"] * 3))
    assert (none.verdict, none.statistics.stopped_early, none.statistics.mean_delta) == ("no-regression", True, 0.0)
    assert said not in none.warnings


def test_the_lines_of_the_suite_and_of_the_population() -> None:
    """The first says what holds on these tasks, with interval and p; the second is approximate, and may disagree."""
    agree = row(Design(rounds=5, margin=0.05, sequential=False), *played(*["LLLL"] * 5))
    assert agree.sentence == (
        "regressed: demo got worse on these 4 tasks: pass rate 100 % before → 0 %, −100 points, "
        "95 % interval −100 to −68, p = 1.91e-06."
    )
    assert uncertainty_sentence(agree) == (
        "The uncertainty here is the model's randomness only: the tasks are taken as fixed. It is valid at this stop."
    )
    assert agree.population_sentence == (
        "If these tasks were a random sample of similar tasks: not estimable from fewer than five tasks."
    )


def test_what_holds_on_the_suite_alone_is_said_not_to_generalise() -> None:
    """One task of five carries the whole claim: it holds here, and the tasks differ too much to say more."""
    found = row(Design(rounds=8, sequential=False), *played(*["LTTTT"] * 8), tasks=5)
    assert found.verdict == "regressed"
    assert found.population_sentence == (
        "If these tasks were a random sample of similar tasks: approximate 95 % interval −76 to +36 points "
        "(n = 5 tasks). It holds on this suite; it is not shown to generalise."
    )


BRIEF = Design(rounds=3, brief=("task-0",), brief_rounds=1)


@pytest.mark.parametrize(
    ("design", "rounds", "candidate", "reference", "delta"),
    [
        pytest.param(Design(rounds=3), ("WTTL", "WTTT"), 0.875, 0.75, 0.125, id="equal rounds"),
        pytest.param(Design(rounds=3), ("WTTL", "WTTf"), 6 / 7, 5 / 7, 1 / 7, id="equal rounds, one pair failed"),
        pytest.param(BRIEF, ("WTTT", "TTT", "TTL"), 0.25 + 0.75 * 8 / 9, 0.75, 0.25 - 0.75 / 9, id="fewer rounds"),
        pytest.param(
            BRIEF, ("WTTF", "TTT", "TTL"), 0.25 + 0.75 * 7 / 8, 0.75, 0.25 - 0.75 / 8, id="fewer rounds, one failed"
        ),
    ],
)
def test_the_delta_is_that_of_the_decision_and_of_the_arms(
    design: Design, rounds: tuple[str, ...], candidate: float, reference: float, delta: float
) -> None:
    """By hand: tasks with fewer rounds keep their share of the suite; difference, arms and look agree."""
    pairs = played(*rounds)
    if design.brief:  # the letters of later rounds are those of the tasks that still run
        pairs[1:] = [
            [pair.model_copy(update={"task_id": f"task-{place}"}) for place, pair in enumerate(later, start=1)]
            for later in pairs[1:]
        ]
    found = row(design, *pairs)
    assert [arm.mean for arm in found.arms] == pytest.approx([candidate, reference], abs=5e-5)
    assert found.statistics.mean_delta == pytest.approx(delta, abs=5e-5)


def test_a_task_that_was_never_observed_is_not_claimed_for() -> None:
    """The answer is of the tasks that have a pair, and the others are named."""
    found = row(Design(rounds=8, max_failed=0.5, margin=0.9), *played(*["TTTf"] * 8))
    assert found.sentence.startswith("no-regression: demo is worse by no more than 90 points on 3 of these 4 tasks:")
    assert any(warning.startswith("No pair came about of task-3: the numbers") for warning in found.warnings)
    whole = row(Design(rounds=8, max_failed=0.5, margin=0.9), *played("TTTT", *["TTTf"] * 7))
    assert "on these 4 tasks" in whole.sentence
    assert not any("No pair came about" in warning for warning in whole.warnings)
