"""What a user reads first costs nothing but click, YAML and pydantic."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from house.tree import ROOT

HEAVY = ("scipy", "numpy", "anthropic", "github", "markdown_it", "rich", "httpx2", "aiohttp", "jsonschema_rs")
SCRIPT = """
import json, sys
from skilldelta.cli.door import run
code = run(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded_by(*words: str) -> set[str]:
    """Return the modules that one command line loads in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], capture_output=True, check=True, cwd=ROOT, text=True)
    code, names = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert done.stdout
    return set(names)


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("skills", "--help"), ("compare", "--help")])
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    """`--help` and `--version` load none of the libraries that measure, ask or draw."""
    assert loaded_by(*words) & set(HEAVY) == set()


def test_loading_is_seen() -> None:
    """The check sees what a command really loads: listing skills needs the YAML reader, which help does not."""
    assert "yaml" not in loaded_by("--help")
    assert "yaml" in loaded_by("skills", "--json")
