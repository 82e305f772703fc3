"""What earlier runs let a plan expect, and what they do not."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import skill_plan, task
from reported import reported
from skilldelta.domain.plan import Plan, Reach, Step
from skilldelta.domain.report import Report
from skilldelta.domain.trial import Arm
from skilldelta.plan.history import with_history

SKILL = skill_plan(
    task("one"), task("two"), configuration="c" * 64,
    reach=Reach(
        tasks=2, discordance=0.42, rounds_needed=None, power_at_margin=0.5, smallest_effect=None,
        steps=(Step(what="ten more tasks", smallest_effect=None, trials=60, cost_usd=None),),
    ),
)  # fmt: skip
PLAN = Plan(
    tool_version="0", base_ref="main", head_ref="change", base_commit="a" * 40, baseline_commit="a" * 40,
    candidate_commit="b" * 40, config_from="base", skills=(SKILL,), identity="1" * 64,
)  # fmt: skip


def earlier(passed: float | None = 0.5, *, pairs: int = 10, smoke: bool = False, **fields: Any) -> Report:
    """Return the report of a run whose baseline passed so much of either task in so many pairs."""
    report = reported("demo")
    tasks = tuple(
        report.skills[0].tasks[0].model_copy(update={"task_id": name, "reference": passed, "pairs": pairs})
        for name in ("one", "two")
    )
    known = {
        "tasks": tasks, "suite_version": SKILL.suite.version, "configuration": SKILL.configuration,
        "reference": Arm.BASELINE,
    }  # fmt: skip
    return report.model_copy(update={"smoke": smoke, "skills": (report.skills[0].model_copy(update=known | fields),)})


def expected(*reports: Report) -> Reach:
    """Return what the plan's only skill may expect after these runs."""
    return with_history(PLAN, reports).skills[0].reach


def test_the_discordance_is_that_of_two_trials_of_the_baseline() -> None:
    """2p(1 − p)·n/(n − 1) at p = ½ and n = 10 is 5/9; two runs count together."""
    one = expected(earlier())
    assert one.discordance_from == "history"
    assert one.discordance == pytest.approx(5 / 9)
    two = expected(earlier(), earlier(1.0))
    assert two.discordance == pytest.approx(2 * 0.75 * 0.25 * 20 / 19 + 0.15 * 0.5)


@pytest.mark.parametrize(
    "other",
    [
        earlier(reference=Arm.CONTROL),
        earlier(reference=Arm.SHAM),
        earlier(reference=Arm.ABLATION),
        earlier(suite_version="v2-000000000000"),
        earlier(configuration="d" * 64),
        earlier(skill_id="other"),
        earlier(smoke=True),
        earlier(None),
        earlier(pairs=0),
        earlier(7.5),
        earlier().model_copy(update={"identity": PLAN.identity}),
    ],
    ids=[
        "control", "sham", "ablation", "suite", "configuration", "skill", "smoke", "no value", "no pair",
        "no share", "this run",
    ],
)  # fmt: skip
def test_another_thing_tells_nothing(other: Report) -> None:
    """What was not this skill's baseline on this suite under this configuration is left out of account."""
    assert expected(other) == SKILL.reach
    assert expected(other, earlier()) == expected(earlier())


def test_every_task_has_to_be_known() -> None:
    """A suite of which a task was never seen, or never twice, keeps the default."""
    assert expected(earlier(pairs=1)) == SKILL.reach
    report = earlier()
    half = report.skills[0].model_copy(update={"tasks": report.skills[0].tasks[:1]})
    assert expected(report.model_copy(update={"skills": (half,)})) == SKILL.reach


def test_what_earlier_runs_took_is_said() -> None:
    """Beside the most that the plan can take: the mean of the runs of this skill against the same arm."""
    runs = [earlier(trials=40, cost_usd=0.5), earlier(trials=80, cost_usd=1.0), earlier(reference=Arm.SHAM, trials=900)]
    (skill,) = with_history(PLAN, runs).skills
    assert skill.notes == ("the 2 earlier runs on this suite took 60 trials and $0.75 on average",)
    (skill,) = with_history(PLAN, [earlier(trials=1200, cost_usd=None)]).skills
    assert skill.notes == ("the earlier run on this suite took 1,200 trials",)
    for other in (earlier(skill_id="other"), earlier(smoke=True), earlier(rounds=0)):
        assert with_history(PLAN, [other]).skills[0].notes == ()


def test_a_calibration_is_not_replaced() -> None:
    """What was measured on purpose counts for more than what earlier comparisons left."""
    known = SKILL.model_copy(update={"reach": SKILL.reach.model_copy(update={"discordance_from": "calibration"})})
    plan = PLAN.model_copy(update={"skills": (known,)})
    assert with_history(plan, [earlier()]).skills[0].reach == known.reach
