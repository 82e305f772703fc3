"""A number with its noun, as it stands in a sentence."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "skill"), counted(1200, "skill")
    ('1 skill', '1,200 skills')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
