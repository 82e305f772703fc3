"""The command line in processes that start in milliseconds: one process loads everything once and forks for each run.

`with ForkedCommands(folder, environment) as commands: commands.start(["compare", …], key="…")` gives a real process
with a pid of its own, whose exit code the operating system tells; everything but the loading of modules happens as in
any other start.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

LONGEST = 60
"""Seconds; a run that takes longer is ended by its own alarm (SIGALRM)."""
STOPS = (signal.SIGINT, signal.SIGTERM)
"""Held back until the command has begun."""


class Running:
    """A command that was started."""

    def __init__(self, pid: int, commands: subprocess.Popen[str], output: Path) -> None:
        self.pid = pid
        self._commands = commands
        self._output = output

    def wait(self) -> int:
        """Return the exit code; the negative signal when one ended the process."""
        assert self._commands.stdout is not None
        return int(self._commands.stdout.readline())

    @property
    def said(self) -> str:
        """What it wrote to stderr."""
        return self._output.with_suffix(".err").read_text()

    @property
    def printed(self) -> str:
        """What it wrote to stdout."""
        return self._output.with_suffix(".out").read_text()


class ForkedCommands:
    """Starts one command after the other."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment | {"OPENBLAS_NUM_THREADS": "1"}
        self._number = 0

    def __enter__(self) -> Self:
        argv = [sys.executable, __file__]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self._environment
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(LONGEST)
        self._process.stdout.close()

    def start(self, arguments: list[str], *, key: str) -> Running:
        """Start one command, with `key` as the key of the Messages API."""
        self._number += 1
        output = self._folder / f"run-{self._number}"
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"arguments": arguments, "key": key, "output": str(output)}) + "\n")
        self._process.stdin.flush()
        return Running(int(self._process.stdout.readline()), self._process, output)


def main() -> None:
    """Load what a comparison loads, then fork for every line of standard input."""
    import anthropic
    import anthropic.types  # noqa: F401 - imported before the fork
    import scipy.special  # noqa: F401 - imported before the fork

    import skilldelta.pipeline  # noqa: F401 - imported before the fork

    for line in sys.stdin:
        wanted = json.loads(line)
        output = Path(wanted["output"])
        output.with_suffix(".out").touch()
        output.with_suffix(".err").touch()
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        pid = os.fork()
        if pid == 0:
            _child(wanted["arguments"], wanted["key"], output)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        _tell(str(pid))
        _, status = os.waitpid(pid, 0)
        _tell(str(os.waitstatus_to_exitcode(status)))


def _tell(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def _child(arguments: list[str], key: str, output: Path) -> None:
    from skilldelta.cli.door import run

    signal.alarm(LONGEST)
    for name, descriptor in ((os.devnull, 0), (output.with_suffix(".out"), 1), (output.with_suffix(".err"), 2)):
        opened = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ["ANTHROPIC_API_KEY"] = key
    code = 70
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        code = run(arguments)
    except KeyboardInterrupt:
        code = 130
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
