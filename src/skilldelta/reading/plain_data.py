"""Walks over the plain data that YAML gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .problems import Problem
from .yaml_document import Document, Place


def walk(data: Any, place: Place, *, skip: tuple[str, ...] = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every value with its place, the outer ones first; what stands under a key of `skip` is passed over."""
    waiting = [(place, data)]
    while waiting:
        here, value = waiting.pop()
        yield here, value
        if isinstance(value, dict):
            waiting.extend(((*here, key), each) for key, each in value.items() if key not in skip)
        elif isinstance(value, list):
            waiting.extend(((*here, index), each) for index, each in enumerate(value))


def not_numbers(document: Document) -> Iterator[Problem]:
    """Yield every NaN and infinity: nothing here can be compared or hashed with them."""
    for place, value in walk(document.data, ()):
        if isinstance(value, float) and not math.isfinite(value):
            seen = document.source(place) or str(value)
            yield Problem(place=place, wrong=f"is {seen}", right="write a finite number, or text in quotes")


def without_nothing(data: Any) -> Any:
    """Return the data without the keys that hold nothing: a key whose value is left out counts as left out."""
    if isinstance(data, dict):
        return {key: without_nothing(value) for key, value in data.items() if value is not None}
    return [without_nothing(value) for value in data] if isinstance(data, list) else data
