"""The unchanged baseline now and when it was calibrated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fakes import skill_plan, task
from skilldelta.compare.decision import decide
from skilldelta.compare.looks import critical_value_at
from skilldelta.domain.comparison import Pair
from skilldelta.domain.design import Design
from skilldelta.domain.judged import JudgedTrial, TaskRound
from skilldelta.domain.measured import Measured
from skilldelta.domain.plan import Gate, RecordedBaseline, RecordedTask
from skilldelta.domain.trial import Arm, TrialStatus
from skilldelta.report.drift import drift_of, drift_sentence
from skilldelta.statistics.agreement import difference_interval

DESIGN = Design(rounds=20, min_rounds=2)
DECISION = decide([[Pair(task_id="a", round=number, candidate=0, baseline=0)] for number in range(1, 21)], DESIGN)


def recorded(**fields: Any) -> RecordedBaseline:
    """Two tasks, each passed in half of twenty trials by the model `one`."""
    tasks = tuple(RecordedTask(task_id=name, mean=0.5, trials=20) for name in "ab")
    known = {
        "tree": "b" * 64, "configuration": "c", "setup": "s", "models": ("one",), "tool_version": "1",
        "measured_at": "2026-01-02T03:04:05Z", "tasks": tasks,
    }  # fmt: skip
    return RecordedBaseline.model_validate(known | fields)


def measured(then: RecordedBaseline | None, values: dict[str, list[int | None]], *, model: str = "one") -> Measured:
    """A comparison whose baseline had these values, task by task and round by round."""
    plan = skill_plan(*(task(name) for name in values), recorded=then, configuration="c", setup="s")
    rounds = tuple(
        tuple(
            TaskRound(
                task_id=name, arm=arm, round=number, value=value if arm is Arm.BASELINE else 0,
                attempts=(
                    JudgedTrial(
                        task_id=name, arm=arm, round=number, attempt=1, status=TrialStatus.ANSWERED, value=value,
                        model=model,
                    ),
                ),
            )
            for name, of_task in values.items()
            for arm in plan.arms
            for value in of_task[number - 1 : number]
        )
        for number in range(1, max(map(len, values.values())) + 1)
    )  # fmt: skip
    return Measured(plan=plan, rounds=rounds, pairs=(), decision=DECISION, gate=Gate.WARN)


def test_nothing_on_record_is_no_drift() -> None:
    """Without a record, of another skill, or where no task is known from both times, nothing is said."""
    for one in (
        measured(None, {"a": [100]}),
        measured(recorded(tree="x" * 64), {"a": [100]}),
        measured(recorded(), {"other": [100]}),
        measured(recorded(), {"a": [None]}),
    ):
        assert drift_of(one, "1") is None
    assert drift_sentence(None, 0.05) == ""


def test_the_difference_is_of_the_baseline_alone() -> None:
    """Over the tasks known from both times, each with the same weight; the candidate's values have no part in it."""
    drift = drift_of(measured(recorded(), {"a": [100] * 10, "b": [0, None] * 5, "new": [0] * 10}), "1")
    assert drift is not None
    assert (drift.then, drift.now, drift.difference) == (0.5, 0.5, 0.0)
    assert drift.interval.low < -0.2 < 0.2 < drift.interval.high
    assert drift.changed == ()
    assert drift_sentence(drift, 0.05) == ""


@pytest.mark.parametrize(
    ("then", "model", "version", "said"),
    [
        ({}, "two", "1", "the model changed (from one to two)"),
        ({"configuration": "d"}, "one", "1", "a model's name in the configuration changed"),
        ({"configuration": "d", "setup": "t"}, "one", "1", "the runner's or the judge's configuration changed"),
        ({}, "one", "2", "skilldelta itself changed"),
        (
            {"configuration": "d", "setup": "t"},
            "two",
            "2",
            "and skilldelta itself changed (from one to two)",
        ),
    ],
)
def test_what_changed_is_named(then: dict[str, Any], model: str, version: str, said: str) -> None:
    """A movement is said to be whose it is; one that is not shown says so."""
    sentence = drift_sentence(
        drift_of(measured(recorded(**then), {"a": [100, 0], "b": [0, 100]}, model=model), version), 0.05
    )
    assert said in sentence
    assert "which is not shown to be a movement" in sentence
    moved = drift_sentence(
        drift_of(measured(recorded(**then), {"a": [0] * 20, "b": [0] * 20}, model=model), version), 0.05
    )
    assert "moved by −50 points" in moved
    assert "not shown" not in moved


def test_long_names_leave_room_for_what_they_mean() -> None:
    """Names are cut, and many of them counted: the sentence's end is what it is for."""
    then = recorded(models=tuple(f"{number}-{'x' * 300}" for number in range(5)))
    sentence = drift_sentence(drift_of(measured(then, {"a": [100, 0], "b": [0, 100]}, model="y" * 300), "1"), 0.05)
    assert f"(from 0-{'x' * 57}…, 1-{'x' * 57}…, 2-{'x' * 57}…, 2 more to {'y' * 59}…)" in sentence
    assert len(sentence) < 600


def test_a_movement_that_nothing_explains_is_said_too() -> None:
    """The same model by name may have become another one."""
    sentence = drift_sentence(drift_of(measured(recorded(), {"a": [0] * 20, "b": [0] * 20}), "1"), 0.05)
    assert sentence.startswith("Since the calibration of 2026-01-02 nothing that is known of changed. The baseline")


def test_short_sides_make_wide_intervals() -> None:
    """Each side counts as many trials as its shortest task has, on all of them."""
    short = drift_of(measured(recorded(), {"a": [100] * 10, "b": [100]}), "1")
    full = drift_of(measured(recorded(), {"a": [100] * 10, "b": [100] * 10}), "1")
    assert short is not None
    assert full is not None
    assert short.interval.low < full.interval.low


def test_an_interval_holds_whenever_the_run_ends() -> None:
    """An unchanged baseline is outside its interval at any look of twenty in at most 5 % of runs; with 1.96 in more.

    4,000 seeded runs of ten tasks, the worst look of each; one in two of the trials is passed.
    """
    generator, runs, rounds = np.random.default_rng(3), 4_000, 20
    then = generator.binomial(200, 0.5, runs) / 200
    now = generator.binomial(10, 0.5, (runs, rounds)).cumsum(axis=1)
    design = Design(rounds=rounds)
    outside = {"look": np.zeros(runs, bool), "1.96": np.zeros(runs, bool)}
    for done in range(1, rounds + 1):
        fractions = tuple(number / rounds for number in range(1, done + 1))
        for name, value in (("look", critical_value_at(fractions, design, 0.05)), ("1.96", 1.96)):
            for run in range(runs):
                low, high = difference_interval(
                    now=now[run, done - 1] / (10 * done), now_size=10 * done, then=then[run], then_size=200,
                    critical_value=value,
                )  # fmt: skip
                outside[name][run] |= low > 0 or high < 0
    assert outside["look"].mean() <= 0.05
    assert outside["1.96"].mean() > 0.08
