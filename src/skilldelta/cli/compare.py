"""`skilldelta compare`: candidate against baseline on the frozen suites, and the verdict."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import the_budget, the_design, the_models, the_repository

if TYPE_CHECKING:
    from ..domain.plan import Plan
    from .gathering import Gathered


@click.command()
@click.option("--base", required=True, help="Branch, tag or commit that the change would be merged into.")
@click.option("--head", required=True, help="Branch, tag or commit with the change.")
@the_repository
@the_design
@the_models
@the_budget
@click.option("--inconclusive", type=click.Choice(["warn", "fail"]), help="What an inconclusive result does.")
@click.option("--require-suite/--no-require-suite", default=None, help="A changed skill without a frozen suite fails.")
@click.option("--smoke", is_flag=True, help="One task, one round, no verdict: does everything work?")
def command(
    base: str,
    head: str,
    repo: str,
    skills: tuple[str, ...],
    without: str | None,
    base_url: str | None,
    out: str | None,
    resume: bool,
    yes: bool,
    smoke: bool,
    quiet: bool,
    **settings: object,
) -> int:
    """Run candidate against baseline on the frozen suites and say the verdict.

    Writes report.json and report.md into the run's folder and prints that folder's path last on stdout. The same
    comparison again continues the recorded run instead of drawing anew.
    """
    from ..errors import EXIT_INTERRUPTED
    from .gathering import gather, plan_of
    from .starting import ready_to_start

    gathered = gather(Path(repo), base, head, only=skills, without=without, environment=os.environ, flags=settings)
    plan = plan_of(gathered, without=without, smoke=smoke)
    folder = ready_to_start(
        plan, gathered.repository.root, out=out, resume=resume, base_url=base_url, asks=not yes and not smoke
    )
    return EXIT_INTERRUPTED if folder is None else _run(plan, gathered, folder, base_url=base_url, silent=quiet)


def _run(plan: Plan, gathered: Gathered, folder: Path, *, base_url: str | None, silent: bool) -> int:
    from ..report.terminal import terminal
    from .running import run_plan

    report = run_plan(plan, gathered.bundles, folder, base_url=base_url, silent=silent)
    click.echo(terminal(report))
    click.echo(str(folder))
    return report.exit_code
