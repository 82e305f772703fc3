"""What a design can show, in words."""

from __future__ import annotations

from ..domain.counted import counted
from ..domain.design import Goal
from ..domain.plan import Reach, SkillPlan
from ..domain.report import SkillReport
from .words import amount


def reach_sentence(report: SkillReport | SkillPlan) -> str:
    """Return what the design can really show and from what that is known, for the first lines of every report."""
    design = report.design if isinstance(report, SkillPlan) else report
    most = report.design.rounds if isinstance(report, SkillPlan) else report.rounds_max
    goal = "is it worse by more than the margin?" if design.goal is Goal.GATE else "is it better?"
    can = can_show(report.reach, most, design.goal)
    return f"Goal {design.goal.value} ({goal}), margin {amount(design.margin)}; {can}."


def can_show(reach: Reach, rounds: int, goal: Goal) -> str:
    """Return which effects a design of at most so many rounds finds, and what that rests on."""
    can = f"{detectable(reach.smallest_effect, reach.discordance, goal)} with 80 % power"
    return f"{counted(reach.tasks, 'task')} × at most {counted(rounds, 'round')} can show {can} ({_known(reach)})"


def detectable(smallest: float | None, discordance: float, goal: Goal) -> str:
    """Return which effects are found, in words; the gate passes a rise before it is shown to be one.

    >>> detectable(0.19, 0.42, Goal.GATE), detectable(None, 0.42, Goal.IMPROVE)
    ('a drop of 19 points or more', 'no change of up to 42 points')
    """
    what = "drop" if goal is Goal.GATE else "change"
    if smallest is None:
        return f"no {what} of up to {100 * discordance:.0f} points"
    return f"a {what} of {100 * smallest:.0f} points or more"


def _known(reach: Reach) -> str:
    share = f"{100 * reach.discordance:.0f} % of pairs expected to differ"
    drop = ", at a drop of the margin"
    where = {
        "default": "the default",
        "calibration": f"from its calibration{drop}",
        "history": f"from earlier runs{drop}",
    }
    shared = (
        "" if reach.skills == 1 else f"; its claims share their error with {counted(reach.skills - 1, 'other skill')}"
    )
    return f"{share}: {where[reach.discordance_from]}{shared}"


def steps_sentence(report: SkillReport | SkillPlan) -> str:
    """Return what one more round, and ten more tasks, would show and cost; empty where the design cannot grow."""
    reach, parts = report.reach, []
    for step in reach.steps:
        cost = "price unknown" if step.cost_usd is None else f"up to ${step.cost_usd:,.2f}"
        shown = "nothing yet" if step.smallest_effect is None else f"{100 * step.smallest_effect:.0f} points"
        parts.append(f"{step.what}: {shown} (at most {step.trials:,} trials more, {cost})")
    return f"With {'; '.join(parts)}." if parts else ""
