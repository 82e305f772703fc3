"""What the tests of whole comparisons share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from comparing import Bench, quiet_environment


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A place for one comparison, with a canary as the key."""
    quiet_environment(monkeypatch)
    made = Bench(tmp_path, capsys)
    yield made
    made.server.close()
