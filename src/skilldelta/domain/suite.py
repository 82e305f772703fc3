"""Suites: the frozen set of tasks of one skill, and the settings of their judges."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from .design import Metric
from .value import Value

ATTRIBUTES_FILE = ".gitattributes"
"""Stands in every frozen version, and keeps git from changing its bytes (line ends, filters)."""
MAX_TASKS = 5_000
PathText = Annotated[str, Field(max_length=1_000, json_schema_extra={"pattern": "^fixtures/"})]
Text = Annotated[str, Field(min_length=1, max_length=200_000)]
Weight = Annotated[float, Field(gt=0, le=1000, description="Share in the mean of a task's scores (metric: score).")]


# Control characters, line and paragraph separators, and the marks that turn the direction of text around.
_NOT_ON_ONE_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def _one_line(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; write some text")
    if _NOT_ON_ONE_LINE.search(value):
        raise ValueError("holds a line break or a control character; write one line of plain text")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty; write some text")
    return value


def _below_fixtures(value: str) -> str:
    parts = value.rstrip("/").split("/")
    if parts[0] != "fixtures" or len(parts) < 2 or {"", ".", ".."} & set(parts) or "\\" in value or "\0" in value:
        raise ValueError(f"is {value[:60]!r}; it must be a path that starts with fixtures/ and stays there, without ..")
    return value.rstrip("/")


class ContainsJudge(Value):
    """All strings occur in the answer, upper and lower case alike."""

    type: Literal["contains"]
    expected: tuple[Annotated[str, Field(max_length=200_000)], ...] = Field(
        min_length=1, max_length=1000, description="Every one of these strings must be in the answer."
    )
    weight: Weight = 1.0


class NotContainsJudge(Value):
    """None of the strings occurs in the answer, upper and lower case alike."""

    type: Literal["not-contains"]
    unexpected: tuple[Text, ...] = Field(
        min_length=1, max_length=1000, description="None of these strings may be in the answer."
    )
    weight: Weight = 1.0


class RegexJudge(Value):
    """The pattern is found in the answer (Python syntax; `flags`: i, m, s, x); `absent: true` turns it around."""

    type: Literal["regex"]
    pattern: str = Field(min_length=1, max_length=10_000, description="A regular expression in Python's syntax.")
    flags: str = Field(default="", description="Any of the letters i, m, s and x.")
    absent: bool = Field(default=False, description="true: the pattern must not be found.")
    weight: Weight = 1.0

    @field_validator("flags")
    @classmethod
    def _known_flags(cls, value: str) -> str:
        if set(value) - set("imsx"):
            raise ValueError(f"is {value[:60]!r}; write any of the letters i, m, s and x")
        return value


class JsonSchemaJudge(Value):
    """The answer is JSON (alone, or in its one fenced block) that validates against the schema (draft 2020-12)."""

    type: Literal["json-schema"]
    schema_: dict[str, Any] = Field(
        alias="schema", description="A JSON Schema (draft 2020-12) without references to other documents."
    )
    weight: Weight = 1.0


class LlmRubricJudge(Value):
    """A model scores the answer from 0 to 1 against the rubric; it passes at `pass_threshold`."""

    type: Literal["llm-rubric"]
    rubric: Text = Field(description="What a good answer does; the judging model sees it as it is written.")
    pass_threshold: float | None = Field(
        default=None, ge=0, le=1, description="The score that passes; left out: the configuration's `pass_threshold`."
    )
    weight: Weight = 1.0

    _rubric_says_something = field_validator("rubric")(_not_blank)


class PytestJudge(Value):
    """A pytest file under `fixtures/` runs on the answer (it is read and frozen; this version does not run it)."""

    type: Literal["pytest"]
    test_file: PathText = Field(description="The test file, beside the suite, under `fixtures/`.")
    weight: Weight = 1.0

    _under_fixtures = field_validator("test_file")(_below_fixtures)


JudgeSettings = Annotated[
    ContainsJudge | NotContainsJudge | RegexJudge | JsonSchemaJudge | LlmRubricJudge | PytestJudge,
    Field(discriminator="type"),
]


class Task(Value):
    """One prompt with its judges."""

    id: str = Field(min_length=1, max_length=200, description="The task's name; unique in the suite.")
    description: str = Field(default="", max_length=10_000, description="What the task shows, for people.")
    prompt: str = Field(min_length=1, max_length=1_000_000, description="What the agent is asked, word for word.")
    judges: tuple[JudgeSettings, ...] = Field(
        min_length=1, max_length=50, description="What decides whether the answer is good."
    )
    require: Literal["all", "any"] = Field(
        default="all", description="Whether all judges must pass, or one is enough (metric: pass)."
    )
    timeout_seconds: float | None = Field(
        default=None, gt=0, le=86_400, description="Time for one answer; left out: `design.task_timeout_seconds`."
    )
    max_tokens: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Most tokens of one answer; left out: `runner.max_tokens`."
    )
    fixture: PathText | None = Field(
        default=None, description="A folder under `fixtures/` that is copied fresh into each trial's workspace."
    )
    tags: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(
        default=(), max_length=100, description="Words to choose tasks by."
    )
    describe_only: bool = Field(
        default=False, description="true: the agent must say what it would do; any use of a tool fails the task."
    )

    _id_is_one_line = field_validator("id")(_one_line)
    _prompt_says_something = field_validator("prompt")(_not_blank)

    @field_validator("fixture")
    @classmethod
    def _inside(cls, value: str | None) -> str | None:
        return None if value is None else _below_fixtures(value)


class Suite(Value):
    """The tasks of one skill, in the format version 1.0."""

    skill_id: str = Field(min_length=1, max_length=200, description="The skill that the tasks are for.")
    version: Literal["1.0"] = Field(description='The version of this format, in quotes: "1.0".')
    kind: Literal["impact", "activation"] = Field(
        default="impact", description="impact: is the work better? (activation: does the skill load when it should?)"
    )
    metric: Metric = Field(
        default=Metric.PASS, description="pass: a trial is 1 or 0; score: it is the mean of its judges' scores."
    )
    use: Literal["natural", "explicit"] = Field(
        default="natural",
        description="natural: the agent decides to use the skill; explicit: it is loaded before the prompt.",
    )
    tasks: tuple[Task, ...] = Field(min_length=1, max_length=MAX_TASKS, description="The tasks, in their order.")

    _skill_id_is_one_line = field_validator("skill_id")(_one_line)

    @property
    def needs_judge_model(self) -> bool:
        """True when a judge of the suite is a language model."""
        return any(judge.type == "llm-rubric" for task in self.tasks for judge in task.judges)


class FixtureFile(Value):
    """One file of a frozen suite beside its YAML."""

    path: str = Field(description="From the suite's folder, with forward slashes.")
    mode: Literal["100644", "100755"] = Field(
        default="100644", description="git's: an ordinary file, or an executable."
    )
    sha256: str = Field(description="Of its bytes, 64 hex digits.")
    size: int = Field(ge=0, description="Bytes.")


class FreezeRecord(Value):
    """`freeze.json`: what was frozen, by whom, and the hashes that show an edit."""

    format: Literal[1] = Field(default=1, description="The version of this format.")
    skill_id: str = Field(description="The skill that the suite is for.")
    number: int = Field(ge=1, description="The version's number; each freeze takes the next.")
    content_sha256: str = Field(
        description="Over the parsed suite and its fixtures: equal for equal content, whatever the formatting."
    )
    suite_sha256: str = Field(description="Over the text of suite.yaml with line ends as LF: shows any edit in place.")
    fixtures: tuple[FixtureFile, ...] = Field(default=(), description="The files that were frozen with it.")
    approved_by: str = Field(description="Who approved tasks and judges, before any run.")
    frozen_at: str = Field(description="When, as RFC 3339 in UTC.")
    name: str = Field(description="v<number>-<first 12 hex digits of content_sha256>; the folder's name.")


class FrozenSuite(Value):
    """A version of a suite that can be run."""

    suite: Suite
    record: FreezeRecord

    @property
    def version(self) -> str:
        """v<number>-<12 hex digits>."""
        return self.record.name
