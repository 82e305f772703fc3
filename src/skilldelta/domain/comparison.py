"""What the statistics over judged pairs say: pairs, looks, the verdict."""

from __future__ import annotations

from enum import StrEnum

from .value import Value


class Verdict(StrEnum):
    """The answer about one skill, in the words of the report."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NO_REGRESSION = "no-regression"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT_DATA = "insufficient-data"


class StopReason(StrEnum):
    """Why no further round was run."""

    DECIDED = "decided"
    FUTILE = "futile"
    ROUNDS = "rounds"
    BUDGET = "budget"
    FAILURES = "failures"
    SMOKE = "smoke"
    COPIES = "copies"
    """A whole round was answered from the server's cache: further ones would be copies too."""
    UNFINISHED = "unfinished"
    """Only in a replay: the recorded run was killed, or is still going."""


class Interval(Value):
    """A closed interval for a mean paired difference, in [-1, 1]."""

    low: float
    high: float


class Pair(Value):
    """Candidate and baseline of one task and round, each value in hundredths (0 to 100), None where one failed."""

    task_id: str
    round: int
    """Counted from 1."""
    candidate: int | None
    baseline: int | None
    copied: bool = False
    """An answer came from the server's cache and stood in an earlier round already: a copy, counted once."""

    @property
    def failed(self) -> bool:
        """True when an arm has no value, and the pair is none that counts once."""
        return not self.copied and (self.candidate is None or self.baseline is None)

    @property
    def difference(self) -> int | None:
        """Candidate minus baseline in hundredths, None for a failed pair and for a copy."""
        if self.copied or self.candidate is None or self.baseline is None:
            return None
        return self.candidate - self.baseline


class Look(Value):
    """The state of the sequential test after `rounds` rounds."""

    rounds: int
    information: float
    """t: the share of the design's information that has come in, by rounds; 1 at the last look."""
    pairs: int
    """Observed pairs: those that did not fail."""
    failed_pairs: int
    delta: float | None
    """Mean paired difference over the suite, each task with weight 1/n; None when nothing was observed."""
    interval: Interval
    """Repeated confidence interval from the observed pairs, at this look's critical value."""
    interval_if_lost: Interval
    """The same with every failed pair filled in as a loss of the candidate."""
    interval_if_won: Interval
    """The same with every failed pair filled in as a win of the candidate."""
    critical_value: float
    """c_k: the group-sequential critical value that takes the place of 1.96."""
    boundary: int | None
    """b_k in hundredths: the smallest |sum| that crosses at this look; None when nothing can cross."""
    sum: int
    """Sum of the observed differences, in hundredths."""
    crossed_up: bool
    """The observed sum has crossed upwards at this or an earlier look (and likewise below)."""
    crossed_down: bool
    crossed_up_if_lost: bool
    crossed_down_if_won: bool
    verdict: Verdict | None
    """The verdict that may be given at this look, None while the run should go on."""
    unfilled_verdict: Verdict | None
    """What would have been said had the failed pairs not been filled in."""
    futile: bool = False


class Decision(Value):
    """The verdict of a comparison, and the looks that led to it."""

    verdict: Verdict
    reason: StopReason
    finished: bool
    """True when no further round is to be run."""
    looks: tuple[Look, ...]
    p_value: float | None
    """Repeated p-value: the smallest alpha at which this sequential test would have stopped by now."""
    claim_alpha: float
    """The two-sided error that an improvement or a regression was claimed at: alpha, or less beside other skills."""
    held_back: Verdict | None = None
    """A verdict that holds on the observed pairs only, and not with the failed ones filled in the worst way."""

    @property
    def last(self) -> Look | None:
        """The last look, None when no round was finished."""
        return self.looks[-1] if self.looks else None


class Screened(Value):
    """A task that dropped so far that it is worth a second look; nothing is claimed of it."""

    task_id: str
    p_value: float
    """One-sided mid-p-value of the drop, uncorrected."""


class TaskCheck(Value):
    """What fresh rounds say of one task that dropped."""

    task_id: str
    screen_p_value: float
    rounds: int
    """Fresh rounds in which both arms have a value."""
    candidate: float | None
    """Mean value over the fresh rounds, in [0, 1]."""
    reference: float | None
    p_value: float | None
    """Exact one-sided p-value of the drop on the fresh rounds alone; None when they were not run."""
    adjusted_p_value: float | None
    """After Holm's correction over the tasks that were run again."""
    regressed: bool
