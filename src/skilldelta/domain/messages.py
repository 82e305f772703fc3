"""Requests to and replies from a Messages API, as far as skilldelta needs them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from .trial import Usage
from .value import Value


class MessagesRequest(Value):
    """One call of the Messages API."""

    key: str
    """Sent as `x-skilldelta-trial`, so that a server can count."""
    model: str
    system: tuple[str, ...] = ()
    """Text blocks."""
    tools: tuple[dict[str, Any], ...] = ()
    messages: tuple[dict[str, Any], ...]
    max_tokens: int
    sampling: dict[str, float] = Field(default_factory=dict)
    output_schema: dict[str, Any] | None = None
    timeout_seconds: float
    """For one attempt, from the moment it is sent."""


class ReplyStatus(StrEnum):
    """How a call ended."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    FAILED = "failed"
    """Transport or server failure after all retries."""
    REFUSED = "refused"
    """A final refusal of this request: its shape or size."""
    DENIED = "denied"
    """A final refusal of every request: key, permission, model name."""


class MessagesReply(Value):
    """What came back."""

    status: ReplyStatus
    content: tuple[dict[str, Any], ...] = ()
    stop_reason: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    server_cached: bool = False
    unreachable: bool = False
    """No server was reached, or it hung up without an answer."""
    unaccounted: int = 0
    """Attempts that may have made an answer which never came, or could not be read: nobody says what they cost."""
    error: str | None = None
    """What went wrong, in words that hold no secret."""
    seconds: float = 0.0
    """From sending the last attempt to its end."""
    charged_usd: float = 0.0
    """What the budget was charged: by the usage, or the ceiling where an answer may have been made and not counted."""

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")
