"""How large a regular expression becomes when it is compiled: counted repeats are written out."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST = 100_000
"""Copies of a part that a pattern may stand for, all counted repeats multiplied out."""
_TOKEN = re.compile(
    r"""\\.                                      # an escaped character
      | \[\^?\]?(?:\\.|[^\]\\]){0,500}\]         # a set; one without an end is looked for so far
      | \{[ ]{0,9}(?P<least>\d*)[ ]{0,9}(?:,[ ]{0,9}(?P<most>\d*)[ ]{0,9})?\}
      | [()]
      | .""",
    re.VERBOSE | re.DOTALL,
)
_CALLS_ITSELF = re.compile(r"\(\?(?:R|[+-]?\d+|&|P>)")


@dataclass
class _Group:
    total: int = 0
    """Copies of everything in the group so far."""
    last: int = 0
    """Copies of the part that a repeat would multiply."""

    def add(self, copies: int) -> None:
        self.total += copies
        self.last = copies

    def repeat(self, times: int) -> None:
        self.total += self.last * (times - 1)
        self.last *= times


def copies(pattern: str) -> int:
    """Return how many parts the pattern becomes with its counted repeats written out; at most a little above MOST.

    >>> copies("ab{3}"), copies(r"((a{10}){10}){10}"), copies(r"[{3}]\\{3}")
    (4, 1000, 4)
    """
    groups = [_Group()]
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        if text == "(":
            groups.append(_Group())
        elif text == ")" and len(groups) > 1:
            inside = groups.pop().total
            groups[-1].add(max(inside, 1))
        elif token["least"] or token["most"]:
            groups[-1].repeat(max(_number(token["least"]), _number(token["most"]), 1))
        else:
            groups[-1].add(1)
        if groups[-1].total > MOST:
            return groups[-1].total
    return sum(group.total for group in groups)


def calls_itself(pattern: str) -> bool:
    """Return whether the pattern may call itself or one of its groups: no bound holds for such a one.

    >>> calls_itself(r"a(?R)?b"), calls_itself(r"(?:a)(?i)b")
    (True, False)
    """
    return _CALLS_ITSELF.search(pattern) is not None


def _number(digits: str | None) -> int:
    return min(int(digits[:9]), MOST + 1) if digits else 0
