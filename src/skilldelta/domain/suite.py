"""Suites: the frozen set of tasks of one skill, and the settings of their judges."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from .design import Metric
from .value import Value

Text = Annotated[str, Field(min_length=1)]


class ContainsJudge(Value):
    """All strings occur in the answer, upper and lower case alike."""

    type: Literal["contains"]
    expected: tuple[Text, ...] = Field(min_length=1)
    weight: float = Field(default=1.0, gt=0, le=1000)


class NotContainsJudge(Value):
    """None of the strings occurs in the answer, upper and lower case alike."""

    type: Literal["not-contains"]
    unexpected: tuple[Text, ...] = Field(min_length=1)
    weight: float = Field(default=1.0, gt=0, le=1000)


class RegexJudge(Value):
    """The pattern is found in the answer (Python syntax; `flags`: i, m, s, x); `absent: true` turns it around."""

    type: Literal["regex"]
    pattern: Text
    flags: str = ""
    absent: bool = False
    weight: float = Field(default=1.0, gt=0, le=1000)

    @field_validator("flags")
    @classmethod
    def _known_flags(cls, value: str) -> str:
        if set(value) - set("imsx"):
            raise ValueError("flags are any of the letters i, m, s and x")
        return value


class JsonSchemaJudge(Value):
    """The answer is JSON (alone, or in its one fenced block) that validates against the schema (draft 2020-12)."""

    type: Literal["json-schema"]
    schema_: dict[str, Any] = Field(alias="schema")
    weight: float = Field(default=1.0, gt=0, le=1000)


class LlmRubricJudge(Value):
    """A model scores the answer from 0 to 1 against the rubric; it passes at `pass_threshold`."""

    type: Literal["llm-rubric"]
    rubric: Text
    pass_threshold: float | None = Field(default=None, ge=0, le=1)
    """None: the configuration's `pass_threshold`."""
    weight: float = Field(default=1.0, gt=0, le=1000)


class PytestJudge(Value):
    """A pytest file under `fixtures/` runs on the answer; read and frozen here, run once the sandbox exists."""

    type: Literal["pytest"]
    test_file: str
    weight: float = Field(default=1.0, gt=0, le=1000)

    @field_validator("test_file")
    @classmethod
    def _under_fixtures(cls, value: str) -> str:
        if not value.startswith("fixtures/") or ".." in value.split("/") or "\\" in value or "\0" in value:
            raise ValueError("test_file must be a path under fixtures/, without ..")
        return value


JudgeSettings = Annotated[
    ContainsJudge | NotContainsJudge | RegexJudge | JsonSchemaJudge | LlmRubricJudge | PytestJudge,
    Field(discriminator="type"),
]


class Task(Value):
    """One prompt with its judges."""

    id: str = Field(min_length=1, max_length=200)
    description: str = ""
    prompt: Text
    judges: tuple[JudgeSettings, ...] = Field(min_length=1)
    require: Literal["all", "any"] = "all"
    timeout_seconds: float | None = Field(default=None, gt=0, le=86_400)
    """None: the configuration's `task_timeout_seconds`."""
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    fixture: str | None = None
    tags: tuple[str, ...] = ()
    describe_only: bool = False

    @field_validator("fixture")
    @classmethod
    def _inside(cls, value: str | None) -> str | None:
        if value is not None and (value.startswith("/") or ".." in value.split("/") or "\\" in value or not value):
            raise ValueError("fixture must be a folder beside the suite, without ..")
        return value


class Suite(Value):
    """The tasks of one skill, in the format version 1.0."""

    skill_id: Text
    version: Literal["1.0"]
    kind: Literal["impact", "activation"] = "impact"
    metric: Metric = Metric.PASS
    use: Literal["natural", "explicit"] = "natural"
    tasks: tuple[Task, ...] = Field(min_length=1)

    @property
    def needs_judge_model(self) -> bool:
        """True when a judge of the suite is a language model."""
        return any(judge.type == "llm-rubric" for task in self.tasks for judge in task.judges)


class FixtureFile(Value):
    """One file of a frozen suite beside its YAML."""

    path: str
    mode: Literal["100644", "100755"] = "100644"
    sha256: str
    size: int


class FreezeRecord(Value):
    """`freeze.json`: what was frozen, by whom, and the hashes that show an edit."""

    format: Literal[1] = 1
    skill_id: str
    number: int = Field(ge=1)
    content_sha256: str
    """Over the parsed suite and its fixtures: equal for equal content, whatever the formatting."""
    suite_sha256: str
    """Over the text of suite.yaml with line ends as LF: shows any edit in place."""
    fixtures: tuple[FixtureFile, ...] = ()
    approved_by: str
    frozen_at: str
    """RFC 3339, UTC."""
    name: str
    """v<number>-<first 12 hex digits of content_sha256>; the folder's name."""


class FrozenSuite(Value):
    """A version of a suite that can be run."""

    suite: Suite
    record: FreezeRecord

    @property
    def version(self) -> str:
        """v<number>-<12 hex digits>."""
        return self.record.name
