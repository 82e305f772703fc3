"""What a design can detect: exact power of the sign test over paired passes and failures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, bdtrik, gammaln, xlogy

DISCORDANCE = 0.42
"""Probability that the arms differ in one pair, for a suite of which nothing is known."""


def exact_power(*, pairs: int, effect: float, discordance: float = DISCORDANCE, alpha: float = 0.05) -> float:
    """Return the power of the exact two-sided sign (McNemar) test at a mean paired difference of `effect`.

    Σ_m Bin(m; pairs, q)·P(the test of m differing pairs rejects | wins ~ Bin(m, (1 + effect/q)/2)), where q
    is `discordance`, or |effect| where that is larger, as no fewer pairs can differ. `pairs` counts
    tasks × rounds. Miettinen, Biometrics 24 (1968) 339, summed without approximation.

    >>> round(exact_power(pairs=100, effect=0.2), 3)
    0.86
    """
    share = max(discordance, abs(effect))
    if pairs < 1 or share == 0:
        return 0.0
    differing = np.arange(pairs + 1)
    losses_allowed = _losses_allowed(pairs, alpha)
    win_rate = (1 + effect / share) / 2
    rejects = np.zeros(pairs + 1)
    able = losses_allowed >= 0
    count, allowed = differing[able], losses_allowed[able]
    rejects[able] = bdtrc(count - allowed - 1, count, win_rate) + bdtr(allowed, count, win_rate)
    return min(1.0, float(_binomial(pairs, share) @ rejects))


def reachable_power(*, tasks: int, rounds: int, discordance: float = DISCORDANCE, alpha: float = 0.05) -> float:
    """Return the power at the largest effect the discordance allows: all differing pairs favour one arm.

    >>> round(reachable_power(tasks=5, rounds=3), 3)
    0.657
    """
    return exact_power(pairs=tasks * rounds, effect=discordance, discordance=discordance, alpha=alpha)


def rounds_for_power(
    *,
    tasks: int,
    effect: float,
    discordance: float = DISCORDANCE,
    alpha: float = 0.05,
    power: float = 0.9,
    at_most: int = 20,
) -> int | None:
    """Return the fewest rounds with at least `power` at `effect`, None when `at_most` do not suffice.

    >>> rounds_for_power(tasks=10, effect=0.2), rounds_for_power(tasks=20, effect=0.15)
    (12, 11)
    """
    for rounds in range(1, at_most + 1):
        if exact_power(pairs=tasks * rounds, effect=effect, discordance=discordance, alpha=alpha) >= power:
            return rounds
    return None


def smallest_detectable(
    *,
    tasks: int,
    rounds: int,
    discordance: float = DISCORDANCE,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float | None:
    """Return the smallest mean paired difference that is found with probability `power`, None when none is.

    Solved by bisection over `exact_power` between 0 and `discordance`.

    >>> round(smallest_detectable(tasks=10, rounds=5), 2)
    0.26
    >>> smallest_detectable(tasks=5, rounds=3, discordance=0.15) is None
    True
    """

    def reached(effect: float) -> bool:
        pairs = tasks * rounds
        return exact_power(pairs=pairs, effect=effect, discordance=discordance, alpha=alpha) >= power

    low, high = 0.0, discordance
    if not reached(high):
        return None
    while high - low > 1e-6:
        effect = (low + high) / 2
        low, high = (low, effect) if reached(effect) else (effect, high)
    return high


@lru_cache(maxsize=128)
def _losses_allowed(pairs: int, alpha: float) -> NDArray[np.int64]:
    """Return the most losses with which 0…`pairs` differing pairs still reject, −1 where they cannot."""
    differing = np.arange(pairs + 1)
    allowed = np.full(pairs + 1, -1, dtype=np.int64)
    able = 0.5 ** differing.astype(float) <= alpha / 2
    count = differing[able]
    # The continuous inverse may be off by rounding at an integer, so the test itself settles the number.
    guess = np.floor(bdtrik(alpha / 2, count, 0.5)).astype(np.int64)
    for offset in (-1, 0, 1):
        candidate = np.clip(guess + offset, 0, count)
        allowed[able] = np.where(bdtr(candidate, count, 0.5) <= alpha / 2, candidate, allowed[able])
    return allowed


def _binomial(trials: int, rate: float) -> NDArray[np.float64]:
    successes = np.arange(trials + 1)
    ways = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
    chances: NDArray[np.float64] = np.exp(ways + xlogy(successes, rate) + xlogy(trials - successes, 1 - rate))
    return chances
