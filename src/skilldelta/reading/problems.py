"""What is wrong in a file a person wrote, as one line each: place, what is wrong, what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .yaml_document import Document, Place

MOST_SHOWN = 200
"""Problems that are printed; the rest is counted."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong (or odd) at one place of a document."""

    place: Place
    wrong: str
    right: str = ""


def field_name(place: Place) -> str:
    """Return a place as people write it.

    >>> field_name(("judge", "expected", 1))
    'judge.expected[1]'
    """
    words = ""
    for step in place:
        words += f"[{step}]" if isinstance(step, int) else f".{_on_one_line(step[:60])}"
    return words.removeprefix(".")


def _on_one_line(key: str) -> str:
    return key if key.isprintable() else repr(key)[1:-1]


def line_of_words(problem: Problem, document: Document, where: str) -> str:
    """Return the one line that names file, line, task, field, what is wrong and what would be right."""
    task, rest = _task(problem.place, document)
    subject = ", ".join(part for part in (task, field_name(rest)) if part)
    right = f"; {problem.right}" if problem.right else ""
    line = document.line(problem.place)
    at = f"{where}, line {line}" if " " in where else f"{where}:{line}"  # ".skilldelta.yml at HEAD, line 3"
    return f"{at}: {subject}{' ' if subject else ''}{problem.wrong}{right}"


def in_words(problems: Iterable[Problem], document: Document, where: str) -> str:
    """Return all problems in the order of their lines, under a headline when there are several."""
    lines = [
        line_of_words(problem, document, where)
        for problem in sorted(problems, key=lambda problem: document.line(problem.place))
    ]
    if len(lines) == 1:
        return lines[0]
    more = [f"  … and {len(lines) - MOST_SHOWN:,} more"] if len(lines) > MOST_SHOWN else []
    return "\n".join([f"{where}: {len(lines)} problems", *(f"  {line}" for line in lines[:MOST_SHOWN]), *more])


def _task(place: Place, document: Document) -> tuple[str, Place]:
    if len(place) < 2 or place[0] != "tasks" or not isinstance(place[1], int):
        return "", place
    try:
        name = document.data["tasks"][place[1]]["id"]
    except (LookupError, TypeError):
        name = None
    source = document.source((*place[:2], "id"))
    if source is None and isinstance(name, str):
        source = name
    return (f"task {source[:60]!r}" if source else f"task number {place[1] + 1}"), place[2:]
