"""Text of strangers, made safe for its place in Markdown."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hostile import LINKED, TEXTS
from skilldelta.report.markdown_text import block, inline, visible

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_inline_is_one_paragraph_of_plain_text(text: str) -> None:
    """Behind some words of ours, whatever was written is text: no markup, no HTML, no reference that links."""
    tokens = PARSER.parse(f"Ours: {inline(text)}")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert {child.type for child in tokens[1].children or ()} <= {"text", "text_special"}
    shown = "".join(child.content for child in tokens[1].children or ())
    assert not LINKED.search(shown), shown


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_inline_at_the_start_of_a_line_opens_nothing(text: str) -> None:
    """Where the text opens the line, no list, heading, quote, table, code or rule begins."""
    tokens = PARSER.parse(f"{inline(text, at_start=True)}\n\nend")
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_inline_shows_every_visible_character(text: str) -> None:
    """Nothing but white space, invisible signs and our own zero-width marks is lost."""
    rendered = PARSER.render(f"Ours: {inline(text, 10_000)}").replace("Ours:", "", 1)
    shown = re.sub(r"<[^>]+>", "", rendered).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    shown = shown.replace("&amp;", "&").replace("\u200b", "")
    assert "".join(shown.split()) == "".join(visible(text).split())


@given(TEXTS, st.integers(1, 400))
@settings(max_examples=200, deadline=None)
def test_a_block_cannot_be_closed_from_inside(text: str, most: int) -> None:
    """One fence, and what follows it is outside."""
    tokens = PARSER.parse(f"{block(text, most)}\n\nend")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].info == "text"


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_what_is_visible_turns_nothing_around(text: str) -> None:
    """Control, format and bidirectional characters are gone, so that no text hides or reverses another."""
    assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn") for char in visible(text))


@pytest.mark.parametrize(
    "text",
    ["@octocat", "#1", "octo/repo#12", "GH-12", "https://e.org", "HTTP://e.org", "www.e.org", "a@e.org", "<b@e.org>"],
)
def test_nothing_is_linked_by_github_on_its_own(text: str) -> None:
    """Mentions, references to issues and bare addresses are broken by a sign without width."""
    shown = "".join(child.content for child in PARSER.parse(f"Ours: {inline(text)}")[1].children or ())
    assert not LINKED.search(shown)
    assert shown.replace("\u200b", "") == f"Ours: {text}"


def test_long_text_is_cut_where_it_is_asked_to_be() -> None:
    """A cut says that it is one, and never leaves half an escape behind."""
    assert inline("*" * 20, 5) == r"\*\*\*\*…"
    assert block("x" * 20, 5) == "```text\nxxxxx\n[…]\n```"
