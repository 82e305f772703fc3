"""A pattern is measured before it is compiled: its repeats are written out in memory, and a few letters can fill it."""

from __future__ import annotations

import resource
import time

import pytest
import regex

from skilldelta.reading.regex_size import MOST, calls_itself, copies


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("", 0),
        ("abc", 3),
        (r"\d{4}-\d{2}-\d{2}", 10),
        ("(ab){3}(c{2}){5}", 16),
        ("a{,5}b{3,}c{2,4}", 12),
        ("a{2}{3}{4}", 24),
        (r"\{3}\\{3}", 6),
        ("[]{3}]{5}", 5),
        (r"[\]{9}]{5}", 5),
        ("x{99999999999999999999}", MOST + 1),
        ("))a{3}", 5),
        ("((((a{2}", 2),
    ],
)
def test_repeats_are_multiplied_out(pattern: str, count: int) -> None:
    """Counted repeats multiply what they stand behind, groups within groups; sets and escaped braces do not."""
    assert copies(pattern) == count


@pytest.mark.parametrize(
    "pattern", ["((a{1000}){1000}){1000}", "((a{1000}){1000}){20}", "a{1000000}", "(?:(?:ab){400}){400}"]
)
def test_what_would_fill_the_memory_is_too_large(pattern: str) -> None:
    """A pattern of a few letters that stands for millions of parts is beyond the limit."""
    assert copies(pattern) > MOST


@pytest.mark.parametrize("pattern", ["(a{300}){300}", "a{0,99000}", "(?:[ab]c?){20000}"])
def test_what_is_within_the_limit_can_be_compiled(pattern: str) -> None:
    """The largest that is let through takes little memory."""
    assert copies(pattern) <= MOST
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    regex.compile(pattern)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150 * 1024


@pytest.mark.parametrize(
    "pattern", ["(" * 5000 + "a{9}" * 1000, "[" * 10_000, "[^" * 5000, "\\" * 9999, "{1" * 5000, "{" + " " * 9999]
)
def test_measuring_takes_no_time(pattern: str) -> None:
    """Whatever the pattern, it is measured in a moment: nothing in it is tried twice without a bound."""
    started = time.process_time()
    copies(pattern)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("pattern", "itself"),
    [
        ("a(?R)?b", True), ("(a(?1)?b)", True), ("(a)(?-1)", True), ("(?&name)", True), ("(?P>name)", True),
        ("(?:a)(?i:b)(?=c)(?!d)(?<=e)(?<!f)(?P<name>g)(?P=name)(?>h)", False),
    ],
)  # fmt: skip
def test_patterns_that_call_themselves(pattern: str, itself: bool) -> None:
    """Recursion has no bound, so it is told from all other groups."""
    assert calls_itself(pattern) is itself
