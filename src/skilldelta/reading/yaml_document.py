"""What reading YAML gives: plain data with the line of every value, or an error that names the line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import SkilldeltaError

Place = tuple[str | int, ...]
"""Keys and indices from the document's root to a value."""


class BadYaml(SkilldeltaError):
    """A text is not YAML that can be read within the bounds."""

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None, line: int | None = None) -> None:
        super().__init__(what, where=where, fix=fix)
        self.line = line


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The most that is read of one document."""

    size: int = 2 * 1024 * 1024
    depth: int = 32
    nodes: int = 200_000
    """Nodes after aliases are expanded."""
    characters: int = 16 * 1024 * 1024
    """Characters of all keys and values after aliases are expanded."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """Plain data, with the (line, column) of every value, both counted from 1."""

    data: Any
    positions: dict[Place, tuple[int, int]]
    sources: dict[Place, str]
    """The text, as it was written, of every value that YAML reads as a number, a truth value or nothing."""

    def line(self, place: Place) -> int:
        """Return the line of the value at `place`, or of the nearest value around it."""
        while place not in self.positions and place:
            place = place[:-1]
        return self.positions.get(place, (1, 1))[0]

    def source(self, place: Place) -> str | None:
        """Return how the number, truth value or nothing at `place` is written; None for text and behind an alias."""
        return self.sources.get(place)
