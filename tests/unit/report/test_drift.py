"""The unchanged baseline now and when it was calibrated."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import skill_plan, task
from skilldelta.domain.comparison import Decision, StopReason, Verdict
from skilldelta.domain.judged import JudgedTrial, TaskRound
from skilldelta.domain.measured import Measured
from skilldelta.domain.plan import Gate, RecordedBaseline, RecordedTask
from skilldelta.domain.trial import Arm, TrialStatus
from skilldelta.report.drift import drift_of, drift_sentence

DECISION = Decision(
    verdict=Verdict.INCONCLUSIVE, reason=StopReason.ROUNDS, finished=True, looks=(), p_value=None, claim_alpha=0.05
)


def recorded(**fields: Any) -> RecordedBaseline:
    """Two tasks, each passed in half of twenty trials by the model `one`."""
    tasks = tuple(RecordedTask(task_id=name, mean=0.5, trials=20) for name in "ab")
    known = {
        "tree": "b" * 64, "configuration": "c", "models": ("one",), "tool_version": "1",
        "measured_at": "2026-01-02T03:04:05Z", "tasks": tasks,
    }  # fmt: skip
    return RecordedBaseline.model_validate(known | fields)


def measured(then: RecordedBaseline | None, values: dict[str, list[int | None]], *, model: str = "one") -> Measured:
    """A comparison whose baseline had these values, task by task and round by round."""
    plan = skill_plan(*(task(name) for name in values), recorded=then, configuration="c")
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
    assert drift_sentence(None) == ""


def test_the_difference_is_of_the_baseline_alone() -> None:
    """Over the tasks known from both times, each with the same weight; the candidate's values have no part in it."""
    drift = drift_of(measured(recorded(), {"a": [100] * 10, "b": [0, None] * 5, "new": [0] * 10}), "1")
    assert drift is not None
    assert (drift.then, drift.now, drift.difference) == (0.5, 0.5, 0.0)
    assert drift.interval.low < -0.2 < 0.2 < drift.interval.high
    assert drift.changed == ()
    assert drift_sentence(drift) == ""


@pytest.mark.parametrize(
    ("then", "model", "version", "said"),
    [
        ({}, "two", "1", "the model changed (from one to two)"),
        ({"configuration": "d"}, "one", "1", "the runner's or the judge's configuration changed"),
        ({}, "one", "2", "skilldelta itself changed"),
        ({"configuration": "d"}, "two", "2", "configuration and skilldelta itself changed (from one to two)"),
    ],
)
def test_what_changed_is_named(then: dict[str, Any], model: str, version: str, said: str) -> None:
    """A movement is said to be whose it is; one that is not shown says so."""
    sentence = drift_sentence(
        drift_of(measured(recorded(**then), {"a": [100, 0], "b": [0, 100]}, model=model), version)
    )
    assert said in sentence
    assert "which is not shown to be a movement" in sentence
    moved = drift_sentence(drift_of(measured(recorded(**then), {"a": [0] * 20, "b": [0] * 20}, model=model), version))
    assert "moved by −50 points" in moved
    assert "not shown" not in moved


def test_a_movement_that_nothing_explains_is_said_too() -> None:
    """The same model by name may have become another one."""
    sentence = drift_sentence(drift_of(measured(recorded(), {"a": [0] * 20, "b": [0] * 20}), "1"))
    assert sentence.startswith("Since the calibration of 2026-01-02 nothing that is known of changed. The baseline")


def test_short_sides_make_wide_intervals() -> None:
    """Each side counts as many trials as its shortest task has, on all of them."""
    short = drift_of(measured(recorded(), {"a": [100] * 10, "b": [100]}), "1")
    full = drift_of(measured(recorded(), {"a": [100] * 10, "b": [100] * 10}), "1")
    assert short is not None
    assert full is not None
    assert short.interval.low < full.interval.low
