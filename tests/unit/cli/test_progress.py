"""What a run says while it goes on."""

from __future__ import annotations

import io
import sys

import pytest

from fakes import skill_plan
from skilldelta.cli.progress import Bars, Lines, Silent, progress
from skilldelta.domain.draws import round_keys
from skilldelta.ports import Progress

SENTENCE = "round 1: not yet \x1b[31mred [bold]"


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def _one_round(shown: Progress) -> None:
    skill = skill_plan()
    _, key = next(round_keys(skill, 1))
    shown.skill_started(skill)
    for number in (1, 2):
        shown.round_started(skill, number, 2)
        shown.trial_done(skill, key, recorded=False)
        shown.trial_done(skill, key, recorded=True)
        shown.looked(skill, number, SENTENCE)


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever asks for silence is told nothing."""
    with progress(silent=True) as shown:
        assert isinstance(shown, Silent)
        _one_round(shown)
    assert capsys.readouterr() == ("", "")


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal each look is one line on stderr, its control characters made harmless."""
    with progress() as shown:
        assert isinstance(shown, Lines)
        _one_round(shown)
    assert capsys.readouterr() == ("", "demo: round 1: not yet \\x1b[31mred [bold]\n" * 2)


def test_bars(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal each round has a bar, and each look its line above it, word for word."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with progress() as shown:
        assert isinstance(shown, Bars)
        _one_round(shown)
    drawn = terminal.getvalue()
    assert drawn.count("demo: round 1: not yet \\x1b[31mred [bold]") == 2
    assert "demo: round 2 of at most 3" in drawn
    assert "2/2" in drawn
    assert capsys.readouterr().out == ""


def test_none_is_another() -> None:
    """The three have nothing in common but the port."""
    assert [made.__bases__ for made in (Silent, Lines, Bars)] == [(object,)] * 3
