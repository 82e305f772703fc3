"""`skilldelta calibrate`: a skill against itself, to learn what its suite can and cannot tell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import BadUsage
from .options import the_budget, the_models, the_repository

if TYPE_CHECKING:
    from ..domain.plan import Plan


@click.command()
@click.option("--ref", default="HEAD", show_default=True, help="Branch, tag or commit with the skills and suites.")
@the_repository
@the_models
@click.option(
    "--rounds", type=click.IntRange(2, 20), default=10, show_default=True, help="Rounds, all of which are run."
)
@click.option("--seed", type=click.IntRange(0), help="Every draw comes from it (default 0).")
@the_budget
@click.option("--record", is_flag=True, help="Write calibration.json beside each suite, to be committed.")
def command(
    ref: str,
    repo: str,
    skills: tuple[str, ...],
    base_url: str | None,
    out: str | None,
    resume: bool,
    yes: bool,
    quiet: bool,
    record: bool,
    rounds: int,
    **settings: object,
) -> int:
    """Run skills against themselves: both arms are the same, so every claim is a false alarm.

    Says how often the procedure would claim a change where there is none, how far trials of one skill differ
    (discordance), whether judging models agree with themselves, and what is wrong with the suite: tasks that are
    saturated, impossible, flaky or leaking. With --record, what was found is written beside the suite; once it is
    committed, plans and comparisons expect that discordance. Exits with 1 where a budget ended it: nothing is recorded.
    """
    from ..errors import EXIT_INTERRUPTED
    from ..report.calibration_text import calibration_text
    from .gathering import gather, plan_of
    from .recording import exit_code_of, one_record_each, record_beside_suites
    from .running import run_calibration
    from .starting import ready_to_start

    gathered = gather(Path(repo), ref, ref, only=skills, environment=os.environ, flags=settings, as_they_are=True)
    plan = plan_of(gathered, calibrate=rounds)
    if not plan.skills:
        raise _nothing_to_calibrate(plan)
    if record:
        one_record_each(gathered, plan)
    folder = ready_to_start(plan, gathered.repository.root, out=out, resume=resume, base_url=base_url, asks=not yes)
    if folder is None:
        return EXIT_INTERRUPTED
    found = run_calibration(plan, gathered.bundles, folder, base_url=base_url, silent=quiet)
    click.echo(calibration_text(found, plan.left_out))
    if record:
        for path in record_beside_suites(gathered, found):
            click.echo(f"recorded in {path}: commit it", err=True)
    click.echo(str(folder))
    return exit_code_of(found)


def _nothing_to_calibrate(plan: Plan) -> BadUsage:
    reasons = [f"{one.skill_id}: {one.reason}" for one in plan.left_out[:5]]
    more = f"; and {len(plan.left_out) - 5} more" if len(plan.left_out) > 5 else ""
    return BadUsage(
        f"there is no skill with a frozen suite to calibrate{': ' if reasons else ''}{'; '.join(reasons)}{more}",
        where=plan.head_ref,
        fix="freeze a suite with skilldelta suite freeze, and commit it",
    )
