"""The body of a response, read no further than an answer can be long."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from .anthropic_reply import LONGEST_REPLY


class BodyRefused(Exception):
    """A body that is too long, or compressed, so that nobody knows how long it is."""


class Bounded(httpx2.AsyncByteStream):
    """A response's stream that ends with BodyRefused beyond LONGEST_REPLY bytes."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield what the stream yields, until it is too much."""
        length = 0
        async for chunk in self._stream:
            length += len(chunk)
            if length > LONGEST_REPLY:
                raise BodyRefused(f"a reply of more than {LONGEST_REPLY:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


async def bound(response: httpx2.Response) -> None:
    """Bound the body of a response before it is read: a hook for the transport; BodyRefused for a compressed one."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise BodyRefused("a compressed reply, though none was asked for")
    response.stream = Bounded(cast("httpx2.AsyncByteStream", response.stream))
