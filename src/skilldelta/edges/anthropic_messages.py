"""The Messages API through the asynchronous `anthropic` SDK, with the retries that belong to the transport."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from ..domain.trial import Usage
from ..errors import BadUsage, MissingKey

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex

MESSAGES = "/v1/messages"
TRIAL_HEADER = "x-skilldelta-trial"
ATTEMPTS = 6
"""How often one request is sent at the most."""
FIRST_PAUSE = 0.5
"""Seconds before the second attempt; doubled from attempt to attempt, 16 times this at the most."""
LONGEST_WAIT = 120.0
"""Seconds; a server that asks for a longer wait is taken to be down."""
_RETRIED = frozenset({408, 409, 425, 429})
_DENIED = frozenset({401, 402, 403, 404})
_CONNECT_SECONDS = 10.0
_LONGEST_REPLY = 16 * 1024 * 1024


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
        headers = {TRIAL_HEADER: request.key}
        reply = MessagesReply(status=ReplyStatus.FAILED, error="not sent")
        for attempt in range(1, self._attempts + 1):
            reply, wait = await self._once(body, headers, request)
            reply = reply.model_copy(update={"usage": reply.usage.model_copy(update={"requests": attempt})})
            if reply.status is not ReplyStatus.FAILED or wait is None or attempt == self._attempts:
                return reply
            jitter = 0.75 + 0.5 * random.random()  # noqa: S311 - spreads retries, guards nothing
            pause = wait if wait > 0 else self._first_pause * min(2 ** (attempt - 1), 16) * jitter
            if pause > LONGEST_WAIT:
                return reply
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
            return _read(response.content, response.headers, spent()), 0.0
        except TimeoutError:
            return MessagesReply(status=ReplyStatus.TIMEOUT, error=_late(request), seconds=spent()), None
        except anthropic.APITimeoutError as error:
            if type(error.__cause__).__name__ in ("ConnectTimeout", "PoolTimeout"):
                return self._failed("no connection in time", spent(), unreachable=True), 0.0
            return MessagesReply(status=ReplyStatus.TIMEOUT, error=_late(request), seconds=spent()), None
        except anthropic.APIConnectionError as error:
            cause = error.__cause__ or error
            words = f"connection lost: {type(cause).__name__}: {cause}"
            return self._failed(words, spent(), unreachable=True), 0.0
        except anthropic.APIStatusError as error:
            return self._refusal(error, spent())
        except anthropic.APIError as error:
            return self._failed(f"{type(error).__name__}: {error}", spent()), None
        except (anthropic.AnthropicError, ImportError, RuntimeError, ValueError) as error:
            # The SDK cannot send at all: no credentials, no project, a package of the provider's is missing.
            words = self._redact(" ".join(f"{type(error).__name__}: {error}".split()))
            return MessagesReply(status=ReplyStatus.DENIED, error=words, seconds=spent()), None

    def _failed(self, words: str, seconds: float, *, unreachable: bool = False) -> MessagesReply:
        error = self._redact(words)
        return MessagesReply(status=ReplyStatus.FAILED, error=error, seconds=seconds, unreachable=unreachable)

    def _refusal(self, error: Any, seconds: float) -> tuple[MessagesReply, float | None]:
        code = int(error.status_code)
        words = self._redact(f"HTTP {code}: {_message_of(error)}")
        if code >= 500 or code in _RETRIED:
            return MessagesReply(status=ReplyStatus.FAILED, error=words, seconds=seconds), _retry_after(
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


def _late(request: MessagesRequest) -> str:
    return f"no answer within {request.timeout_seconds:g} s"


def _timeout(seconds: float) -> Any:
    import httpx2

    return httpx2.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds / 2), pool=None)


def _body(request: MessagesRequest) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": list(request.messages),
    }
    if request.system:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in request.system]
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
        body["system"] = blocks
    if request.tools:
        body["tools"] = list(request.tools)
    if request.output_schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.output_schema}}
    return body


def _message_of(error: Any) -> str:
    detail = error.body.get("error") if isinstance(error.body, dict) else None
    if isinstance(detail, dict) and isinstance(detail.get("message"), str):
        return str(detail["message"])
    return str(error.message)


def _retry_after(headers: Mapping[str, str]) -> float:
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


def _read(raw: bytes, headers: Mapping[str, str], seconds: float) -> MessagesReply:
    """Return the reply in `raw`; what is not a message is a failure of the server."""
    if len(raw) > _LONGEST_REPLY:
        return MessagesReply(status=ReplyStatus.FAILED, error=f"a reply of {len(raw):,} bytes", seconds=seconds)
    try:
        message = _whole(raw)
        content = tuple(message["content"])
        if not isinstance(message["content"], list) or not all(_is_block(block) for block in content):
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
        return MessagesReply(status=ReplyStatus.FAILED, error="the server's reply is not a message", seconds=seconds)


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


def _address(url: str | None) -> str | None:
    """Return the server's address; BadUsage for what cannot be one, before it is tried again and again."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in url
    except ValueError:
        usable = False
    if not usable:
        raise BadUsage(
            f"{_without_password(url)[:200]!r} is no address of a server",
            where="--base-url or ANTHROPIC_BASE_URL",
            fix="write it like https://example.org or http://127.0.0.1:8080",
        )
    return url


def _without_password(url: str) -> str:
    return re.sub(r"(?<=//)[^/@]*@", "[secret]@", url)


def connect_local(base_url: str, api_key: SecretStr) -> AnthropicMessages:
    """Return a client for a server on the loopback interface; no proxy of the environment gets in between."""
    import anthropic

    client = anthropic.AsyncAnthropic(
        api_key=api_key.get_secret_value(),
        base_url=base_url,
        max_retries=0,
        http_client=anthropic.DefaultAioHttpClient(trust_env=False),
    )
    return AnthropicMessages(client, secrets=(api_key,))


def require_access(provider: str, *, environment: Mapping[str, str], base_url: str | None = None) -> None:
    """Raise what `connect` would raise for want of a key, a region or a usable address, before anything is loaded."""
    if provider == "vertex" and not environment.get("CLOUD_ML_REGION"):
        raise MissingKey("Vertex needs a region", fix="set CLOUD_ML_REGION (and ANTHROPIC_VERTEX_PROJECT_ID)")
    if provider != "anthropic":
        return
    if not environment.get("ANTHROPIC_API_KEY") and not environment.get("ANTHROPIC_AUTH_TOKEN"):
        raise MissingKey(
            "no key for the Messages API",
            fix="set ANTHROPIC_API_KEY (in a workflow: from a secret), or use --model local for the embedded model",
        )
    _address(base_url or environment.get("ANTHROPIC_BASE_URL"))


def connect(provider: str, *, environment: Mapping[str, str], base_url: str | None = None) -> AnthropicMessages:
    """Return a client for the provider, its credentials from `environment` or given; MissingKey when there are none."""
    require_access(provider, environment=environment, base_url=base_url)
    import anthropic

    if provider == "bedrock":
        try:
            return AnthropicMessages(anthropic.AsyncAnthropicBedrock(max_retries=0))
        except ValueError as problem:
            raise MissingKey("Bedrock needs a region", fix="set AWS_REGION (and credentials of AWS)") from problem
    if provider == "vertex":
        return AnthropicMessages(anthropic.AsyncAnthropicVertex(region=environment["CLOUD_ML_REGION"], max_retries=0))
    key = SecretStr(environment.get("ANTHROPIC_API_KEY", ""))
    token = SecretStr(environment.get("ANTHROPIC_AUTH_TOKEN", ""))
    client = anthropic.AsyncAnthropic(
        api_key=key.get_secret_value() or None,
        auth_token=token.get_secret_value() or None,
        base_url=_address(base_url or environment.get("ANTHROPIC_BASE_URL")),
        max_retries=0,
        http_client=anthropic.DefaultAioHttpClient(),  # a third less CPU a call than the SDK's other transport
    )
    return AnthropicMessages(client, secrets=(key, token))
