"""Simulated suites with an exactly known mean effect, for tests and benchmarks of the sequential procedure."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit, ndtr

from skilldelta.domain.comparison import Pair

Rates = NDArray[np.float64]
Passes = NDArray[np.bool_]
Scores = NDArray[np.int64]

_MISSING = -1


class Scenario(NamedTuple):
    """How tasks vary: concentration κ of the pass rates, correlation ρ of a task's rates in the two arms."""

    concentration: float
    correlation: float


SCENARIOS = {
    "main": Scenario(4, 0.9),
    "sharp": Scenario(4, 1.0),
    "het": Scenario(4, 0.5),
    "U": Scenario(1, 0.9),
}


def suites(
    generator: np.random.Generator, scenario: Scenario, *, count: int, tasks: int, effect: float
) -> tuple[Rates, Rates]:
    """Return pass rates of the baseline and of the candidate, each of shape (count, tasks).

    In every suite the mean of candidate − baseline is `effect` exactly; with correlation 1 and effect 0 the
    arms have equal rates on every task.
    """
    baseline, candidate = _drawn(generator, scenario, count, tasks, effect)
    while (unfit := _unfit(baseline, effect)).any():
        again = _drawn(generator, scenario, int(unfit.sum()), tasks, effect)
        baseline[unfit], candidate[unfit] = again
    if scenario.correlation == 1 and effect == 0:
        return baseline, baseline.copy()
    return baseline, _shifted(candidate, baseline.mean(axis=1) + effect)


def rounds(generator: np.random.Generator, rates: Rates, *, count: int) -> Passes:
    """Return independent passes of each task, of shape (suites, count, tasks)."""
    suites_drawn, tasks = rates.shape
    return generator.random((suites_drawn, count, tasks)) < rates[:, None, :]


def scores(generator: np.random.Generator, rates: Rates, *, count: int) -> Scores:
    """Return independent scores of each task in hundredths, of shape (suites, count, tasks), with the rates as means.

    They are on a grid of .05, and as noisy as a rubric's: beta-binomial, of 20 steps and concentration 4.
    """
    suites_drawn, tasks = rates.shape
    means = np.clip(rates, 1e-9, 1 - 1e-9)[:, None, :]
    quality = generator.beta(4 * means, 4 * (1 - means), (suites_drawn, count, tasks))
    return 5 * generator.binomial(20, quality)


def pairs(candidate: Passes | Scores, baseline: Passes | Scores, missing: Passes) -> list[list[Pair]]:
    """Return one run's rounds as judged pairs, from arrays of shape (rounds, tasks); a missing pair has failed."""
    new = np.where(missing, _MISSING, _hundredths(candidate)).tolist()
    old = _hundredths(baseline).tolist()
    return [
        [_pair(task, number, *values) for task, values in enumerate(zip(*row, strict=True))]
        for number, row in enumerate(zip(new, old, strict=True), start=1)
    ]


def _hundredths(values: Passes | Scores) -> Scores:
    return values.astype(np.int64) * (100 if values.dtype == np.bool_ else 1)


@lru_cache(maxsize=1 << 16)
def _pair(task: int, number: int, candidate: int, baseline: int) -> Pair:
    """Return one pair; pairs are frozen, so simulated runs share the few that there can be."""
    value = None if candidate == _MISSING else candidate
    return Pair(task_id=f"task-{task}", round=number, candidate=value, baseline=baseline)


def _drawn(
    generator: np.random.Generator, scenario: Scenario, count: int, tasks: int, effect: float
) -> tuple[Rates, Rates]:
    shared, own = generator.standard_normal((2, count, tasks))
    rho = scenario.correlation
    other = rho * shared + np.sqrt(1 - rho**2) * own
    return (
        _quantile(scenario.concentration, 0.5 - effect / 2, ndtr(shared)),
        _quantile(scenario.concentration, 0.5 + effect / 2, ndtr(other)),
    )


def _quantile(concentration: float, mean: float, probability: Rates) -> Rates:
    quantile = betaincinv(mean * concentration, (1 - mean) * concentration, probability)
    return np.asarray(quantile, dtype=np.float64)


def _unfit(baseline: Rates, effect: float) -> Passes:
    """Say in which suites the candidate's mean would have to be so extreme that no shift of the logits is sane."""
    target = baseline.mean(axis=1) + effect
    return np.asarray((target < 0.02) | (target > 0.98))


def _shifted(rates: Rates, target: Rates) -> Rates:
    """Return the rates with one constant added to each suite's logits, so that the suite's mean is its target."""
    logits = logit(np.clip(rates, 1e-12, 1 - 1e-12))
    low, high = np.full(len(rates), -60.0), np.full(len(rates), 60.0)
    for _ in range(60):
        middle = (low + high) / 2
        below = expit(logits + middle[:, None]).mean(axis=1) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(expit(logits + low[:, None]))
