"""The judges that need no model: contains, not-contains, regex, json-schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..domain.judgment import Evidence, Judgment
from ..domain.suite import ContainsJudge, JsonSchemaJudge, JudgeSettings, NotContainsJudge, RegexJudge

REGEX_SECONDS = 0.25
"""CPU time; a pattern that takes longer on one answer is a judge failure."""
_QUOTE = 200
_SCHEMA_ANSWER = 1_000_000


def judge_answer(settings: JudgeSettings, index: int, answer: str) -> Judgment:
    """Return the judgment of one deterministic judge on an answer; 1.0 or 0.0, or for contains the share found."""
    judge = _JUDGES[settings.type]
    return judge(settings, index, answer)


def _contains(settings: ContainsJudge, index: int, answer: str) -> Judgment:
    folded = answer.casefold()
    missing = [text for text in settings.expected if text.casefold() not in folded]
    found = [text for text in settings.expected if text not in missing]
    words = f"missing: {_listed(missing)}" if missing else f"has all of: {_listed(settings.expected)}"
    return Judgment(
        judge=index,
        type=settings.type,
        passed=not missing,
        score=round(len(found) / len(settings.expected), 2) if missing else 1.0,
        rationale=words,
        evidence=tuple(Evidence(quote=_quoted(answer, folded, text)) for text in found[:5]),
    )


def _not_contains(settings: NotContainsJudge, index: int, answer: str) -> Judgment:
    folded = answer.casefold()
    present = [text for text in settings.unexpected if text.casefold() in folded]
    words = f"should not hold: {_listed(present)}" if present else "holds none of the unwanted strings"
    return Judgment(
        judge=index,
        type=settings.type,
        passed=not present,
        score=0.0 if present else 1.0,
        rationale=words,
        evidence=tuple(Evidence(quote=_quoted(answer, folded, text)) for text in present[:5]),
    )


def _regex(settings: RegexJudge, index: int, answer: str) -> Judgment:
    import regex

    flags = regex.VERSION0
    for letter in settings.flags:
        flags |= {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}[letter]
    try:
        # The time limit counts the CPU of the whole process: holding the lock, no other thread can use it up.
        found = regex.compile(settings.pattern, flags).search(answer, timeout=REGEX_SECONDS, concurrent=False)
    except TimeoutError:
        return Judgment(
            judge=index,
            type=settings.type,
            failure=f"the pattern took longer than {REGEX_SECONDS:g} s on this answer: make it simpler",
        )
    except (regex.error, ValueError, RecursionError, MemoryError) as error:
        why = str(error) or type(error).__name__
        return Judgment(judge=index, type=settings.type, failure=f"the pattern cannot be used: {why[:300]}")
    passed = (found is None) == settings.absent
    words = "found" if found is not None else "not found"
    quote = (Evidence(quote=_around(answer, found.start(), found.end() - found.start())),) if found else ()
    return Judgment(
        judge=index,
        type=settings.type,
        passed=passed,
        score=1.0 if passed else 0.0,
        rationale=f"the pattern “{settings.pattern[:120]}” was {words}" + (" and should not be" * settings.absent),
        evidence=quote,
    )


def _json_schema(settings: JsonSchemaJudge, index: int, answer: str) -> Judgment:

    def said(passed: bool, words: str) -> Judgment:
        return Judgment(
            judge=index, type=settings.type, passed=passed, score=1.0 if passed else 0.0, rationale=words[:500]
        )

    if len(answer) > _SCHEMA_ANSWER:
        return said(False, f"the answer has {len(answer):,} characters; at most {_SCHEMA_ANSWER:,} are read as JSON")
    try:
        value = json.loads(without_fence(answer), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return said(False, f"the answer is not JSON: {error}")
    try:
        validator = _validator(json.dumps(settings.schema_))
    except ValueError as problem:
        why = str(problem).split("\n")[0]
        return Judgment(judge=index, type=settings.type, failure=f"the schema cannot be used: {why[:300]}")
    try:
        wrong = next(validator.iter_errors(value), None)
    except ValueError as problem:
        return said(False, f"the answer's JSON holds what no text can: {problem}")
    except BaseException as problem:  # a panic of the validator's Rust code derives from no Exception
        if isinstance(problem, KeyboardInterrupt | SystemExit):
            raise
        return Judgment(judge=index, type=settings.type, failure=f"the validator failed: {type(problem).__name__}")
    if wrong is None:
        return said(True, "valid against the schema")
    place = "/".join(str(step) for step in wrong.instance_path) or "the root"
    return said(False, f"at {place}: {wrong.message}")


@lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    """Return a validator that fetches nothing and whose patterns cannot backtrack."""
    import jsonschema_rs

    def refuse(uri: str) -> Any:
        raise ValueError(f"{uri} is not fetched")

    return jsonschema_rs.Draft202012Validator(
        json.loads(schema), retriever=refuse, pattern_options=jsonschema_rs.RegexOptions()
    )


def without_fence(answer: str) -> str:
    """Return the inside of an answer that is one fenced block; any other answer as it is.

    >>> without_fence("```json\\n{}\\n```")
    '{}'
    """
    text = answer.strip()
    lines = text.split("\n")
    if len(lines) >= 2 and lines[0].startswith("```") and "`" not in lines[0][3:] and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _listed(texts: list[str] | tuple[str, ...]) -> str:
    shown = ", ".join(repr(text[:60]) for text in texts[:8])
    return shown + (f" and {len(texts) - 8} more" if len(texts) > 8 else "")


def _quoted(answer: str, folded: str, text: str) -> str:
    """Return the passage of the answer in which `text` was found in the `folded` answer."""
    place = folded.find(text.casefold())
    if len(folded) != len(answer):  # "ß" folds to two letters
        place = [at for at, letter in enumerate(answer) for _ in letter.casefold()][place]
    return _around(answer, place, len(text))


def _around(answer: str, start: int, length: int) -> str:
    begin = max(0, start - 40)
    return answer[begin : min(start + length + 40, begin + _QUOTE)]


_JUDGES: dict[str, Callable[[Any, int, str], Judgment]] = {
    "contains": _contains,
    "not-contains": _not_contains,
    "regex": _regex,
    "json-schema": _json_schema,
}
"""Judge type → the function that judges; a new one is one entry here."""
