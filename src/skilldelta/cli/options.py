"""Options that several verbs share; the settings among them are named as in `reading/precedence.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
_MARGIN = click.FloatRange(0, 1, min_open=True, max_open=True)


def _all(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def the_repository(command: Command) -> Command:
    """Where the skills are, and which of them count."""
    return _all(
        click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository."),
        click.option(
            "--skill", "skills", multiple=True, metavar="NAME", help="Only this skill (may be given several times)."
        ),
    )(command)


def the_design(command: Command) -> Command:
    """What is asked, and against what."""
    return _all(
        click.option(
            "--goal", type=click.Choice(["gate", "improve"]), help="gate: no worse than the margin? improve: better?"
        ),
        click.option(
            "--rounds", type=click.IntRange(1, 20), help="Most rounds (default: by the power rule, at most 20)."
        ),
        click.option("--margin", type=_MARGIN, help="Largest harmless drop."),
        click.option(
            "--against",
            type=click.Choice(["base-ref", "control", "sham"]),
            help="Compare with the base (default), with no skill, or with a skill of the same shape and neutral words.",
        ),
        click.option("--without", metavar="PART", help="Compare with the same skill less a file or a #section."),
        click.option(
            "--confirm-rounds", type=click.IntRange(0, 20), help="Fresh rounds of tasks that dropped (default 0: none)."
        ),
        click.option("--seed", type=click.IntRange(0), help="Every draw comes from it (default 0)."),
    )(command)


def the_models(command: Command) -> Command:
    """Who does the tasks, and who judges."""
    return _all(
        click.option("--model", metavar="NAME", help="Model that does the tasks; local: the embedded one."),
        click.option("--judge-model", metavar="NAME", help="Model that judges llm-rubric."),
    )(command)


def the_budget(command: Command) -> Command:
    """Where the run stops, and how it is run."""
    return _all(
        click.option("--base-url", metavar="URL", help="Server that speaks the Messages API (provider anthropic)."),
        click.option("--concurrency", type=click.IntRange(1, 1024), help="Trials in flight (default 8)."),
        click.option("--max-cost-usd", type=click.FloatRange(0), help="Hard stop in US dollars (needs prices)."),
        click.option("--max-calls", type=click.IntRange(0), help="Hard stop in model calls."),
        click.option("--max-minutes", type=click.FloatRange(0, min_open=True), help="Hard stop in minutes."),
        click.option("--out", type=click.Path(file_okay=False), metavar="DIR", help="The run's folder."),
        click.option("--resume", is_flag=True, help="Continue the run in the folder; refused when it is another run."),
        click.option(
            "--yes", is_flag=True, help="Do not ask before the first call (without a terminal nobody is asked)."
        ),
        click.option("--quiet", is_flag=True, help="No progress on stderr."),
    )(command)
