"""Tables and findings as lines of text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from .door import printable

if TYPE_CHECKING:
    from ..domain.skill import Finding

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose columns are as wide as their longest cell; the last one is not padded."""
    cells = [[one_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]
        yield "  ".join(padded).rstrip()


def finding_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield one line for each finding, and one for what to do about it."""
    for finding in findings:
        word = click.style(f"{finding.severity.value:<7}", fg=_COLOURS[finding.severity.value])
        yield f"{word} {place(finding)}{one_line(finding.message)}"
        if finding.fix:
            yield f"        fix: {one_line(finding.fix)}"


def place(finding: Finding) -> str:
    """Return `path:line: ` of a finding; nothing when it is about the whole repository."""
    if finding.path == ".":
        return ""
    line = f":{finding.line}" if finding.line is not None else ""
    return f"{one_line(finding.path)}{line}: "


def finding_data(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as plain data."""
    return [finding.model_dump(mode="json") for finding in findings]


def one_line(text: str) -> str:
    """Return `text` without control characters, on one line."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def cut(text: str, most: int) -> str:
    """Return the first words of `text`, with an ellipsis when it is wider than `most` columns."""
    text = " ".join(printable(text[: 10 * most]).split())
    if width(text) <= most:
        return text
    while width(text) > most - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def width(text: str) -> int:
    """Return how many columns of a terminal `text` takes.

    >>> width("abc"), width("代码"), width("e\\u0301")
    (3, 4, 1)
    """
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def size(count: int) -> str:
    """Return a number of bytes as people read it.

    >>> size(999), size(4_100), size(104_857_600)
    ('999 B', '4.1 kB', '104.9 MB')
    """
    if count < 1000:
        return f"{count} B"
    for unit in ("kB", "MB", "GB"):
        value = count / 1000
        if value < 999.95 or unit == "GB":
            return f"{value:.1f} {unit}"
        count //= 1000
    raise AssertionError("the last unit takes every number")
