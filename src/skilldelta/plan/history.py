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
    if plan.purpose == "calibrate" or plan.smoke or not plan.skills:
        return plan
    past = [
        skill for report in earlier if report.identity != plan.identity and not report.smoke for skill in report.skills
    ]
    return plan.model_copy(update={"skills": tuple(_priced(_told(skill, past), past) for skill in plan.skills)})


def _priced(skill: SkillPlan, past: Iterable[SkillReport]) -> SkillPlan:
    """Return the plan with what earlier comparisons on the suite took, which is less than the most that they might."""
    same = [one for one in past if _same(skill, one) and one.reference is skill.reference and one.rounds]
    if not same:
        return skill
    runs = "the earlier run" if len(same) == 1 else f"the {len(same)} earlier runs"
    costs = [one.cost_usd for one in same if one.cost_usd is not None]
    cost = f" and ${sum(costs) / len(costs):,.2f}" if len(costs) == len(same) and any(costs) else ""
    average = " on average" if len(same) > 1 else ""
    said = f"{runs} on this suite took {round(sum(one.trials for one in same) / len(same)):,} trials{cost}{average}"
    return skill.model_copy(update={"notes": (*skill.notes, said)})


def _same(skill: SkillPlan, one: SkillReport) -> bool:
    """Say whether an earlier comparison was of the same skill on the same suite version in the same configuration."""
    told = (one.skill_id, one.suite_version, one.configuration)
    return told == (skill.skill_id, skill.suite.version, skill.configuration)


def _may_be_told(skill: SkillPlan) -> bool:
    return skill.reach.discordance_from == "default" and skill.design.metric is Metric.PASS and bool(skill.reach.steps)


def _told(skill: SkillPlan, past: Iterable[SkillReport]) -> SkillPlan:
    if not _may_be_told(skill):
        return skill
    passes: dict[str, tuple[float, int]] = {}
    for report in past:
        if _same(skill, report) and report.reference is Arm.BASELINE:
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
