"""The door: whatever is raised inside leaves as words and an exit code."""

from __future__ import annotations

import click
import pytest

from skilldelta.cli import verbs
from skilldelta.cli.door import run
from skilldelta.errors import BadConfig, Interrupted


def ending_with(problem: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code of a verb that raises `problem`."""

    @click.command()
    def command() -> None:
        raise problem

    monkeypatch.setattr(verbs.Verbs, "get_command", lambda *_: command)
    return run(["doctor"])


@pytest.mark.parametrize(
    ("problem", "code", "words"),
    [
        (BadConfig("is odd", where="x.yml", fix="mend it"), 2, "error: x.yml: is odd\n  fix: mend it\n"),
        (click.UsageError("no such thing"), 2, "Error: no such thing"),
        (click.Abort(), 130, "interrupted"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (Interrupted("stopped", signal=2), 130, "stopped"),
        (Interrupted("stopped", signal=15), 143, "stopped"),
    ],
)
def test_every_ending_has_its_code(
    problem: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The user's own matters end with 2, interruptions with 128 and the signal's number, each in words on stderr."""
    assert ending_with(problem, monkeypatch) == code
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("problem", [ZeroDivisionError("by nought"), AssertionError(), RecursionError("deep")])
def test_a_bug_of_ours_is_three_lines_and_no_traceback(
    problem: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with 70 and says what happened, where, and where to report it; the traceback comes on request."""
    assert ending_with(problem, monkeypatch) == 70
    first, second, third = capsys.readouterr().err.splitlines()
    assert "this is a bug in skilldelta" in first
    assert f"{type(problem).__name__}: {problem}" in first
    assert "test_door.py:" in second
    assert "report these three lines at https://" in third
    monkeypatch.setenv("SKILLDELTA_TRACEBACK", "1")
    assert ending_with(problem, monkeypatch) == 70
    assert "Traceback" in capsys.readouterr().err
