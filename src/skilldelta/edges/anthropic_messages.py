"""The Messages API through the asynchronous `anthropic` SDK, with the retries that belong to the transport."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from ..domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from .anthropic_reply import message_of, read_reply, retry_after, unreadable
from .bounded_body import BodyRefused

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex

MESSAGES = "/v1/messages"
TRIAL_HEADER = "x-skilldelta-trial"
ATTEMPTS = 6
"""How often one request is sent at the most."""
FIRST_PAUSE = 0.5
"""Seconds before the second attempt; doubled from attempt to attempt, 16 times this at the most."""
LONGEST_WAIT = 300.0
"""Seconds; a server that asks for a longer wait is taken to be down."""
_RETRIED = frozenset({408, 409, 425, 429})
_DENIED = frozenset({401, 402, 403, 404})
_NOT_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
"""Failures of the transport after which nobody can have answered."""
_CONNECT_SECONDS = 10.0


class AnthropicMessages:
    """A `MessagesApi` over one SDK client; close it when done."""

    def __init__(
        self,
        client: AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex,
        *,
        secrets: tuple[SecretStr, ...] = (),
        attempts: int = ATTEMPTS,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self._client = client
        self._secrets = secrets
        self._attempts = attempts
        self._first_pause = first_pause

    def prepare(self) -> None:
        """Nothing is left to do: the client was handed in."""

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def count_tokens(self, request: MessagesRequest) -> int | None:
        """Return the prompt's tokens as the server counts them, or None when it cannot."""
        import anthropic

        body = _body(request)
        try:
            counted = await self._client.messages.count_tokens(
                model=request.model,
                messages=body["messages"],
                **{name: body[name] for name in ("system", "tools") if name in body},
                timeout=60,
            )
        except anthropic.APIError:
            return None
        return int(counted.input_tokens)

    async def create(self, request: MessagesRequest) -> MessagesReply:
        """Send the request, retrying what passes (429, 5xx, overload, lost connections), and return what came of it."""
        body = _body(request) | dict(request.sampling)
        headers = {TRIAL_HEADER: request.key, "accept-encoding": "identity"}
        reply = MessagesReply(status=ReplyStatus.FAILED, error="not sent")
        unaccounted = 0
        for attempt in range(1, self._attempts + 1):
            reply, wait = await self._once(body, headers, request)
            unaccounted += reply.unaccounted
            usage = reply.usage.model_copy(update={"requests": attempt})
            reply = reply.model_copy(update={"usage": usage, "unaccounted": unaccounted})
            if reply.status is not ReplyStatus.FAILED or wait is None or attempt == self._attempts:
                return reply
            jitter = 0.75 + 0.5 * random.random()  # noqa: S311 - spreads retries, guards nothing
            pause = wait if wait > 0 else self._first_pause * min(2 ** (attempt - 1), 16) * jitter
            if pause > LONGEST_WAIT:
                return reply.model_copy(update={"error": f"{reply.error} (it asks to wait {pause:,.0f} s)"})
            await asyncio.sleep(pause)
        return reply

    async def _once(
        self, body: Mapping[str, Any], headers: dict[str, str], request: MessagesRequest
    ) -> tuple[MessagesReply, float | None]:
        """Return the reply, and the seconds to wait before another try (0: our own back-off, None: no use)."""
        import anthropic
        import httpx2

        started = time.monotonic()

        def spent() -> float:
            return time.monotonic() - started

        try:
            async with asyncio.timeout(request.timeout_seconds):
                response = await self._client.post(
                    MESSAGES,
                    body=body,
                    cast_to=httpx2.Response,  # as it came: the SDK's own models would cost more CPU than the call
                    options={"headers": headers, "timeout": _timeout(request.timeout_seconds)},
                )
            return read_reply(response.content, response.headers, spent()), None
        except TimeoutError:
            return _timed_out(request, spent()), None
        except anthropic.APITimeoutError as error:
            if type(error.__cause__).__name__ in _NOT_SENT:
                return self._failed("no connection in time", spent(), unreachable=True), 0.0
            return _timed_out(request, spent()), None
        except anthropic.APIConnectionError as error:
            return self._lost(error.__cause__ or error, spent())
        except BodyRefused as error:  # while the SDK read the body of an error
            return self._lost(error, spent())
        except anthropic.APIStatusError as error:
            return self._refusal(error, spent())
        except anthropic.APIError as error:
            return self._failed(f"{type(error).__name__}: {error}", spent()), None
        except (anthropic.AnthropicError, ImportError, RuntimeError, ValueError) as error:
            return self._cannot_send(error, spent()), None
        except _cloud_errors() as error:
            return self._cannot_send(error, spent()), None

    def _lost(self, cause: BaseException, seconds: float) -> tuple[MessagesReply, float | None]:
        if isinstance(cause, BodyRefused):
            return unreadable(str(cause), seconds), None
        words = f"connection lost: {type(cause).__name__}: {cause}"
        return self._failed(words, seconds, unreachable=True, unaccounted=int(_was_sent(cause))), 0.0

    def _cannot_send(self, error: Exception, seconds: float) -> MessagesReply:
        """Return a denial: the SDK has nobody to sign in as, or no project, so nothing will ever be sent."""
        words = self._redact(" ".join(f"{type(error).__name__}: {error}".split()))
        return MessagesReply(status=ReplyStatus.DENIED, error=words, seconds=seconds)

    def _failed(self, words: str, seconds: float, *, unreachable: bool = False, unaccounted: int = 0) -> MessagesReply:
        return MessagesReply(
            status=ReplyStatus.FAILED,
            error=self._redact(words),
            seconds=seconds,
            unreachable=unreachable,
            unaccounted=unaccounted,
        )

    def _refusal(self, error: Any, seconds: float) -> tuple[MessagesReply, float | None]:
        code = int(error.status_code)
        words = self._redact(f"HTTP {code}: {message_of(error)}")
        if code >= 500 or code in _RETRIED:
            return MessagesReply(status=ReplyStatus.FAILED, error=words, seconds=seconds), retry_after(
                error.response.headers
            )
        status = ReplyStatus.DENIED if code in _DENIED else ReplyStatus.REFUSED
        return MessagesReply(status=status, error=words, seconds=seconds), None

    def _redact(self, words: str) -> str:
        for secret in self._secrets:
            value = secret.get_secret_value()
            if value:
                words = words.replace(value, "[secret]")
        return words[:1000]


def _cloud_errors() -> tuple[type[Exception], ...]:
    """Return what the providers' own packages raise for want of credentials, as far as they are loaded."""
    roots = (("google.auth.exceptions", "GoogleAuthError"), ("botocore.exceptions", "BotoCoreError"))
    return tuple(getattr(sys.modules[module], name) for module, name in roots if module in sys.modules)


def _was_sent(problem: BaseException) -> bool:
    """Return True when the request may have reached the server before the connection broke."""
    hung_up = type(problem.__cause__).__name__ == "ServerDisconnectedError"  # which the transport calls ConnectError
    return hung_up or type(problem).__name__ not in _NOT_SENT


def _timed_out(request: MessagesRequest, seconds: float) -> MessagesReply:
    late = f"no answer within {request.timeout_seconds:g} s"
    return MessagesReply(status=ReplyStatus.TIMEOUT, error=late, seconds=seconds, unaccounted=1)


def _timeout(seconds: float) -> Any:
    import httpx2

    return httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds / 2), pool=None)


_CACHED = {"cache_control": {"type": "ephemeral"}}


def _body(request: MessagesRequest) -> dict[str, Any]:
    """Return the request's body; what every round sends again is marked for the prompt cache.

    That is the system prompt (with an inline skill) and the first block of the first message: the task's prompt, or
    what a judge is told before the answer.
    """
    first, *others = request.messages
    content = first["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": [{**first, "content": [blocks[0] | _CACHED, *blocks[1:]]}, *others],
    }
    if request.system:
        system: list[dict[str, Any]] = [{"type": "text", "text": text} for text in request.system]
        system[-1] |= _CACHED
        body["system"] = system
    if request.tools:
        body["tools"] = list(request.tools)
    if request.output_schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.output_schema}}
    return body
