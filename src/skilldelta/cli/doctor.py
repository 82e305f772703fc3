"""`skilldelta doctor`: what is missing for a comparison here, and how to mend it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from ..errors import EXIT_BLOCKED, SkilldeltaError
from .door import printable

if TYPE_CHECKING:
    from ..domain.config import Config
    from ..edges.git import GitRepository

SIGNS = {"ok": "ok  ", "note": "note", "missing": "MISS"}


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    state: Literal["ok", "note", "missing"]
    what: str
    fix: str | None = None


@click.command()
@click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")
@click.option("--base", metavar="REF", help="Look at the history towards this ref as well.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def command(repo: str, base: str | None, as_json: bool) -> int:
    """Say what is missing for a comparison here, and how to mend it; exit code 2 when something is."""
    checks = list(_checks(Path(repo), base))
    missing = any(check.state == "missing" for check in checks)
    if as_json:
        click.echo(json.dumps({"ready": not missing, "checks": [asdict(check) for check in checks]}, indent=2))
        return EXIT_BLOCKED if missing else 0
    for check in checks:
        click.echo(printable(f"{SIGNS[check.state]}  {check.what}"))
        if check.fix:
            click.echo(printable(f"      fix: {check.fix}"))
    click.echo("Something is missing." if missing else "Ready.")
    return EXIT_BLOCKED if missing else 0


def _checks(repo: Path, base: str | None) -> Iterator[Check]:
    from ..edges.git import GitRepository

    opened = _try(lambda: GitRepository.open(repo))
    if isinstance(opened, Check):
        yield opened
        return
    yield Check(state="ok", what=f"a git repository: {opened.place}")
    yield from _history(opened, base)
    commit = _try(lambda: opened.resolve("HEAD"))
    if isinstance(commit, Check):
        yield commit
        return
    config = _config(opened, commit)
    if isinstance(config, Check):
        yield config
        return
    found, settings = config
    yield found
    yield from _models(settings)
    yield from _skills(opened, commit, settings)


Result = TypeVar("Result")


def _try(look: Callable[[], Result]) -> Result | Check:
    try:
        return look()
    except SkilldeltaError as error:
        where = f"{error.where}: " if error.where else ""
        return Check(state="missing", what=f"{where}{error.what}", fix=error.fix)


def _history(repository: GitRepository, base: str | None) -> Iterator[Check]:
    if repository.is_shallow:
        yield Check(
            state="note" if base is None else "missing",
            what="the clone is shallow: the merge base of a pull request may not be there",
            fix="git fetch --unshallow (in a workflow: fetch-depth: 0)",
        )
    else:
        yield Check(state="ok", what="the history is complete")
    if base is not None:
        merge_base = _try(lambda: repository.merge_base(repository.resolve(base), repository.resolve("HEAD")))
        if isinstance(merge_base, Check):
            yield merge_base
        else:
            yield Check(state="ok", what=f"HEAD left {base} at {merge_base[:12]}")


def _config(repository: GitRepository, commit: str) -> tuple[Check, Config] | Check:
    from ..domain.config import CONFIG_FILE, Config
    from .committed_config import committed_config

    config = _try(lambda: committed_config(repository, commit, "HEAD"))
    if isinstance(config, Check):
        return config
    if config is None:
        return (
            Check(state="note", what=f"no {CONFIG_FILE} is committed: the defaults hold", fix="skilldelta init"),
            Config(),
        )
    return Check(state="ok", what=f"{CONFIG_FILE} can be read"), config


def _models(config: Config) -> Iterator[Check]:
    runner = config.runner
    if runner.provider == "local":
        yield from _local()
        return
    if runner.model is None and not os.environ.get("SKILLDELTA_MODEL"):
        yield Check(
            state="missing",
            what="no model is named that should do the tasks",
            fix="set runner.model in .skilldelta.yml, or pass --model NAME (--model local: the embedded model)",
        )
    else:
        yield Check(state="ok", what=f"model: {runner.model or os.environ['SKILLDELTA_MODEL']}")
    if runner.provider == "anthropic":
        if os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN"):
            yield Check(state="ok", what="a key for the Messages API is in the environment (it was not tried)")
        else:
            yield Check(
                state="missing",
                what="no key for the Messages API",
                fix="set ANTHROPIC_API_KEY, or use --model local",
            )


def _local() -> Iterator[Check]:
    from ..edges.local_model_system import require_engine, require_library
    from ..edges.local_model_weights import find_weights

    for look, words in ((require_engine, "engine"), (require_library, "system library"), (find_weights, "weights")):
        result = _try(look)
        yield (
            result if isinstance(result, Check) else Check(state="ok", what=f"the embedded model's {words}: {result}")
        )


def _skills(repository: GitRepository, commit: str, config: Config) -> Iterator[Check]:
    from ..diff.discover import discover

    discovery = _try(lambda: discover(repository, commit, config.discovery))
    if isinstance(discovery, Check):
        yield discovery
        return
    skills = discovery.skills
    if not skills:
        yield Check(state="missing", what="no skill is committed", fix="commit a folder with a SKILL.md")
    unreadable = [skill for skill in skills if not skill.readable]
    for skill in unreadable[:10]:
        yield Check(
            state="missing",
            what=f"{skill.skill_file}: the skill cannot be read",
            fix="skilldelta skills shows why",
        )
    if skills:
        yield Check(state="ok", what=f"{len(skills) - len(unreadable)} of {len(skills)} skills can be read")
    for skill in skills:
        settings = config.skills.get(skill.skill_id)
        if settings is None or not settings.skip:
            yield from _suite(repository, commit, config, skill.skill_id)


def _suite(repository: GitRepository, commit: str, config: Config, skill_id: str) -> Iterator[Check]:
    from ..edges.suite_folder import committed_suite
    from ..reading.frozen_suite import find_frozen, runnable
    from .gathering import SUITE_BYTES

    own = config.skills.get(skill_id)
    folder = f"{config.suites}/{own.suite if own and own.suite else skill_id}"

    def newest() -> str:
        entries, read = committed_suite(repository, commit, folder, limit=SUITE_BYTES)
        return runnable(find_frozen(entries, read, where=folder)).version

    version = _try(newest)
    yield version if isinstance(version, Check) else Check(state="ok", what=f"{skill_id}: suite {version}")
