"""The real `git`, asked one question at a time: a fixed argv, a clean environment, bounded output and time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from ..errors import GitProblem

_OPTIONS = (
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "protocol.allow=never",
)
"""Nothing that a repository's own configuration names is started, and nothing is fetched behind our back."""

_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SUDO_UID")
_KEPT_OF_GIT = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_VALUE_",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
)
"""How a user says where repositories may be and which are safe; every other GIT_* could point at another repository."""

_SET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}

_ERROR_BYTES = 8192


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What git said: its exit code, at most the asked-for bytes of output, and the start of its error text."""

    code: int
    output: bytes
    errors: str
    cut: bool
    """True when there was more output than was asked for."""


def environment() -> dict[str, str]:
    """Return the environment git runs in: no keys or tokens, nothing that redirects it to another repository."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_OF_GIT)}
    return kept | _SET


def ask_git(
    folder: Path,
    *arguments: str,
    feed: bytes = b"",
    limit: int = 1024 * 1024,
    timeout: float = 30.0,
) -> Answer:
    """Run `git ARGUMENTS` in `folder` with `feed` as its input; read at most `limit` bytes of output.

    Raises GitProblem when git is not installed or has not answered after `timeout` seconds.
    """
    program = shutil.which("git")
    if program is None:
        raise GitProblem("git is not installed, or not on PATH", fix="install git 2.30 or newer")
    argv = [program, *_OPTIONS, *arguments]
    expired = threading.Event()
    # Files, not pipes, for input and errors: whichever git reads or writes first, neither side can wait for the other.
    with TemporaryFile() as given, TemporaryFile() as errors:
        given.write(feed)
        given.seek(0)
        with _started(argv, folder, given, errors) as process:

            def expire() -> None:
                expired.set()
                _kill(process)

            timer = threading.Timer(timeout, expire)
            timer.daemon = True
            timer.start()
            try:
                assert process.stdout is not None  # noqa: S101 - a pipe was asked for
                output = process.stdout.read(limit + 1)
                cut = len(output) > limit
                if cut:
                    _kill(process)
                code = process.wait()
            finally:
                _kill(process)
                timer.cancel()
        errors.seek(0)
        text = errors.read(_ERROR_BYTES).decode("utf-8", "backslashreplace")
    if expired.is_set():
        what = f"git {arguments[0]} gave no answer within {timeout:g} s"
        raise GitProblem(what, where=str(folder), fix="try again, or run `git gc`")
    return Answer(code=code, output=output[:limit], errors=text, cut=cut)


def _started(argv: list[str], folder: Path, given: IO[bytes], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - an argv of ours, never a shell
            argv,
            cwd=folder,
            env=environment(),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as error:
        raise GitProblem(f"git cannot be started: {error.strerror}", where=str(folder)) from None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git and whatever it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
