"""How others tell an improvement from a regression: rules over a fixed number of rounds, for `calls_to_verdict.py`.

Each takes the passes of many simulated runs, of shape (runs, rounds, tasks), and returns one call a run: +1 improved,
−1 regressed, 0 neither. None of them looks before the last round.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln, stdtrit

Passes = NDArray[np.bool_]
Calls = NDArray[np.int64]

LEVEL = 0.05
RESAMPLES = 2000


class Trials(NamedTuple):
    """The passes of both arms, and the drop that the rule may know to be the largest acceptable one."""

    candidate: Passes
    baseline: Passes
    margin: float

    @property
    def pairs(self) -> int:
        """Pairs of one run: rounds × tasks, which is also the number of trials of one arm."""
        return int(np.prod(self.candidate.shape[1:]))

    @property
    def wins(self) -> Calls:
        """In each run, the pairs in which only the candidate passes."""
        return np.asarray((self.candidate & ~self.baseline).sum(axis=(1, 2)))

    @property
    def losses(self) -> Calls:
        """In each run, the pairs in which only the baseline passes."""
        return np.asarray((self.baseline & ~self.candidate).sum(axis=(1, 2)))


class Rule(NamedTuple):
    """A rule and its words in the table; those that resample draw from the generator, the others leave it alone."""

    words: str
    calls: Callable[[Trials, np.random.Generator], Calls]


def pooled_resampling(trials: Trials, generator: np.random.Generator, resamples: int = RESAMPLES) -> Calls:
    """Call what both a Monte Carlo sign-flip test (p < .05) and a percentile bootstrap interval of the mean say.

    All pairs of the run are one sample. Passes allow both to be drawn as counts, with the same distribution as flips
    and resampled pairs: heads among the discordant pairs, and a multinomial of wins, losses and ties.
    """
    wins, losses, size = trials.wins, trials.losses, trials.pairs
    net, discordant = wins - losses, wins + losses
    heads = generator.binomial(discordant[:, None], 0.5, size=(len(net), resamples))
    as_extreme = (np.abs(2 * heads - discordant[:, None]) >= np.abs(net)[:, None]).sum(axis=1)
    p_value = (as_extreme + 1) / (resamples + 1)
    shares = np.stack([wins, losses, size - discordant], axis=1) / size
    drawn = generator.multinomial(size, shares[:, None, :], size=(len(net), resamples))
    low, high = np.quantile(drawn[:, :, 0] - drawn[:, :, 1], [LEVEL / 2, 1 - LEVEL / 2], axis=1)
    return _signed(net, (p_value < LEVEL) & ((low > 0) | (high < 0)))


def any_change(trials: Trials, _: np.random.Generator) -> Calls:
    """Call every drop of the pass rate a regression, and every rise an improvement."""
    return np.asarray(np.sign(trials.wins - trials.losses))


def point_threshold(trials: Trials, _: np.random.Generator) -> Calls:
    """Call a drop of more than the margin a regression, and every rise an improvement."""
    net = trials.wins - trials.losses
    beyond = net < -trials.margin * trials.pairs - 1e-9
    return np.where(beyond, -1, np.where(net > 0, 1, 0))


def pooled_fisher(trials: Trials, _: np.random.Generator) -> Calls:
    """Call what Fisher's exact test (two-sided p < .05) says of all trials, as if the arms were not paired."""
    new, old = trials.candidate.sum(axis=(1, 2)), trials.baseline.sum(axis=(1, 2))
    return _signed(new - old, fisher_p_values(trials.pairs)[new, old] < LEVEL)


@cache
def fisher_p_values(size: int) -> NDArray[np.float64]:
    """Return the two-sided p-values for a and b passes of `size` trials each: the tables that are no likelier."""
    counts = np.arange(size + 1)
    log_ways = gammaln(size + 1) - gammaln(counts + 1) - gammaln(size - counts + 1)
    values = np.ones((size + 1, size + 1))
    for passes in range(2 * size + 1):
        first = np.arange(max(0, passes - size), min(passes, size) + 1)
        weights = np.exp(log_ways[first] + log_ways[passes - first] - log_ways.max() * 2)
        weights /= weights.sum()
        no_likelier = weights[None, :] <= weights[:, None] * (1 + 1e-7)
        values[first, passes - first] = np.minimum(1.0, no_likelier @ weights)
    return values


def task_means_t(trials: Trials, _: np.random.Generator) -> Calls:
    """Call what the paired t test (two-sided p < .05) says of the tasks' means; nothing when all of them are equal."""
    means = (trials.candidate.astype(float) - trials.baseline).mean(axis=1)
    tasks = means.shape[1]
    centre, spread = means.mean(axis=1), means.std(axis=1, ddof=1)
    limit = float(stdtrit(tasks - 1, 1 - LEVEL / 2))
    return _signed(centre, (spread > 1e-12) & (np.abs(centre) * np.sqrt(tasks) > limit * spread))


def exact_at_the_end(trials: Trials, _: np.random.Generator) -> Calls:
    """Call what the exact sign-flip test (p ≤ .05) says once: of passes, the exact McNemar test."""
    wins, losses = trials.wins, trials.losses
    p_value = np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses), wins + losses, 0.5))
    return _signed(wins - losses, p_value <= LEVEL)


def _signed(difference: NDArray[np.int64] | NDArray[np.float64], significant: Passes) -> Calls:
    return np.where(significant, np.sign(difference), 0).astype(np.int64)


RULES = {
    "exact_at_the_end": Rule("the fixed design: exact sign-flip test, once", exact_at_the_end),
    "pooled_resampling": Rule("pooled pairs: sign flips and bootstrap interval", pooled_resampling),
    "pooled_fisher": Rule("Fisher's exact test on pooled trials", pooled_fisher),
    "task_means_t": Rule("paired t on the tasks' means", task_means_t),
    "point_threshold": Rule("drop beyond the margin, or any rise", point_threshold),
    "any_change": Rule("any drop, or any rise", any_change),
}
