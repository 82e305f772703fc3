"""What a newer suite drops or loosens is named, and what cannot be compared is called that."""

from __future__ import annotations

from typing import Any

import pytest

from skilldelta.domain.suite import FixtureFile, Suite
from skilldelta.reading.weakening import UNKNOWN, differences, weakening

CONTAINS = {"type": "contains", "expected": ["One", "two"]}
RUBRIC = {"type": "llm-rubric", "rubric": "r", "pass_threshold": 0.8}
REGEX = {"type": "regex", "pattern": "a+"}


def suite(*tasks: dict[str, Any], **settings: Any) -> Suite:
    return Suite.model_validate({"skill_id": "s", "version": "1.0", "tasks": tasks, **settings})


def task(name: str = "a", *judges: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": name, "prompt": f"prompt of {name}", "judges": judges or (CONTAINS,), **fields}


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (task(), task(), []),
        (task("a"), task("b", prompt="other"), ["task 'a' is dropped"]),
        (task("a"), task("b", prompt="prompt of a", description="another word for it"), []),
        (
            task(),
            task("a", {"type": "contains", "expected": ["ONE"]}),
            ["task 'a': contains: 'two' is no longer expected"],
        ),
        (task(), task("a", {"type": "contains", "expected": ["someone", "two", "three"]}), []),
        (
            task("a", {"type": "not-contains", "unexpected": ["TODO", "sorry"]}),
            task("a", {"type": "not-contains", "unexpected": ["todo"]}),
            ["task 'a': not-contains: 'sorry' is no longer forbidden"],
        ),
        (
            task("a", {"type": "not-contains", "unexpected": ["todo list"]}),
            task("a", {"type": "not-contains", "unexpected": ["todo"]}),
            [],
        ),
        (task("a", RUBRIC), task("a", {**RUBRIC, "pass_threshold": 0.9}), []),
        (
            task("a", RUBRIC),
            task("a", {**RUBRIC, "pass_threshold": 0.5}),
            ["task 'a': llm-rubric: pass_threshold fell from 0.8 to 0.5"],
        ),
        (
            task("a", RUBRIC),
            task("a", {**RUBRIC, "pass_threshold": None}),
            [f"task 'a': llm-rubric: pass_threshold is the configuration's, it was 0.8: {UNKNOWN}"],
        ),
        (task("a", RUBRIC), task("a", {**RUBRIC, "rubric": "q"}), [f"task 'a': llm-rubric: rubric changed: {UNKNOWN}"]),
        (task("a", REGEX), task("a", {**REGEX, "pattern": "a*"}), [f"task 'a': regex: pattern changed: {UNKNOWN}"]),
        (task("a", REGEX), task("a", {**REGEX, "absent": True}), [f"task 'a': regex: absent changed: {UNKNOWN}"]),
        (task("a", CONTAINS, RUBRIC), task("a", CONTAINS), ["task 'a': the judge llm-rubric is removed"]),
        (task("a", CONTAINS), task("a", CONTAINS, RUBRIC), []),
        (task("a", CONTAINS), task("a", RUBRIC), ["task 'a': the judge contains is removed"]),
        (
            task("a", CONTAINS, RUBRIC),
            task("a", CONTAINS, RUBRIC, require="any"),
            ["task 'a': one passing judge is enough now (require: any); before, all had to pass"],
        ),
        (
            task("a", CONTAINS, RUBRIC, require="any"),
            task("a", CONTAINS, RUBRIC, REGEX, require="any"),
            ["task 'a': another judge may pass the answer (regex, require: any)"],
        ),
        (task(), task("a", prompt="easy"), [f"task 'a': the prompt changed: {UNKNOWN}"]),
        (task(), task("a", fixture="fixtures/x"), [f"task 'a': the fixture changed: {UNKNOWN}"]),
        (task(timeout_seconds=3), task(timeout_seconds=300), ["task 'a': timeout_seconds rose from 3 to 300"]),
        (task(timeout_seconds=300), task(timeout_seconds=3), []),
        (
            task(max_tokens=3),
            task(),
            [f"task 'a': max_tokens is the configuration's, it was 3: {UNKNOWN}"],
        ),
        (task(describe_only=True), task(), ["task 'a': the agent may act now (describe_only is off)"]),
        (task(tags=["x"]), task(description="d"), []),
    ],
)
def test_each_way_to_ask_less_has_its_words(old: dict[str, Any], new: dict[str, Any], lines: list[str]) -> None:
    """Dropped, loosened and incomparable parts are each one line; what asks the same or more is none."""
    assert list(weakening(suite(old), suite(new))) == lines


def test_settings_of_the_suite_are_compared() -> None:
    """Another metric, another way to use the skill, or other weights cannot be compared."""
    old = suite(task("a", {**CONTAINS, "weight": 3}, RUBRIC), metric="score")
    new = suite(task("a", CONTAINS, RUBRIC), metric="score", use="explicit")
    assert weakening(old, new) == (
        f"use is explicit, it was natural: {UNKNOWN}",
        f"task 'a': contains: weight is 1, it was 3: {UNKNOWN}",
    )
    assert weakening(suite(task()), suite(task(), metric="score"))[0].startswith("metric is score, it was pass")


def test_differences_name_everything_that_changed() -> None:
    """New, dropped, renamed and changed tasks, settings and fixtures are each named."""
    old = suite(task("a"), task("b"), task("c"), task("d"))
    new = suite(task("a", REGEX, tags=["t"]), task("e", prompt="prompt of b"), task("d"), task("n"), use="explicit")
    before = tuple(FixtureFile(path=f"fixtures/{name}", sha256=name, size=1) for name in ("gone", "kept", "changed"))
    after = (
        FixtureFile(path="fixtures/kept", sha256="kept", size=1),
        FixtureFile(path="fixtures/changed", sha256="other", size=1),
        FixtureFile(path="fixtures/new", sha256="new", size=1),
    )
    assert differences(old, new, before, after) == (
        "use is explicit, it was natural",
        "task 'b' is now 'e'",
        "task 'c' is dropped",
        "task 'n' is new",
        "task 'a' changed: judges, tags",
        "fixtures/changed changed",
        "fixtures/gone is gone",
        "fixtures/new is new",
    )


def test_another_order_is_a_difference_and_no_weakening() -> None:
    """Tasks that only changed places are said to have done so."""
    old, new = suite(task("a"), task("b")), suite(task("b"), task("a"))
    assert differences(old, new, (), ()) == ("the tasks stand in another order",)
    assert weakening(old, new) == ()
