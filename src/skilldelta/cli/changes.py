"""`skilldelta changes`: the skills that differ between two refs.

With `--json` one object: `version` (1), `base`, `head` (each `ref` and `commit`), `baseline` (`commit`: the merge base
that head is compared with), `changes`, `unchanged` (how many skills) and `findings` (about the repository and about
skills that did not change). A change is `skill_id`, `kind` (added, deleted, modified, moved), `path`, `renamed_from`
(null unless the folder changed), `readable`, `baseline_tree_hash` and `tree_hash` (null where there is no such skill),
`copies`, `files` (`path` within the skill; `kind`: added, deleted, modified, mode) and `findings`. A finding is
`severity`, `path`, `line`, `message`, `fix`; `line` and `fix` may be null.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domain.counted import counted
from .listing import cut, finding_data, finding_lines, one_line, table

if TYPE_CHECKING:
    from ..domain.skill import Changes, SkillChange

_FILES_SHOWN = 3
_FINDINGS_SHOWN = 10


@click.command()
@click.option("--base", required=True, help="Branch, tag or commit that the change would be merged into.")
@click.option("--head", required=True, help="Branch, tag or commit with the change.")
@click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def command(base: str, head: str, repo: str, as_json: bool) -> None:
    """List the skills that differ between two refs.

    Head is compared with its merge base, so that a branch is never blamed for what happened on the base since.
    Findings do not change the exit code.
    """
    from .repository import look_at_changes

    _, changes, _ = look_at_changes(Path(repo), base, head)
    if as_json:
        click.echo(json.dumps(_data(changes), indent=2))
        return
    for line in _lines(changes):
        click.echo(line)
    for line in finding_lines(changes.findings[:_FINDINGS_SHOWN]):
        click.echo(line, err=True)
    if len(changes.findings) > _FINDINGS_SHOWN:
        more = counted(len(changes.findings) - _FINDINGS_SHOWN, "finding")
        click.echo(f"and {more} more on skills that did not change: see `skilldelta skills`", err=True)


def _lines(changes: Changes) -> Iterator[str]:
    unchanged = f"{counted(changes.unchanged, 'skill')} unchanged"
    between = f"from {changes.baseline_commit[:12]} to {one_line(changes.head_ref)} ({changes.candidate_commit[:12]})"
    if not changes.changes:
        yield f"No skill changed {between}; {unchanged}."
        return
    rows = ((change.kind.value, change.skill_id, _where(change), _files(change)) for change in changes.changes)
    yield from table(("CHANGE", "SKILL", "FOLDER", "FILES"), rows)
    yield ""
    yield f"{counted(len(changes.changes), 'skill')} changed {between}; {unchanged}."
    yield from finding_lines(
        finding for change in changes.changes if change.candidate for finding in change.candidate.findings
    )


def _where(change: SkillChange) -> str:
    return f"{change.renamed_from} → {change.path}" if change.renamed_from else change.path


def _files(change: SkillChange) -> str:
    if change.kind.value in ("added", "deleted"):
        return counted(len(change.files), "file")
    if len(change.files) > _FILES_SHOWN:
        kinds = Counter(file.kind for file in change.files)
        return ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    return ", ".join(f"{cut(file.path, 60)} ({file.kind})" for file in change.files)


def _data(changes: Changes) -> dict[str, Any]:
    return {
        "version": 1,
        "base": {"ref": changes.base_ref, "commit": changes.base_commit},
        "baseline": {"commit": changes.baseline_commit},
        "head": {"ref": changes.head_ref, "commit": changes.candidate_commit},
        "changes": [_change_data(change) for change in changes.changes],
        "unchanged": changes.unchanged,
        "findings": finding_data(changes.findings),
    }


def _change_data(change: SkillChange) -> dict[str, Any]:
    baseline, candidate = change.baseline, change.candidate
    skill = candidate or baseline
    return {
        "skill_id": change.skill_id,
        "kind": change.kind.value,
        "path": change.path,
        "renamed_from": change.renamed_from,
        "readable": skill is not None and skill.readable,
        "baseline_tree_hash": baseline.tree_hash if baseline else None,
        "tree_hash": candidate.tree_hash if candidate else None,
        "copies": list(skill.copies) if skill else [],
        "files": [file.model_dump(mode="json") for file in change.files],
        "findings": finding_data(candidate.findings if candidate else ()),
    }
