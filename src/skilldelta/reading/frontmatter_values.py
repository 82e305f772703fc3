"""The text between a SKILL.md's fences → its keys with their values and lines, also where it is not quite YAML."""

from __future__ import annotations

import re
from typing import Any

from .file_findings import FileFindings
from .loose_keys import Block, blocks, loose_text
from .yaml_document import BadYaml, Bounds, Document
from .yaml_text import read_yaml

Values = dict[str, tuple[Any, int]]
"""Key → (value, line of the file)."""

_BOUNDS = Bounds(size=256 * 1024, depth=16, nodes=10_000, characters=1024 * 1024)
_MOST_KEYS = 100
_READ_ALWAYS = ("name", "description")


def frontmatter_values(text: str, first_line: int, findings: FileFindings) -> Values:
    """Return each top-level key of the frontmatter that starts on `first_line`; numbers are text, as they are written.

    Text that is not YAML is read key by key, with a warning; text without any key is an error.
    """
    padded = "\n" * (first_line - 1) + text  # so that YAML counts lines as the file does
    try:
        document = read_yaml(padded.encode(), where=findings.path, bounds=_BOUNDS)
    except BadYaml as error:
        found = blocks(text, first_line)
        if not found:
            message = f"the frontmatter is not YAML ({_words(error)})"
            findings.error(message, error.fix or "write `key: value` lines", error.line)
        return _key_by_key(found, error, findings)
    if isinstance(document.data, dict):
        return {key: (_as_written(document, (key,)), document.line((key,))) for key in document.data}
    found = blocks(text, first_line)
    if not found and document.data is not None:
        kind = "a list" if isinstance(document.data, list) else "plain text"
        findings.error(f"the frontmatter is {kind}", "write `name: …` and `description: …`, one on a line", first_line)
    return _key_by_key(found, None, findings)


def _key_by_key(found: list[Block], error: BadYaml | None, findings: FileFindings) -> Values:
    """Read each key as YAML where it is YAML by itself, else as plain text; say what was done."""
    if len(found) > _MOST_KEYS:
        message = f"of {len(found):,} keys only name, description and the first {_MOST_KEYS} are read"
        findings.warning(message, "remove keys", found[_MOST_KEYS].line)
        found = [*found[:_MOST_KEYS], *(block for block in found[_MOST_KEYS:] if block.key in _READ_ALWAYS)]
    values: Values = {}
    said = len(findings.all())
    lines: dict[str, list[int]] = {}
    misread: list[str] = []
    for block in found:
        lines.setdefault(block.key, []).append(block.line)
        value, problem = _one_key(block)
        values[block.key] = (value, block.line)
        if problem and block.key in _READ_ALWAYS:
            message = f"`{block.key}` is not valid YAML ({_words(problem)}); it was read as plain text"
            findings.warning(f"{message}, and other tools may drop the skill", _fix(problem), block.line)
        elif problem:
            misread.append(f"`{block.key}`")
    for key, places in lines.items():
        if len(places) > 1:
            message = f"`{key}` stands here {len(places)} times, first on line {places[0]}; the last is used"
            findings.warning(message, "keep one of them", places[-1])
    if misread:
        shown = ", ".join(misread[:5]) + (f" and {len(misread) - 5} more" if len(misread) > 5 else "")
        findings.warning(f"not valid YAML, so read as plain text: {shown}", "put each value in quotes", found[0].line)
    if error and found and len(findings.all()) == said:
        findings.warning(f"{_words(error)}; the frontmatter was read key by key", _fix(error), error.line)
    return values


def _one_key(block: Block) -> tuple[Any, BadYaml | None]:
    """Return a key's value, and what YAML has against it."""
    try:
        document = read_yaml(block.text.encode(), where="", bounds=_BOUNDS)
    except BadYaml as problem:
        return loose_text(block), problem
    if isinstance(document.data, dict) and block.key in document.data:
        return _as_written(document, (block.key,)), None
    return loose_text(block), BadYaml("there is no blank after the colon", fix=f"write `{block.key}: …`")


def _words(error: BadYaml) -> str:
    """Return what is wrong, without the line that the finding names anyway."""
    return re.sub(r"^line \d+: |^not YAML: | \(line \d+, column \d+\)$", "", error.what)


def _fix(error: BadYaml) -> str:
    return error.fix or "put the value in quotes"


def _as_written(document: Document, place: tuple[str | int, ...]) -> Any:
    """Return the value at `place` with its numbers as text (`version: 1.20` is "1.20"); name and description always."""
    value = document.data
    for step in place:
        value = value[step]
    if isinstance(value, dict):
        return {key: _as_written(document, (*place, key)) for key in value}
    if isinstance(value, list):
        return [_as_written(document, (*place, index)) for index in range(len(value))]
    if isinstance(value, bool) and place[0] not in _READ_ALWAYS:
        return value
    if isinstance(value, int | float):
        return document.source(place) or str(value)
    return value
