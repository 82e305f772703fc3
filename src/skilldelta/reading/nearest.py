"""The known word nearest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most like `word`, or None when none is near.

    >>> nearest("margn", ["margin", "rounds"])
    'margin'
    """
    from difflib import get_close_matches

    found = get_close_matches(word[:100].lower(), list(known), n=1, cutoff=0.6)
    return found[0] if found else None
