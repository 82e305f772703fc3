"""Texts held word for word: `SKILLDELTA_RENEW_GOLDEN=1 pytest` writes them anew, for a person to read in the diff."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
RENEW = "SKILLDELTA_RENEW_GOLDEN"


def golden(name: str, text: str, *, folder: Path = FOLDER) -> None:
    """Hold `text` to the file `name` in tests/golden, or write that file when the environment asks for it."""
    path = folder / name
    if os.environ.get(RENEW) == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    if not path.exists():
        raise AssertionError(f"there is no golden text {name}; read what {RENEW}=1 writes")
    expected = path.read_text(encoding="utf-8")
    if text != expected:
        lines = unified_diff(expected.splitlines(), text.splitlines(), "held", "now", lineterm="", n=1)
        raise AssertionError(f"{name} changed ({RENEW}=1 renews it):\n" + "\n".join(lines))
