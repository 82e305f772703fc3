"""`skilldelta plan`: what a comparison would run, can show and can cost, before anything is spent."""

from __future__ import annotations

import os
from pathlib import Path

import click

from .options import the_design, the_models, the_repository


@click.command()
@click.option("--base", required=True, help="Branch, tag or commit that the change would be merged into.")
@click.option("--head", required=True, help="Branch, tag or commit with the change.")
@the_repository
@the_design
@the_models
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
def command(
    base: str, head: str, repo: str, skills: tuple[str, ...], without: str | None, form: str, **settings: object
) -> int:
    """Say what `compare` would run, what it can show with 80 % power, and what it costs at the most.

    Nobody is asked and no key is needed. What one more round or ten more tasks would show, and cost, is said too. The
    exit code is 0; what blocks a comparison of its own is an error here as well.
    """
    from .door import printable
    from .gathering import gather, plan_of
    from .planned import before_run

    gathered = gather(Path(repo), base, head, only=skills, without=without, environment=os.environ, flags=settings)
    plan = plan_of(gathered, without=without)
    if form == "json":
        click.echo(plan.model_dump_json(indent=2, by_alias=True))
    else:
        click.echo(printable(before_run(plan)))
    return 0
