"""Nobody reads stdout, or it is full: the exit code still says what it has to say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from comparing import CONFIG, KEY, NEW, OLD, Server, frozen, passing, skill, suite_text
from repositories import Commit, build, environment

SECONDS = 60
GATES = {"pass": 0, "fail": 1}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A repository with one changed skill, a server, and a finished run for each gate."""

    folder: Path
    server: Server

    def argv(self, verb: str, gate: str, out: str = "recorded") -> list[str]:
        """Return the command line of a verb whose comparison ends at the gate; `report` and `skills` have none."""
        recorded = str(self.folder / f"{out}-{gate}")
        named = ["--base=main~1", "--head=main", f"--repo={self.folder / 'repo'}", f"--base-url={self.server.url}"]
        words = {
            "compare": [*named, "--out", recorded],
            "replay": [recorded],
            "report": [recorded],
            "skills": [f"--repo={self.folder / 'repo'}"],
        }
        self.server.script = passing(candidate=gate == "pass")
        return [sys.executable, "-P", "-m", "skilldelta", verb, *words[verb]]


def _environment() -> dict[str, str]:
    ours = {name: text for name, text in environment().items() if not name.startswith(("ANTHROPIC_", "SKILLDELTA_"))}
    return ours | {"ANTHROPIC_API_KEY": KEY, "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Everything in its place; the recorded runs have the exit codes that are expected below."""
    folder = tmp_path_factory.mktemp("lost")
    before = {**skill(OLD), ".skilldelta.yml": CONFIG, **frozen(suite_text(tasks=12))}
    build(folder / "repo", [Commit(files=before), Commit(files=skill(NEW))], bare=True)
    made = Stage(folder=folder, server=Server())
    for gate, code in GATES.items():
        argv = made.argv("compare", gate)
        done = subprocess.run(argv, env=_environment(), capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == code, done.stderr
    yield made
    made.server.close()


def _code_of(verb: str, gate: str) -> int:
    return GATES[gate] if verb in ("compare", "replay") else 0


def _run(argv: list[str], stdout: int, *, both: bool = False) -> tuple[int, str]:
    """Run the real program with this descriptor as its stdout; return its exit code and what it said."""
    done = subprocess.run(
        argv,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.STDOUT if both else subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = done.stderr or ""
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert "bug" not in said
    return done.returncode, said


VERBS = [
    ("compare", "pass"),
    ("compare", "fail"),
    ("replay", "pass"),
    ("replay", "fail"),
    ("report", "fail"),
    ("skills", "pass"),
]


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "stdout and stderr"])
@pytest.mark.parametrize(("verb", "gate"), VERBS)
def test_a_reader_that_has_left(stage: Stage, verb: str, gate: str, both: bool) -> None:
    """Into a pipe that nobody reads a comparison leaves with its gate's code, another verb with 0, and no word."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        code, said = _run(
            stage.argv(verb, gate, f"closed-{both}" if verb == "compare" else "recorded"), writer, both=both
        )
    finally:
        os.close(writer)
    assert code == _code_of(verb, gate), said
    assert "error" not in said
    if verb == "compare":
        assert (stage.folder / f"closed-{both}-{gate}/report.json").exists()


@pytest.mark.parametrize(("verb", "gate"), VERBS)
def test_a_disk_that_is_full(stage: Stage, verb: str, gate: str) -> None:
    """A result that could not be written anywhere is an error with exit 2 that says so."""
    with Path("/dev/full").open("wb") as full:
        argv = stage.argv(verb, gate, "full" if verb == "compare" else "recorded")
        code, said = _run(argv, full.fileno())
    assert code == 2, said
    assert said.endswith(
        "error: stdout cannot be written: No space left on device\n  fix: make room, or send the output elsewhere\n"
    )
    if verb == "compare":
        assert (stage.folder / f"full-{gate}/report.json").exists()


@pytest.mark.parametrize(("verb", "gate"), [("compare", "fail"), ("replay", "pass"), ("skills", "pass")])
def test_no_standard_stream_at_all(stage: Stage, verb: str, gate: str) -> None:
    """Started with stdin, stdout and stderr closed (`<&- >&- 2>&-`) everything ends as it would otherwise."""
    argv = stage.argv(verb, gate, "nothing" if verb == "compare" else "recorded")
    shell = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *argv]
    assert _run(shell, subprocess.DEVNULL)[0] == _code_of(verb, gate)


def test_an_error_keeps_its_code(stage: Stage) -> None:
    """An error that has a code of its own is not taken for a full disk, and is said on stderr as ever."""
    with Path("/dev/full").open("wb") as full:
        code, said = _run([*stage.argv("skills", "pass"), "--ref", "nowhere"], full.fileno())
    assert code == 2
    assert "nowhere" in said
    assert "stdout" not in said
