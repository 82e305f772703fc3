"""Passages that two texts have in common."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.reading.quotes import Words, answers_quoting

SKILL = "Write the release notes in two parts: first what breaks, then what is new and what was mended."


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (
            "please write the RELEASE notes, in two parts — first what else",
            "write the RELEASE notes, in two parts — first what",
        ),
        ("write the release notes in three parts", None),
        ("", None),
        ("what is new and what was mended", "what is new and what was mended"),
    ],
)
def test_the_longest_passage_word_for_word(target: str, expected: str | None) -> None:
    """Case, punctuation and line ends do not count; fewer words in a row than asked for are no passage."""
    assert Words(target).passage_from(Words(SKILL), 7) == expected


def test_scripts_without_spaces() -> None:
    """Where nothing stands between words each letter is one."""
    skill = Words("リリースノートは二つの部分に分けて書きます。")
    assert Words("必ず二つの部分に分けて書くこと").passage_from(skill, 8) == "二つの部分に分けて書"
    assert Words("別の話です").passage_from(skill, 3) is None


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_a_passage_is_found_exactly_where_there_is_one(source: list[str], target: list[str]) -> None:
    """Against a search of all places."""
    runs = {tuple(source[start : start + 4]) for start in range(len(source) - 3)}
    there = any(tuple(target[start : start + 4]) in runs for start in range(len(target) - 3))
    found = Words(" ".join(target)).passage_from(Words(" ".join(source)), 4)
    assert (found is not None) == there


def test_answers_that_quote_the_skill() -> None:
    """Twelve words in a row count, unless the prompt says them itself."""
    twelve = "first what breaks, then what is new and what was mended"
    quoting = f"Sure: in two parts: {twelve}."
    answers = [("Go.", quoting), ("Go.", "Here you are."), (quoting, quoting), ("Go.", twelve)]
    assert answers_quoting([SKILL], answers) == 1
    assert answers_quoting([], answers) == 0


def test_a_megabyte_takes_linear_time() -> None:
    """A text of one word only, a hundred thousand times, is no trap."""
    started = time.process_time()
    huge = Words("word " * 200_000)
    assert huge.passage_from(Words("word " * 200_000), 8) is not None
    assert time.process_time() - started < 10
