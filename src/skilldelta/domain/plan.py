"""What is going to be run, in which order, and what it may cost."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from .config import BudgetSettings, DesignSettings, GateSettings, JudgeModelSettings, Price, RunnerSettings
from .design import Design
from .skill import ChangeKind, FileChange, Finding
from .suite import FrozenSuite, Task
from .trial import Arm
from .value import Value

MOST_JUDGED_TWICE = 60
"""Most judgments of a skill that a calibration asks for again."""


class Gate(StrEnum):
    """What a result means for the merge, from best to worst."""

    PASS = "pass"  # noqa: S105 - the field's word, not a password
    NEUTRAL = "neutral"
    WARN = "warn"
    FAIL = "fail"
    CONFLICTED = "conflicted"
    BLOCKED = "blocked"


class Flag(Value):
    """Something in the head that touches its own law: configuration, suite or workflow."""

    kind: Literal["config", "suite", "workflow", "first-adoption"]
    path: str
    message: str
    weakening: tuple[str, ...] = ()
    """In words, what a new suite version drops or loosens."""


class Estimate(Value):
    """What a plan costs when all its rounds are run: an estimate before the first call, never a cap."""

    trials: int
    trial_calls: int
    """Calls of the model that does the tasks: one a trial, and one more where a listed skill is loaded first."""
    judge_calls: int
    input_tokens: int
    """Rough: a token for every three bytes of the prompts."""
    output_tokens: int
    """With every answer at its `max_tokens`, which answers seldom reach."""
    cost_usd: float | None
    """None without a price for the model."""
    confirm_trials: int = 0
    """Trials that come on top where every task dropped and is run again."""
    confirm_cost_usd: float | None = None
    """What these cost at the most; None without a price for the model, and where none are planned."""


class Step(Value):
    """What a larger design would show, and what it adds to the price."""

    what: Literal["one more round", "ten more tasks"]
    smallest_effect: float | None
    """The smallest effect found with 80 % power then; None when none is of up to the discordance."""
    trials: int
    """Trials that it adds when all rounds are run."""
    cost_usd: float | None
    """None without a price for the model."""


class Reach(Value):
    """What the design can and cannot show on this suite."""

    tasks: int
    discordance: float
    """The share of pairs that are expected to differ; 0.42 until something is known."""
    discordance_from: Literal["default", "calibration", "history"] = "default"
    rounds_needed: int | None
    """Rounds for 90 % power at the margin; None when 20 are not enough."""
    power_at_margin: float
    """Chance that an effect as large as the margin is found with all rounds run."""
    smallest_effect: float | None
    """The smallest effect found with 80 % power, in [0, 1]; None when none is of up to `discordance`."""
    skills: int = 1
    """Skills that share the error of claims: powers are those of a claim at alpha over their number."""
    steps: tuple[Step, ...] = ()


class RecordedTask(Value):
    """How the skill fared on one task when it was calibrated."""

    task_id: str
    mean: float
    trials: int


class RecordedBaseline(Value):
    """How a skill fared on this suite version when it was calibrated, and who answered then."""

    tree: str
    configuration: str
    setup: str
    """The configuration without the names of the models."""
    models: tuple[str, ...]
    tool_version: str
    measured_at: str
    tasks: tuple[RecordedTask, ...]


class SkillPlan(Value):
    """One skill's comparison."""

    skill_id: str
    name: str
    path: str
    skill_file: str
    kind: ChangeKind
    renamed_from: str | None = None
    files: tuple[FileChange, ...] = ()
    findings: tuple[Finding, ...] = ()
    candidate_tree: str
    reference_tree: str | None
    """The baseline's tree hash; None for control."""
    reference: Literal[Arm.BASELINE, Arm.CONTROL, Arm.SHAM, Arm.ABLATION]
    without: str | None = None
    """The file or section that the ablation leaves out."""
    role: Literal["gate", "beside"] = "gate"
    """beside: measured on the head's new suite version, reported, and no part of the gate."""
    suite: FrozenSuite
    suite_from: Literal["base", "head"]
    design: Design
    seed: int
    pass_k: int = 1
    pass_threshold: float = 0.7
    task_timeout_seconds: float = 300
    runner: RunnerSettings
    judge: JudgeModelSettings
    gate: GateSettings
    confirm_rounds: int = 0
    """Fresh rounds of the tasks that dropped; 0: none."""
    configuration: str = ""
    """64 hex digits over what a trial's value depends on besides skill and suite."""
    setup: str = ""
    """The same without the names of the models."""
    reach: Reach
    usual: DesignSettings | None = None
    """Of a calibration: the settings of the comparisons whose false alarms are counted."""
    leaks: tuple[str, ...] = ()
    """Where the skill and its suite quote each other, in words."""
    texts: tuple[str, ...] = ()
    """Of a calibration: the skill's own texts, to see which answers quote them."""
    recorded: RecordedBaseline | None = None
    """Of the suite's calibration; it tells a change of the model from a change of the skill."""
    estimate: Estimate
    one_round: Estimate | None = None
    """What a single round takes; None where the design cannot grow."""
    notes: tuple[str, ...] = ()

    @property
    def arms(self) -> tuple[Arm, Arm]:
        """The candidate and what it is compared with."""
        return (Arm.CANDIDATE, Arm(self.reference))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The suite's tasks in their order."""
        return self.suite.suite.tasks

    def task_timeout(self, task: Task) -> float:
        """Return the task's own time limit in seconds, else the configuration's."""
        return task.timeout_seconds or self.task_timeout_seconds

    def max_tokens(self, task: Task) -> int:
        """Return the task's own answer limit, else the runner's."""
        return task.max_tokens or self.runner.max_tokens


class LeftOut(Value):
    """A changed skill that is not measured, and what that means."""

    skill_id: str
    name: str = ""
    path: str
    kind: ChangeKind
    gate: Gate
    reason: str
    fix: str | None = None
    findings: tuple[Finding, ...] = ()


class Plan(Value):
    """Everything one run does; its identity names the run."""

    format: Literal[1] = 1
    tool_version: str
    base_ref: str
    head_ref: str
    base_commit: str
    baseline_commit: str
    candidate_commit: str
    config_from: Literal["base", "head", "defaults"]
    skills: tuple[SkillPlan, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unchanged: int = 0
    flags: tuple[Flag, ...] = ()
    findings: tuple[Finding, ...] = ()
    budget: BudgetSettings = BudgetSettings()
    prices: dict[str, Price] = Field(default_factory=dict)
    concurrency: int = 8
    purpose: Literal["compare", "calibrate"] = "compare"
    smoke: bool = False
    identity: str
    """64 hex digits over trees, suites, configuration and seed; budget and concurrency are not part of it."""
