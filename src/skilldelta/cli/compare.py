"""`skilldelta compare`: candidate against baseline on the frozen suites, and the verdict."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import EXIT_INTERRUPTED
from .door import printable
from .listing import counted

if TYPE_CHECKING:
    from ..domain.plan import Plan
    from .gathering import Gathered


@click.command()
@click.option("--base", required=True, help="Branch, tag or commit that the change would be merged into.")
@click.option("--head", required=True, help="Branch, tag or commit with the change.")
@click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")
@click.option("--skill", "skills", multiple=True, metavar="NAME", help="Only this skill (may be given several times).")
@click.option("--goal", type=click.Choice(["gate", "improve"]), help="gate: no worse than the margin? improve: better?")
@click.option("--rounds", type=click.IntRange(1, 20), help="Most rounds (default: by the power rule, at most 20).")
@click.option("--margin", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="Largest harmless drop.")
@click.option("--seed", type=click.IntRange(0), help="Every draw comes from it (default 0).")
@click.option("--model", metavar="NAME", help="Model that does the tasks; local: the embedded one.")
@click.option("--judge-model", metavar="NAME", help="Model that judges llm-rubric.")
@click.option("--base-url", metavar="URL", help="Server that speaks the Messages API (provider anthropic).")
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Trials in flight (default 8).")
@click.option("--max-cost-usd", type=click.FloatRange(0), help="Hard stop in US dollars (needs prices).")
@click.option("--max-calls", type=click.IntRange(0), help="Hard stop in model calls.")
@click.option("--max-minutes", type=click.FloatRange(0, min_open=True), help="Hard stop in minutes.")
@click.option("--inconclusive", type=click.Choice(["warn", "fail"]), help="What an inconclusive result does.")
@click.option("--require-suite/--no-require-suite", default=None, help="A changed skill without a frozen suite fails.")
@click.option("--out", type=click.Path(file_okay=False), metavar="DIR", help="The run's folder.")
@click.option("--resume", is_flag=True, help="Continue the run in the folder; refused when it is another run.")
@click.option("--yes", is_flag=True, help="Do not ask before the first call (without a terminal nobody is asked).")
@click.option("--smoke", is_flag=True, help="One task, one round, no verdict: does everything work?")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def command(
    base: str,
    head: str,
    repo: str,
    skills: tuple[str, ...],
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
    from ..edges.run_folder import require_writable
    from .gathering import gather
    from .run_place import place_of_run
    from .servers import require_all

    gathered = gather(Path(repo), base, head, only=skills, environment=os.environ, flags=settings)
    plan = _plan(gathered, smoke=smoke)
    folder = place_of_run(gathered.repository.root, plan.identity, out)
    if resume and not (folder / "journal.jsonl").exists():
        _say(f"note: there is nothing to resume in {folder}; starting the run")
    require_all(plan, environment=os.environ, base_url=base_url)
    require_writable(folder)
    _say(_before(plan))
    asks = plan.skills and not yes and not smoke and sys.stdin.isatty() and sys.stderr.isatty()
    if asks and not click.confirm("Start?", err=True):
        _say("not started: nothing was asked and nothing was spent")
        return EXIT_INTERRUPTED
    return _run(plan, gathered, folder, base_url=base_url, silent=quiet)


def _plan(gathered: Gathered, *, smoke: bool) -> Plan:
    from .. import __version__
    from ..plan.make import make_plan

    return make_plan(
        gathered.changes,
        config=gathered.config,
        config_from=gathered.config_from,
        rulings=gathered.rulings,
        bundles=gathered.bundles,
        flags=gathered.flags,
        tampered=gathered.tampered,
        tool_version=__version__,
        smoke=smoke,
    )


def _run(plan: Plan, gathered: Gathered, folder: Path, *, base_url: str | None, silent: bool) -> int:
    from ..report.terminal import terminal
    from .running import run_plan

    report = run_plan(plan, gathered.bundles, folder, base_url=base_url, silent=silent)
    click.echo(terminal(report))
    click.echo(str(folder))
    return report.exit_code


def _before(plan: Plan) -> str:
    """Return what is said before the first call: what will run, what it can show, what it costs at the most."""
    lines = []
    for skill in plan.skills:
        estimate, reach = skill.estimate, skill.reach
        cost = (
            "price unknown"
            if estimate.cost_usd is None
            else f"${estimate.cost_usd:,.2f} with every answer at its limit"
        )
        least, most = reach.smallest_effect, f"{100 * reach.discordance:.0f} points"
        can = f"no effect of up to {most}" if least is None else f"effects of {100 * least:.0f} points or more"
        judge = f" and {counted(estimate.judge_calls, 'judge call')}" if estimate.judge_calls else ""
        calls = f"about {counted(estimate.trial_calls, 'model call')}{judge}"
        lines.append(
            f"{skill.skill_id}: {counted(reach.tasks, 'task')} × 2 arms × at most "
            f"{counted(skill.design.rounds, 'round')}: at most {counted(estimate.trials, 'trial')}, {calls}, {cost}; "
            f"margin {100 * skill.design.margin:.0f} points, can show {can} with 80 % power; "
            f"suite {skill.suite.version} (from the {skill.suite_from})"
        )
    lines += [f"{one.skill_id}: not measured: {one.reason}" for one in plan.left_out]
    lines += [f"{each.severity.value}: {each.message}" for each in plan.findings if each.path == "."]
    return "\n".join(lines) or "no skill changed: nothing to run"


def _say(text: str) -> None:
    click.echo(printable(text), err=True)
