"""Globs of the configuration."""

from __future__ import annotations

import time

import pytest

from skilldelta.diff.path_pattern import takes_in


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("skills/*", "skills/a", True),
        ("skills/*", "skills/a/b", True),  # a folder that matches takes everything below it
        ("skills/*", "skills", False),
        ("skills", "skills/a", True),
        ("skills/", "skills/a", True),
        ("/skills/a", "skills/a", True),
        ("./skills/a", "skills/a", True),
        ("skills/**", "skills/a/b", True),
        ("skill", "skills/a", False),
        ("*/a", "skills/a", True),
        ("*/a", "x/skills/a", False),
        ("**/a", "x/skills/a", True),
        ("**/a", "a", True),
        ("**/a", "xa", False),
        ("x/**/a", "x/a", True),
        ("x/**/a", "x/y/z/a/b", True),
        ("x/**/a/c", "x/a/b/a/c", True),
        ("x/**/a/c", "x/a/b/a/d", False),
        ("**/skills/**/a", "p/skills/q/a", True),
        ("s?ills/[ab]", "skills/b", True),
        ("s?ills/[!ab]", "skills/b", False),
        ("a[", "a[", True),
        ("Skills/*", "skills/a", False),
        ("*", ".claude", True),
        ("**/SKILL.md", "a/b/SKILL.md", True),
        ("ü*", "über/x", True),
        ("a\nb", "a\nb", True),
        ("**", ".", True),
        ("a", ".", False),
    ],
)
def test_a_pattern_takes_in_what_it_says(pattern: str, path: str, expected: bool) -> None:
    """`*` stays within a folder, `**` crosses folders, and a folder that matches takes everything below it."""
    assert takes_in(pattern, path) is expected


@pytest.mark.parametrize("pattern", ["**/a/" * 200 + "b", "*a" * 100 + "b", "**/" * 500 + "b", "**/*/" * 200 + "b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    """Hundreds of wildcards against a long path are answered at once."""
    start = time.process_time()
    assert not takes_in(pattern, "/".join(["a"] * 1000))
    assert not takes_in(pattern, "a" * 4000)
    assert time.process_time() - start < 1
