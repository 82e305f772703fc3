"""What an exact answer costs beside a simulated one: `make bench NAME=exact_test`.

CPU time of the exact sign-flip test, beside `scipy.stats.permutation_test` (9,999 resamples) and a plain numpy Monte
Carlo of 10,000 sign flips on the same differences, and of whole sequential decisions that never stop early. Medians;
a ratio is of measurements that follow each other. The exact test takes a fraction of a millisecond, so that a block of
tests is measured at once, each on data of its own: no cache holds an answer. The last line is one JSON object.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from statistics import median
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test

from skilldelta.compare.decision import decide
from skilldelta.domain.comparison import Pair
from skilldelta.domain.design import Design, Goal, Metric
from skilldelta.statistics.sign_flip import sign_flip_p_value

REPEATS = 9
RESAMPLES = 9999
FLIPS = 10_000
BLOCK = 40
"""Exact tests that are measured at once; of the simulations the first of the block's data are tested."""
ROUNDS = 20

Differences = NDArray[np.float64]
Judged = list[list[Pair]]
P = ParamSpec("P")
T = TypeVar("T")


def main() -> None:
    """Measure, print a line for each figure, then all of it as JSON."""
    generator = np.random.default_rng(1)
    figures: dict[str, float] = {}
    for pairs, name in ((200, ""), (50, "_50_pairs"), (1000, "_1000_pairs")):
        figures |= beside(generator, Metric.PASS, pairs, name)
    figures |= beside(generator, Metric.SCORE, 200, "_200_scores")
    figures |= decisions(generator)
    for name, figure in figures.items():
        print(f"{name:36} {figure:10.4g}")
    met = {
        "vs_scipy_permutation": figures["vs_scipy_permutation"] >= 100,
        "vs_monte_carlo": figures["vs_monte_carlo"] >= 100,
        "decision_400_pairs_ms": figures["decision_400_pairs_ms"] < 10,
        "decision_400_pairs_new_design_ms": figures["decision_400_pairs_new_design_ms"] < 10,
        "thousand_tasks_s": figures["thousand_tasks_s"] < 1,
    }
    print(json.dumps({**{name: float(f"{value:.4g}") for name, value in figures.items()}, "aims_met": met}))


def beside(generator: np.random.Generator, metric: Metric, pairs: int, name: str) -> dict[str, float]:
    """Return our CPU milliseconds for one p-value, and how many times as many the two simulations take."""
    ours: list[float] = []
    ratios: dict[str, list[float]] = {"scipy_permutation": [], "monte_carlo": []}
    for _ in range(REPEATS):
        candidate, baseline = values(generator, metric, (BLOCK, pairs))
        block = (candidate - baseline) / 100
        (exact, *_), seconds = timed(each_exact, block.tolist())
        ours.append(seconds / BLOCK)
        differences = block[0]
        for other, function in (("scipy_permutation", scipy_permutation), ("monte_carlo", monte_carlo)):
            found, seconds = timed(function, differences, generator)
            ratios[other].append(seconds / ours[-1])
            assert abs(found - exact) < 6 * math.sqrt(exact / RESAMPLES) + 2 / RESAMPLES, (found, exact)
    return {
        f"exact{name}_ms": 1000 * median(ours),
        **{f"vs_{other}{name}": median(found) for other, found in ratios.items()},
    }


def each_exact(block: list[list[float]]) -> list[float]:
    """Return the exact p-value of every data set."""
    return [sign_flip_p_value(differences) for differences in block]


def values(generator: np.random.Generator, metric: Metric, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return values of both arms, in hundredths, without any difference between the arms; 42% of passes differ."""
    if metric is Metric.SCORE:
        return generator.integers(0, 101, (2, *shape))
    rate = generator.choice([0.3, 0.7], shape)
    return 100 * (generator.random((2, *shape)) < rate).astype(np.int64)


def scipy_permutation(differences: Differences, generator: np.random.Generator) -> float:
    """Return scipy's p-value, with its statistic in the vectorised form, which is the fast one."""
    found = permutation_test(
        (differences,), np.sum, permutation_type="samples", vectorized=True, n_resamples=RESAMPLES, rng=generator
    )
    return float(found.pvalue)


def monte_carlo(differences: Differences, generator: np.random.Generator) -> float:
    """Return the p-value from random signs, all in one array.

    No product of a BLAS, whose threads would spin on into what is measured next.
    """
    signs = generator.choice([-1.0, 1.0], (FLIPS, differences.size))
    sums = np.einsum("ij,j->i", signs, differences)
    extreme = np.abs(sums) >= abs(differences.sum()) - 1e-9
    return float((extreme.sum() + 1) / (FLIPS + 1))


def decisions(generator: np.random.Generator) -> dict[str, float]:
    """Return the CPU time of decisions over 20 looks, p-value included."""
    first = [decision_seconds(generator, Metric.PASS, 20, number) for number in range(REPEATS)]
    further = [decision_seconds(generator, Metric.PASS, 20) for _ in range(REPEATS)]
    further_scores = [decision_seconds(generator, Metric.SCORE, 20) for _ in range(REPEATS)]
    passes = [decision_seconds(generator, Metric.PASS, 1000, number) for number in range(3)]
    scores = [decision_seconds(generator, Metric.SCORE, 1000, number) for number in range(3)]
    return {
        "decision_400_pairs_ms": 1000 * median(further),
        "decision_400_pairs_new_design_ms": 1000 * median(first),
        "decision_400_scores_ms": 1000 * median(further_scores),
        "thousand_tasks_s": max(median(passes), median(scores)),
        "thousand_tasks_pass_s": median(passes),
        "thousand_tasks_score_s": median(scores),
    }


def decision_seconds(generator: np.random.Generator, metric: Metric, tasks: int, number: int | None = None) -> float:
    """Return the CPU seconds of one decision that looks 20 times; with a number, of a design not decided on before."""
    alpha = 0.05 if number is None else 0.049 + number / 10_000 + tasks / 10**8
    design = Design(goal=Goal.IMPROVE, metric=metric, rounds=ROUNDS, futility=0, alpha=alpha)
    while True:
        judged = rounds(generator, metric, tasks)
        decision, seconds = timed(decide, judged, design)
        if len(decision.looks) == ROUNDS:
            return seconds


def rounds(generator: np.random.Generator, metric: Metric, tasks: int) -> Judged:
    """Return all rounds of a run in which nothing has changed."""
    candidate, baseline = values(generator, metric, (ROUNDS, tasks)).tolist()
    return [
        [
            Pair(task_id=f"task-{task}", round=number, candidate=new, baseline=old)
            for task, (new, old) in enumerate(zip(*arms, strict=True))
        ]
        for number, arms in enumerate(zip(candidate, baseline, strict=True), start=1)
    ]


def timed(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> tuple[T, float]:
    """Return what the work returns, and the CPU seconds it took, those of other threads included."""
    started = time.process_time()
    found = work(*given, **named)
    return found, time.process_time() - started


if __name__ == "__main__":
    main()
