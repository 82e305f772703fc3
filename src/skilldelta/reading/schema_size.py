"""How often a JSON Schema looks at one and the same value: references within `anyOf` and its like multiply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MOST = 10_000
"""Looks at one value; a schema that people write takes some dozens."""
_ONE = ("not", "if", "then", "else")
_SEVERAL = ("allOf", "anyOf", "oneOf")
_NAMED = ("dependentSchemas",)


def looks(schema: Any) -> int:
    """Return the most looks that any place of the schema takes at one value, counted up to a little above MOST.

    >>> looks({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [True, True]}}})
    5
    """
    known: dict[int, int] = {}

    def at(place: Any) -> int:
        if not isinstance(place, dict):
            return 1
        if id(place) not in known:
            known[id(place)] = 1  # what refers to itself is counted once around
            known[id(place)] = min(MOST + 1, 1 + sum(at(inner) for inner in _in_place(place, schema)))
        return known[id(place)]

    try:
        return max((at(place) for place in _everything(schema)), default=1)
    except RecursionError:  # a chain of references that no validator should follow either
        return MOST + 1


def _in_place(place: dict[str, Any], root: Any) -> Iterator[Any]:
    """Yield the schemas that look at the same value as `place` does."""
    for name in _ONE:
        if name in place:
            yield place[name]
    for name in _SEVERAL:
        inner = place.get(name)
        yield from inner if isinstance(inner, list) else ()
    for name in _NAMED:
        inner = place.get(name)
        yield from inner.values() if isinstance(inner, dict) else ()
    for name in ("$ref", "$dynamicRef"):
        if isinstance(place.get(name), str):
            yield _found(root, place[name])


def _found(root: Any, reference: str) -> Any:
    """Return what a reference of the form #/a/b leads to; nothing for any other."""
    place = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~").replace("%25", "%")
        if isinstance(place, dict) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
            place = place[int(name)]
        else:
            return None
    return place if reference.startswith("#") and reference.count("#") == 1 else None


def _everything(schema: Any) -> Iterator[Any]:
    waiting = [schema]
    while waiting:
        place = waiting.pop()
        yield place
        if isinstance(place, dict):
            waiting.extend(place.values())
        elif isinstance(place, list):
            waiting.extend(place)
