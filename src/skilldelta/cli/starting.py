"""Before the first call of a run: its folder, its keys, what it would do, and whether that is wanted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ..domain.plan import Plan
from .door import printable


def ready_to_start(
    plan: Plan, root: Path | None, *, out: str | None, resume: bool, base_url: str | None, asks: bool
) -> Path | None:
    """Return the run's folder once everything is there that the run needs, None when it is not wanted.

    What would run is said on stderr first; with `asks` somebody at a terminal is asked.
    """
    from ..edges.run_folder import require_writable
    from .planned import before_run
    from .run_place import place_of_run
    from .servers import require_all

    folder = place_of_run(root, plan.identity, out)
    if resume and not (folder / "journal.jsonl").exists():
        _say(f"note: there is nothing to resume in {folder}; starting the run")
    require_all(plan, environment=os.environ, base_url=base_url)
    require_writable(folder)
    _say(before_run(plan))
    asks = asks and bool(plan.skills) and sys.stdin.isatty() and sys.stderr.isatty()
    if asks and not click.confirm("Start?", err=True):
        _say("not started: nothing was asked and nothing was spent")
        return None
    return folder


def _say(text: str) -> None:
    click.echo(printable(text), err=True)
