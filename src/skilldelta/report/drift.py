"""The unchanged baseline now and when it was calibrated: what moved is the model's or the runner's doing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain.comparison import Interval
from ..domain.measured import Measured
from ..domain.plan import RecordedBaseline
from ..domain.report import Drift
from ..domain.trial import Arm
from ..statistics.agreement import difference_interval
from .words import confidence, points, span

MOST_NAMED = 3
MOST_NAME = 60


def drift_of(one: Measured, tool_version: str) -> Drift | None:
    """Return how the baseline moved since its calibration; None where it is another skill, or was never calibrated.

    The interval has the critical value of the run's last look, as the run ends when its data say so: with 1.96 it
    would cover less than it says.
    """
    skill, recorded = one.plan, one.plan.recorded
    if recorded is None or Arm(skill.reference) is not Arm.BASELINE or recorded.tree != skill.reference_tree:
        return None
    now: dict[str, list[int]] = {}
    models: set[str] = set()
    for values in one.rounds:
        for value in values:
            if value.arm is Arm.BASELINE:
                models |= {trial.model for trial in value.attempts if trial.model}
                if value.value is not None:
                    now.setdefault(value.task_id, []).append(value.value)
    both = [task for task in recorded.tasks if now.get(task.task_id) and task.trials]
    look = one.decision.last
    if not both or look is None:
        return None
    then_mean = sum(task.mean for task in both) / len(both)
    now_mean = sum(sum(now[task.task_id]) / len(now[task.task_id]) for task in both) / len(both) / 100
    # Each side counts as many trials as its shortest task would have on all of them: no task weighs more than another.
    low, high = difference_interval(
        now=now_mean,
        now_size=len(both) * min(len(now[task.task_id]) for task in both),
        then=then_mean,
        then_size=len(both) * min(task.trials for task in both),
        critical_value=look.critical_value,
    )
    return Drift(
        then=round(then_mean, 4),
        now=round(now_mean, 4),
        difference=round(now_mean - then_mean, 4) + 0.0,
        interval=Interval(low=round(low, 4) + 0.0, high=round(high, 4) + 0.0),
        then_models=recorded.models,
        now_models=tuple(sorted(models)),
        measured_at=recorded.measured_at,
        changed=tuple(_changed(one, recorded, models, tool_version)),
    )


def _changed(one: Measured, recorded: RecordedBaseline, models: set[str], tool_version: str) -> Iterator[str]:
    same_setup = recorded.setup == one.plan.setup
    if set(recorded.models) != models:
        yield "the model"
    elif same_setup and recorded.configuration != one.plan.configuration:
        yield "a model's name in the configuration"
    if not same_setup:
        yield "the runner's or the judge's configuration"
    if recorded.tool_version != tool_version:
        yield "skilldelta itself"


def drift_sentence(drift: Drift | None, alpha: float) -> str:
    """Return what the baseline's movement means; empty where nothing changed and nothing moved."""
    if drift is None:
        return ""
    moved = drift.interval.low > 0 or drift.interval.high < 0
    if not drift.changed and not moved:
        return ""
    words = " and ".join(drift.changed) or "nothing that is known of"
    models = ""
    if "the model" in drift.changed:
        before, after = (_named(names) for names in (drift.then_models, drift.now_models))
        models = f" (from {before} to {after})"
    shown = "" if moved else ", which is not shown to be a movement"
    return (
        f"Since the calibration of {drift.measured_at[:10]} {words} changed{models}. The baseline, which is the same "
        f"skill, moved by {points(drift.difference)} points, "
        f"{confidence(alpha)} interval {span(drift.interval)}{shown}: that is not this "
        "change's doing, and no part of its difference, as both arms ran now."
    )


def _named(models: Sequence[str]) -> str:
    """Return the models' names, long ones and many of them cut: what the sentence is for comes after them."""
    short = [name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 1]}…" for name in models[:MOST_NAMED]]
    more = [f"{len(models) - MOST_NAMED} more"] if len(models) > MOST_NAMED else []
    return ", ".join([*short, *more]) or "nobody"
