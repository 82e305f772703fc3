"""What a suite's model cannot see: patterns that do not compile, schemas that are none, settings without effect."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from .plain_data import walk
from .problems import Problem
from .regex_size import MOST, calls_itself, copies
from .schema_size import MOST as MOST_LOOKS
from .schema_size import looks
from .suite_shape import Shape
from .yaml_document import Place

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_PLAIN_DATA = ("const", "enum", "default", "examples")
"""Keywords whose value is data, so that a `$ref` in it is none."""


def judge_problems(shape: Shape) -> Iterator[Problem]:
    """Yield what is wrong inside the judges' patterns and schemas, at the document's places."""
    for place, judge in _judges(shape):
        if judge.get("type") == "regex" and isinstance(judge.get("pattern"), str):
            flags = judge.get("flags", "")
            yield from _pattern(judge["pattern"], flags if isinstance(flags, str) else "", (*place, "pattern"))
        elif judge.get("type") == "json-schema" and isinstance(judge.get("schema"), dict):
            yield from _schema(judge["schema"], (*place, "schema"))


def without_effect(shape: Shape) -> Iterator[Problem]:
    """Yield settings that are allowed and do nothing, or not what one would think."""
    data = shape.data or {}
    for place, judge in _judges(shape):
        expected = judge.get("expected")
        for index, text in enumerate(expected if isinstance(expected, list) else []):
            if text == "":
                yield Problem(
                    place=(*place, "expected", index), wrong="is empty: every answer contains it", right="drop it"
                )
        if "weight" in judge and data.get("metric", "pass") == "pass":
            yield Problem(place=(*place, "weight"), wrong="has no effect", right="weights need metric: score")
    for index, task in enumerate(data.get("tasks", ())):
        if isinstance(task, dict) and "require" in task and data.get("metric") == "score":
            yield Problem(place=("tasks", index, "require"), wrong="has no effect", right="require needs metric: pass")


def _judges(shape: Shape) -> Iterator[tuple[Place, dict[str, Any]]]:
    tasks = (shape.data or {}).get("tasks")
    for index, task in enumerate(tasks if isinstance(tasks, list) else []):
        judges = task.get("judges") if isinstance(task, dict) else None
        for number, judge in enumerate(judges if isinstance(judges, list) else []):
            if isinstance(judge, dict):
                yield shape.place_of(("tasks", index, "judges", number)), judge


def _pattern(pattern: str, flags: str, place: Place) -> Iterator[Problem]:
    import regex

    if calls_itself(pattern):
        yield Problem(place=place, wrong="calls itself", right="write it without (?R), (?1) and their like")
        return
    if (count := copies(pattern)) > MOST:
        yield Problem(
            place=place,
            wrong=f"is too large: its repeats stand for more than {MOST:,} parts ({count:,} at least)",
            right="lower the numbers in {}",
        )
        return
    letters = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}
    bits = 0
    for letter in flags:
        bits |= letters.get(letter, 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the future of the module, nothing the author can act on
            regex.compile(pattern[:10_000], bits)
    except regex.error as error:
        at = f" at position {error.pos}" if error.pos is not None else ""
        yield Problem(
            place=place,
            wrong=f"is no regular expression: {error.msg}{at}",
            right="put a backslash before a character that stands for itself",
        )
    except (RecursionError, OverflowError, MemoryError):
        yield Problem(place=place, wrong="is too large a regular expression", right="write a simpler one")


def _schema(schema: dict[str, Any], place: Place) -> Iterator[Problem]:
    import jsonschema_rs

    dialect = schema.get("$schema", DRAFT)
    if not isinstance(dialect, str) or dialect.rstrip("#") != DRAFT:
        yield Problem(
            place=(*place, "$schema"),
            wrong="is another dialect than draft 2020-12",
            right=f"leave it out, or write {DRAFT}",
        )
        return
    remote = list(_remote(schema, place))
    yield from remote
    if remote:
        return
    if looks(schema) > MOST_LOOKS:
        yield Problem(
            place=place,
            wrong=f"would look at one value more than {MOST_LOOKS:,} times",
            right="refer to the same schema less often within anyOf, allOf and oneOf",
        )
        return
    try:
        jsonschema_rs.Draft202012Validator(schema, retriever=_never)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        inner = tuple(getattr(error, "instance_path", ()))
        message = str(getattr(error, "message", error)).splitlines()[0][:200]
        yield Problem(
            place=(*place, *inner), wrong=f"is no JSON Schema: {message}", right="see JSON Schema draft 2020-12"
        )


def _remote(schema: Any, place: Place) -> Iterator[Problem]:
    for inner, value in walk(schema, (), skip=_PLAIN_DATA):
        if inner and inner[-1] in _REFERENCES and isinstance(value, str) and not value.startswith("#"):
            yield Problem(
                place=(*place, *inner),
                wrong=f"refers to another document ({value[:60]!r}), and nothing is fetched",
                right="put it under $defs and refer to #/$defs/…",
            )


def _never(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")
