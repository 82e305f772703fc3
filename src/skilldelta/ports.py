"""The few things the stages ask of the world; `edges/` answers, tests may too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from .domain.judgment import Judgment
from .domain.messages import MessagesReply, MessagesRequest
from .domain.plan import SkillPlan
from .domain.skill import SkillBundle
from .domain.suite import Task
from .domain.trial import Outcome, TrialKey


class BudgetReached(Exception):
    """The next call does not fit under a cap, or a recorded run ends here; what is done stays done."""


class MessagesApi(Protocol):
    """A server that speaks the Messages API; retries of the transport happen behind this."""

    def prepare(self) -> None:
        """Be ready to send: whatever takes long or may fail for want of a key is done here, before a call is booked."""
        ...

    async def create(self, request: MessagesRequest) -> MessagesReply:
        """Send one request and return what came of it; never raises for what a server may do.

        BudgetReached when the call is not made at all.
        """
        ...


class Runner(Protocol):
    """Executes trials."""

    async def run(self, skill: SkillPlan, task: Task, key: TrialKey, bundle: SkillBundle | None) -> Outcome:
        """Execute one attempt and return its outcome."""
        ...


class Journal(Protocol):
    """The append-only record of a run; what it holds is never paid for again."""

    def outcome(self, key: str) -> Outcome | None:
        """Return the recorded outcome of a trial, or None."""
        ...

    def judgment(self, key: str) -> Judgment | None:
        """Return a recorded judgment, or None."""
        ...

    def sent(self, key: str, reserved_usd: float) -> None:
        """Record that a call is about to be made, so that a killed run is charged for it."""
        ...

    def record_outcome(self, key: TrialKey, outcome: Outcome) -> Outcome:
        """Append an outcome, flush it, and return it as it was recorded: that is what counts, and holds no secret."""
        ...

    def record_judgment(self, key: str, trial: TrialKey, judgment: Judgment) -> Judgment:
        """Append a judgment, flush it, and return it as it was recorded."""
        ...

    def lost(self) -> Iterable[float]:
        """Return the reserved cost of every call that was sent and whose result was never recorded."""
        ...


class Clock(Protocol):
    """Time, for durations and deadlines."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

    def now(self) -> str:
        """Return the time as RFC 3339 in UTC."""
        ...


class Progress(Protocol):
    """Told what happens, so that somebody may watch."""

    def skill_started(self, skill: SkillPlan) -> None:
        """A skill's first round begins."""
        ...

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:
        """A round of so many trials begins."""
        ...

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:
        """A trial has its outcome and its judgments; `recorded` when they came from the journal."""
        ...

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:
        """The statistics have looked at everything so far and say this."""
        ...
