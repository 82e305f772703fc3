"""What is on record of a suite, and whether it may be used for a plan."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pydantic import ValidationError

from ..domain.calibration import Calibration, Known, tilt_of
from ..domain.config import Config
from ..domain.design import Metric
from ..domain.draws import configuration_digest
from ..domain.plan import RecordedBaseline, RecordedTask
from ..domain.suite import FrozenSuite

_UNREADABLE = "the calibration on record cannot be read: skilldelta calibrate --record writes it anew"


class OnRecord(NamedTuple):
    """What a calibration gives to a plan."""

    known: Known | None = None
    baseline: RecordedBaseline | None = None
    """How the skill fared then, to tell a change of the model from a change of the skill."""
    note: str | None = None


def on_record(data: bytes | None, frozen: FrozenSuite, own: Config, *, skill_ids: Collection[str]) -> OnRecord:
    """Return what the record says of this suite under this configuration; `skill_ids`: what the skill is called.

    A record of another skill or suite version says nothing; one of another configuration or model says nothing of
    what to expect, and still how the skill fared then. What cannot be read is a note and never an error.
    """
    if data is None:
        return OnRecord()
    try:
        record = Calibration.model_validate_json(data)
    except ValidationError:
        return OnRecord(note=_UNREADABLE)
    if record.skill_id not in skill_ids:
        return OnRecord(note=f"the calibration on record is of the skill {record.skill_id!r}, so it is not used")
    if record.suite_version != frozen.version:
        said = f"the calibration on record is of {record.suite_version}, not of {frozen.version}, so it is not used"
        return OnRecord(note=f"{said}: skilldelta calibrate --record measures anew")
    if sorted(task.task_id for task in record.tasks) != sorted(task.id for task in frozen.suite.tasks):
        return OnRecord(note=_UNREADABLE)
    baseline = _baseline(record)
    if record.configuration != configuration_of(own, frozen):
        said = "the calibration on record is of another model, judge or setting, so its discordance is not used"
        return OnRecord(baseline=baseline, note=f"{said}: skilldelta calibrate --record measures anew")
    known = known_of(record)
    if known is None:
        return OnRecord(baseline=baseline, note="the calibration on record was not finished, so it is not used")
    return OnRecord(known=known, baseline=baseline)


def known_of(record: Calibration) -> Known | None:
    """Return what a plan may expect of the suite after this calibration; None when it was not finished."""
    if record.discordance is None or not record.finished:
        return None
    alike = tuple(task.task_id for task in record.tasks if task.always_alike)
    passing = record.metric == Metric.PASS
    tilt = tilt_of(task.mean for task in record.tasks if task.mean is not None) if passing else 0.0
    return Known(discordance=record.discordance, tilt=tilt, source="calibration", always_alike=alike)


def configuration_of(own: Config, frozen: FrozenSuite, *, models: bool = True) -> str:
    """Return the digest of what a trial's value depends on besides skill and suite; a judge only where one is asked.

    Without `models` their names are left out, to tell another model from another setting.
    """
    runner, judge = own.runner, own.judge if frozen.suite.needs_judge_model else None
    if not models:
        runner = runner.model_copy(update={"model": None})
        judge = judge.model_copy(update={"model": None}) if judge else None
    return configuration_digest(
        runner,
        judge,
        pass_k=own.design.pass_k,
        pass_threshold=own.design.pass_threshold,
        timeout=own.design.task_timeout_seconds,
    )


def _baseline(record: Calibration) -> RecordedBaseline:
    return RecordedBaseline(
        tree=record.tree_hash,
        configuration=record.configuration,
        setup=record.setup,
        models=record.models,
        tool_version=record.tool_version,
        measured_at=record.measured_at,
        tasks=tuple(
            RecordedTask(task_id=task.task_id, mean=task.mean, trials=task.trials)
            for task in record.tasks
            if task.mean is not None
        ),
    )
