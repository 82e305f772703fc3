"""Open the repository, find the commits, look at the skills: the first step of every verb that reads git."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.config import CONFIG_FILE
from ..domain.skill import Changes, Finding, Severity

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from .committed_config import Law

_MOST_SHOWN = 5


def look_at_changes(repo_dir: Path, base: str, head: str) -> tuple[GitRepository, Changes, Law]:
    """Return the repository around `repo_dir`, what the skills of `head` changed since it left `base`, and the law.

    The baseline is the merge base; skills are where the law looks for them. Raises GitProblem for the repository and
    its refs, BadConfig for the configuration.
    """
    from ..diff.changes import find_changes
    from ..edges.git import GitRepository
    from .committed_config import law_between

    repository = GitRepository.open(repo_dir)
    base_commit = repository.resolve(base)
    candidate = repository.resolve(head)
    baseline = repository.merge_base(base_commit, candidate)
    law = law_between(repository, base=(base_commit, base), head=(candidate, head))
    changes = find_changes(repository, base_commit, baseline, candidate, law.discovery, base_ref=base, head_ref=head)
    findings = (*work_tree_findings(repository, candidate), *changes.findings)
    return repository, changes.model_copy(update={"findings": findings}), law


def work_tree_findings(repository: GitRepository, commit: str) -> tuple[Finding, ...]:
    """Return a warning on changes to skills that are not committed, and on a merge that is not finished.

    Nothing when `commit` is not what is checked out: then the work tree has nothing to do with it.
    """
    from ..errors import GitProblem

    if repository.root is None or repository.checked_out() != commit:
        return ()
    try:
        dirty = _of_skills(repository.uncommitted(), repository, commit)
    except GitProblem as problem:
        return (_warning(f"it is not known whether there are changes that are not committed: {problem.what}", None),)
    findings = []
    if repository.merge_in_progress():
        findings.append(_warning("a merge is not finished; only what is committed counts", "commit or abort the merge"))
    if dirty:
        shown = ", ".join(dirty[:_MOST_SHOWN])
        more = f" and {len(dirty) - _MOST_SHOWN:,} more" if len(dirty) > _MOST_SHOWN else ""
        message = f"changes that are not committed are left out: {shown}{more}"
        findings.append(_warning(message, "commit them to have them counted"))
    return tuple(findings)


def _of_skills(paths: Sequence[str], repository: GitRepository, commit: str) -> list[str]:
    """Return the paths that belong to a skill, to a new one, or to our own configuration and suites."""
    skills = {entry.path.rpartition("/")[0] for entry in repository.landmarks(commit) if _is_skill_file(entry.path)}
    return sorted(
        path
        for path in paths
        if "" in skills
        or _is_skill_file(path)
        or path == CONFIG_FILE
        or path.startswith(".skilldelta/")
        or any(path.startswith(f"{folder}/") for folder in skills)
    )


def _is_skill_file(path: str) -> bool:
    return path.rpartition("/")[2].lower() == "skill.md"


def _warning(message: str, fix: str | None) -> Finding:
    return Finding(severity=Severity.WARNING, path=".", message=message, fix=fix)
