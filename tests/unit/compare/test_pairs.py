"""Judged attempts become pairs, and answers from a cache are seen to be copies."""

from __future__ import annotations

import pytest

from skilldelta.compare.pairs import Seen, pairs_of
from skilldelta.domain.judged import JudgedTrial, TaskRound
from skilldelta.domain.trial import Arm, TrialStatus


def value(arm: Arm, number: int, answer: str, *, cached: bool = False, attempts: int = 1) -> TaskRound:
    """One arm at one task in one round; all attempts but the last have answers of their own."""
    trials = tuple(
        JudgedTrial(
            task_id="a", arm=arm, round=number, attempt=attempt, status=TrialStatus.ANSWERED, value=100,
            answer_digest=answer if attempt == attempts else f"{number}-{attempt}", server_cached=cached,
        )
        for attempt in range(1, attempts + 1)
    )  # fmt: skip
    return TaskRound(task_id="a", arm=arm, round=number, value=100, attempts=trials)


def copied(*rounds: tuple[tuple[str, bool], tuple[str, bool]], attempts: int = 1) -> list[bool]:
    """Which rounds are copies; a round is (answer, cached) of the candidate and of the baseline."""
    seen: Seen = {}
    found = []
    for number, (candidate, baseline) in enumerate(rounds, start=1):
        values = [
            value(arm, number, answer, cached=cached, attempts=attempts)
            for arm, (answer, cached) in ((Arm.CANDIDATE, candidate), (Arm.BASELINE, baseline))
        ]
        (pair,) = pairs_of(values, Arm.BASELINE, seen)
        found.append(pair.copied)
    return found


NEW, SAME, CACHED = ("x", False), ("x", False), ("x", True)


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_cached_answer_of_an_earlier_round_makes_a_copy(attempts: int) -> None:
    """One arm is enough: the pair is not an independent one."""
    assert copied((NEW, NEW), (CACHED, ("y", False)), (("y", False), CACHED), attempts=attempts) == [False, True, True]


def test_equal_text_that_no_cache_gave_is_no_copy() -> None:
    """Short answers repeat: that is a warning and not a copy."""
    assert copied((NEW, NEW), (SAME, SAME)) == [False, False]


def test_a_cached_answer_that_is_new_is_an_observation() -> None:
    """The first time that this run sees it, it counts; also where the round before failed."""
    assert copied((CACHED, CACHED), (("y", True), ("z", True)), (("z", True), ("y", True))) == [False, False, False]


def test_arms_do_not_copy_each_other() -> None:
    """The other arm's answer of an earlier round is no copy of this one's."""
    assert copied((("x", False), ("y", False)), (("y", True), ("x", True))) == [False, False]


def test_one_copy_makes_its_round_one() -> None:
    """Leaving out single pairs would weigh the tasks by what a cache holds, so the whole round goes."""
    seen: Seen = {}
    both = (Arm.CANDIDATE, Arm.BASELINE)

    def of_task(name: str, number: int, answer: str, *, cached: bool) -> list[TaskRound]:
        return [value(arm, number, answer, cached=cached).model_copy(update={"task_id": name}) for arm in both]

    first = [*of_task("a", 1, "x", cached=False), *of_task("b", 1, "y", cached=False)]
    assert [pair.copied for pair in pairs_of(first, Arm.BASELINE, seen)] == [False, False]
    second = [*of_task("a", 2, "x", cached=True), *of_task("b", 2, "new", cached=False)]
    assert [pair.copied for pair in pairs_of(second, Arm.BASELINE, seen)] == [True, True]
