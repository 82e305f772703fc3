"""What pydantic found wrong, said in the words of the file that was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from .nearest import nearest
from .problems import Problem
from .yaml_document import Document, Place


@dataclass(frozen=True, kw_only=True)
class Guide:
    """What is known about the format of a document, for its messages."""

    place_of: Callable[[Place], Place]
    """From a place in the validated data to the place in the document."""
    keys: Callable[[Place], Sequence[str]]
    """The keys that the mapping at a place may hold."""
    meaning: Callable[[Place], str]
    """What the field at a place holds, in a sentence; empty when nothing is known."""


_NUMBERS = {
    "greater_than": "greater than {gt:g}",
    "greater_than_equal": "of at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "of at most {le:g}",
}
_WANTED = {
    "string_type": "write text",
    "tuple_type": "write a list, one item a line, each with a leading -",
    "list_type": "write a list, one item a line, each with a leading -",
    "dict_type": "write a mapping (key: value)",
    "model_type": "write a mapping (key: value)",
    "model_attributes_type": "write a mapping (key: value)",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "finite_number": "write a finite number",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_parsing_size": "write a smaller number",
    "int_from_float": "write a whole number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
}


def shown(value: Any, source: str | None = None) -> str:
    """Return a value as it is named in a message: as it was written, and short."""
    if source is not None:
        return source[:60] if source else "empty"
    if isinstance(value, str):
        return repr(value) if len(value) <= 60 else f"{value[:57]!r}…"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "empty" if value is None else str(value)[:60]


def problems_of(error: ValidationError, document: Document, guide: Guide) -> list[Problem]:
    """Return what a validation found, at the document's places."""
    found = []
    for each in error.errors(include_url=False):
        place = guide.place_of(each["loc"])
        if each["type"] == "too_short" and each["input"]:
            continue  # the list is not empty: its items are wrong, and each of them is named
        if each["type"] in ("union_tag_invalid", "union_tag_not_found"):
            continue  # the shape of the suite names the judge types
        if each["type"] == "default_factory_not_called":
            continue  # a default that hangs on a field which is wrong, and which is named itself
        wrong, right = words_of(each, shown(each["input"], document.source(place)), place, guide)
        found.append(Problem(place=place, wrong=wrong, right=right))
    return found


def words_of(each: Any, seen: str, place: Place, guide: Guide) -> tuple[str, str]:
    """Return what is wrong and what would be right, of one of pydantic's errors; `seen` is the value as written."""
    kind, context, value = each["type"], each.get("ctx", {}), each["input"]
    if kind == "missing":
        return "is missing", _write(str(place[-1]), guide.meaning(place))
    if kind == "extra_forbidden":
        return "is not a known key", hint(str(place[-1]), guide.keys(place[:-1]))
    if kind in ("too_short", "string_too_short"):
        return "is empty", "write at least one item" if kind == "too_short" else "write some text"
    if kind == "too_long":
        return f"has {context['actual_length'] or 'more'} items", f"at most {context['max_length']:,} are read"
    if kind == "string_too_long":
        return f"has {len(value):,} characters", f"at most {context['max_length']:,} are read"
    if kind in ("literal_error", "enum"):
        return f"is {seen}", f"write {context['expected']}" + _near(value, context["expected"])
    if kind in _NUMBERS:
        return f"is {seen}", f"write a number {_NUMBERS[kind].format(**context)}"
    if kind == "string_type" and not isinstance(value, dict | list):
        return (
            f"is {seen}, which YAML does not read as text",
            f'put it in quotes: "{seen if value is not None else ""}"',
        )
    if kind == "value_error":
        wrong, _, right = str(context["error"]).partition("; ")
        return wrong, right
    return f"is {seen}", _WANTED.get(kind, each["msg"])


def hint(word: str, known: Sequence[str]) -> str:
    """Return the known word that was probably meant, or all of them."""
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"known are {', '.join(known)}" if known else ""


def _write(key: str, meaning: str) -> str:
    if meaning[1:2].islower():
        meaning = meaning[0].lower() + meaning[1:]
    return f"write {key}: ({meaning.rstrip('.')})" if meaning else f"write {key}:"


def _near(value: Any, expected: str) -> str:
    words = [word.strip("'") for word in expected.replace(" or ", ", ").split(", ")]
    near = nearest(value, words) if isinstance(value, str) else None
    return f" (did you mean {near!r}?)" if near else ""
