"""The one report value; every rendering is made from it and from nothing else."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .comparison import Interval, StopReason, TaskCheck, Verdict
from .config import BudgetSettings
from .design import Goal, Metric
from .plan import Estimate, Flag, Gate, LeftOut, Reach
from .skill import ChangeKind, FileChange, Finding
from .trial import Arm, TrialStatus, Usage
from .value import Value


class Commit(Value):
    """A ref as it was typed, and the commit it named."""

    ref: str
    commit: str


class ArmResult(Value):
    """One arm over the whole suite."""

    arm: Arm
    mean: float | None
    """Mean value over the observed pairs, in [0, 1]: the pass rate for `metric: pass`."""
    trials: int
    own_failures: dict[TrialStatus, int] = Field(default_factory=dict)
    """Trials of value 0 for a reason of the agent's own, by reason."""
    failed: int = 0
    """Trials without a value."""
    skill_loaded: float | None = None
    """Share of trials in which the skill's body was loaded; None where it was inline or there was none."""
    models: tuple[str, ...] = ()


class Sample(Value):
    """One trial worth looking at, trimmed."""

    arm: Arm
    round: int
    value: float | None
    status: TrialStatus
    reason: str | None = None
    answer: str
    answer_chars: int
    judges: tuple[str, ...]
    """One line a judge: type, verdict, what it saw."""
    flags: tuple[str, ...] = ()


class TaskResult(Value):
    """One task in both arms."""

    task_id: str
    description: str
    prompt: str
    pairs: int
    failed_pairs: int
    candidate: float | None
    reference: float | None
    delta: float | None
    movement: Literal["up", "down", "same", "unknown"]
    samples: tuple[Sample, ...] = ()


class FailedPair(Value):
    """A pair without a value, and why."""

    task_id: str
    round: int
    arm: Arm
    reason: str


class Statistics(Value):
    """What the comparison measured, rounded once, differences in [-1, 1]."""

    pairs: int
    failed_pairs: int
    mean_delta: float | None
    median_delta: float | None
    interval: Interval | None
    """95 % (1 − alpha) repeated confidence interval on this suite, valid at the stop."""
    critical_value: float | None
    p_value: float | None
    cohens_dz: float | None
    """Per pair: it does not depend on the number of rounds."""
    task_dz: float | None = None
    """Of the task means; it grows with the rounds, so it is read together with tasks and rounds only."""
    copies: int = 0
    """Pairs that repeat an answer from the server's cache: counted once, and left out of everything above."""
    wins: int
    ties: int
    losses: int
    population_interval: Interval | None
    """If these tasks were a random sample: paired t interval over the task means; None below five tasks."""
    stopped_early: bool


class Drift(Value):
    """How the unchanged baseline fares now and fared when it was calibrated: the model's doing, not the skill's."""

    then: float
    """Mean value over the tasks known from both times, each with the same weight, in [0, 1]."""
    now: float
    difference: float
    interval: Interval
    """95 %, Newcombe's for independent shares; conservative."""
    then_models: tuple[str, ...]
    now_models: tuple[str, ...]
    measured_at: str
    changed: tuple[str, ...]
    """What is not as it was: the model, the configuration, skilldelta itself; empty when nothing is known to be."""


class SkillReport(Value):
    """One skill's answer."""

    skill_id: str
    name: str
    path: str
    skill_file: str
    kind: ChangeKind
    renamed_from: str | None
    files: tuple[FileChange, ...]
    verdict: Verdict | None
    """None for a smoke run."""
    gate: Gate
    sentence: str
    population_sentence: str
    reason: StopReason
    held_back: Verdict | None
    unadjusted: Verdict | None = None
    """What would be said without correction for the other skills; None where there is no other."""
    claim_alpha: float | None = None
    """The two-sided error at which a claim could be made here, after sharing it with the other skills."""
    role: Literal["gate", "beside"] = "gate"
    """beside: on the head's new suite version; no part of the gate."""
    effects_apart: str = ""
    """Where skill and suite change together: which part of the movement is whose."""
    drift: Drift | None = None
    """None where the baseline as it is now was never calibrated on this suite version."""
    goal: Goal
    metric: Metric
    margin: float
    alpha: float
    reference: Arm
    without: str | None = None
    """The file or section that the ablation leaves out."""
    suite_version: str
    configuration: str = ""
    """64 hex digits over what a trial's value depends on besides skill and suite."""
    suite_from: Literal["base", "head"]
    approved_by: str
    rounds: int
    rounds_max: int
    trials: int
    trials_max: int
    pass_k: int
    arms: tuple[ArmResult, ArmResult]
    statistics: Statistics
    reach: Reach
    estimate: Estimate
    tasks: tuple[TaskResult, ...]
    watch: tuple[str, ...]
    """Tasks whose value dropped: to look at, not claimed."""
    checks: tuple[TaskCheck, ...] = ()
    """Tasks that were run again on fresh rounds, and what these say; nothing else says of a task that it regressed."""
    failed: tuple[FailedPair, ...]
    calls: int
    """Model calls of everything recorded, a round that the budget cut off included; so are usage and cost."""
    usage: Usage
    judge_usage: Usage
    cost_usd: float | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]


class Spending(Value):
    """The caps, what the finished trials cost, and which cap ended the run."""

    caps: BudgetSettings
    calls: int
    """Model calls of recorded trials and judgments, those of a round that was cut off included."""
    cost_usd: float | None
    reached: str | None


class Invocation(Value):
    """The named block: all that may differ between two renderings of the same evidence."""

    run_id: str
    started_at: str
    finished_at: str
    seconds: float
    attempts: int
    """How often this run was started or continued."""
    lost_calls: int
    """Calls whose trial or judgment was never recorded, as the program or the budget ended: charged all the same."""
    lost_usd: float
    """What the calls that ended with an earlier attempt may have cost."""
    answer_seconds: float
    """Sum over the trials' own durations."""
    replay: bool
    """True when nobody was asked: everything comes from the journal."""


class Report(Value):
    """What one run says."""

    format: Literal["skilldelta-report/1"] = "skilldelta-report/1"
    tool_version: str
    identity: str
    sentence: str
    gate: Gate
    exit_code: int
    base: Commit
    head: Commit
    baseline_commit: str
    config_from: Literal["base", "head", "defaults"]
    smoke: bool
    skills: tuple[SkillReport, ...]
    left_out: tuple[LeftOut, ...]
    unchanged: int
    flags: tuple[Flag, ...]
    findings: tuple[Finding, ...]
    spending: Spending
    answered_by: tuple[str, ...]
    """Models, as the servers named them."""
    embedded_model: bool
    """True when the tiny embedded model answered: a demonstration."""
    invocation: Invocation
