"""What trials of one skill say of its suite."""

from __future__ import annotations

import doctest
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.report import health as module
from skilldelta.report.health import TaskHealth, findings, suite_discordance, task_health


def arms(letters: str) -> list[list[int | None]]:
    """Two arms from letters: + passed, - failed, ? lost; the arms take turns."""
    values = {"+": 100, "-": 0, "?": None}
    return [[values[letter] for letter in letters[start::2]] for start in (0, 1)]


def health(name: str, letters: str) -> TaskHealth:
    """One task's health."""
    return task_health(name, arms(letters))


def test_worked_examples() -> None:
    """The module's worked example gives what it says."""
    results = doctest.testmod(module)
    assert (results.attempted, results.failed) == (1, 0)


@pytest.mark.parametrize(
    ("letters", "kind", "trials"),
    [
        ("++++++++", "saturated", 8),
        ("--------", "impossible", 8),
        ("+-+-++--", "flaky", 8),
        ("+++++++++-", "steady", 10),
        ("++++++++--", "flaky", 10),
        ("+++?", "unknown", 3),
        ("????????", "unknown", 0),
        ("++??++", "saturated", 4),
    ],
)
def test_kinds(letters: str, kind: str, trials: int) -> None:
    """Lost trials do not count; with fewer than four nothing is said."""
    assert (health("a", letters).kind, health("a", letters).trials) == (kind, trials)


def test_discordance_is_the_chance_that_two_trials_differ() -> None:
    """For passes 2p(1 − p)n/(n − 1), whatever arm and round they are in, within its interval."""
    one = health("a", "+-+-+++-")
    assert one.discordance == pytest.approx(2 * 5 / 8 * 3 / 8 * 8 / 7)
    assert one.discordance_interval == pytest.approx((0.27, 0.5714), abs=1e-3)
    assert health("a", "++++").discordance_interval == pytest.approx((0.0, 0.6666), abs=1e-3)
    assert health("a", "????").discordance_interval is None
    assert task_health("a", [[80, 82], [81, 83]]).discordance_interval is None
    assert health("a", "+???").discordance is None


def test_scores_have_the_expected_squared_difference() -> None:
    """Scores near each other differ little, however often they do."""
    assert task_health("a", [[80, 82], [81, 83]]).discordance == pytest.approx(2 * 0.000166667, rel=1e-4)
    assert task_health("a", [[80, 82], [81, 83]]).kind == "steady"


def test_the_suites_discordance_is_the_mean() -> None:
    """Of the tasks of which it is known."""
    tasks = [health("a", "+-+-"), health("b", "++++"), health("c", "????")]
    assert suite_discordance(tasks) == pytest.approx((2 / 3 + 0) / 2)
    assert suite_discordance([health("c", "????")]) is None


def test_findings_name_the_tasks_and_what_to_do() -> None:
    """Each finding is one sentence; of many tasks some are named."""
    tasks = [*(health(f"s{n}", "++++") for n in range(10)), health("i", "----"), health("f", "+-+-")]
    said = findings(tasks, leaks=["the skill quotes x"], quoting_answers=3, answers=9, judge_agreement_low=True)
    assert [line.split(":")[0].split(",")[0] for line in said] == [
        "saturated", "never passed by any trial", "flaky", "the skill quotes x",
        "3 of 9 answers quote twelve words in a row of the skill", "the judging model often disagrees with itself",
    ]  # fmt: skip
    assert "10 of 12 tasks: s0, s1, s2, s3, s4, s5, s6, s7 and 2 more" in said[0]
    assert findings([health("a", "+++++++++-")]) == ()


def test_suites_that_show_nothing() -> None:
    """All saturated, or all impossible: that is said of the suite and not of each task."""
    assert "cannot fail" in findings([health("a", "++++"), health("b", "++++")])[0]
    assert "no trial of any task reached anything" in findings([health("a", "----"), health("b", "----")])[0]
    assert findings([]) == ()
    assert findings([health("a", "+-??")]) == (
        "fewer than 4 trials have a value, so nothing is said of: a; run more rounds",
    )


@pytest.mark.parametrize("values", [[], [[]], [[100, 0, 100, 0]], [[100, 0, 100], [0]], [[100, 0, None, 0], []]])
def test_one_arm_and_rounds_that_are_not_finished(values: list[list[int | None]]) -> None:
    """What there is counts; a trial without its other arm is in no pair."""
    one = task_health("a", values)
    assert one.trials == sum(value is not None for arm in values for value in arm)
    assert (one.discordance_interval is not None) == (one.trials > 1)


VALUES = st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=12)


@given(VALUES, VALUES)
def test_nothing_depends_on_which_arm_is_which(one: list[int | None], other: list[int | None]) -> None:
    """Both arms are the same skill; every share stays a share."""
    health, mirrored = task_health("a", [one, other]), task_health("a", [other, one])
    assert (health.kind, health.trials, health.discordance_interval) == (
        mirrored.kind,
        mirrored.trials,
        mirrored.discordance_interval,
    )
    for share in (health.mean, health.lowest, health.highest):
        assert (share is None) == (health.trials == 0)
        assert share is None or 0 <= share <= 1
    assert suite_discordance([health]) is None or 0 <= (suite_discordance([health]) or 0) <= 1
    assert (health.kind == "unknown") == (health.trials < 4)


@given(st.lists(st.sampled_from([0, 100]), min_size=2, max_size=40))
def test_the_interval_holds_the_discordance(values: list[int | None]) -> None:
    """However many trials there are, and whatever they ended with."""
    one = task_health("a", [values])
    assert one.discordance_interval is not None
    assert one.discordance is not None
    low, high = one.discordance_interval
    assert low - 1e-12 <= one.discordance <= high + 1e-12


@pytest.mark.parametrize(("trials", "least", "mean"), [(8, 0.81, 0.96), (20, 0.90, 0.96), (40, 0.92, 0.96)])
def test_the_interval_covers_about_what_it_says(trials: int, least: float, mean: float) -> None:
    """Exactly, over pass rates from 0 to 1: about .96 on average, and less where a task nearly always ends alike."""
    covered = []
    for step in range(201):
        rate = step / 200
        held = 0.0
        for passed in range(trials + 1):
            interval = task_health("a", [[100] * passed + [0] * (trials - passed)]).discordance_interval
            assert interval is not None
            if interval[0] - 1e-12 <= 2 * rate * (1 - rate) <= interval[1] + 1e-12:
                held += math.comb(trials, passed) * rate**passed * (1 - rate) ** (trials - passed)
        covered.append(held)
    assert min(covered) >= least
    assert sum(covered) / len(covered) == pytest.approx(mean, abs=0.01)
