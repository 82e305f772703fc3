"""What the pairs so far amount to: counts, sums, and the interval for the suite's mean difference."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..domain.comparison import Interval, Pair
from ..domain.design import Metric
from ..statistics.effects import weighted_mean
from ..statistics.intervals import self_normalised_interval, tango_interval

HUNDREDTHS = 100


@dataclass(frozen=True)
class Counts:
    """Counts and sums over some tasks' pairs, copies left out; sums in hundredths."""

    attempted: int = 0
    failed: int = 0
    wins: int = 0
    losses: int = 0
    total: int = 0
    squares: int = 0

    @property
    def observed(self) -> int:
        """Pairs that did not fail."""
        return self.attempted - self.failed

    @property
    def mean(self) -> float | None:
        """Mean difference in [−1, 1], None without an observed pair."""
        return self.total / (HUNDREDTHS * self.observed) if self.observed else None

    def plus(self, pairs: Sequence[Pair]) -> Counts:
        """Return these counts with more pairs."""
        differences = [difference for pair in pairs if (difference := pair.difference) is not None]
        return Counts(
            attempted=self.attempted + sum(not pair.copied for pair in pairs),
            failed=self.failed + sum(pair.failed for pair in pairs),
            wins=self.wins + sum(difference > 0 for difference in differences),
            losses=self.losses + sum(difference < 0 for difference in differences),
            total=self.total + sum(differences),
            squares=self.squares + sum(difference**2 for difference in differences),
        )

    def filled(self, *, won: bool) -> Counts:
        """Return the counts with every failed pair taken as a full win or a full loss of the candidate."""
        return Counts(
            attempted=self.attempted,
            wins=self.wins + (self.failed if won else 0),
            losses=self.losses + (0 if won else self.failed),
            total=self.total + (self.failed if won else -self.failed) * HUNDREDTHS,
            squares=self.squares + self.failed * HUNDREDTHS**2,
        )

    def interval(self, metric: Metric, critical_value: float) -> Interval:
        """Return the interval for the mean difference over these tasks at one critical value."""
        if metric is Metric.PASS:
            low, high = tango_interval(
                wins=self.wins, losses=self.losses, pairs=self.observed, critical_value=critical_value
            )
        else:
            low, high = self_normalised_interval(
                total=self.total / HUNDREDTHS,
                sum_of_squares=self.squares / HUNDREDTHS**2,
                pairs=self.observed,
                critical_value=critical_value,
            )
        return Interval(low=low, high=high)


@dataclass(frozen=True)
class Evidence:
    """The pairs of a comparison: those of tasks that run in every round, and those of tasks with fewer rounds.

    `share` is the share of the suite's tasks that have fewer rounds, fixed before the run; every task keeps the weight
    1/n in the mean.
    """

    full: Counts = Counts()
    brief: Counts = Counts()
    share: float = 0.0

    @classmethod
    def before(cls, rounds: Sequence[Sequence[Pair]], brief: Collection[str]) -> Evidence:
        """Return the evidence before the first of these rounds, which holds every task; `brief`: with fewer rounds."""
        tasks = [pair.task_id for pair in rounds[0]] if rounds and brief else []
        return cls(share=sum(task in brief for task in tasks) / len(tasks) if tasks else 0.0)

    @property
    def attempted(self) -> int:
        """Pairs that were run, copies left out."""
        return self.full.attempted + self.brief.attempted

    @property
    def failed(self) -> int:
        """Pairs without a value in both arms."""
        return self.full.failed + self.brief.failed

    @property
    def observed(self) -> int:
        """Pairs that did not fail."""
        return self.full.observed + self.brief.observed

    @property
    def total(self) -> int:
        """Sum of all differences, unweighted: the statistic of the sign-flip test."""
        return self.full.total + self.brief.total

    @property
    def squares(self) -> int:
        """Sum of all squared differences."""
        return self.full.squares + self.brief.squares

    @property
    def mean(self) -> float | None:
        """Mean difference over the suite, each task with the same weight; None where a part of it was not observed."""
        if not self.share:
            return self.full.mean
        parts = ((1 - self.share, self.full), (self.share, self.brief))
        return weighted_mean([(weight, own.total, HUNDREDTHS * own.observed) for weight, own in parts])

    def plus(self, pairs: Sequence[Pair], brief: Collection[str] = ()) -> Evidence:
        """Return this evidence with one more round's pairs; `brief` names the tasks that have fewer rounds."""
        if not brief:
            return Evidence(self.full.plus(pairs), self.brief, self.share)
        return Evidence(
            self.full.plus([pair for pair in pairs if pair.task_id not in brief]),
            self.brief.plus([pair for pair in pairs if pair.task_id in brief]),
            self.share,
        )

    def filled(self, *, won: bool) -> Evidence:
        """Return the evidence with every failed pair taken as a full win or a full loss of the candidate."""
        if not self.failed:
            return self
        return Evidence(self.full.filled(won=won), self.brief.filled(won=won), self.share)

    def interval(self, metric: Metric, critical_value: float) -> Interval:
        """Return the interval for the suite's mean difference at one critical value.

        With tasks that have fewer rounds it is put together from the intervals of the two groups, each at the same
        critical value, by the square of their arms: Zou and Donner, Statistics in Medicine 27 (2008) 1693.
        """
        own = self.full.interval(metric, critical_value)
        if not self.share:
            return own
        parts = (
            (1 - self.share, self.full.mean or 0.0, own),
            (self.share, self.brief.mean or 0.0, self.brief.interval(metric, critical_value)),
        )
        centre = math.fsum(weight * mean for weight, mean, _ in parts)
        below = math.hypot(*(weight * (mean - one.low) for weight, mean, one in parts))
        above = math.hypot(*(weight * (one.high - mean) for weight, mean, one in parts))
        return Interval(low=max(centre - below, -1.0), high=min(centre + above, 1.0))
