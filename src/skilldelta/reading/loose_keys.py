"""Frontmatter that YAML refuses, cut into its top-level keys and read as plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

_KEY = re.compile(r"""(?P<quote>["']?)(?P<key>[^\W\d_][^:"'\n]{0,99}?)(?P=quote)[ \t]*:(?=[ \t]|$)""")
_WELL_KNOWN = re.compile(r"(?P<key>name|description):(?=[^/ \t])")
"""Accepted without the blank that YAML asks for after the colon."""
_SCALAR = re.compile(r"(?P<style>[|>])[-+0-9]*[ \t]*(?:[ \t]#.*)?")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One top-level key with the lines that belong to it."""

    key: str
    line: int
    """Line of the file on which the key stands."""
    text: str
    """The lines, the key's own among them."""
    value: str
    """The lines without the key and its colon."""


def blocks(text: str, first_line: int) -> list[Block]:
    """Return the top-level keys of `text` in their order; a line that starts no key belongs to the key above it.

    >>> [(block.key, block.line, block.value) for block in blocks("a: 1\\n  2\\nb: c: d", 2)]
    [('a', 2, ' 1\\n  2'), ('b', 4, ' c: d')]
    """
    found: list[Block] = []
    key, line, at, lines = "", 0, 0, list[str]()

    def close() -> None:
        if key:
            whole = "\n".join(lines)
            found.append(Block(key=key, line=line, text=whole, value=whole[at:]))

    for number, content in enumerate(text.split("\n"), start=first_line):
        match = _KEY.match(content) or _WELL_KNOWN.match(content)
        if match:
            close()
            key, line, at, lines = match["key"], number, match.end(), [content]
        elif key and not content.startswith("#"):
            lines.append(content)
    close()
    return found


def loose_text(block: Block) -> str:
    """Return a key's value as a person reads it: block scalars keep or fold their lines, quotes around it all go.

    >>> loose_text(blocks("description: Use when: asked", 1)[0])
    'Use when: asked'
    """
    first, *rest = block.value.split("\n")
    scalar = _SCALAR.fullmatch(first.strip())
    if scalar and scalar["style"] == "|":
        return dedent("\n".join(rest)).strip("\n")
    if scalar:
        first = ""
    text = _folded([first, *rest])
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text


def _folded(lines: list[str]) -> str:
    """Join lines with blanks; an empty line between two of them is a line end."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([])
    return "\n".join(" ".join(paragraph) for paragraph in paragraphs if paragraph)
