"""`skilldelta suite`: validate, freeze and list suites."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..edges.folder import Folder
    from .suite_places import Workplace

_REPO = click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")


@click.group()
def command() -> None:
    """Validate, freeze and list suites: the tasks that a skill is measured on."""


@command.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@_REPO
def validate(files: tuple[str, ...], repo: str) -> None:
    """Check suite files (or the drafts of skills, by their ids); every problem is named with its line."""
    from ..errors import BadSuite
    from .suite_validating import validated

    wrong = []
    for file in files:
        try:
            line, warnings = validated(file, Path(repo))
        except BadSuite as error:
            wrong.append(str(error))
            continue
        _warn(warnings)
        _print(line)
    if wrong:
        raise BadSuite("\n".join(wrong))


@command.command()
@click.argument("skills", nargs=-1, metavar="[SKILL_ID…]")
@_REPO
@click.option("--approved-by", metavar="NAME", help="Who approved the tasks and judges, before any run.")
def freeze(skills: tuple[str, ...], repo: str, approved_by: str | None) -> None:
    """Freeze drafts as the next version (of all skills, unless some are named), when their content has changed.

    A skill is named by its id, or by the path of its suite's folder or draft.
    """
    from ..errors import BadUsage
    from .suite_freezing import carry_out, plan
    from .suite_places import Workplace
    from .suite_validating import misplaced, placeholders

    if approved_by is not None and not (approved_by.strip() and approved_by.isprintable() and len(approved_by) <= 200):
        raise BadUsage("--approved-by holds no name", fix="write the name of a person, on one line")
    workplace = Workplace.at(Path(repo))
    folders = _folders(workplace, skills)
    if not folders:
        raise BadUsage(
            f"there is no suite under {workplace.config.suites}", fix="skilldelta init drafts one for every skill"
        )
    for step in plan(folders, approved_by=approved_by.strip() if approved_by else None):
        if step.found.draft:
            _warn(step.found.draft.warnings)
            if step.found.draft.suite:
                _warn(misplaced(workplace, step.folder, step.found.draft.suite.skill_id))
                _warn(placeholders(step.found.draft.suite, f"{step.folder.name}/{step.found.draft.path}"))
        for line in carry_out(step):
            _print(line)


@command.command("list")
@_REPO
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def list_suites(repo: str, as_json: bool) -> None:
    """List suites with their frozen versions; exit code 2 when a frozen version no longer is what was frozen."""
    from ..edges.folder import Folder
    from ..errors import TamperedSuite
    from .suite_places import Workplace
    from .suite_words import data_of, lines_of
    from .work_tree import read_suite_folder

    workplace = Workplace.at(Path(repo))
    found = {
        name: read_suite_folder(Folder(workplace.top, f"{workplace.config.suites}/{name}"))
        for name in workplace.names()
    }
    if as_json:
        _print(json.dumps([data_of(name, each) for name, each in found.items()], indent=2))
    elif not found:
        click.echo(f"no suites under {workplace.config.suites}", err=True)
    for name, each in found.items():
        if not as_json:
            _print("\n".join(lines_of(name, each)))
        _warn(each.draft.problems if each.draft else ())
    tampering = [str(one) for each in found.values() for one in each.tampering]
    if tampering:
        raise TamperedSuite("\n".join(tampering))


def _folders(workplace: Workplace, skills: tuple[str, ...]) -> list[Folder]:
    """Return the folders that were named, each once; all of them when none was."""
    from ..edges.folder import Folder

    if not skills:
        return [Folder(workplace.top, f"{workplace.config.suites}/{name}") for name in workplace.names()]
    named = [workplace.folder(typed) for typed in skills]
    return list({(folder.root, folder.relative): folder for folder in named}.values())


def _print(text: str) -> None:
    from .door import printable

    click.echo(printable(text))


def _warn(lines: Iterable[str]) -> None:
    from .door import printable

    for line in lines:
        click.echo(printable(f"warning: {line}"), err=True)
