"""`skilldelta report`: render a run's report again."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import BadUsage

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

    The exit code is 0 whatever the report says: the verdict's own code is in report.json. Of a calibration it shows
    what was found.
    """
    from ..edges.run_folder import REPORT_MARKDOWN, as_json, read_calibrations, read_report, write_whole
    from ..report.calibration_text import calibration_text
    from ..report.markdown import markdown
    from ..report.terminal import terminal

    found = read_calibrations(run)
    if found is not None:
        if form == "markdown" or write:
            raise BadUsage("a calibration has no Markdown", where=str(run), fix="take --format terminal or json")
        click.echo(as_json(found) if form == "json" else calibration_text(found), nl=False)
        return 0
    report = read_report(run)
    if write:
        write_whole(run / REPORT_MARKDOWN, markdown(report))
    if form == "json":
        click.echo(report.model_dump_json(indent=2, by_alias=True))
    else:
        click.echo((markdown if form == "markdown" else terminal)(report), nl=False)
    return 0
