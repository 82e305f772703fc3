"""The configuration `.skilldelta.yml`, with every default in its one place."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from .design import Goal
from .value import Value

CONFIG_FILE = ".skilldelta.yml"
MISSPELT_CONFIG_FILE = ".skilldelta.yaml"
"""What people write by habit, and nothing reads."""
USUAL_SUITES = ".skilldelta/suites"
"""Where suites are while no configuration says otherwise."""
LOCAL = "local"
"""The name of the embedded model, as a provider and as a model."""
MAX_TOKENS, LOCAL_MAX_TOKENS = 4096, 512
"""Defaults of `runner.max_tokens`; the second is the embedded model's, whose context holds 4,096 with the prompt."""
SAMPLING_KEYS = ("temperature", "top_p", "top_k", "min_p", "seed")
OVERRIDABLE = ("runner", "judge", "design", "gate")
"""Sections that one skill may set differently."""

Model = Annotated[str, Field(min_length=1, max_length=200)]
Provider = Literal["anthropic", "bedrock", "vertex", "local"]
Sampling = Annotated[
    dict[str, float],
    Field(description=f"Sampling parameters, sent as they are: {', '.join(SAMPLING_KEYS)}."),
]
_PROVIDER = "Who serves the model; local: the embedded demonstration model."


def _known_sampling(value: dict[str, float]) -> dict[str, float]:
    unknown = sorted(set(value) - set(SAMPLING_KEYS))
    if unknown:
        raise ValueError(f"holds {unknown[0]!r}, which is no sampling parameter; known are {', '.join(SAMPLING_KEYS)}")
    if not all(math.isfinite(number) for number in value.values()):
        raise ValueError("holds a number that is not finite; write finite numbers")
    return value


def _local_model(data: Any) -> Any:
    """Read `model: local` as the embedded model, which has no name of its own and takes a skill inline."""
    if not isinstance(data, dict) or LOCAL not in (data.get("model"), data.get("provider")):
        return data
    return {**data, "provider": LOCAL, "model": None if data.get("model") == LOCAL else data.get("model")}


def _most_tokens(known: dict[str, Any]) -> int:
    """Return the default of max_tokens, for the provider that was named."""
    return LOCAL_MAX_TOKENS if known.get("provider") == LOCAL else MAX_TOKENS


def _nameless(provider: str, model: str | None) -> None:
    if provider == LOCAL and model is not None:
        raise ValueError("names a model beside provider: local; leave model out, or name the model's provider")


class DiscoverySettings(Value):
    """Where skills are looked for; globs from the repository's root, `**` crosses folders."""

    include: tuple[str, ...] = Field(default=(), description="Folders of skills; empty: every layout met in the wild.")
    exclude: tuple[str, ...] = Field(default=(), description="Folders that are passed over.")


class RunnerSettings(Value):
    """What executes a trial."""

    type: Literal["messages"] = Field(default="messages", description="messages: the Anthropic Messages API.")
    provider: Provider = Field(default="anthropic", description=_PROVIDER)
    model: Model | None = Field(default=None, description="The model that does the tasks; there is no default.")
    offer: Literal["listed", "inline"] = Field(
        default="listed",
        description="listed: name and description first, the body on use; inline: the body in the system prompt.",
    )
    system: str = Field(
        default="You are a helpful assistant.", max_length=100_000, description="The system prompt of every arm."
    )
    max_tokens: int = Field(
        default_factory=_most_tokens,
        ge=1,
        le=1_000_000,
        description=f"Most tokens of one reply; left out with the embedded model: {LOCAL_MAX_TOKENS}.",
        json_schema_extra={"default": MAX_TOKENS},
    )
    max_turns: int = Field(default=12, ge=1, le=200, description="Most replies of one trial, when tools are used.")
    sampling: Sampling = Field(default_factory=dict)

    _known_sampling = field_validator("sampling")(_known_sampling)

    @property
    def replicates(self) -> bool:
        """Say whether further trials of a task tell more; at temperature 0 they would be copies."""
        return self.sampling.get("temperature") != 0

    @model_validator(mode="before")
    @classmethod
    def _local(cls, data: Any) -> Any:
        data = _local_model(data)
        return {**data, "offer": "inline"} if isinstance(data, dict) and data.get("provider") == LOCAL else data

    @model_validator(mode="after")
    def _local_has_no_name(self) -> RunnerSettings:
        _nameless(self.provider, self.model)
        return self


class JudgeModelSettings(Value):
    """The model that judges `llm-rubric`."""

    provider: Provider = Field(default="anthropic", description=_PROVIDER)
    model: Model | None = Field(default=None, description="The model that judges; there is no default.")
    max_tokens: int = Field(default=1024, ge=64, le=100_000, description="Most tokens of one judgment.")
    timeout_seconds: float = Field(default=120.0, gt=0, le=86_400, description="Time for one judgment.")
    sampling: Sampling = Field(default_factory=dict)

    _known_sampling = field_validator("sampling")(_known_sampling)

    @model_validator(mode="before")
    @classmethod
    def _local(cls, data: Any) -> Any:
        return _local_model(data)

    @model_validator(mode="after")
    def _local_has_no_name(self) -> JudgeModelSettings:
        _nameless(self.provider, self.model)
        return self


class DesignSettings(Value):
    """How much is measured and how sure the answer must be."""

    goal: Goal = Field(default=Goal.GATE, description="gate: is it no worse than the margin? improve: is it better?")
    rounds: int | None = Field(
        default=None,
        ge=1,
        le=20,
        description="Most rounds; left out: the rounds for 90 % power at the margin, plus one, within 2 to 20.",
    )
    alpha: float = Field(default=0.05, gt=0, le=0.2, description="Two-sided error rate, half of it in each direction.")
    margin: float = Field(
        default=0.15, gt=0, lt=1, description="The largest drop in the suite's mean that still is no regression."
    )
    sequential: bool = Field(default=True, description="true: stop as soon as the answer holds.")
    look_every: int = Field(default=1, ge=1, le=20, description="Rounds between two looks at the data.")
    seed: int = Field(default=0, ge=0, le=2**63 - 1, description="Every draw comes from it.")
    pass_k: int = Field(default=1, ge=1, le=20, description="Attempts per trial; any that passes decides.")
    pass_threshold: float = Field(default=0.7, ge=0, le=1, description="Score at which `llm-rubric` passes.")
    task_timeout_seconds: float = Field(default=300.0, gt=0, le=86_400, description="Time for one answer.")
    concurrency: int = Field(default=8, ge=1, le=1024, description="Trials in flight.")
    against: Literal["base-ref", "control", "sham"] = Field(
        default="base-ref",
        description="base-ref: the skill before the change; control: no skill at all; sham: one with neutral words.",
    )
    confirm_rounds: int = Field(
        default=0,
        ge=0,
        le=20,
        description="Fresh rounds of the tasks that dropped, to say which of them regressed; 0: none, 10 is enough.",
    )
    saturated_rounds: int | None = Field(
        default=None,
        ge=1,
        le=20,
        description="Rounds of tasks that always ended alike in the calibration (15 trials or more). Left out: all.",
    )


class GateSettings(Value):
    """What verdicts mean for the merge."""

    inconclusive: Literal["warn", "fail"] = Field(default="warn", description="What an inconclusive result does.")
    require_suite: bool = Field(default=False, description="true: a changed skill without a frozen suite fails.")


class BudgetSettings(Value):
    """Hard stops of one run."""

    max_cost_usd: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="US dollars; needs the models' `prices`. Left out: no limit.",
    )
    max_calls: int | None = Field(
        default=None,
        ge=0,
        description="Calls of models, each counted once however often it is sent again. Left out: no limit.",
    )
    max_minutes: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Minutes of one start: a run that is continued has them anew. Left out: no limit.",
    )


class Price(Value):
    """US dollars per million tokens of one model."""

    input: float = Field(ge=0, allow_inf_nan=False, description="US dollars per million tokens sent.")
    output: float = Field(ge=0, allow_inf_nan=False, description="US dollars per million tokens received.")
    cache_read: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Per million tokens read from the cache."
    )
    cache_write: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Per million tokens written to the cache."
    )


class SkillSettings(Value):
    """What one skill does differently; every field left out is the general one."""

    suite: str | None = Field(
        default=None, description="Name of the suite's folder under `suites`, when it is not the skill's id."
    )
    skip: bool = Field(default=False, description="true: the skill is never evaluated.")
    runner: dict[str, Any] = Field(default_factory=dict, description="Fields of the general `runner`.")
    judge: dict[str, Any] = Field(default_factory=dict, description="Fields of the general `judge`.")
    design: dict[str, Any] = Field(default_factory=dict, description="Fields of the general `design`.")
    gate: dict[str, Any] = Field(default_factory=dict, description="Fields of the general `gate`.")

    @field_validator("suite")
    @classmethod
    def _inside(cls, value: str | None) -> str | None:
        return None if value is None else _inner_path(value)


class StateSettings(Value):
    """Where results are kept across runs."""

    branch: str = Field(
        default="skilldelta-data", min_length=1, max_length=200, description="Orphan branch of this repository."
    )

    @field_validator("branch")
    @classmethod
    def _a_branch(cls, value: str) -> str:
        if (
            not re.fullmatch(r"[\w][\w.+/-]*", value)
            or ".." in value
            or value.endswith((".", "/", ".lock"))
            or "//" in value
        ):
            raise ValueError(f"is {value[:60]!r}; write the name of a branch (letters, digits, - _ . /)")
        return value


def _inner_path(value: str) -> str:
    parts = value.strip("/").split("/")
    if value.startswith("/") or {"", ".", ".."} & set(parts) or not re.fullmatch(r"[^\0\\]+", value):
        raise ValueError(f"is {value[:60]!r}; write a folder inside the repository, without . and ..")
    return "/".join(parts)


class Config(Value):
    """`.skilldelta.yml`."""

    version: Literal[1] = Field(default=1, description="The version of this format.")
    discovery: DiscoverySettings = Field(
        default=DiscoverySettings(), description="Where skills are looked for; globs, `**` crosses folders."
    )
    suites: str = Field(default=USUAL_SUITES, description="The folder of the suites, one folder a skill.")
    runner: RunnerSettings = Field(default=RunnerSettings(), description="What executes a trial.")
    judge: JudgeModelSettings = Field(default=JudgeModelSettings(), description="The model that judges `llm-rubric`.")
    design: DesignSettings = Field(
        default=DesignSettings(), description="How much is measured, and how sure the answer must be."
    )
    gate: GateSettings = Field(default=GateSettings(), description="What verdicts mean for the merge.")
    budget: BudgetSettings = Field(default=BudgetSettings(), description="Hard stops of one run.")
    prices: dict[str, Price] = Field(
        default_factory=dict,
        description="Model → US dollars per million tokens (input, output, cache_read, cache_write).",
    )
    state: StateSettings = Field(default=StateSettings(), description="Where results are kept across runs.")
    skills: dict[str, SkillSettings] = Field(
        default_factory=dict,
        description="Skill id → what it does differently (suite, skip, runner, judge, design, gate).",
    )

    _suites_inside = field_validator("suites")(_inner_path)

    @model_validator(mode="after")
    def _overrides_fit(self) -> Config:
        for skill_id in self.skills:
            try:
                self.for_skill(skill_id)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                field = ".".join(str(step) for step in first["loc"])
                raise ValueError(f"skills.{skill_id}: {field}: {first['msg']}") from None
        return self

    def for_skill(self, skill_id: str) -> Config:
        """Return the configuration as it holds for one skill, its overrides applied and checked."""
        own = self.skills.get(skill_id)
        if own is None:
            return self
        update: dict[str, Value] = {}
        for section in OVERRIDABLE:
            changes = getattr(own, section)
            if changes:
                update[section] = changed(getattr(self, section), changes)
        return self.model_copy(update=update)


Section = TypeVar("Section", bound=Value)


def changed(section: Section, changes: Mapping[str, Any]) -> Section:
    """Return a section with some fields set anew and checked; raises pydantic's ValidationError.

    A model named in place of the embedded one brings the defaults of `provider` and `offer` back, unless they are
    named as well. A field that nobody set has the default that fits what is changed.
    """
    data = section.model_dump(exclude_unset=True)
    if data.get("provider") == LOCAL and changes.get("model") not in (None, LOCAL):
        data = {name: value for name, value in data.items() if name not in ("provider", "offer")}
    return type(section).model_validate({**data, **changes})
