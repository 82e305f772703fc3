"""`skilldelta report`: render a run's report again."""

from __future__ import annotations

from pathlib import Path

import click

FORMATS = ("terminal", "markdown", "json")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="terminal",
    show_default=True,
    help="What to print on stdout.",
)
@click.option("--write", is_flag=True, help="Write report.md into the run's folder again as well.")
def command(run: Path, form: str, write: bool) -> int:
    """Render the report of RUN (a run's folder) again; nothing is measured or decided anew.

    The exit code is 0 whatever the report says: the verdict's own code is in report.json.
    """
    from ..edges.run_folder import REPORT_MARKDOWN, read_report, write_whole
    from ..report.markdown import markdown
    from ..report.terminal import terminal

    report = read_report(run)
    if write:
        write_whole(run / REPORT_MARKDOWN, markdown(report))
    if form == "json":
        click.echo(report.model_dump_json(indent=2, by_alias=True))
    else:
        click.echo((markdown if form == "markdown" else terminal)(report), nl=False)
    return 0
