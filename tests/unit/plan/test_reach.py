"""What a design can show, and what a larger one would."""

from __future__ import annotations

import pytest

from skilldelta.domain.calibration import Known
from skilldelta.domain.config import DesignSettings
from skilldelta.domain.design import Design, Goal, Metric
from skilldelta.domain.plan import Estimate
from skilldelta.plan.reach import design_for, fewest_rounds, leaves_room, reach_of

TASKS = tuple(f"task-{n}" for n in range(12))
ROUND = Estimate(trials=24, trial_calls=24, judge_calls=0, input_tokens=0, output_tokens=0, cost_usd=0.6)


def settings(**fields: object) -> DesignSettings:
    """Settings of a design."""
    return DesignSettings.model_validate(fields)


@pytest.mark.parametrize(
    ("tasks", "margin", "discordance", "rounds"),
    [(10, 0.20, None, 13), (20, 0.15, None, 12), (12, 0.15, 0.15, 6), (12, 0.15, 0.02, 6), (5, 0.05, None, 20)],
)
def test_the_rule(tasks: int, margin: float, discordance: float | None, rounds: int) -> None:
    """The rounds for 90 % power at the margin and one more; what is known of the suite takes the default's place."""
    known = None if discordance is None else Known(discordance=discordance, source="calibration")
    assert design_for(settings(margin=margin), Metric.PASS, TASKS[:1] * tasks, known).rounds == rounds


def test_an_explicit_number_of_rounds_stands() -> None:
    """Whatever is known."""
    known = Known(discordance=0.1, source="calibration")
    assert design_for(settings(rounds=3), Metric.PASS, TASKS, known).rounds == 3


@pytest.mark.parametrize(("tasks", "fewest"), [(1, 2), (19, 2), (20, 1), (500, 1)])
def test_one_round_decides_only_large_suites(tasks: int, fewest: int) -> None:
    """From twenty tasks on the first look may end a run."""
    assert fewest_rounds(tasks) == fewest
    assert design_for(settings(), Metric.PASS, [str(n) for n in range(tasks)]).min_rounds == fewest


@pytest.mark.parametrize(
    ("alike", "tasks", "rounds", "leaves"),
    [(4, 12, 2, False), (4, 12, 4, False), (4, 12, 8, True), (6, 20, 2, False), (6, 20, 4, True), (12, 12, 19, False)],
)
def test_too_few_rounds_would_take_the_margin(alike: int, tasks: int, rounds: int, leaves: bool) -> None:
    """Ties of a few pairs say little of their tasks; where that takes half the margin it is not worth it."""
    assert leaves_room(Design(rounds=18, margin=0.15), alike, tasks, rounds) is leaves


def test_tasks_that_always_ended_alike_have_fewer_rounds_where_that_is_set() -> None:
    """Only then, only these, and only where it leaves room."""
    known = Known(discordance=0.3, source="calibration", always_alike=("task-0", "task-99"))
    assert design_for(settings(), Metric.PASS, TASKS, known).brief == ()
    brief = design_for(settings(saturated_rounds=4), Metric.PASS, TASKS, known)
    assert (brief.brief, brief.brief_rounds) == (("task-0",), 4)
    all_alike = known.model_copy(update={"always_alike": TASKS})
    assert design_for(settings(saturated_rounds=4), Metric.PASS, TASKS, all_alike).brief == ()


def test_what_is_known_sharpens_what_can_be_shown() -> None:
    """With less discordance smaller effects are found; the report says where it is known from."""
    design = Design(rounds=10)
    default = reach_of(design, 12, None, ROUND)
    known = reach_of(design, 12, Known(discordance=0.15, source="calibration"), ROUND)
    assert (default.discordance, default.discordance_from) == (0.42, "default")
    assert (known.discordance, known.discordance_from) == (0.15, "calibration")
    assert default.smallest_effect is not None
    assert known.smallest_effect is not None
    assert known.smallest_effect < default.smallest_effect
    assert known.power_at_margin > default.power_at_margin


def test_steps_are_what_the_larger_design_shows_and_costs() -> None:
    """One more round is a design of one more round; ten more tasks are priced by the round."""
    reach = reach_of(Design(rounds=10), 12, None, ROUND)
    more_round, more_tasks = reach.steps
    assert more_round.smallest_effect == reach_of(Design(rounds=11), 12).smallest_effect
    assert more_tasks.smallest_effect == reach_of(Design(rounds=10), 22).smallest_effect
    assert (more_round.trials, more_round.cost_usd) == (24, 0.6)
    assert (more_tasks.trials, more_tasks.cost_usd) == (200, 5.0)
    free = ROUND.model_copy(update={"cost_usd": None})
    assert [step.cost_usd for step in reach_of(Design(rounds=10), 12, None, free).steps] == [None, None]
    assert [step.what for step in reach_of(Design(rounds=20), 12, None, ROUND).steps] == ["ten more tasks"]


def test_tasks_with_fewer_rounds_are_taken_not_to_move() -> None:
    """The effect has to come from the others, and counts with their share."""
    plain, brief = Design(rounds=10), Design(rounds=10, brief=TASKS[:3])
    nine = reach_of(plain.model_copy(update={"margin": 0.2}), 9, Known(discordance=0.4, source="calibration"))
    of_twelve = reach_of(brief, 12, Known(discordance=0.3, source="calibration"))
    assert nine.smallest_effect is not None
    assert of_twelve.smallest_effect == pytest.approx(nine.smallest_effect * 0.75)


def test_steps_where_tasks_have_fewer_rounds() -> None:
    """One more round is one of the others; ten more tasks have all rounds, and none of them has always ended alike."""
    known = Known(discordance=0.3, source="calibration")
    more_round, more_tasks = reach_of(Design(rounds=10, brief=TASKS[:3]), 12, known, ROUND).steps
    assert (more_round.trials, more_round.cost_usd) == (18, 0.45)
    assert (more_tasks.trials, more_tasks.cost_usd) == (200, 5.0)
    nineteen = reach_of(
        Design(rounds=10, margin=0.15 * 22 / 19), 19, Known(discordance=0.3 * 22 / 19, source="calibration")
    )
    assert nineteen.smallest_effect is not None
    assert more_tasks.smallest_effect == pytest.approx(nineteen.smallest_effect * 19 / 22)


def test_of_several_skills_each_is_taken_to_claim_first() -> None:
    """At alpha over their number: less power, larger effects, and the same of what a larger design would show."""
    design = Design(rounds=10, goal=Goal.IMPROVE)
    one, four = (reach_of(design, 12, None, ROUND, skills=number) for number in (1, 4))
    strict = reach_of(design.model_copy(update={"alpha": 0.0125}), 12, None, ROUND)
    assert four.model_copy(update={"skills": 1}) == strict
    assert four.power_at_margin < one.power_at_margin


def test_without_replicates_there_is_one_round_and_no_further_one() -> None:
    """At temperature 0 it decides, and only more tasks would show more."""
    design = design_for(settings(rounds=5), Metric.PASS, TASKS, replicates=False)
    assert (design.rounds, design.min_rounds) == (1, 1)
    assert [step.what for step in reach_of(design, 12, None, ROUND, replicates=False).steps] == ["ten more tasks"]


def test_a_drop_makes_more_pairs_differ_where_tasks_mostly_pass() -> None:
    """At 92 % passes two trials differ in 15 %, and in 27 % after a drop of 15 points: the plan needs the latter."""
    known = Known(discordance=0.147, tilt=0.84, source="calibration")
    assert known.at_drop(0.15) == pytest.approx(0.273)
    flat = known.model_copy(update={"tilt": 0.0})
    assert (
        design_for(settings(), Metric.PASS, TASKS, known).rounds
        > design_for(settings(), Metric.PASS, TASKS, flat).rounds
    )
    assert reach_of(Design(rounds=10), 12, known).discordance == pytest.approx(0.273)
    assert known.at_drop(1.0) < 1.0 == known.model_copy(update={"discordance": 0.9}).at_drop(0.5)
