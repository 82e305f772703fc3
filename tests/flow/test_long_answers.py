"""Answers stay in the journal: how long they are makes no difference to the memory of a run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from comparing import CONFIG, KEY, NEW, OLD, frozen, skill, suite_text
from repositories import Commit, build, environment
from scripted_server import Rule, ScriptedServer

TASKS, ROUNDS = 20, 2
LONG = 300_000
MEASURED = """
import sys
from pathlib import Path
from skilldelta.cli.door import run
code = run(sys.argv[1:])
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
sys.exit(code)
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one changed skill."""
    path = tmp_path_factory.mktemp("long") / "repo"
    law = {".skilldelta.yml": CONFIG, **frozen(suite_text(tasks=TASKS))}
    build(path, [Commit(files={**skill(OLD), **law}), Commit(files=skill(NEW))], bare=True)
    return path


def _peak(repository: Path, out: Path, answer: str) -> float:
    """Return the peak memory (MB) of a comparison in which every answer is this one."""
    with ScriptedServer([Rule(pass_text=answer)]) as server:
        named = ["--base", "main~1", "--head", "main", "--repo", str(repository), "--out", str(out)]
        argv = ["compare", *named, "--base-url", server.base_url, "--rounds", str(ROUNDS), "--concurrency", "4"]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *argv],
            env=environment() | {"ANTHROPIC_API_KEY": KEY},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return int(done.stdout.splitlines()[-1]) / 1024


def test_memory_does_not_grow_with_the_answers(repository: Path, tmp_path: Path) -> None:
    """80 answers of 300 kB (24 MB) cost no more memory than the few that are in flight."""
    short = _peak(repository, tmp_path / "short", "yes")
    long = _peak(repository, tmp_path / "long", "yes " * (LONG // 4))
    assert (tmp_path / "long/journal.jsonl").stat().st_size > 2 * TASKS * ROUNDS * LONG
    assert (tmp_path / "long/report.json").stat().st_size < 500_000
    report = json.loads((tmp_path / "long/report.json").read_text())
    assert report["skills"][0]["verdict"] == "no-regression"
    assert long - short < 15
