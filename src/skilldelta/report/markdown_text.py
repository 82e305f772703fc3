"""Text from skills, prompts and models, made safe for its place in GitHub's Markdown."""

from __future__ import annotations

import re
import unicodedata

_PUNCTUATION = re.compile(r"([\\`*_\[\]<>#!|~$&])")
_LIST_OR_RULE = re.compile(r"^([-+=]|[0-9]{1,9}(?=[.)]))")
_ZERO_WIDTH = "\u200b"
_LINKED_BY_ITSELF = re.compile(r"(?i)(?:https?|ftp):|www\.|\bgh-(?=\d)")
_RUN_OF_TICKS = re.compile(r"`+")


def visible(text: str, *, lines: bool = False) -> str:
    """Return `text` without control, format and bidirectional characters; line ends stay only with `lines`."""
    kept = []
    for char in text.replace("\r\n", "\n").replace("\r", "\n"):
        if char == "\n":
            kept.append("\n" if lines else " ")
        elif char == "\t":
            kept.append("\t" if lines else " ")
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            continue
        else:
            kept.append(char)
    return "".join(kept)


def inline(text: str, most: int = 300, *, at_start: bool = False) -> str:
    """Return one line that shows `text` and means nothing in Markdown: no markup, no mention, no reference, no HTML.

    `at_start`: it opens a line, where a dash or a number would open a list.

    >>> inline("a|b *c* @me")
    'a\\\\|b \\\\*c\\\\* @\\u200bme'
    """
    line = " ".join(visible(text[: 8 * most]).split())
    if len(line) > most:
        line = line[: most - 1] + "…"
    line = _PUNCTUATION.sub(r"\\\1", line)
    if at_start:
        line = _LIST_OR_RULE.sub(lambda start: _escaped_start(start.group()), line)
    line = line.replace("@", f"@{_ZERO_WIDTH}").replace("\\#", f"\\#{_ZERO_WIDTH}")
    return _LINKED_BY_ITSELF.sub(lambda found: f"{found[0][:-1]}{_ZERO_WIDTH}{found[0][-1]}", line)


def _escaped_start(text: str) -> str:
    return f"\\{text}" if not text.isdigit() else f"{text}{_ZERO_WIDTH}"


def block(text: str, most: int = 1000) -> str:
    """Return `text` in a fence that nothing in it can close."""
    shown = visible(text[: 4 * most], lines=True)
    if len(shown) > most:
        shown = shown[:most] + "\n[…]"
    longest = max((len(run) for run in _RUN_OF_TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"
