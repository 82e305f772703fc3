"""The real program in a process of its own that can neither hang the tests nor fill the memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from repositories import environment

SECONDS = 30
"""Of the clock on the wall; what is waited for without end (a FIFO) ends here."""
MEGABYTES = 2_000
"""Of addresses, most of which libraries reserve and never use."""


def bounded(*arguments: str | Path) -> tuple[int, str, str]:
    """Run one command line without key, network or configuration; return its exit code, what it printed and said."""
    kept = {name: text for name, text in environment().items() if not name.startswith(("ANTHROPIC_", "SKILLDELTA_"))}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "skilldelta", *map(str, arguments)],
        env=kept | {"NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        preexec_fn=_limited,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "this is a bug" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
