"""What is on record of a suite with one skill, model and judge: how far an arm differs from itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .comparison import Interval, StopReason, Verdict
from .money import Spent
from .report import Commit, Invocation
from .value import Value

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
CALIBRATION_FILE = "calibration.json"
"""Stands in the suite's folder, beside draft and frozen versions."""
_CLOSE = 0.001
"""More than rounding can have moved a share."""
ENOUGH_ALIKE = 15
"""From so many equal outcomes on a task may have fewer rounds."""


class TaskCalibration(Value):
    """One task of one skill, over all trials of both arms."""

    task_id: str
    trials: Count
    """Trials that have a value."""
    mean: Share | None
    """Mean value in [0, 1]."""
    lowest: Share | None
    highest: Share | None
    discordance: Share | None
    """Expected squared difference of two trials, in [0, 1]; for passes the chance that they differ. None below two."""
    discordance_interval: Interval | None
    """Approximate 95 % interval; None for scores, and where the discordance is not known."""
    kind: Literal["saturated", "impossible", "flaky", "steady", "unknown"]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        lowest, mean, highest = self.lowest, self.mean, self.highest
        if lowest is None or mean is None or highest is None:
            return self
        if not lowest - _CLOSE <= mean <= highest + _CLOSE:
            raise ValueError("the mean of a task lies between its lowest and its highest value")
        return self

    @property
    def always_alike(self) -> bool:
        """True when enough trials all ended with nothing, or all with the full value."""
        return self.trials >= ENOUGH_ALIKE and self.lowest == self.highest and self.lowest in (0.0, 1.0)


class FalseAlarms(Value):
    """How often the procedure would claim a change where there is none: by dealing the recorded trials out anew."""

    deals: int
    """How often each task's recorded trials were dealt to the two arms and rounds at random."""
    rounds: int
    """Most rounds of a deal: R_max of a comparison, or as many as the recorded trials suffice for."""
    improved: int
    regressed: int
    rate: float
    """Share of deals with either claim."""
    rate_interval: Interval
    any_drop: float
    """Share of deals in which the candidate's mean is below the baseline's: what the rule "any drop" would fail."""


class JudgeAgreement(Value):
    """What a judging model said when it was asked about the same answers again."""

    asked: int
    """Judgments asked twice that both times gave a word."""
    failed: int
    """Judgments of which one time gave none."""
    agreeing: int
    """Pass or fail the same both times."""
    agreement_interval: Interval | None
    kappa: float | None
    """Cohen's; None where all words are alike and chance explains everything."""
    kappa_interval: Interval | None
    mean_score_gap: float | None
    """Mean absolute difference of the two scores."""


class Calibration(Value):
    """The record of one calibration; a suite's folder holds the newest as `calibration.json`."""

    format: Literal["skilldelta-calibration/1"] = "skilldelta-calibration/1"
    tool_version: str
    identity: str
    """Of the run it comes from."""
    skill_id: str
    name: str
    commit: Commit
    tree_hash: str
    suite_version: str
    configuration: str
    """64 hex digits over what a trial's value depends on besides skill and suite."""
    setup: str
    """The same without the names of the models."""
    models: tuple[str, ...]
    """As the servers named them."""
    rounds: Count
    finished: bool
    """False when it ended before all rounds were run."""
    reason: StopReason
    metric: str
    verdict: Verdict
    """What the procedure said of this one run, in which nothing differs."""
    delta: float | None
    discordance: Share | None
    """Mean over the tasks: what `plan` and `compare` expect of this suite from now on. None with too few trials."""
    false_alarms: FalseAlarms | None
    judges: JudgeAgreement | None
    """None where no model judges."""
    tasks: tuple[TaskCalibration, ...]
    cannot_fail: bool
    """Every trial of both arms reached the full value."""
    cannot_pass: bool
    findings: tuple[str, ...]
    """What is wrong with the suite, each with what to do, in words."""
    spent: Spent
    cost_usd: float | None
    embedded_model: bool
    measured_at: str
    invocation: Invocation

    @model_validator(mode="after")
    def _of_one_piece(self) -> Self:
        if any(task.trials > 2 * self.rounds for task in self.tasks):
            raise ValueError("a task has more trials than the rounds have")
        known = [task.discordance for task in self.tasks if task.discordance is not None]
        told = min(1.0, sum(known) / len(known)) if known else None
        if (told is None) != (self.discordance is None) or abs((told or 0.0) - (self.discordance or 0.0)) > _CLOSE:
            raise ValueError("the discordance is the mean of the tasks'")
        return self


class Known(Value):
    """What a plan may expect of a suite, and where it is known from."""

    discordance: Share
    """Of equal arms: how often two trials of one skill differ."""
    tilt: Share = 0.0
    """Mean over the tasks of 2·p − 1 where that is positive: so many more pairs differ for each point of a drop."""
    source: Literal["calibration", "history"]
    always_alike: tuple[str, ...] = ()
    """Tasks whose outcomes were all alike, often enough to need fewer rounds."""

    def at_drop(self, drop: float) -> float:
        """Return the share of pairs that differ when the mean drops by so much: q + drop·tilt.

        A task that passes with p and then with p − d differs with the chance 2p(1 − p) + d(2p − 1).
        """
        return min(1.0, self.discordance + drop * self.tilt)


def tilt_of(means: Iterable[float]) -> float:
    """Return the tilt of tasks with these pass rates.

    >>> tilt_of([1.0, 0.75, 0.25])
    0.5
    """
    tilts = [max(0.0, 2 * mean - 1) for mean in means]
    return sum(tilts) / len(tilts) if tilts else 0.0
