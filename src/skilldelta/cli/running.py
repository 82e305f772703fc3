"""One measured run from a plan: journal, servers, signals, reports."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import SecretStr

from ..domain.calibration import Calibration
from ..domain.plan import Plan
from ..domain.report import Report
from ..domain.skill import SkillBundle
from ..domain.trial import Arm
from ..errors import Interrupted, RunMismatch
from .progress import progress
from .servers import Servers, check_context, embedded_model

if TYPE_CHECKING:
    from ..edges.journal import FileJournal
    from ..edges.local_model import LocalModelServer
    from ..pipeline import Edges
    from ..ports import Clock, Progress
    from ..report.build import Told

Bundles = Mapping[tuple[str, Arm], SkillBundle]
Result = TypeVar("Result")
SECRETS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def run_plan(plan: Plan, bundles: Bundles, folder: Path, *, base_url: str | None, silent: bool) -> Report:
    """Run the plan (or continue it, when the folder holds this run), write the reports, return the report.

    Raises RunMismatch when the folder holds another run, Interrupted when a signal ended this one.
    """
    from ..edges.run_folder import write_reports
    from ..pipeline import measure
    from ..report.markdown import markdown

    report = _run(measure, plan, bundles, folder, base_url=base_url, silent=silent)
    write_reports(folder, report, markdown(report))
    return report


def run_calibration(
    plan: Plan, bundles: Bundles, folder: Path, *, base_url: str | None, silent: bool
) -> tuple[Calibration, ...]:
    """Run the plan's skills against themselves, write what was found, return it; it raises as `run_plan` does."""
    from ..edges.run_folder import write_calibrations
    from ..self_comparison import calibrate

    found = _run(calibrate, plan, bundles, folder, base_url=base_url, silent=silent)
    write_calibrations(folder, found)
    return found


def _run(
    work: Callable[[Plan, Bundles, Edges, Told], Coroutine[None, None, Result]],
    plan: Plan,
    bundles: Bundles,
    folder: Path,
    *,
    base_url: str | None,
    silent: bool,
) -> Result:
    """Run `work` with journal, servers and progress, to its end or to a signal."""
    from ..edges.clock import SystemClock
    from ..edges.journal import open_journal
    from ..edges.run_folder import write_plan
    from ..report.build import Told

    environment = dict(os.environ)
    clock = SystemClock()
    journal = open_journal(folder, secrets=[SecretStr(environment.get(name, "")) for name in SECRETS])
    try:
        if journal.identity not in (None, plan.identity):
            raise RunMismatch(
                "the folder holds another run: skills, suite, configuration or seed are not the same",
                where=str(folder),
                fix="name another folder with --out DIR; this run stays as it is",
            )
        told = Told(
            run_id=f"{plan.identity[:12]}-{journal.sessions + 1}",
            started_at=clock.now(),
            started=clock.monotonic(),
            attempts=journal.sessions + 1,
        )
        with embedded_model(plan) as local, progress(silent=silent) as shown:
            journal.begin(plan.identity, told.started_at)
            write_plan(folder, plan)
            servers = Servers(environment=environment, base_url=base_url, local=local)
            edges = _edges(plan, journal, servers, local, shown, clock)
            result = _until_a_signal(_worked(work, plan, bundles, servers, edges, told), folder)
            journal.require_whole()
    finally:
        journal.close()
    return result


def _edges(
    plan: Plan,
    journal: FileJournal,
    servers: Servers,
    local: LocalModelServer | None,
    shown: Progress,
    clock: Clock,
) -> Edges:
    from ..pipeline import Edges

    judged = any(skill.suite.suite.needs_judge_model for skill in plan.skills)
    return Edges(
        runner_api=servers.of_runner,
        judge_api=servers.of_judge if judged else None,
        model_names={"local": local.model_name} if local else {},
        slots={"local": local.slots} if local else {},
        journal=journal,
        clock=clock,
        progress=shown,
    )


async def _worked(
    work: Callable[[Plan, Bundles, Edges, Told], Coroutine[None, None, Result]],
    plan: Plan,
    bundles: Bundles,
    servers: Servers,
    edges: Edges,
    told: Told,
) -> Result:
    try:
        await check_context(plan, bundles, servers)
        return await work(plan, bundles, edges, told)
    finally:
        await servers.close()


def _until_a_signal(work: Coroutine[None, None, Result], folder: Path) -> Result:
    """Run to the end, or until SIGINT or SIGTERM cancels what is in flight; a second signal ends at once."""

    async def watched() -> Result:
        task = asyncio.create_task(work)
        loop = asyncio.get_running_loop()
        received: list[int] = []

        def stop(number: int) -> None:
            received.append(number)
            task.cancel()
            for name in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(name)

        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, stop, int(name))
        try:
            return await task
        except asyncio.CancelledError:
            number = received[0] if received else int(signal.SIGINT)
            raise Interrupted(
                "interrupted; every finished trial is kept",
                where=str(folder),
                fix=f"the same command with --out {folder} --resume continues and pays for nothing twice",
                signal=number,
            ) from None

    return asyncio.run(watched())
