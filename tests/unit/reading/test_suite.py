"""A suite file becomes a suite, or every problem in it at its line."""

from __future__ import annotations

import contextlib
import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from odd_files import MAY_BE, SUITES
from skilldelta.domain.suite import ContainsJudge, FixtureFile, LlmRubricJudge, PytestJudge, Suite
from skilldelta.errors import BadSuite
from skilldelta.reading.problems import MOST_SHOWN
from skilldelta.reading.suite import SuiteReading, read_suite, suite_digest

MINIMAL = """
skill_id: "target-skill-name"
version: "1.0"
tasks:
  - id: "keywords"
    description: "The answer names the tier"
    prompt: "Given {accuracy: 0.9}, which tier?"
    judge:
      type: "contains"
      expected: ["POWERFUL"]
    timeout_seconds: 30

  - id: "quality"
    description: "A trade-off is weighed"
    prompt: "Accuracy fell, coverage rose. Accept?"
    judge:
      type: "llm-rubric"
      rubric: |
        Names the trade-off,
        and recommends.
      pass_threshold: 0.7
    timeout_seconds: 120

  - id: "format"
    prompt: "Write JSON."
    judge:
      type: "pytest"
      test_file: "fixtures/test_output_format.py"
"""
EVERYTHING = """
skill_id: s
version: "1.0"
kind: impact
metric: score
use: explicit
tasks:
  - id: a
    prompt: p
    fixture: fixtures/repo/
    judges:
      - {type: contains, expected: [x], weight: 2}
      - {type: not-contains, unexpected: [y]}
      - {type: regex, pattern: "a.b", flags: is, absent: true}
      - {type: json-schema, schema: {type: object, properties: {a: {$ref: "#/$defs/n"}}, $defs: {n: {type: number}}}}
      - {type: llm-rubric, rubric: r}
    require: all
    timeout_seconds: 3
    max_tokens: 100
    tags: [one, two]
    describe_only: true
"""


def read(text: str) -> SuiteReading:
    return read_suite(text.encode(), where="s.yaml")


def suite(text: str) -> Suite:
    return read(text).suite


def problems(text: str) -> str:
    with pytest.raises(BadSuite) as caught:
        read(text)
    return str(caught.value)


def test_the_native_format_loads_unchanged() -> None:
    """Fields of the version 1.0 format arrive as they are written, one judge a task, with nothing to warn about."""
    reading = read(MINIMAL)
    assert reading.warnings == ()
    first, second, third = reading.suite.tasks
    assert (first.id, first.description, first.timeout_seconds) == ("keywords", "The answer names the tier", 30)
    assert first.judges == (ContainsJudge(type="contains", expected=("POWERFUL",)),)
    rubric = LlmRubricJudge(type="llm-rubric", rubric="Names the trade-off,\nand recommends.\n", pass_threshold=0.7)
    assert second.judges == (rubric,)
    assert third.judges == (PytestJudge(type="pytest", test_file="fixtures/test_output_format.py"),)
    assert third.timeout_seconds is None


def test_the_additions_are_read() -> None:
    """Several judges, weights, fixture, tags and settings of the suite all arrive."""
    reading = read(EVERYTHING)
    task = reading.suite.tasks[0]
    assert [judge.type for judge in task.judges] == ["contains", "not-contains", "regex", "json-schema", "llm-rubric"]
    assert (task.fixture, task.max_tokens, task.tags, task.describe_only) == (
        "fixtures/repo",
        100,
        ("one", "two"),
        True,
    )
    assert (reading.suite.metric.value, reading.suite.use) == ("score", "explicit")
    assert reading.warnings == ("s.yaml:17: task 'a', require has no effect; require needs metric: pass",)


@pytest.mark.parametrize("name", [name for name in SUITES if not name.endswith(MAY_BE)])
def test_what_is_refused_is_always_a_bad_suite(name: str) -> None:
    """Whatever is wrong, the error is a BadSuite that names the file."""
    with pytest.raises(BadSuite, match=r"s\.yaml"):
        read_suite(SUITES[name], where="s.yaml")


def test_every_problem_is_told_at_once_in_the_order_of_the_lines() -> None:
    """One reading is enough to mend a file: all its problems come together, each with its line."""
    lines = problems(SUITES["everything at once"].decode()).splitlines()
    assert lines[0] == "s.yaml: 10 problems"
    numbers = [int(line.split(":")[1]) for line in lines[1:]]
    assert len(numbers) == 10
    assert numbers == sorted(numbers)


def test_a_flood_of_problems_is_counted_rather_than_printed() -> None:
    """Beyond a few hundred lines the rest is a number."""
    text = 'skill_id: s\nversion: "1.0"\ntasks:\n' + "  - id: a\n" * (MOST_SHOWN + 50)
    lines = problems(text).splitlines()
    assert len(lines) == MOST_SHOWN + 2
    assert lines[-1] == f"  … and {3 * (MOST_SHOWN + 50) - 1 - MOST_SHOWN} more"


def test_more_tasks_than_are_read_is_a_problem() -> None:
    """A suite has at most 5,000 tasks."""
    task = "  - {{id: t{}, prompt: p, judge: {{type: contains, expected: [x]}}}}\n"
    text = 'skill_id: s\nversion: "1.0"\ntasks:\n' + "".join(task.format(number) for number in range(5001))
    assert problems(text) == "s.yaml:3: tasks has 5001 items; at most 5,000 are read"


def test_nothing_counts_as_left_out() -> None:
    """A key without a value is one that was not written."""
    assert (
        suite(MINIMAL.replace("timeout_seconds: 30", "timeout_seconds:\n    tags: ~")).tasks[0].timeout_seconds is None
    )


@pytest.mark.parametrize(
    "other",
    [
        "# a comment\n" + MINIMAL,
        MINIMAL.replace("\n", "\r\n"),
        MINIMAL.replace('"', "'"),
        MINIMAL.replace("timeout_seconds: 30", "timeout_seconds: 30.0\n    require: all\n    describe_only: false"),
        "metric: pass\nkind: impact\n" + MINIMAL,
        MINIMAL + "owner: me\n",
        json.dumps(yaml.safe_load(MINIMAL)),
        yaml.safe_dump(yaml.safe_load(MINIMAL), sort_keys=True),
    ],
)
def test_the_digest_is_that_of_the_content(other: str) -> None:
    """Formatting, comments, order of keys, written-out defaults and unknown keys do not change the digest."""
    assert suite_digest(suite(other)) == suite_digest(suite(MINIMAL))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("POWERFUL", "powerful"),
        ("which tier", "Which tier"),
        ("timeout_seconds: 30", "timeout_seconds: 31"),
        ("timeout_seconds: 30", ""),
        ("names the tier", "tells the tier"),
        ("pass_threshold: 0.7", ""),
        ('"keywords"', '"words"'),
        ("target-skill-name", "other"),
        ("test_output_format", "test_format"),
        ('version: "1.0"', 'version: "1.0"\nmetric: score'),
    ],
)
def test_the_digest_sees_every_change_of_content(old: str, new: str) -> None:
    """Whatever changes what is asked, or how it is judged, changes the digest."""
    assert old in MINIMAL
    assert suite_digest(suite(MINIMAL.replace(old, new))) != suite_digest(suite(MINIMAL))


def test_the_digest_holds_the_fixtures() -> None:
    """A fixture's path, mode and content are part of the content, their order is not."""
    one = FixtureFile(path="fixtures/a", sha256="1" * 64, size=1)
    two = FixtureFile(path="fixtures/b", sha256="2" * 64, size=1)
    read_one = suite(MINIMAL)
    plain = suite_digest(read_one, [one, two])
    assert plain == suite_digest(read_one, [two, one])
    changed = [
        one.model_copy(update={"path": "fixtures/c"}),
        one.model_copy(update={"mode": "100755"}),
        one.model_copy(update={"sha256": "3" * 64}),
    ]
    assert len({plain, suite_digest(read_one, [two]), *(suite_digest(read_one, [two, each]) for each in changed)}) == 5


def test_a_digest_is_held() -> None:
    """The digest of a suite is the same in every version and on every machine: frozen suites depend on it."""
    assert suite_digest(suite(MINIMAL))[:12] == "6a1b5e4a224b"


SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["contains", "regex", "json-schema", "pytest", "1.0", "fixtures/x", "all", "score", "[", "(a"])
)
KEYS = st.sampled_from(
    ["skill_id", "version", "tasks", "id", "prompt", "judge", "judges", "type", "expected", "pattern", "schema", "kind",
     "rubric", "weight", "fixture", "$ref", "timeout_seconds", "tags", "test_file", "flags"]
)  # fmt: skip
ANYTHING = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
JUDGE = st.fixed_dictionaries({"type": SCALAR}, optional={"expected": ANYTHING, "pattern": SCALAR, "schema": ANYTHING})
TASK = st.fixed_dictionaries({}, optional={"id": SCALAR, "prompt": SCALAR, "judge": JUDGE, "judges": st.lists(JUDGE)})
SUITE = st.fixed_dictionaries(
    {"skill_id": SCALAR, "version": st.sampled_from(["1.0", 1.0, 2])},
    optional={"tasks": st.lists(TASK), "kind": SCALAR},
)


@given(SUITE | ANYTHING)
def test_any_data_is_a_suite_or_a_bad_suite(data: object) -> None:
    """No file makes the reader fail in any other way than with a BadSuite."""
    with contextlib.suppress(BadSuite):
        suite_digest(suite(yaml.safe_dump(data, allow_unicode=True)))


def test_values_that_are_built_in_code_obey_the_same_rules() -> None:
    """The model itself refuses what a file may not say."""
    with pytest.raises(ValidationError):
        PytestJudge(type="pytest", test_file="/etc/passwd")
