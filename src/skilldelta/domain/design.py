"""The design of a comparison: goal, rounds, error rates, margin."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from .value import Value


class Goal(StrEnum):
    """What the comparison is asked."""

    GATE = "gate"
    """Is the candidate no worse than the margin?"""
    IMPROVE = "improve"
    """Is the candidate better?"""


class Metric(StrEnum):
    """What a trial's value is."""

    PASS = "pass"  # noqa: S105 - the field's word, not a password
    SCORE = "score"


class Design(Value):
    """The resolved design of one skill's comparison; `rounds` is R_max, the most rounds that may run."""

    goal: Goal = Goal.GATE
    metric: Metric = Metric.PASS
    rounds: int = Field(ge=1, le=1000)
    alpha: float = Field(default=0.05, gt=0, le=0.2)
    """Two-sided error rate (half of it in each direction)."""
    margin: float = Field(default=0.15, gt=0, lt=1)
    """The largest drop in the suite's mean that still counts as no regression, in [0, 1]."""
    sequential: bool = True
    """Look after every `look_every` rounds; otherwise once, at the end."""
    look_every: int = Field(default=1, ge=1)
    min_rounds: int = Field(default=2, ge=1)
    spending_power: float = Field(default=1.5, gt=0)
    """ρ of the spending function alpha·t^ρ, t = rounds done / R_max."""
    futility: float = Field(default=0.10, ge=0, lt=1)
    """Stop when every verdict that is still open has less predictive power than this; 0 switches it off."""
    max_failed: float = Field(default=0.25, ge=0, le=1)
    """More than this share of the attempted pairs failed: the data are insufficient."""
    brief: tuple[str, ...] = ()
    """Tasks that have always ended alike, and are run in the first `brief_rounds` rounds only; fixed before the run."""
    brief_rounds: int = Field(default=2, ge=1)

    def looks(self) -> tuple[int, ...]:
        """Return the numbers of finished rounds at which the design looks; the last is R_max.

        >>> Design(rounds=7, look_every=3).looks()
        (3, 6, 7)
        """
        early = range(self.look_every, self.rounds, self.look_every) if self.sequential else ()
        return (*early, self.rounds)

    def rounds_of(self, task_id: str) -> int:
        """Return the most rounds of a task."""
        return min(self.rounds, self.brief_rounds) if task_id in self.brief else self.rounds

    def runs(self, task_id: str, number: int) -> bool:
        """Say whether a task is run in the round of this number."""
        return number <= self.rounds_of(task_id)
