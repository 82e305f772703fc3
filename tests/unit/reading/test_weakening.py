"""What a newer suite drops or loosens is named, and what cannot be compared is called that."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from skilldelta.domain.suite import FixtureFile, JudgeSettings, Suite, Task
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


ALWAYS = {"type": "not-contains", "unexpected": ["zzz"]}


@pytest.mark.parametrize(
    ("judges", "added"),
    [
        ([CONTAINS, ALWAYS], "not-contains"),
        ([CONTAINS, CONTAINS], "contains"),
        ([CONTAINS, RUBRIC, ALWAYS], "llm-rubric, not-contains"),
    ],
)
def test_a_judge_that_joins_a_mean_is_called_out(judges: list[dict[str, Any]], added: str) -> None:
    """Under metric: score one more judge may raise every trial's value, so each is named."""
    old = suite(task("a", CONTAINS), metric="score")
    line = f"task 'a': another judge counts in the mean ({added}, metric: score): {UNKNOWN}"
    assert weakening(old, suite(task("a", *judges), metric="score")) == (line,)
    assert weakening(suite(task("a", CONTAINS)), suite(task("a", *judges))) == ()


REGEX_I = {**REGEX, "flags": "i"}
SCHEMA = {"type": "json-schema", "schema": {"type": "object"}}
PYTEST = {"type": "pytest", "test_file": "fixtures/t.py"}
SETTINGS: dict[str, tuple[Any, Any, str]] = {
    "suite.kind": ({"kind": "impact"}, {"kind": "activation"}, "kind is activation"),
    "suite.metric": ({"metric": "pass"}, {"metric": "score"}, "metric is score"),
    "suite.use": ({"use": "natural"}, {"use": "explicit"}, "use is explicit"),
    "task.prompt": (task(), task(prompt="other"), "the prompt changed"),
    "task.judges": (task("a", CONTAINS, RUBRIC), task("a", CONTAINS), "llm-rubric is removed"),
    "task.require": (task("a", CONTAINS, RUBRIC), task("a", CONTAINS, RUBRIC, require="any"), "require: any"),
    "task.timeout_seconds": (task(timeout_seconds=3), task(timeout_seconds=4), "timeout_seconds rose"),
    "task.max_tokens": (task(max_tokens=3), task(max_tokens=4), "max_tokens rose"),
    "task.fixture": (task(fixture="fixtures/x"), task(fixture="fixtures/y"), "the fixture changed"),
    "task.describe_only": (task(describe_only=True), task(), "describe_only is off"),
    "contains.expected": (CONTAINS, {**CONTAINS, "expected": ["one"]}, "'two' is no longer expected"),
    "not-contains.unexpected": (
        {**ALWAYS, "unexpected": ["TODO"]},
        {**ALWAYS, "unexpected": ["TODO now"]},
        "'TODO' is no longer forbidden",
    ),
    "regex.pattern": (REGEX, {**REGEX, "pattern": ".*"}, "pattern changed"),
    "regex.flags": (REGEX, REGEX_I, "flags changed"),
    "regex.absent": (REGEX, {**REGEX, "absent": True}, "absent changed"),
    "json-schema.schema_": (SCHEMA, {**SCHEMA, "schema": {}}, "schema changed"),
    "llm-rubric.rubric": (RUBRIC, {**RUBRIC, "rubric": "q"}, "rubric changed"),
    "llm-rubric.pass_threshold": (RUBRIC, {**RUBRIC, "pass_threshold": 0.7}, "pass_threshold fell from 0.8 to 0.7"),
    "pytest.test_file": (PYTEST, {**PYTEST, "test_file": "fixtures/u.py"}, "test_file changed"),
    **{
        f"{judge['type']}.weight": (judge, {**judge, "weight": 2}, "weight is 2, it was 1")
        for judge in (CONTAINS, ALWAYS, REGEX, SCHEMA, RUBRIC, PYTEST)
    },
}
"""Field → the older value, a looser one, and what is said of it."""
SAYS_NOTHING = {"suite.skill_id", "suite.version", "suite.tasks", "task.id", "task.description", "task.tags"}
"""Fields that ask nothing of an answer, or that are looked into rather than compared."""


@pytest.mark.parametrize("field", SETTINGS)
def test_every_setting_of_a_suite_is_compared(field: str) -> None:
    """A looser value of any field is called out by name."""
    older, looser, words = SETTINGS[field]
    where, _, name = field.partition(".")
    if where == "suite":
        old, new = suite(task(), **older), suite(task(), **looser)
    elif where == "task":
        old, new = suite(older), suite(looser)
    else:
        metric = "score" if name == "weight" else "pass"
        old, new = suite(task("a", older), metric=metric), suite(task("a", looser), metric=metric)
    (line,) = weakening(old, new)
    assert words in line


def test_no_setting_of_a_suite_is_forgotten() -> None:
    """A field that is new to the format is compared, or said to ask nothing."""
    union, _ = get_args(JudgeSettings)
    fields = {f"suite.{name}" for name in Suite.model_fields} | {f"task.{name}" for name in Task.model_fields}
    for judge in get_args(union):
        (kind,) = get_args(judge.model_fields["type"].annotation)
        fields |= {f"{kind}.{name}" for name in judge.model_fields if name != "type"}
    assert fields == {*SETTINGS, *SAYS_NOTHING}


def test_the_files_of_tasks_are_compared() -> None:
    """A fixture that changed or went, and a file that joins a fixture, are called out; another fixture is not."""
    both = suite(task(fixture="fixtures/a"), task("b", PYTEST))

    def files(**contents: str) -> tuple[FixtureFile, ...]:
        return tuple(FixtureFile(path=f"fixtures/{path}", sha256=sha, size=1) for path, sha in contents.items())

    before = files(**{"a/x": "1", "a/y": "1", "t.py": "1"})
    after = files(**{"a/x": "2", "a/z": "1", "t.py": "2", "ab/new": "1"})
    assert weakening(both, both, before, after) == tuple(
        f"fixtures/{line}: {UNKNOWN}" for line in ("a/x changed", "a/y is gone", "a/z is new", "t.py changed")
    )


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
