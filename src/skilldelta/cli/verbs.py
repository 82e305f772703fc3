"""The table of verbs; a verb's module is imported only when it is asked for."""

from __future__ import annotations

import importlib
from typing import Any

import click

VERBS: dict[str, tuple[str, str]] = {
    "compare": ("compare", "Run candidate against baseline on the frozen suites and say the verdict."),
    "plan": ("plan", "Say what a comparison would run, can show and can cost; nobody is asked."),
    "calibrate": ("calibrate", "Run a skill against itself: false alarms, discordance, the suite's health."),
    "skills": ("skills", "List the skills of a repository and what is wrong with them."),
    "changes": ("changes", "List the skills that differ between two refs."),
    "suite": ("suite", "Validate, freeze and list suites."),
    "init": ("init", "Write a commented configuration and first draft suites."),
    "report": ("report", "Render the report of a run again."),
    "replay": ("replay", "Judge and decide a recorded run again, without asking any model."),
    "doctor": ("doctor", "Say what is missing here, and how to mend it."),
    "local-model": ("local_model", "Install and check the embedded demonstration model."),
    "schema": ("schema", "Print the JSON Schema of a file format."),
}
"""Verb → (module in this package, one line of help)."""


class Verbs(click.Group):
    """A group whose commands are imported on use, so that `--help` stays cheap."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return one verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f".{VERBS[cmd_name][0]}", __package__)
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest verb when there is none of that name."""
        from ..reading.nearest import nearest

        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            near = nearest(name, VERBS)
            hint = f" Did you mean {near!r}?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the table of verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, line) in VERBS.items()])


def _version(ctx: click.Context, _parameter: Any, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from .. import __version__

        click.echo(f"skilldelta {__version__}")
        ctx.exit()


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 pass or warn, 1 fail, 2 blocked, 3 conflicted, 70 a bug of ours, 130/143 interrupted.",
)
@click.option(
    "--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version."
)
def program() -> None:
    """Did this change make the Agent Skill better, worse, or can we not tell yet?"""
