"""On recorded trials every number of a report is the one that scipy, or a count of all possibilities, gives."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binomtest, permutation_test, ttest_1samp

from fakes import skill_plan, task
from skilldelta.compare.decision import decide
from skilldelta.compare.pairs import pairs_of
from skilldelta.domain.comparison import Decision
from skilldelta.domain.design import Design, Goal, Metric
from skilldelta.domain.judged import JudgedTrial, TaskRound
from skilldelta.domain.measured import Measured
from skilldelta.domain.plan import Gate, Plan
from skilldelta.domain.report import SkillReport
from skilldelta.domain.trial import Arm, TrialStatus
from skilldelta.report.build import Told, build_report
from skilldelta.statistics.sign_flip import sign_flip_p_value

FOLDER = Path(__file__).parents[2] / "recorded"
Differences = NDArray[np.float64]
FIXED = Design(rounds=6, sequential=False)
LOOKED_AT = Design(rounds=6, goal=Goal.IMPROVE, futility=0.0)


class Recorded(NamedTuple):
    """A set as our report shows it, and its plain numbers."""

    report: SkillReport
    decision: Decision
    differences: Differences
    """Rounds × tasks, candidate − baseline in [−1, 1]; NaN where a trial was lost."""


def recorded(name: str, design: Design) -> Recorded:
    """Decide a recorded set by a design and make its report."""
    held = json.loads((FOLDER / f"{name}.json").read_text())
    design = design.model_copy(update={"metric": Metric.PASS if name == "passes" else Metric.SCORE})
    plan = skill_plan(*(task(f"task-{n}") for n in range(12)), metric=design.metric, design=design)
    rounds = tuple(
        tuple(_value(arm, f"task-{n}", number, held[arm.value][number - 1][n]) for n in range(12) for arm in plan.arms)
        for number in range(1, 7)
    )
    pairs = tuple(pairs_of(values, Arm.BASELINE) for values in rounds)
    decision = decide(pairs, design)
    done = decision.looks[-1].rounds
    one = Measured(plan=plan, rounds=rounds[:done], pairs=pairs[:done], decision=decision, gate=Gate.WARN)
    told = Told(run_id="r", started_at="2026-01-02T03:04:05Z")
    whole = Plan(
        tool_version="0", base_ref="a", head_ref="b", base_commit="a" * 40, baseline_commit="a" * 40,
        candidate_commit="b" * 40, config_from="base", skills=(plan,), identity="1" * 64,
    )  # fmt: skip
    (report,) = build_report(
        whole, [one], told, gate=Gate.WARN, exit_code=0, finished_at=told.started_at, reached=None
    ).skills
    arms = [np.array(held[arm][:done], dtype=np.float64) / 100 for arm in ("candidate", "baseline")]
    return Recorded(report, decision, arms[0] - arms[1])


def _value(arm: Arm, name: str, number: int, value: int | None) -> TaskRound:
    status = TrialStatus.FAILED if value is None else TrialStatus.ANSWERED
    trial = JudgedTrial(task_id=name, arm=arm, round=number, attempt=1, status=status, value=value)
    return TaskRound(task_id=name, arm=arm, round=number, value=value, attempts=(trial,))


def observed(differences: Differences) -> Differences:
    """The differences that were observed, in one row."""
    return differences[~np.isnan(differences)]


SETS = pytest.mark.parametrize("name", ["passes", "scores"])
DESIGNS = pytest.mark.parametrize("design", [FIXED, LOOKED_AT], ids=["fixed", "looked at"])


@SETS
@DESIGNS
def test_centres_counts_and_sizes(name: str, design: Design) -> None:
    """Mean, median, wins, ties, losses, Cohen's dz per pair and of the task means, each to the last digit shown."""
    found = recorded(name, design)
    seen, shown = observed(found.differences), found.report.statistics
    means = np.nanmean(found.differences, axis=0)
    assert shown.mean_delta == round(float(seen.mean()), 4)
    assert shown.median_delta == round(float(np.median(seen)), 4)
    assert (shown.wins, shown.ties, shown.losses) == (
        int((seen > 0).sum()),
        int((seen == 0).sum()),
        int((seen < 0).sum()),
    )
    assert shown.cohens_dz == round(float(seen.mean() / seen.std(ddof=1)), 4)
    assert shown.task_dz == round(float(means.mean() / means.std(ddof=1)), 4)
    assert shown.pairs + shown.failed_pairs == found.differences.size


@SETS
@DESIGNS
def test_the_population_line_is_scipys_t_interval(name: str, design: Design) -> None:
    """`scipy.stats.ttest_1samp` of the twelve task means."""
    found = recorded(name, design)
    expected = ttest_1samp(np.nanmean(found.differences, axis=0), 0).confidence_interval(0.95)
    shown = found.report.statistics.population_interval
    assert shown is not None
    assert (shown.low, shown.high) == (round(float(expected.low), 4), round(float(expected.high), 4))


def test_a_fixed_design_has_the_exact_mcnemar_p_value() -> None:
    """Looked at once, the p-value is that of `scipy.stats.binomtest` on the pairs that differ."""
    found = recorded("passes", FIXED)
    seen = observed(found.differences)
    wins, losses = int((seen > 0).sum()), int((seen < 0).sum())
    assert found.report.statistics.p_value == float(f"{binomtest(wins, wins + losses).pvalue:.3g}")


def test_scores_have_the_permutation_p_value() -> None:
    """On the first ten differences, all 1,024 signings of `scipy.stats.permutation_test`."""
    seen = observed(recorded("scores", FIXED).differences)[:10]
    exact = permutation_test((seen,), np.sum, permutation_type="samples", n_resamples=9_999, vectorized=False)
    hundredths = np.rint(100 * seen).astype(int)
    signings = np.array(list(itertools.product((1, -1), repeat=10))) @ np.abs(hundredths)
    counted = float((np.abs(signings) >= abs(hundredths.sum())).mean())
    assert sign_flip_p_value([int(value) for value in hundredths]) == pytest.approx(counted, abs=1e-12)
    assert counted == pytest.approx(float(exact.pvalue), abs=1e-9)


@DESIGNS
def test_the_interval_of_passes_solves_tangos_equation(design: Design) -> None:
    """Both limits are roots of Tango's score equation at the look's critical value, by `scipy.optimize.brentq`."""
    found = recorded("passes", design)
    seen = observed(found.differences)
    wins, losses, pairs = int((seen > 0).sum()), int((seen < 0).sum()), seen.size
    c = found.decision.looks[-1].critical_value

    def score(delta: float) -> float:
        a, b, constant = 2 * pairs, -wins - losses + (2 * pairs - wins + losses) * delta, -losses * delta * (1 - delta)
        q = (math.sqrt(b * b - 4 * a * constant) - b) / (2 * a)
        return (wins - losses - pairs * delta) / math.sqrt(pairs * (2 * q + delta * (1 - delta)))

    middle = (wins - losses) / pairs
    low = brentq(lambda delta: score(delta) - c, -0.999, middle)
    high = brentq(lambda delta: score(delta) + c, middle, 0.999)
    shown = found.report.statistics.interval
    assert shown is not None
    assert (shown.low, shown.high) == (round(low, 4), round(high, 4))


@DESIGNS
def test_the_interval_of_scores_is_a_t_like_interval_with_two_more_pairs(design: Design) -> None:
    """All x with |Σ(d − x)| ≤ c·√Σ(d − x)² over the differences and +1 and −1, by `scipy.optimize.brentq`."""
    found = recorded("scores", design)
    c, d = found.decision.looks[-1].critical_value, np.append(observed(found.differences), (1.0, -1.0))

    def excess(x: float) -> float:
        return float(abs((d - x).sum()) - c * math.sqrt(((d - x) ** 2).sum()))

    low, high = brentq(excess, -1.0, d.mean()), brentq(excess, d.mean(), 1.0)
    shown = found.report.statistics.interval
    assert shown is not None
    assert (shown.low, shown.high) == (round(low, 4), round(high, 4))


def test_the_repeated_p_value_is_where_a_count_of_all_paths_first_crosses() -> None:
    """Every path of the sums is followed; just above the p-value the test crosses, just below it does not."""
    found = recorded("passes", LOOKED_AT)
    rows = [[int(value) for value in row[~np.isnan(row)] if value] for row in found.differences]
    p_value = found.decision.p_value
    assert p_value is not None
    assert not _crosses(rows, p_value * (1 - 1e-6))
    assert _crosses(rows, p_value * (1 + 1e-6))


def _crosses(rows: list[list[int]], alpha: float) -> bool:
    """Say whether the test that spends alpha·t^1.5 crosses, with the null distribution counted path by path."""
    paths, spent, total = {0: 1.0}, 0.0, 0
    for look, row in enumerate(rows, start=1):
        for _ in row:
            after: dict[int, float] = {}
            for place, chance in paths.items():
                for step in (1, -1):
                    after[place + step] = after.get(place + step, 0.0) + chance / 2
            paths = after
        total += sum(row)
        allowed = alpha * (look / 6) ** 1.5
        boundary = None
        for limit in sorted({abs(place) for place in paths}, reverse=True):
            tail = math.fsum(chance for place, chance in paths.items() if abs(place) >= limit)
            if spent + tail > allowed:
                break
            boundary, reached = limit, tail
        if boundary is not None:
            if abs(total) >= boundary:
                return True
            spent += reached
            paths = {place: chance for place, chance in paths.items() if abs(place) < boundary}
    return False
