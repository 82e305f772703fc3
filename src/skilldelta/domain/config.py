"""The configuration `.skilldelta.yml`, with every default in its one place."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from .design import Goal
from .value import Value

Model = Annotated[str, Field(min_length=1, max_length=200)]
SAMPLING_KEYS = ("temperature", "top_p", "top_k", "min_p", "seed")


class DiscoverySettings(Value):
    """Where skills are looked for; globs from the repository's root, `**` crosses folders."""

    include: tuple[str, ...] = ()
    """Empty: every layout that is met in the wild."""
    exclude: tuple[str, ...] = ()


class RunnerSettings(Value):
    """What executes a trial."""

    type: Literal["messages"] = "messages"
    provider: Literal["anthropic", "bedrock", "vertex", "local"] = "anthropic"
    model: Model | None = None
    offer: Literal["listed", "inline"] = "listed"
    system: str = "You are a helpful assistant."
    max_tokens: int = Field(default=4096, ge=1, le=1_000_000)
    max_turns: int = Field(default=12, ge=1, le=200)
    sampling: dict[str, float] = Field(default_factory=dict)
    """Sampling parameters, sent as they are: temperature, top_p, top_k, min_p, seed."""

    @field_validator("sampling")
    @classmethod
    def _known_sampling(cls, value: dict[str, float]) -> dict[str, float]:
        unknown = sorted(set(value) - set(SAMPLING_KEYS))
        if unknown:
            raise ValueError(f"unknown sampling parameter {unknown[0]!r}; known are {', '.join(SAMPLING_KEYS)}")
        if any(number != number or number in (float("inf"), float("-inf")) for number in value.values()):
            raise ValueError("sampling parameters must be finite numbers")
        return value


class JudgeModelSettings(Value):
    """The model that judges `llm-rubric`; there is no default model."""

    provider: Literal["anthropic", "bedrock", "vertex", "local"] = "anthropic"
    model: Model | None = None
    max_tokens: int = Field(default=1024, ge=64, le=100_000)
    timeout_seconds: float = Field(default=120, gt=0, le=86_400)
    sampling: dict[str, float] = Field(default_factory=dict)

    _known_sampling = field_validator("sampling")(RunnerSettings._known_sampling.__func__)  # type: ignore[attr-defined]


class DesignSettings(Value):
    """How much is measured and how sure the answer must be."""

    goal: Goal = Goal.GATE
    rounds: int | None = Field(default=None, ge=1, le=20)
    """None: the rounds for 90 % power at the margin, plus one, within 2 to 20."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    margin: float = Field(default=0.15, gt=0, lt=1)
    sequential: bool = True
    look_every: int = Field(default=1, ge=1, le=20)
    seed: int = Field(default=0, ge=0, le=2**63 - 1)
    pass_k: int = Field(default=1, ge=1, le=20)
    pass_threshold: float = Field(default=0.7, ge=0, le=1)
    task_timeout_seconds: float = Field(default=300, gt=0, le=86_400)
    concurrency: int = Field(default=8, ge=1, le=1024)
    """Trials in flight."""
    against: Literal["base-ref", "control"] = "base-ref"


class GateSettings(Value):
    """What verdicts mean for the merge."""

    inconclusive: Literal["warn", "fail"] = "warn"
    require_suite: bool = False


class BudgetSettings(Value):
    """Hard stops of one run."""

    max_cost_usd: float | None = Field(default=None, ge=0)
    max_calls: int | None = Field(default=None, ge=0)
    max_minutes: float | None = Field(default=None, gt=0)


class Price(Value):
    """US dollars per million tokens of one model."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class SkillSettings(Value):
    """What one skill does differently; every field left out is the general one."""

    suite: str | None = None
    """Name of the suite's folder under `suites`, when it is not the skill's id."""
    skip: bool = False
    runner: dict[str, Any] = Field(default_factory=dict)
    judge: dict[str, Any] = Field(default_factory=dict)
    design: dict[str, Any] = Field(default_factory=dict)
    gate: dict[str, Any] = Field(default_factory=dict)


class StateSettings(Value):
    """Where results are kept across runs."""

    branch: str = Field(default="skilldelta-data", min_length=1, max_length=200)


class Config(Value):
    """`.skilldelta.yml`."""

    version: Literal[1] = 1
    discovery: DiscoverySettings = DiscoverySettings()
    suites: str = ".skilldelta/suites"
    runner: RunnerSettings = RunnerSettings()
    judge: JudgeModelSettings = JudgeModelSettings()
    design: DesignSettings = DesignSettings()
    gate: GateSettings = GateSettings()
    budget: BudgetSettings = BudgetSettings()
    prices: dict[str, Price] = Field(default_factory=dict)
    state: StateSettings = StateSettings()
    skills: dict[str, SkillSettings] = Field(default_factory=dict)

    @field_validator("suites")
    @classmethod
    def _inside(cls, value: str) -> str:
        if not value or value.startswith("/") or ".." in value.split("/") or not re.fullmatch(r"[^\0\\]+", value):
            raise ValueError("suites must be a folder inside the repository, without ..")
        return value.strip("/")

    @model_validator(mode="after")
    def _overrides_fit(self) -> Config:
        for skill_id in self.skills:
            self.for_skill(skill_id)
        return self

    def for_skill(self, skill_id: str) -> Config:
        """Return the configuration as it holds for one skill, its overrides applied and checked."""
        own = self.skills.get(skill_id)
        if own is None:
            return self
        update: dict[str, Value] = {}
        for section in ("runner", "judge", "design", "gate"):
            changes = getattr(own, section)
            if changes:
                current: Value = getattr(self, section)
                update[section] = type(current).model_validate({**current.model_dump(), **changes})
        return self.model_copy(update=update)
