"""The files beside a suite: which of them count, which are refused, and their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ..domain.suite import FixtureFile, Suite

Read = Callable[[str], bytes]
"""From a path under the suite's folder to the file's bytes."""
Entries = Mapping[str, str]
"""Path in the suite's folder → git mode (100644, 100755; 120000 a link, 160000 a submodule, 000000 anything else)."""

MOST_FILES = 2_000
MOST_BYTES = 64 * 1024 * 1024
"""Of all fixtures of one suite together."""
_LEFT_OUT = ("__pycache__", ".pytest_cache", ".DS_Store")
"""Traces that programs leave; they are never frozen, copied or compared."""
_REFUSED = {"120000": "is a symbolic link", "160000": "is a submodule", "000000": "is no ordinary file"}


@dataclass(frozen=True, kw_only=True)
class Fixtures:
    """The fixtures found in one place, and why some of them cannot be used."""

    files: tuple[FixtureFile, ...] = ()
    problems: tuple[str, ...] = ()


def counts(path: str) -> bool:
    """Return False for the traces of programs (caches, folder settings)."""
    return not any(part in _LEFT_OUT for part in path.split("/"))


def read_fixtures(entries: Entries, read: Read, *, prefix: str = "") -> Fixtures:
    """Return the files under `<prefix>fixtures/` with their hashes, sorted; paths are given without the prefix."""
    paths = sorted(path for path in entries if path.startswith(f"{prefix}fixtures/") and counts(path))
    if len(paths) > MOST_FILES:
        return Fixtures(problems=(f"{prefix}fixtures holds {len(paths):,} files; at most {MOST_FILES:,} are read",))
    files: list[FixtureFile] = []
    problems: list[str] = []
    total = 0
    for path in paths:
        mode = entries[path]
        refused = _refused(path.removeprefix(prefix), mode)
        if refused:
            problems.append(f"{path} {refused}")
            continue
        data = read(path)
        total += len(data)
        if total > MOST_BYTES:
            problems.append(f"{prefix}fixtures holds more than {MOST_BYTES // 2**20} MiB")
            break
        sha256 = hashlib.sha256(data).hexdigest()
        kept = "100755" if mode == "100755" else "100644"
        files.append(FixtureFile(path=path.removeprefix(prefix), mode=kept, sha256=sha256, size=len(data)))
    return Fixtures(files=tuple(files), problems=tuple(problems))


def missing_fixtures(suite: Suite, paths: Iterable[str]) -> tuple[str, ...]:
    """Return one line for every fixture or test file that a task names and that is not among `paths`."""
    present = {path for path in paths if counts(path)}
    folders = {path[:at] for path in present for at, char in enumerate(path) if char == "/"}
    lines = []
    for task in suite.tasks:
        if task.fixture is not None and task.fixture not in folders:
            what = "is a file; name its folder" if task.fixture in present else "is not there, or is empty"
            lines.append(f"task {task.id!r}, fixture: the folder {task.fixture} {what}")
        lines += [
            f"task {task.id!r}, test_file: {judge.test_file} is not there"
            for judge in task.judges
            if judge.type == "pytest" and judge.test_file not in present
        ]
    return tuple(lines)


def _refused(path: str, mode: str) -> str | None:
    parts = path.split("/")
    if mode in _REFUSED:
        return f"{_REFUSED[mode]}, which is refused: put an ordinary file there"
    if ".git" in parts:
        return "belongs to a repository inside the fixture, which git cannot keep: leave the .git folder out"
    if any(pair == (".claude", "skills") for pair in pairwise(parts)):
        return "would bring a skill of its own, which is refused: both arms must see the skill under test alone"
    if not path.isprintable() or ".." in parts:
        return "has a name that cannot be kept: use plain UTF-8 without control characters"
    return None
