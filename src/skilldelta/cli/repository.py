"""Open the repository, find the commits, look at the skills: the first step of every verb that reads git."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..domain.config import DiscoverySettings
from ..domain.skill import Changes, Finding, Severity

if TYPE_CHECKING:
    from ..edges.git import GitRepository

CONFIG_FILE = ".skilldelta.yml"
_MISSPELT = ".skilldelta.yaml"
_CONFIG_BYTES = 4 * 1024 * 1024
_MOST_SHOWN = 5


def look_at_changes(
    repo_dir: Path, base: str, head: str, settings: DiscoverySettings | None = None
) -> tuple[GitRepository, Changes]:
    """Return the repository around `repo_dir` and what the skills of `head` changed since it left `base`.

    The baseline is the merge base. Without `settings` those of the base's configuration hold, or of the head's when
    the base has none. Raises GitProblem for the repository and its refs, BadConfig for the configuration.
    """
    from ..diff.changes import find_changes
    from ..edges.git import GitRepository

    repository = GitRepository.open(repo_dir)
    base_commit = repository.resolve(base)
    candidate = repository.resolve(head)
    baseline = repository.merge_base(base_commit, candidate)
    if settings is None:
        settings = discovery_settings(repository, (base_commit, base), (candidate, head))
    changes = find_changes(repository, base_commit, baseline, candidate, settings, base_ref=base, head_ref=head)
    findings = (*work_tree_findings(repository, candidate), *changes.findings)
    return repository, changes.model_copy(update={"findings": findings})


def discovery_settings(repository: GitRepository, *places: tuple[str, str]) -> DiscoverySettings:
    """Return where skills are looked for, from the first (commit, ref as typed) that has a configuration."""
    for commit, ref in places:
        found = {entry.path for entry in repository.tree(commit, [CONFIG_FILE, _MISSPELT])}
        if CONFIG_FILE in found:
            from ..reading.config import read_config

            raw = repository.read(commit, CONFIG_FILE, limit=_CONFIG_BYTES)
            return read_config(raw or b"", where=f"{CONFIG_FILE} at {ref}").discovery
        if _MISSPELT in found:
            from ..errors import BadConfig

            raise BadConfig("is never read", where=f"{_MISSPELT} at {ref}", fix=f"name it {CONFIG_FILE}")
    return DiscoverySettings()


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
