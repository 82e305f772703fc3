"""What was measured of one skill: its rounds of judged trials and the decision over them."""

from __future__ import annotations

from .comparison import Decision, Pair, TaskCheck, Verdict
from .judged import TaskRound
from .money import Spent
from .plan import Gate, SkillPlan
from .value import Value


class Measured(Value):
    """One skill's finished rounds, the pairs they made, and what they decide."""

    plan: SkillPlan
    rounds: tuple[tuple[TaskRound, ...], ...]
    """For each finished round, candidate and reference of every task."""
    pairs: tuple[tuple[Pair, ...], ...]
    decision: Decision
    gate: Gate
    cut_off: Spent = Spent()
    """What was paid for in a round that the budget ended; it is no evidence."""
    unadjusted: Verdict | None = None
    """What would be said were this the only skill; None where it is."""
    checks: tuple[TaskCheck, ...] = ()
    """Tasks that dropped and were run again on fresh rounds."""
    fresh: tuple[TaskRound, ...] = ()
    """The trials of those fresh rounds: evidence on single tasks and never on the suite."""
