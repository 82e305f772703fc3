"""`skilldelta init`: a commented configuration and a first draft suite for every skill; nothing is overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..domain.config import Config
    from ..domain.skill import Skill
    from ..edges.folder import Folder
    from ..edges.git import GitRepository

_IGNORED = "runs/"


@click.command()
@click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")
def command(repo: str) -> None:
    """Write .skilldelta.yml (every setting with its default) and a first draft suite for each committed skill.

    What is there already is left alone. The drafts hold placeholders: edit them before you freeze.
    """
    from ..edges.folder import Folder
    from ..edges.git import GitRepository
    from ..errors import BadUsage
    from .door import printable
    from .work_tree import work_tree_config

    repository = GitRepository.open(Path(repo))
    if repository.root is None:
        raise BadUsage(
            "a bare repository has no work tree to write to", where=repository.place, fix="use a clone of it"
        )
    config = work_tree_config(repository.root)
    top = Folder(repository.root)
    for line in (*_configuration(top), *_drafts(repository, top, config)):
        click.echo(printable(line))


def _configuration(top: Folder) -> Iterator[str]:
    from ..domain.config import CONFIG_FILE
    from .first_config import first_config

    yield _written(top, CONFIG_FILE, first_config())
    ignore = ".skilldelta/.gitignore"
    yield _written(top, ignore, f"# The records of runs belong to this machine.\n{_IGNORED}\n")
    if _IGNORED not in top.read(ignore, limit=1_000_000).decode(errors="replace").split():
        yield f"warning    {ignore} does not hold {_IGNORED}: the records of runs would be committed"


def _drafts(repository: GitRepository, top: Folder, config: Config) -> Iterator[str]:
    from ..edges.folder import Folder
    from ..reading.frozen_suite import DRAFT_NAMES, suite_folders
    from .first_suite import first_suite

    commit = repository.checked_out()
    if commit is None:
        yield "nothing is committed yet: commit the skills, and run skilldelta init again for their suites"
        return
    there = set(suite_folders(Folder(top.root, config.suites).entries()))
    drafted = []
    skills = _skills(repository, commit, config)
    for skill in skills:
        own = config.skills.get(skill.skill_id)
        name = (own.suite if own else None) or skill.skill_id
        folder = f"{config.suites}/{name}"
        if own is not None and own.skip:
            yield f"left out   {skill.path} ({skill.skill_id}: skip is set)"
        elif not skill.readable:
            yield f"left out   {skill.path} (it cannot be read: skilldelta skills says why)"
        elif name in there:
            yield f"left alone {folder} (there is a suite)"
        else:
            text = first_suite(skill_id=skill.skill_id, name=skill.name, description=skill.description, folder=folder)
            yield _written(top, f"{folder}/{DRAFT_NAMES[0]}", text)
            drafted.append(folder)
    if not skills:
        yield "no skills are committed (a skill is a folder with a SKILL.md): suites are drafted once there are"
    if drafted:
        yield 'next: edit the placeholder tasks, then: skilldelta suite freeze --approved-by "YOUR NAME"'


def _skills(repository: GitRepository, commit: str, config: Config) -> tuple[Skill, ...]:
    from ..diff.discover import discover

    return discover(repository, commit, config.discovery).skills


def _written(top: Folder, path: str, text: str) -> str:
    return f"wrote      {path}" if top.create(path, text.encode()) else f"left alone {path}"
