"""Texts that try to break out of their place in Markdown, HTML or a terminal."""

from __future__ import annotations

import re

from hypothesis import strategies as st

PIECES = (
    "<script>alert(1)</script>", "</details>", "<details><summary>", "<img src=x>", "<!-- x", "-->",
    "![x](http://e.org/a)", "[x](javascript:alert)", "[x]: http://e.org", "http://e.org", "www.e.org",
    "@octocat", "#1", "GH-1", "a/b#2", "\n", "\n\n", "\r\n", "|", "\\", "\\|", "`", "```", "````", "~~~", "***",
    "___", "~~x~~", "- ", "+ ", "1. ", "1) ", "# ", "> ", "===", "---", "|---|", "    ", "\t", "&lt;", "&#64;",
    "&commat;octocat", "$x$", "\u202e", "\u200b", "\u001b[31m", "\u0000", "\ufeff", "\u2028", "é", "报告",
    "\U0001f469\u200d\U0001f680", "x", " ", "a_b_c", "<http://e.org>", "<a@e.org>", "^[", "[^1]", ":tada:",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join) | st.text(min_size=1, max_size=60)
LINKED = re.compile(r"(?i)@[\w-]|(?<![\w&])#\d|\w#\d|\bGH-\d|https?:|ftp:|www\.")
"""What GitHub turns into a link in plain text."""
