"""Published figures that no other test of this folder holds: of methods beside ours, which then check ours.

The rest of the table of known answers stands with what it is about: Darwin's maize, Student's sleep and McNemar in
test_sign_flip.py and test_effects.py, Tango's interval in test_intervals.py, spending in test_spending.py, Fisher in
test_two_sample.py, kappa in test_agreement.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import boschloo_exact, false_discovery_control, multivariate_normal

import reference_methods as reference
from skilldelta.statistics.intervals import tango_interval
from skilldelta.statistics.sign_flip import sign_flip_p_value
from skilldelta.statistics.spending import critical_values_at

TABLES = [
    pytest.param((36, 12, 2, 0), (0.0569, 0.3404), id="Newcombe 1998, Stat Med 17:2635"),
    pytest.param((14, 5, 0, 22), (0.0115, 0.2265), id="Altman et al. 2000 table 6.2; R biostatUZH"),
    pytest.param(
        (1, 7, 1, 12), (0.0256, 0.5069), id="Bentur 2009, Fagerland, Lydersen and Laake ch. 8; R contingencytables"
    ),
]


@pytest.mark.parametrize(("table", "expected"), TABLES)
def test_newcombes_paired_interval(table: tuple[int, int, int, int], expected: tuple[float, float]) -> None:
    """Method 10 gives the published limits (both passed, first only, second only, neither)."""
    assert reference.newcombe_paired(*table) == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(("table", "expected"), TABLES)
def test_tango_is_near_newcombe(table: tuple[int, int, int, int], expected: tuple[float, float]) -> None:
    """Two intervals of different descent for one table differ by no more than .03."""
    _, wins, losses, _ = table
    found = tango_interval(wins=wins, losses=losses, pairs=sum(table), critical_value=reference.Z)
    assert found == pytest.approx(expected, abs=0.03)


def test_agresti_and_min() -> None:
    """R PropCIs `diffpropci.mp`, inputs b = 40, c = 20, n = 160: [.03090, .21602]; ours beside it."""
    found = reference.agresti_min(40, 20, 160)
    assert found == pytest.approx((0.03090, 0.21602), abs=6e-6)
    ours = tango_interval(wins=40, losses=20, pairs=160, critical_value=reference.Z)
    assert ours == pytest.approx(found, abs=0.003)


def test_approval_ratings() -> None:
    """Agresti, Categorical Data Analysis §10.1, 794/150/86/570: z² = 17.36, Wald's [.021, .059]; ours is near it."""
    wins, losses, pairs = 150, 86, 1600
    assert (wins - losses) ** 2 / (wins + losses) == pytest.approx(17.36, abs=0.005)
    difference = (wins - losses) / pairs
    half = reference.Z * math.sqrt(wins + losses - (wins - losses) ** 2 / pairs) / pairs
    assert (difference - half, difference + half) == pytest.approx((0.021, 0.059), abs=6e-4)
    ours = tango_interval(wins=wins, losses=losses, pairs=pairs, critical_value=reference.Z)
    assert ours == pytest.approx((difference - half, difference + half), abs=3e-4)


def test_mid_p_mcnemar() -> None:
    """Bentur 2009: exact .0703, mid-p .0391, which is less the observed table (Fagerland, Lydersen and Laake ch. 8)."""
    exact = sign_flip_p_value([1] * 7 + [-1])
    assert exact == pytest.approx(0.0703, abs=5e-5)
    assert exact - math.comb(8, 1) / 2**8 == pytest.approx(0.0391, abs=5e-5)


def test_normal_mixture() -> None:
    """confseq, test/uniform_boundaries_unittest.cpp: ρ 12.60056, log-mixture −.6510052, bound 30.35209."""
    rho = reference.best_rho(100, 0.05)
    assert rho == pytest.approx(12.60056, abs=5e-6)
    assert reference.log_normal_mixture(10, 100, rho) == pytest.approx(-0.6510052, abs=5e-8)
    assert reference.normal_mixture_bound(100, rho, 0.05) == pytest.approx(30.35209, abs=5e-6)


def test_a_known_horizon_is_cheaper_than_none() -> None:
    """At the planned end our critical value is well below what a bound for any time asks at the time it is best for."""
    anytime = reference.normal_mixture_bound(100, reference.best_rho(100, 0.05), 0.05) / 10
    looks = tuple(look / 20 for look in range(1, 21))
    ours = critical_values_at(looks, tuple(0.05 * t**1.5 for t in looks))[-1]
    assert ours < 2.4 < 3.0 < anytime


def test_bernoulli_confidence_sequence() -> None:
    """confseq, same file: 700 of 1,000, alpha .05, tightest at 100: [.651629, .745949].

    The study of the method had not reproduced it: r must be taken at each p's own variance, less that variance.
    """
    found = reference.bernoulli_sequence(700, 1000, alpha=0.05, best_at=100)
    assert found == pytest.approx((0.651629, 0.745949), abs=1.1e-6)


def test_questions_for_three_points() -> None:
    """Miller, arXiv 2411.00640 §5: 969 questions for δ = .03, ω² = 1/9 and a power of .8 (the figure is recalled)."""
    assert math.ceil(reference.questions_for(0.03, 1 / 9, power=0.8)) == 969


def test_benjamini_and_hochberg() -> None:
    """The 15 p-values of Benjamini and Hochberg 1995, as scipy documents `false_discovery_control`."""
    p_values = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1,
    ]  # fmt: skip
    expected = [
        0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.063857, 0.063857, 0.0645, 0.0765, 0.486, 0.581182, 0.714875,
        0.753231, 0.813214, 1,
    ]  # fmt: skip
    assert list(false_discovery_control(p_values)) == pytest.approx(expected, abs=5e-7)


def test_boschloo() -> None:
    """[[74, 31], [43, 32]], greater: statistic .0483, p .0356 (scipy `boschloo_exact` documentation)."""
    found = boschloo_exact(np.array([[74, 31], [43, 32]]), alternative="greater")
    assert (found.statistic, found.pvalue) == pytest.approx((0.0483, 0.0356), abs=6e-5)


@pytest.mark.parametrize(
    ("level", "expected"),
    [(reference.nominal, 0.743), (reference.ordinal, 0.815), (reference.interval, 0.849), (reference.ratio, 0.797)],
)
def test_krippendorffs_alpha(level: object, expected: float) -> None:
    """Krippendorff's four raters and twelve units (“C” data; R irr::kripp.alpha)."""
    nothing = None
    ratings = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nothing, nothing, nothing],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nothing, 3],
        [nothing, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nothing],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nothing],
    ]
    assert reference.krippendorff(ratings, level) == pytest.approx(expected, abs=5e-4)  # type: ignore[arg-type]  # a table of functions


def test_prediction_powered_mean() -> None:
    """With λ = 1: mean(f unlabelled) + mean(y − f), SE² = var(f unlabelled)/N + var(y − f)/n (ppi_py.ppi_mean_ci)."""
    generator = np.random.default_rng(3)
    labels = generator.integers(-1, 2, 50).astype(float)
    predicted = np.clip(labels + generator.integers(-1, 2, 50), -1, 1)
    unlabelled = generator.integers(-1, 2, 200).astype(float)
    mean, error, weight = reference.prediction_powered(list(labels), list(predicted), list(unlabelled), weight=1.0)
    assert weight == 1
    assert mean == pytest.approx(unlabelled.mean() + (labels - predicted).mean(), abs=1e-12)
    variance = unlabelled.var(ddof=1) / 200 + (labels - predicted).var(ddof=1) / 50
    assert error == pytest.approx(math.sqrt(variance), abs=1e-12)
    _, tuned, between = reference.prediction_powered(list(labels), list(predicted), list(unlabelled))
    assert 0 <= between <= 1
    assert tuned <= max(error, math.sqrt(labels.var(ddof=1) / 50)) + 1e-3


@pytest.mark.parametrize("fractions", [(0.5, 1.0), (0.2, 1.0), (0.3, 0.6, 1.0)])
def test_critical_values_by_another_integration(fractions: tuple[float, ...]) -> None:
    """The chance to stay within them at all looks is 1 − alpha, by scipy's multivariate normal distribution."""
    values = critical_values_at(fractions, tuple(0.05 * t**1.5 for t in fractions))
    times = np.array(fractions)
    correlation = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
    limits = np.array(values)
    inside = multivariate_normal.cdf(
        limits, cov=correlation, lower_limit=-limits, abseps=1e-8, releps=1e-8, maxpts=2_000_000
    )
    assert 1 - inside == pytest.approx(0.05, abs=2e-5)
