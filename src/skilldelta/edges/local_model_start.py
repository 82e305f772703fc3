"""Waiting for a child to say that it is ready, and keeping the end of what it complains about."""

from __future__ import annotations

import http.client
import os
import re
import select
import threading
import time
from typing import IO

from ..errors import LocalModelProblem

KEPT_BYTES = 16_384
_READY = re.compile(rb"READY (http://127\.0\.0\.1:([0-9]{1,5}))\r?")


class Tail:
    """Reads a pipe to its end in a thread and keeps its last 16 KiB, so that the writer never blocks."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while block := os.read(self._pipe.fileno(), 4096):
            self._kept = (self._kept + block)[-KEPT_BYTES:]

    def finish(self) -> None:
        """Wait for the end of the pipe, which comes with the writer's, and close it."""
        self._thread.join(timeout=5)
        if not self._thread.is_alive():  # else somebody else holds the pipe: closing it under the thread is worse
            self._pipe.close()

    def text(self, lines: int = 12) -> str:
        """Return the last lines."""
        return "\n".join(self._kept.decode(errors="replace").strip().splitlines()[-lines:])


def wait_for_ready(pipe: IO[bytes], deadline: float) -> str | None:
    """Return the address of the `READY` line, or None when the pipe ends without one; other lines are passed over.

    `deadline` is a time of the monotonic clock, in seconds. Raises LocalModelProblem when it passes.
    """
    seen = b""
    poll = select.poll()  # unlike select(), at home with file descriptors beyond 1023
    poll.register(pipe)
    while (left := deadline - time.monotonic()) > 0:
        if not poll.poll(left * 1000):
            continue
        block = os.read(pipe.fileno(), 4096)
        if not block:
            return None
        *lines, seen = (seen + block).split(b"\n")
        seen = seen[-KEPT_BYTES:]
        for line in lines:
            if (match := _READY.fullmatch(line)) and 0 < int(match[2]) < 65_536:
                return match[1].decode()
    raise LocalModelProblem("the embedded model's server did not get ready in time")


def wait_for_health(base_url: str, deadline: float) -> None:
    """Return once `/health` answers 200; raises LocalModelProblem when the deadline (monotonic seconds) passes."""
    host, port = base_url.removeprefix("http://").split(":")
    answer = "nothing"
    while (left := deadline - time.monotonic()) > 0:
        # http.client takes no proxy from the environment: a loopback address must not go through one.
        connection = http.client.HTTPConnection(host, int(port), timeout=max(left, 0.1))
        try:
            connection.request("GET", "/health")
            answer = str(connection.getresponse().status)
            if answer == "200":
                return
        except (OSError, http.client.HTTPException) as error:
            answer = type(error).__name__
        finally:
            connection.close()
        time.sleep(0.05)
    raise LocalModelProblem(f"the embedded model's server is not healthy: its last answer was {answer}")
