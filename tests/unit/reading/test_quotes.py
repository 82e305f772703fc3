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


@given(st.lists(st.sampled_from("abc"), max_size=40), st.lists(st.sampled_from("abc"), max_size=40))
def test_a_passage_stands_in_both_as_a_whole(source: list[str], target: list[str]) -> None:
    """Runs that are neighbours here and apart there are not put together."""
    found = Words(" ".join(target)).passage_from(Words(" ".join(source)), 3)
    if found is not None:
        assert len(found.split()) >= 3
        assert found in " ".join(source)
        assert found in " ".join(target)


def test_what_stands_beside_it_as_well_is_left_out() -> None:
    """What is left is what only the source has."""
    target, source, old = Words("a b c d e f g h"), Words("a b c d e f g h"), Words("a b c d x")
    assert target.passage_from(source, 3, beside=old) == "c d e f g h"
    assert target.passage_from(source, 3, beside=source) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("re\u0301sume\u0301", "résumé"),
        ("wri\u200bte", "write"),
        ("hy\u00adphen", "hyphen"),
        ("ＦＵＬＬ", "full"),
        ("STRASSE", "straße"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_a_word_is_the_same_however_it_is_spelt(one: str, other: str) -> None:
    """Composed or not, with signs that nobody sees, wide or narrow: it stays one word."""
    assert len(Words(one)) == len(Words(other)) == 1
    assert Words(f"one two {one}").passage_from(Words(f"one two {other}"), 3) == f"one two {one}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b", 8),
        ("", 8),
        ("Привет мир", 8),
        ("हिन्दी में", 8),
        ("リリースノートを書く", 20),
        ("报告必须简短", 20),
        ("กรุณาเขียน", 40),
        ("Use 報告 as the file name of it", 8),
    ],
)
def test_eight_words_are_more_letters_where_each_is_one(text: str, words: int) -> None:
    """One term of eight letters is no quotation."""
    assert Words(text).in_a_row(8) == words


def test_answers_that_quote_the_skill() -> None:
    """Twelve words in a row count, unless the prompt says them itself."""
    twelve = "first what breaks, then what is new and what was mended"
    quoting = f"Sure: in two parts: {twelve}."
    answers = [("Go.", quoting), ("Go.", "Here you are."), (quoting, quoting), ("Go.", twelve)]
    assert answers_quoting([SKILL], answers) == 1
    assert answers_quoting([], answers) == 0


def test_many_answers_to_a_large_skill() -> None:
    """Each costs what its own length does, and not the skill's."""
    skill = "".join(f"word{n} " for n in range(100_000))
    answers = [(f"prompt {n % 50}", "nothing of it stands here " * 5) for n in range(5_000)]
    started = time.process_time()
    assert answers_quoting([skill], answers) == 0
    assert time.process_time() - started < 10


PARTS = (
    "a ",
    "a b ",
    "字",
    "ก",
    "e\u0301",
    "\u0301\u0316",
    "\u200b",
    "x",
    "\u202eא ",
    "\U0001f469\u200d",
    "\n",
    "``` ",
    "İ",
    "\ufdfa",
)


@pytest.mark.parametrize("part", PARTS)
def test_a_long_line_of_anything_takes_linear_time(part: str) -> None:
    """Whatever it repeats; words that are one long run of accents too."""
    text = "e" + part * (60_000 // len(part))
    started = time.process_time()
    one, other = Words(text), Words(text + " end")
    one.passage_from(other, one.in_a_row(8))
    one.holds(other)
    assert time.process_time() - started < 5


def test_a_megabyte_takes_linear_time() -> None:
    """A text of one word only, a hundred thousand times, is no trap."""
    started = time.process_time()
    huge = Words("word " * 200_000)
    assert huge.passage_from(Words("word " * 200_000), 8) is not None
    assert time.process_time() - started < 10
