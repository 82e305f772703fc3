"""What the bytes and headers of a response of the Messages API say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..domain.messages import MessagesReply, ReplyStatus
from ..domain.trial import Usage

LONGEST_REPLY = 16 * 1024 * 1024
"""Bytes; no answer is as long."""
MOST_BLOCKS = 10_000
"""Blocks of one reply; no answer has as many."""


def message_of(error: Any) -> str:
    """Return what an error of the SDK says, in the server's words where it gave some."""
    detail = error.body.get("error") if isinstance(error.body, dict) else None
    if isinstance(detail, dict) and isinstance(detail.get("message"), str):
        return str(detail["message"])
    return str(error.message)


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that the server asks for, 0 when it does not say.

    An HTTP date in `retry-after` is left to our own back-off.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if 0 < seconds < float("inf"):
            return seconds
    return 0.0


def read_reply(raw: bytes, headers: Mapping[str, str], seconds: float) -> MessagesReply:
    """Return the reply in `raw`; what is not a message is a failure of the server."""
    try:
        message = _whole(raw)
        content = tuple(message["content"])
        if (
            len(content) > MOST_BLOCKS
            or not isinstance(message["content"], list)
            or not all(_is_block(block) for block in content)
        ):
            raise TypeError
        usage = message.get("usage") or {}
        return MessagesReply(
            status=ReplyStatus.ANSWERED,
            content=content,
            stop_reason=_text(message.get("stop_reason")),
            model=_text(message.get("model")),
            usage=Usage(
                input_tokens=_count(usage, "input_tokens"),
                output_tokens=_count(usage, "output_tokens"),
                cache_read_tokens=_count(usage, "cache_read_input_tokens"),
                cache_write_tokens=_count(usage, "cache_creation_input_tokens"),
            ),
            server_cached=headers.get("x-cache", "").lower().startswith("hit"),
            seconds=seconds,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return unreadable("the server's reply is not a message", seconds)


def unreadable(why: str, seconds: float) -> MessagesReply:
    """Return a failure of the server after which nobody says what the answer cost."""
    return MessagesReply(status=ReplyStatus.FAILED, error=why, seconds=seconds, unaccounted=1)


def _whole(raw: bytes) -> Any:
    """Return the JSON in `raw` as it can be written again: without NaN, and a question mark for half a character."""
    message = json.loads(raw.decode(), parse_constant=_refuse)
    if b"\\ud" in raw.lower():
        message = json.loads(json.dumps(message, ensure_ascii=False).encode(errors="replace"))
    return message


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _is_block(block: Any) -> bool:
    return isinstance(block, dict) and (block.get("type") != "text" or isinstance(block.get("text"), str))


def _text(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) else None


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else 0
