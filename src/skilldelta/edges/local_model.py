"""The embedded model as a server on the loopback interface, for as long as a `with` block lasts."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from ..errors import LocalModelProblem
from .local_model_environment import server_environment
from .local_model_start import Tail, wait_for_health, wait_for_ready
from .local_model_system import require_engine, require_library
from .local_model_weights import MODEL_NAME, find_weights

SLOTS = 2
CONTEXT_TOKENS = 4096
START_SECONDS = 60.0
STOP_SECONDS = 5.0
SERVER_COMMAND = (sys.executable, "-P", "-m", "skilldelta.edges.local_model_process")


class LocalModelServer:
    """A Messages API on 127.0.0.1 answered by the embedded model; `base_url` and `api_key` hold inside the `with`.

    `slots` requests are answered at a time (others queue), each within `context_tokens` tokens; `port` 0 takes a free
    one. The child gets no secret of ours, does not see Ctrl-C, and ends with this process whatever ends it. Entering
    blocks for about half a second. Raises LocalModelProblem when a part is missing or the server does not start.
    """

    def __init__(
        self,
        *,
        slots: int = SLOTS,
        context_tokens: int = CONTEXT_TOKENS,
        port: int = 0,
        weights: Path | None = None,
        start_seconds: float = START_SECONDS,
        command: Sequence[str] = SERVER_COMMAND,
    ) -> None:
        self.slots = slots
        self.context_tokens = context_tokens
        self.model_name = MODEL_NAME
        self.base_url = ""
        self.api_key = secrets.token_urlsafe(32)
        self._port = port
        self._weights = weights
        self._start_seconds = start_seconds
        self._command = tuple(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: Tail | None = None

    def __enter__(self) -> LocalModelServer:
        if self._command == SERVER_COMMAND:
            require_engine()
            require_library()
        settings = json.dumps(
            {
                "weights": str(self._weights or find_weights()),
                "model_name": self.model_name,
                "api_key": self.api_key,
                "port": self._port,
                "slots": self.slots,
                "context_tokens": self.context_tokens,
            }
        )
        try:
            self._start(settings.encode() + b"\n")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The process id of the running child, or None."""
        return self._process.pid if self._process else None

    def wait(self) -> int:
        """Block until the child ends by itself and return its exit code."""
        if self._process is None:
            raise LocalModelProblem("the embedded model's server is not running")
        return self._process.wait()

    def stop(self) -> None:
        """End the child: asked first, killed after five seconds; nothing to do when it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        if self._complaints is not None:
            self._complaints.finish()

    def _start(self, settings: bytes) -> None:
        deadline = time.monotonic() + self._start_seconds
        process = subprocess.Popen(  # noqa: S603 - a fixed argv
            self._command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env=server_environment(),
            start_new_session=True,  # Ctrl-C is for us: answers in flight are still wanted
        )
        self._process = process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("pipes were asked for")
        self._complaints = Tail(process.stderr)
        with contextlib.suppress(BrokenPipeError):  # it ended already: its complaint is told below
            process.stdin.write(settings)
        try:
            address = wait_for_ready(process.stdout, deadline)
            if address is None:
                raise LocalModelProblem(f"the embedded model's server ended with code {self._ended(process)}")
            wait_for_health(address, deadline)
        except LocalModelProblem as problem:
            self.stop()
            said = self._complaints.text() or "(nothing)"
            raise LocalModelProblem(
                f"{problem.what}; it said\n{said}", fix="skilldelta local-model status"
            ) from problem
        self.base_url = address

    @staticmethod
    def _ended(process: subprocess.Popen[bytes]) -> int | str:
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            return "(still running, without its output)"
