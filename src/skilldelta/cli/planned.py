"""What is said before the first call: what would run, what it can show, what it costs at the most."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.counted import counted
from ..domain.plan import MOST_JUDGED_TWICE, Estimate, Plan, SkillPlan


def before_run(plan: Plan) -> str:
    """Return the plan in a few lines for a terminal or a log."""
    itself = plan.purpose == "calibrate"
    lines = [line for skill in plan.skills for line in (_against_itself(skill) if itself else _skill(skill))]
    lines += [f"{one.skill_id}: not measured: {one.reason}" for one in plan.left_out]
    lines += [f"{each.severity.value}: {each.message}" for each in plan.findings if each.path == "."]
    if not lines:
        return "no skill to measure" if plan.purpose == "calibrate" else "no skill changed: nothing to run"
    return "\n".join(lines)


def _against_itself(skill: SkillPlan) -> Iterator[str]:
    """Yield what a calibration takes, and what a comparison on its suite can show before it.

    Its judging model is asked a second time about some of the answers.
    """
    from ..plan.reach import design_for, reach_of
    from ..report.reach_words import can_show

    again = min(MOST_JUDGED_TWICE, skill.estimate.judge_calls)
    judge = f", and up to {counted(again, 'judge call')} more to ask again" if again else ""
    yield (
        f"{skill.skill_id} against itself: {counted(skill.reach.tasks, 'task')} × 2 arms × "
        f"{counted(skill.design.rounds, 'round')}, all of which are run: {_price(skill.estimate)}{judge}; "
        f"suite {skill.suite.version}"
    )
    if skill.usual is not None:
        tasks, replicates = [task.id for task in skill.tasks], skill.runner.replicates
        design = design_for(skill.usual, skill.design.metric, tasks, replicates=replicates)
        can = can_show(reach_of(design, len(tasks)), design.rounds, design.goal)
        yield f"  A comparison on it, until this is known: {can}."


def _price(estimate: Estimate) -> str:
    known = estimate.cost_usd is not None
    cost = f"${estimate.cost_usd:,.2f} with every answer at its limit" if known else "price unknown"
    judge = f" and {counted(estimate.judge_calls, 'judge call')}" if estimate.judge_calls else ""
    return (
        f"at most {counted(estimate.trials, 'trial')}, about {counted(estimate.trial_calls, 'model call')}{judge}, "
        f"{cost}"
    )


def _skill(skill: SkillPlan) -> Iterator[str]:
    from ..report.reach_words import reach_sentence, steps_sentence

    estimate = skill.estimate
    beside = ", beside the gate" if skill.role == "beside" else ""
    yield (
        f"{skill.skill_id}: {counted(skill.reach.tasks, 'task')} × 2 arms × at most "
        f"{counted(skill.design.rounds, 'round')}: {_price(estimate)}; "
        f"suite {skill.suite.version} (from the {skill.suite_from}{beside})"
    )
    yield f"  {reach_sentence(skill)}"
    if steps := steps_sentence(skill):
        yield f"  {steps}"
    if estimate.confirm_trials:
        cost = "" if estimate.confirm_cost_usd is None else f" (${estimate.confirm_cost_usd:,.2f})"
        yield (
            f"  Tasks that drop are run again in {counted(skill.confirm_rounds, 'fresh round')}: at most "
            f"{counted(estimate.confirm_trials, 'trial')} more, where all of them drop{cost}."
        )
    for note in skill.notes:
        yield f"  note: {note}"
