"""A trial with its judgments, as far as the comparison and the report need it."""

from __future__ import annotations

from .trial import Arm, TrialStatus, Usage
from .value import Value


class JudgeWord(Value):
    """One judge's word, without its raw replies."""

    type: str
    passed: bool
    score: float
    rationale: str
    failure: str | None = None


class JudgedTrial(Value):
    """One attempt and its value; the whole answer stays in the journal."""

    task_id: str
    arm: Arm
    round: int
    attempt: int
    status: TrialStatus
    reason: str | None = None
    refused_by_provider: bool = False
    value: int | None
    """In hundredths (0 to 100); None when the pair is lost."""
    failure: str | None = None
    """Why there is no value."""
    judges: tuple[JudgeWord, ...] = ()
    flags: tuple[str, ...] = ()
    excerpt: str = ""
    """The beginning of the answer."""
    answer_chars: int = 0
    calls: int = 1
    """Turns of the conversation."""
    usage: Usage = Usage()
    judge_calls: int = 0
    judge_usage: Usage = Usage()
    duration_ms: int = 0
    model: str | None = None
    skill_loaded: bool | None = None
    server_cached: bool = False
    answer_digest: str = ""


class TaskRound(Value):
    """All attempts of one arm at one task in one round, and the value they make together."""

    task_id: str
    arm: Arm
    round: int
    value: int | None
    attempts: tuple[JudgedTrial, ...]
