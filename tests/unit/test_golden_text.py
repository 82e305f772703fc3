"""Golden texts hold: a changed text fails, a missing one fails, and only the environment renews them."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_text import RENEW, golden


@pytest.fixture(autouse=True)
def _not_renewing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RENEW, raising=False)


def test_the_same_text_passes_and_another_fails_with_the_lines_that_differ(tmp_path: Path) -> None:
    """A text is held to the letter, and the message shows what changed and how to renew it."""
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    golden("a.txt", "one\ntwo\n", folder=tmp_path)
    with pytest.raises(AssertionError, match=rf"(?s)a\.txt changed \({RENEW}=1.*-two\n\+three"):
        golden("a.txt", "one\nthree\n", folder=tmp_path)


def test_a_text_that_was_never_held_fails(tmp_path: Path) -> None:
    """A golden text that nobody wrote is a failure, not a silent first writing."""
    with pytest.raises(AssertionError, match="no golden text"):
        golden("a.txt", "one", folder=tmp_path)
    assert not (tmp_path / "a.txt").exists()


def test_the_environment_renews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variable set the text is written, folders and all."""
    monkeypatch.setenv(RENEW, "1")
    golden("deep/a.txt", "one", folder=tmp_path)
    monkeypatch.delenv(RENEW)
    golden("deep/a.txt", "one", folder=tmp_path)
