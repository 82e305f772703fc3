"""The judges without a model: what passes, what fails, and what is no verdict at all."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from fakes import MemoryJournal, answered, skill_plan, task
from skilldelta.domain.draws import judgment_key, round_keys
from skilldelta.domain.judgment import Judgment
from skilldelta.domain.suite import ContainsJudge, JsonSchemaJudge, NotContainsJudge, RegexJudge
from skilldelta.judge.deterministic import judge_answer, without_fence
from skilldelta.judge.trial import TaskJudges


def contains(answer: str, *expected: str) -> Judgment:
    """Judge with `contains`."""
    return judge_answer(ContainsJudge(type="contains", expected=expected), 0, answer)


def pattern(answer: str, text: str, **fields: Any) -> Judgment:
    """Judge with `regex`."""
    return judge_answer(RegexJudge(type="regex", pattern=text, **fields), 0, answer)


def schema(answer: str, wanted: dict[str, Any]) -> Judgment:
    """Judge with `json-schema`; every judgment can be written down."""
    judgment = judge_answer(JsonSchemaJudge.model_validate({"type": "json-schema", "schema": wanted}), 0, answer)
    assert Judgment.model_validate_json(judgment.model_dump_json()) == judgment
    return judgment


@pytest.mark.parametrize(
    ("answer", "expected", "score", "words"),
    [
        ("Yes, and no.", ("yes", "NO"), 1.0, "has all of: 'yes', 'NO'"),
        ("Yes.", ("yes", "no"), 0.5, "missing: 'no'"),
        ("", ("a", "b", "c"), 0.0, "missing: 'a', 'b', 'c'"),
        ("a", ("a", "b", "c"), 0.33, "missing: 'b', 'c'"),
        ("Straße", ("STRASSE",), 1.0, "has all of: 'STRASSE'"),
        ("a b", ("a  b",), 0.0, "missing: 'a  b'"),
        (".*", ("[a-z]",), 0.0, "missing: '[a-z]'"),
        ("x", tuple(f"word{n}" for n in range(10)), 0.0, "and 2 more"),
    ],
)
def test_contains(answer: str, expected: tuple[str, ...], score: float, words: str) -> None:
    """All strings must be there, upper and lower case alike and nothing read as a pattern; the score is the share."""
    judgment = contains(answer, *expected)
    assert (judgment.passed, judgment.score, judgment.failure) == (score == 1, score, None)
    assert words in judgment.rationale


def test_contains_shows_the_place() -> None:
    """The evidence is the passage of the answer, as it is written there, and it is short."""
    judgment = contains("x" * 500 + "The WORD here" + "y" * 500, "word")
    assert "The WORD here" in judgment.evidence[0].quote
    assert len(judgment.evidence[0].quote) <= 200


@pytest.mark.parametrize(
    ("answer", "passed"), [("All good.", True), ("A Secret!", False), ("", True), ("sec ret", True)]
)
def test_not_contains(answer: str, passed: bool) -> None:
    """None of the strings may be there, upper and lower case alike."""
    judgment = judge_answer(NotContainsJudge(type="not-contains", unexpected=("secret", "TODO")), 3, answer)
    assert (judgment.judge, judgment.passed, judgment.score) == (3, passed, float(passed))
    assert bool(judgment.evidence) is not passed


@pytest.mark.parametrize(
    ("text", "fields", "answer", "passed"),
    [
        ("^b$", {}, "a\nb\nc", False),
        ("^b$", {"flags": "m"}, "a\nb\nc", True),
        ("a.b", {}, "a\nb", False),
        ("a.b", {"flags": "s"}, "a\nb", True),
        ("HELLO", {}, "hello", False),
        ("HELLO", {"flags": "i"}, "hello", True),
        ("a b # words", {"flags": "x"}, "ab", True),
        ("x", {"absent": True}, "abc", True),
        ("x", {"absent": True}, "xyz", False),
        (r"\p{Lu}\w+", {}, "ein Über", True),
        ("[[a]", {}, "[", True),
        ("", {}, "", True),
    ],
)
def test_regex(text: str, fields: dict[str, Any], answer: str, passed: bool) -> None:
    """The pattern is searched for with the flags that are named, and `absent` turns it around."""
    judgment = pattern(answer, text or "(?:)", **fields)
    assert (judgment.passed, judgment.score, judgment.failure) == (passed, float(passed), None)


def test_a_pattern_that_backtracks_for_ever_is_stopped() -> None:
    """A pattern that would take for ever on an answer ends after a moment, without a verdict."""
    started = time.monotonic()
    judgment = pattern("a" * 5000 + "b", "(a+)+$")
    assert time.monotonic() - started < 5
    assert judgment.failure == "the pattern took longer than 0.25 s on this answer: make it simpler"
    assert (judgment.passed, judgment.score) == (False, 0.0)


async def test_a_slow_pattern_is_judged_alike_however_many_answers_are_judged_at_once() -> None:
    """The time limit of a pattern is its own: what others compute at the same time does not count against it."""
    slow = task("slow", judges=[{"type": "regex", "pattern": "(.*)1(.*)2(.*)3(.*)$x"}])
    plan = skill_plan(slow)
    judges = TaskJudges(MemoryJournal(), None)
    keys = [key for number in range(1, 4) for _, key in round_keys(plan, number)]
    judged = await asyncio.gather(*(judges(plan, slow, key, answered("123" * 100)) for key in keys))
    assert [trial.failure for trial in judged] == [None] * len(keys)


async def test_a_recorded_verdict_stands_where_judging_again_fails() -> None:
    """A replay on a slower machine keeps what was judged, and judges anew whatever it can."""
    for pattern, recorded, passed in (("(a+)+$", True, True), ("b", False, True)):
        one = task("one", judges=[{"type": "regex", "pattern": pattern}])
        plan, journal = skill_plan(one), MemoryJournal()
        key = next(key for _, key in round_keys(plan, 1))
        then = Judgment(judge=0, type="regex", passed=recorded, score=float(recorded))
        journal.record_judgment(judgment_key(plan, one, key, 0), key, then)
        (word,) = (await TaskJudges(journal, None, again=True)(plan, one, key, answered("a" * 5000 + "b"))).judges
        assert (word.passed, word.failure) == (passed, None)


def test_a_quote_stands_where_the_text_was_found() -> None:
    """Letters that fold to more than one do not shift the passage that is shown."""
    judgment = judge_answer(
        ContainsJudge(type="contains", expected=("needle",)), 0, "ß" * 300 + " the needle lies here"
    )
    assert "needle" in judgment.evidence[0].quote


@pytest.mark.parametrize(
    "text", ["(?<", "[a--b]", "a{9999999999}", "(?V1i)x", "(" * 4000 + ")" * 4000], ids=lambda text: text[:20]
)
def test_a_pattern_that_cannot_be_used_is_a_judge_failure(text: str) -> None:
    """A pattern that does not compile, for whatever reason, is no verdict on the answer and no crash."""
    judgment = pattern("abc", text)
    assert (judgment.failure or "").startswith("the pattern cannot be used: ")
    assert len(judgment.failure or "") < 400


PERSON = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
TREE = {"$ref": "#/$defs/node", "$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}


@pytest.mark.parametrize(
    ("answer", "wanted", "passed", "words"),
    [
        ('{"age": 3}', PERSON, True, "valid against the schema"),
        ('```json\n{"age": 3}\n```', PERSON, True, "valid"),
        ('\n```\n{"age": 3}\n```\n', PERSON, True, "valid"),
        ('Here: {"age": 3}', PERSON, False, "the answer is not JSON"),
        ('Here:\n```json\n{"age": 3}\n```', PERSON, False, "the answer is not JSON"),
        ('```json\n{"age": 3}\n```\nDone.', PERSON, False, "the answer is not JSON"),
        ('{"age": "3"}', PERSON, False, "at age: "),
        ("{}", PERSON, False, "at the root: "),
        ("", {}, False, "the answer is not JSON"),
        ("NaN", {}, False, "NaN is not JSON"),
        ('{"age": Infinity}', {}, False, "Infinity is not JSON"),
        ("```json\n-Infinity\n```", {}, False, "-Infinity is not JSON"),
        ("[" * 100_000 + "]" * 100_000, {}, False, "the answer is not JSON"),
        ('{"a":' * 100_000, {}, False, "the answer is not JSON"),
        ("[" * 300 + "]" * 300, TREE, True, "valid"),
        ("[" * 300 + "1" + "]" * 300, TREE, False, "at 0/0/0"),
        ("1" * 5000, {}, False, "the answer is not JSON"),
        ("1" * 400, {"type": "integer"}, True, "valid"),
        ('"\\ud800"', {"type": "string"}, False, "what no text can"),
        ('{"\\ud800": 1}', {"additionalProperties": False}, False, "what no text can"),
        (" " * 1_000_001, {}, False, "at most 1,000,000 are read"),
        (json.dumps("a" * 50_000 + "b"), {"pattern": "^(a+)+$"}, False, "at the root"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_json_schema(answer: str, wanted: dict[str, Any], passed: bool, words: str) -> None:
    """JSON alone or in its one fence is validated; whatever else an answer is, it is wrong, never without verdict."""
    started = time.monotonic()
    judgment = schema(answer, wanted)
    assert (judgment.failure, judgment.passed, judgment.score) == (None, passed, float(passed))
    assert words in judgment.rationale
    assert len(judgment.rationale) <= 500
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "wanted",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"a": {"$ref": "https://example.org/schema.json"}}},
        {"$ref": "#/$defs/none"},
        {"type": "nonsense"},
        {"pattern": "(?=a)b"},
        {"pattern": "("},
        {"multipleOf": 0},
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_used_is_a_judge_failure(wanted: dict[str, Any]) -> None:
    """A schema that is wrong, would be fetched, or could backtrack is no verdict on the answer; nothing is fetched."""
    judgment = schema("1", wanted)
    assert (judgment.failure or "").startswith("the schema cannot be used: ")
    assert "\n" not in (judgment.failure or "")
    assert (judgment.passed, judgment.score) == (False, 0.0)


@pytest.mark.parametrize(
    ("answer", "inside"),
    [
        ("```\na\n```", "a"),
        ("```json\na\nb\n```", "a\nb"),
        ("  ```json\na\n```  ", "a"),
        ("```\n```", ""),
        ("```a```", "```a```"),
        ("```json\na", "```json\na"),
        ("a\n```", "a\n```"),
        ("a", "a"),
        ("``` `x`\na\n```", "``` `x`\na\n```"),
        ("", ""),
    ],
)
def test_one_fence_is_taken_off(answer: str, inside: str) -> None:
    """Only an answer that is one fenced block as a whole loses its fence."""
    assert without_fence(answer) == inside
