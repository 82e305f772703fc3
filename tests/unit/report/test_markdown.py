"""The report as Markdown and as plain text: word for word, and unbroken by whatever stands in it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import example, given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token

from golden_text import golden
from hostile import LINKED, PIECES, TEXTS
from reported import reported
from skilldelta.report.markdown import markdown
from skilldelta.report.terminal import terminal

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
COUNTED = {
    "blockquote_open", "bullet_list_open", "fence", "heading_open", "hr", "html_block", "list_item_open",
    "ordered_list_open", "paragraph_open", "code_block", "table_open", "td_open", "th_open", "tr_open",
}  # fmt: skip
OURS = re.compile(r"(<details><summary>[\w .±−+‑-]*(: [±−+0-9]+ points| \([0-9]+\))?</summary>|</details>)\n*")


def _structure(tokens: list[Token]) -> Counter[str]:
    return Counter(token.type for token in tokens if token.type in COUNTED)


@pytest.mark.parametrize("skills", [1, 2])
def test_the_markdown_word_for_word(skills: int) -> None:
    """The answer stands in the first line, then the table, then what was not measured, the flags and the details."""
    golden(f"report_{skills}.md", markdown(reported("commit-message", skills=skills, replay=skills == 2)))


def test_the_plain_text_word_for_word() -> None:
    """A terminal gets the same in a few lines."""
    golden("report.txt", terminal(reported("commit-message")))


@given(TEXTS)
@example("- x")
@example("1. x")
@example("".join(PIECES))
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    """Tables, rows, headings, lists and folds are the same ones as with harmless text; nothing links or loads."""
    tokens = PARSER.parse(markdown(reported(text, skills=2)))
    assert _structure(tokens) == _structure(PARSER.parse(markdown(reported("harmless", skills=2))))
    for token in tokens:
        if token.type == "html_block":
            assert OURS.fullmatch(token.content), token.content
        for child in token.children or ():
            assert child.type in ("text", "text_special", "softbreak", "hardbreak", "strong_open", "strong_close")
        if token.type == "inline":
            shown = "".join(child.content for child in token.children or ())
            assert not LINKED.search(shown), shown


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_no_text_takes_over_the_terminal(text: str) -> None:
    """A terminal gets as many lines as with harmless text, and not one control or invisible character."""
    lines = terminal(reported(text))
    assert lines.count("\n") == terminal(reported("harmless")).count("\n")
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", lines) is None
