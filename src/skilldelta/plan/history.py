"""What earlier runs tell of a suite: words in the plan, and never part of its design."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.calibration import Known, tilt_of
from ..domain.design import Metric
from ..domain.plan import Plan, SkillPlan
from ..domain.report import Report, SkillReport
from ..domain.trial import Arm
from .reach import reach_of


def with_history(plan: Plan, earlier: Iterable[Report]) -> Plan:
    """Return the plan with what earlier runs let it expect, where nothing is known from a calibration.

    Only runs of the same skill, suite version and configuration count, and only their baseline arms under the metric
    `pass`: q = mean over the tasks of 2p(1 − p)·n/(n − 1). The design stays as it is, so that the same comparison stays
    the same run however often it is made.
    """
    if not any(map(_may_be_told, plan.skills)):
        return plan
    past = [
        skill for report in earlier if report.identity != plan.identity and not report.smoke for skill in report.skills
    ]
    return plan.model_copy(update={"skills": tuple(_told(skill, past) for skill in plan.skills)})


def _may_be_told(skill: SkillPlan) -> bool:
    return skill.reach.discordance_from == "default" and skill.design.metric is Metric.PASS and bool(skill.reach.steps)


def _told(skill: SkillPlan, past: Iterable[SkillReport]) -> SkillPlan:
    if not _may_be_told(skill):
        return skill
    passes: dict[str, tuple[float, int]] = {}
    for report in past:
        same = (report.skill_id, report.suite_version, report.configuration)
        if same == (skill.skill_id, skill.suite.version, skill.configuration) and report.reference is Arm.BASELINE:
            for task in report.tasks:
                if task.reference is not None and 0 <= task.reference <= 1 and task.pairs > 0:
                    before, trials = passes.get(task.task_id, (0.0, 0))
                    passes[task.task_id] = (before + task.reference * task.pairs, trials + task.pairs)
    known = [_differing(count / trials, trials) for count, trials in passes.values() if trials > 1]
    if len(known) < len(skill.tasks):
        return skill
    tilt = tilt_of(count / trials for count, trials in passes.values())
    history = Known(discordance=min(1.0, sum(known) / len(known)), tilt=tilt, source="history")
    reach = reach_of(
        skill.design,
        len(skill.tasks),
        history,
        skill.one_round,
        replicates=skill.runner.replicates,
        skills=skill.reach.skills,
    )
    return skill.model_copy(update={"reach": reach})


def _differing(rate: float, trials: int) -> float:
    """Return the chance that two trials of a task differ, estimated without bias."""
    return 2 * rate * (1 - rate) * trials / (trials - 1)
