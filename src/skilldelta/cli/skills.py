"""`skilldelta skills`: the skills of one commit, and what is wrong with them.

With `--json` one object: `version` (1), `ref`, `commit`, `skills` (each: `skill_id`, `name`, `path`, `skill_file`,
`description`, `tree_hash`, `readable`, `files`, `bytes`, `headings`, `links`, `copies`, `findings`) and `findings`
(about the repository). A finding is `severity`, `path`, `line`, `message`, `fix`; `line` and `fix` may be null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domain.counted import counted
from .listing import cut, finding_data, finding_lines, size, table

if TYPE_CHECKING:
    from ..domain.skill import Finding, Skill

_DESCRIPTION = 60


@click.command()
@click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")
@click.option("--ref", default="HEAD", show_default=True, help="Branch, tag or commit to look at.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def command(repo: str, ref: str, as_json: bool) -> None:
    """List the skills of a repository and what is wrong with them.

    Skills are read from git at --ref, never from the work tree. Findings do not change the exit code.
    """
    from ..diff.body import analysed
    from ..diff.discover import discover
    from ..domain.config import Config
    from ..edges.git import GitRepository
    from .committed_config import committed_config
    from .repository import work_tree_findings

    repository = GitRepository.open(Path(repo))
    commit = repository.resolve(ref)
    config = committed_config(repository, commit, ref) or Config()
    found = discover(repository, commit, config.discovery)
    skills = [analysed(skill) for skill in found.skills]
    findings = [*work_tree_findings(repository, commit), *found.findings]
    if as_json:
        click.echo(json.dumps(_data(ref, commit, skills, findings), indent=2))
    else:
        for line in _lines(ref, skills):
            click.echo(line)
        for line in finding_lines(findings):
            click.echo(line, err=True)


def _lines(ref: str, skills: Sequence[Skill]) -> Iterator[str]:
    if not skills:
        yield f"There are no skills at {cut(ref, 80)}: no SKILL.md in the usual places or where the configuration says."
        return
    rows = (
        (
            skill.skill_id,
            skill.path,
            str(len(skill.entries)),
            size(sum(entry.size for entry in skill.entries)),
            cut(skill.description, _DESCRIPTION) if skill.readable else "(cannot be read)",
        )
        for skill in skills
    )
    yield from table(("SKILL", "FOLDER", "FILES", "SIZE", "DESCRIPTION"), rows)
    for skill in skills:
        if skill.copies:
            yield f"{skill.skill_id}: identical copies in {', '.join(map(_shown, skill.copies[:10]))}"
    yield ""
    unreadable = sum(not skill.readable for skill in skills)
    yield counted(len(skills), "skill") + (f", {unreadable:,} of them cannot be read" if unreadable else "")
    yield from finding_lines(finding for skill in skills for finding in skill.findings)


def _shown(path: str) -> str:
    return cut(path, 200)


def _data(ref: str, commit: str, skills: Sequence[Skill], findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        "version": 1,
        "ref": ref,
        "commit": commit,
        "skills": [
            {
                "skill_id": skill.skill_id,
                "name": skill.name,
                "path": skill.path,
                "skill_file": skill.skill_file,
                "description": skill.description,
                "tree_hash": skill.tree_hash,
                "readable": skill.readable,
                "files": len(skill.entries),
                "bytes": sum(entry.size for entry in skill.entries),
                "headings": list(skill.headings),
                "links": [link.model_dump(mode="json") for link in skill.links],
                "copies": list(skill.copies),
                "findings": finding_data(skill.findings),
            }
            for skill in skills
        ],
        "findings": finding_data(findings),
    }
