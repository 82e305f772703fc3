"""One execution of a task by one arm, and what came of it."""

from __future__ import annotations

from enum import StrEnum

from .value import Value


class Arm(StrEnum):
    """Who answers: the head's skill, the base's, nobody's, or the head's without what makes it."""

    CANDIDATE = "candidate"
    BASELINE = "baseline"
    CONTROL = "control"
    SHAM = "sham"
    """The head's skill with neutral words in place of its content."""
    ABLATION = "ablation"
    """The head's skill without one file or section."""


class TrialStatus(StrEnum):
    """How a trial ended."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    TOKEN_LIMIT = "token-limit"  # noqa: S105 - a model's tokens
    TURN_LIMIT = "turn-limit"
    REFUSED = "refused"
    EMPTY = "empty"
    FAILED = "failed"
    """Transport or server failure after all retries: the pair is lost, never judged as a bad answer."""

    @property
    def own_failure(self) -> bool:
        """True when the agent itself is to blame: the trial's value is 0."""
        return self not in (TrialStatus.ANSWERED, TrialStatus.FAILED)


class Usage(Value):
    """Tokens as the API reported them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    """HTTP requests that got an answer or an error, retries included."""

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            requests=self.requests + other.requests,
        )


class ToolUse(Value):
    """One use of a tool by the agent, trimmed for the record."""

    name: str
    argument: str
    found: bool = True


class Outcome(Value):
    """What one trial left behind."""

    status: TrialStatus
    text: str = ""
    reason: str | None = None
    """Why the status is not `answered`, in words that hold no secret."""
    refused_by_provider: bool = False
    """The failure was a final refusal (key, model, request shape), not a passing fault."""
    usage: Usage = Usage()
    charged_usd: float = 0.0
    """What the budget was charged for it; more than the usage costs where a call timed out."""
    duration_ms: int = 0
    stop_reason: str | None = None
    model: str | None = None
    """The model's name as the server gave it."""
    turns: int = 1
    tool_uses: tuple[ToolUse, ...] = ()
    skill_loaded: bool | None = None
    """Whether the skill's body was loaded; None where it was given inline or there is none."""
    server_cached: bool = False
    """The server said that the whole answer came from a cache."""


class TrialKey(Value):
    """Everything that names one attempt of one trial within a run."""

    skill_id: str
    task_id: str
    arm: Arm
    round: int
    """Counted from 1."""
    attempt: int
    """Counted from 1, up to pass_k."""
    key: str
    """64 hex digits over everything that determines the trial; sent in the `x-skilldelta-trial` header."""
