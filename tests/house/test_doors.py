"""Effects stay where the doors are: `edges/`, and the words of the command line and the action."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from house.tree import Module, imports, modules

ONLY_EDGES = {
    "aiohttp": "asks the network",
    "anthropic": "asks a model",
    "github": "asks GitHub",
    "httpx2": "asks the network",
    "http": "asks the network",
    "random": "draws without a seed",
    "secrets": "draws without a seed",
    "socket": "asks the network",
    "subprocess": "starts a program",
    "urllib.request": "asks the network",
    "uuid": "draws without a seed",
    "xllamacpp": "asks a model",
}
"""Module → why nobody but an edge may import it."""
ONLY_WITH_DOORS = {
    "fcntl": "reaches for files",
    "glob": "reaches for files",
    "shutil": "reaches for files",
    "tempfile": "reaches for files",
    "time": "looks at the clock",
}
"""Module → why the pure rooms may not import it."""
FILE_METHODS = {"iterdir", "mkdir", "open", "read_bytes", "read_text", "unlink", "write_bytes", "write_text"}
CLOCK_METHODS = {"now", "today", "utcnow"}
DOORS = ("edges", "cli", "action")


def effects(module: Module) -> Iterator[str]:
    """Yield one line for every effect that does not belong into this module."""
    place = "/".join(module.parts) or "__init__"
    for line, what in _forbidden_imports(module):
        yield f"{place}:{line} {what}"
    if module.room not in DOORS:
        for line, what in _forbidden_uses(module.tree):
            yield f"{place}:{line} {what}"


def _forbidden_imports(module: Module) -> Iterator[tuple[int, str]]:
    forbidden = {} if module.room == "edges" else ONLY_EDGES
    if module.room not in DOORS:
        forbidden = forbidden | ONLY_WITH_DOORS
    for line, name in imports(module):
        for stranger, reason in forbidden.items():
            if f"{name}.".startswith(f"{stranger}."):
                yield line, f"imports {stranger}, which {reason}"


def _forbidden_uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id == "open":
                yield node.lineno, "opens a file"
            elif isinstance(called, ast.Attribute) and called.attr in FILE_METHODS:
                yield node.lineno, f"reaches for a file (.{called.attr})"
            elif isinstance(called, ast.Attribute) and called.attr in CLOCK_METHODS and not _is_port(called.value):
                yield node.lineno, f"looks at the clock (.{called.attr})"
            elif isinstance(called, ast.Attribute) and called.attr == "default_rng" and not node.args:
                yield node.lineno, "draws without a seed"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            yield node.lineno, f"asks the system (os.{node.attr})"


def _is_port(value: ast.expr) -> bool:
    """The clock that was handed in is told by its name."""
    return ast.unparse(value).split(".")[-1].strip("_") == "clock"


def test_the_pure_rooms_have_no_doors() -> None:
    """Models, GitHub, programs, files, the environment, clocks and chance are out of reach outside the doors."""
    assert [line for module in modules() for line in effects(module)] == []


@pytest.mark.parametrize(
    ("place", "source", "found"),
    [
        ("judge", "def f():\n    import anthropic", "imports anthropic"),
        ("cli", "from anthropic import AsyncAnthropic", "imports anthropic"),
        ("cli", "import subprocess", "imports subprocess"),
        ("action", "from github import Github", "imports github"),
        ("plan", "import urllib.request", "imports urllib.request"),
        ("plan", "from random import random", "imports random"),
        ("plan", "import numpy as np\nnp.random.default_rng()", "draws without a seed"),
        ("plan", "import secrets", "imports secrets"),
        ("plan", "from uuid import uuid4", "imports uuid"),
        ("plan", "from time import monotonic", "imports time"),
        ("plan", "from datetime import datetime\ndatetime.now()", "looks at the clock"),
        ("plan", "import os\nos.environ.get('HOME')", "asks the system"),
        ("plan", "open('x')", "opens a file"),
        ("plan", "from pathlib import Path\nPath('x').read_text()", "reaches for a file"),
        ("plan", "from pathlib import Path\nPath('x').open()", "reaches for a file"),
    ],
)
def test_an_effect_is_seen(place: str, source: str, found: str) -> None:
    """Each kind of effect is found where it does not belong."""
    lines = list(effects(Module(parts=(place, "planted"), is_package=False, source=source)))
    assert any(found in line for line in lines), lines


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("edges", "import anthropic, subprocess, random, time\nopen('x')"),
        ("cli", "import os\nos.environ"),
        ("run", "def f(clock):\n    return clock.now()"),
        ("run", "def f(self):\n    return self._clock.now()"),
        ("judge", "from .rubric import read_text\nread_text('x')"),
        ("statistics", "import numpy as np\nnp.random.default_rng(7)"),
    ],
)
def test_what_belongs_there_passes(place: str, source: str) -> None:
    """Edges may do everything, the command line reads its environment, and a stage asks the clock it was given."""
    assert list(effects(Module(parts=(place, "planted"), is_package=False, source=source))) == []
