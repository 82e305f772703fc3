"""`skilldelta replay`: judge and decide a recorded run again, without asking anybody."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import BadUsage, RunMismatch

if TYPE_CHECKING:
    from ..domain.plan import Plan
    from ..edges.journal import FileJournal
    from ..ports import Clock
    from ..report.build import Told


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write report.json and report.md here.")
@click.option("--format", "form", type=click.Choice(["terminal", "markdown", "json"]), default="terminal")
def command(run: Path, out: Path | None, form: str) -> int:
    """Judge and decide the recorded RUN (a run's folder) again: no key, no network, nobody is asked.

    The report is the same but for its block `invocation`; the exit code is the one that it says. RUN is not touched.
    """
    from ..edges.clock import SystemClock
    from ..edges.journal import read_journal
    from ..edges.run_folder import read_plan
    from ..report.build import Told

    plan = read_plan(run)
    journal = read_journal(run)
    clock = SystemClock()
    try:
        _refuse_strangers(run, plan, journal)
        told = Told(
            run_id=f"{plan.identity[:12]}-replay",
            started_at=clock.now(),
            started=clock.monotonic(),
            attempts=journal.sessions,
            replay=True,
            reached=None if plan.purpose == "calibrate" else _cap_of(run),
        )
        if plan.purpose == "calibrate":
            return _calibration(plan, journal, clock, told, out=out, form=form)
        return _comparison(plan, journal, clock, told, out=out, form=form)
    finally:
        journal.close()


def _comparison(plan: Plan, journal: FileJournal, clock: Clock, told: Told, *, out: Path | None, form: str) -> int:
    from ..edges.run_folder import write_reports
    from ..pipeline import decide_again
    from ..report.markdown import markdown
    from ..report.terminal import terminal
    from .progress import Silent

    report = asyncio.run(decide_again(plan, journal, clock, Silent(), told))
    if out is not None:
        write_reports(out, report, markdown(report))
    if form == "json":
        click.echo(report.model_dump_json(indent=2, by_alias=True))
    else:
        click.echo((markdown if form == "markdown" else terminal)(report), nl=False)
    return report.exit_code


def _calibration(plan: Plan, journal: FileJournal, clock: Clock, told: Told, *, out: Path | None, form: str) -> int:
    from ..edges.run_folder import as_json, write_calibrations
    from ..report.calibration_text import calibration_text
    from ..self_comparison import calibrated_again
    from .progress import Silent
    from .recording import exit_code_of

    if form == "markdown":
        raise BadUsage("a calibration has no Markdown", where="--format", fix="take terminal or json")
    found = asyncio.run(calibrated_again(plan, journal, clock, Silent(), told))
    if out is not None:
        write_calibrations(out, found)
    click.echo(as_json(found) if form == "json" else calibration_text(found, plan.left_out), nl=False)
    return exit_code_of(found)


def _refuse_strangers(run: Path, plan: Plan, journal: FileJournal) -> None:
    """Refuse a plan and a journal that do not belong together."""
    from ..plan.make import identity_of
    from ..reading.suite import suite_digest

    recorded = all(
        plan.smoke or suite_digest(skill.suite.suite, skill.suite.record.fixtures) == skill.suite.record.content_sha256
        for skill in plan.skills
    )
    if not recorded or journal.identity != plan.identity or identity_of(plan) != plan.identity:
        raise RunMismatch(
            "plan.json and journal.jsonl do not belong together, or one was edited",
            where=str(run),
            fix="replay an untouched copy of the run's folder",
        )


def _cap_of(run: Path) -> str | None:
    """Return which cap ended the run, None where none did or no report says so."""
    from ..edges.run_folder import read_report

    try:
        return read_report(run).spending.reached
    except RunMismatch:
        return None
