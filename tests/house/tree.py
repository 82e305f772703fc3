"""What the tests of the house look at: the tracked files, and what a module imports and calls."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/skilldelta"


@dataclass(frozen=True, kw_only=True)
class Module:
    """One module of the program."""

    parts: tuple[str, ...]
    """Its place in the package: ("cli", "door"); a package's `__init__` has the name of its folder alone."""
    is_package: bool
    source: str

    @property
    def room(self) -> str:
        """The folder it stands in, or its own name where it stands beside the rooms."""
        return self.parts[0] if self.parts else ""

    @property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.source)


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of the program."""
    return tuple(_module(path) for path in sorted(PACKAGE.rglob("*.py")))


def _module(path: Path) -> Module:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return Module(
        parts=parts[:-1] if is_package else parts, is_package=is_package, source=path.read_text(encoding="utf-8")
    )


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Yield (line, full dotted name) of everything the module imports, also inside functions."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = _start(module, node.level)
            prefix = [*start, node.module] if node.module else start
            yield from ((node.lineno, ".".join([*prefix, alias.name])) for alias in node.names)


def _start(module: Module, level: int) -> list[str]:
    if level == 0:
        return []
    package = ["skilldelta", *module.parts]
    return package[: len(package) - level + module.is_package]


def rooms_known(module: Module, rooms: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, room) for every import of another room of the program."""
    for line, name in imports(module):
        first, *rest = name.split(".")
        if first == "skilldelta" and rest and rest[0] in rooms and rest[0] != module.room:
            yield line, rest[0]


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file that git tracks and that is there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return tuple(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())


def tracked_python() -> tuple[Path, ...]:
    """Return every tracked Python file."""
    return tuple(path for path in tracked() if path.suffix == ".py")


def short(path: Path) -> str:
    """Return the path from the project's folder."""
    return path.relative_to(ROOT).as_posix()
