"""`skilldelta suite validate`: one file, by its path or by the skill it is for."""

from __future__ import annotations

from pathlib import Path

from ..domain.suite import Suite
from ..edges.folder import Folder
from ..errors import BadSuite
from ..reading.fixtures import missing_fixtures
from ..reading.frozen_suite import DRAFT_NAMES
from ..reading.suite import BOUNDS, read_suite
from .first_suite import PLACEHOLDER
from .suite_places import Workplace
from .suite_words import summary


def validated(typed: str, repo: Path) -> tuple[str, tuple[str, ...]]:
    """Return a line on a suite file and the warnings about it; raises BadSuite with everything wrong in it.

    `typed` is the path of a file or of a suite's folder, or a skill's id in the repository around `repo`.
    """
    path = Path(typed)
    oddities: tuple[str, ...] = ()
    if path.is_file():
        folder, name, where = Folder(path.resolve().parent), path.resolve().name, typed
        suite, warnings = _read(folder, name, where)
    else:
        workplace = Workplace.at(repo)
        folder = workplace.folder(typed)
        name, where = _draft_of(folder)
        suite, warnings = _read(folder, name, where)
        oddities = misplaced(workplace, folder, suite.skill_id)
    missing = tuple(f"{where}: {line}" for line in _missing(folder, suite))
    return f"{where}: ok: {summary(suite)}", (*warnings, *missing, *oddities, *placeholders(suite, where))


def misplaced(workplace: Workplace, folder: Folder, skill_id: str) -> tuple[str, ...]:
    """Return a warning when a suite stands in the folder of another skill than it says it is for."""
    expected = workplace.skill_ids(folder)
    if not workplace.is_ours(folder) or skill_id in expected:
        return ()
    return (f"{folder.name}: skill_id is {skill_id!r}, but the folder is that of {' and '.join(sorted(expected))}",)


def placeholders(suite: Suite, where: str) -> tuple[str, ...]:
    """Return a warning for every task that is still as `skilldelta init` drafted it."""
    return tuple(
        f"{where}: task {task.id!r} is a placeholder: edit it, and take its tag {PLACEHOLDER!r} away"
        for task in suite.tasks
        if PLACEHOLDER in task.tags
    )


def _draft_of(folder: Folder) -> tuple[str, str]:
    entries = folder.entries()
    name = next((name for name in DRAFT_NAMES if name in entries), None)
    if name is None:
        raise BadSuite("there is no draft here", where=folder.name, fix=f"write {DRAFT_NAMES[0]} there")
    return name, f"{folder.name}/{name}"


def _read(folder: Folder, name: str, where: str) -> tuple[Suite, tuple[str, ...]]:
    # One byte more than is read of a suite, so that the reader is the one to say that it is too large.
    reading = read_suite(folder.read(name, limit=BOUNDS.size + 1, cut=True), where=where)
    return reading.suite, reading.warnings


def _missing(folder: Folder, suite: Suite) -> tuple[str, ...]:
    fixtures = Folder(folder.root, f"{folder.relative}/fixtures").entries()
    return missing_fixtures(suite, [f"fixtures/{path}" for path in fixtures])
