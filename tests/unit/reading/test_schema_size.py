"""A schema is measured before it judges: a few lines can look at one value a million times."""

from __future__ import annotations

from typing import Any

import pytest

from skilldelta.reading.schema_size import MOST, looks


def bomb(levels: int, word: str = "anyOf") -> dict[str, Any]:
    """Return a schema in which every level refers twice to the next one."""
    inner = {f"l{n}": {word: [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/l0", "$defs": {**inner, f"l{levels}": {"type": "string"}}}


@pytest.mark.parametrize("word", ["anyOf", "allOf", "oneOf"])
def test_references_that_multiply(word: str) -> None:
    """Twenty levels are beyond the limit, and none of them is really walked; a few are fine."""
    assert looks(bomb(5, word)) < 200
    assert looks(bomb(22, word)) > MOST
    assert looks({"properties": {"deep": bomb(22, word)["$defs"]["l0"]}, **bomb(22, word)}) > MOST


def test_a_chain_without_end() -> None:
    """References that lead on and on are too much, and no crash."""
    chain = {f"l{n}": {"$ref": f"#/$defs/l{n + 1}"} for n in range(20_000)}
    assert looks({"$ref": "#/$defs/l0", "$defs": chain}) > MOST


@pytest.mark.parametrize(
    ("schema", "count"),
    [
        (True, 1),
        ({}, 1),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, 1),
        ({"if": {}, "then": {}, "else": {}, "not": {}}, 5),
        ({"dependentSchemas": {"a": {}, "b": {}}}, 3),
        ({"$ref": "#/nowhere"}, 2),
        ({"$ref": "#"}, 2),
        ({"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}}]}, 4),
    ],
)
def test_ordinary_schemas(schema: Any, count: int) -> None:
    """Only what looks at the same value counts; what refers to itself is counted once around."""
    assert looks(schema) == count
