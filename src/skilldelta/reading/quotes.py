"""Passages that two texts have in common, found word by word in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

_WITHOUT_SPACES = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
"""Kana, Han and Thai are written without spaces: each letter counts as a word."""
_WORD = re.compile(rf"[{_WITHOUT_SPACES}]|[^\W_{_WITHOUT_SPACES}]+")
QUOTED_BY_AN_ANSWER = 12
"""Words in a row of a skill that an answer has by more than chance."""


class Words:
    """A text as its words, upper and lower case alike."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [found.span() for found in _WORD.finditer(text)]
        self._runs: dict[int, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self._spans)

    @cached_property
    def _words(self) -> list[str]:
        return [self._text[start:end].casefold() for start, end in self._spans]

    def _hashes(self, length: int) -> list[int]:
        words = self._words
        return [hash(tuple(words[start : start + length])) for start in range(len(words) - length + 1)]

    def runs(self, length: int) -> frozenset[int]:
        """Return what tells the runs of `length` words in it; computed once."""
        if length not in self._runs:
            self._runs[length] = frozenset(self._hashes(length))
        return self._runs[length]

    def passage_from(self, source: Words, length: int) -> str | None:
        """Return the longest passage of at least `length` words that also stands in `source`, None without one."""
        known, best, run = source.runs(length), (0, 0), 0
        for start, each in enumerate(self._hashes(length)):
            run = run + 1 if each in known else 0
            if run > best[0]:
                best = (run, start)
        if not best[0]:
            return None
        first, last = best[1] - best[0] + 1, best[1] + length - 1
        return self._text[self._spans[first][0] : self._spans[last][1]]

    def quotes(self, source: Words, length: int, *, beside: Words) -> bool:
        """Say whether a run of `length` words of `source` stands in it that does not stand in `beside`."""
        return not self.runs(length).isdisjoint(source.runs(length) - beside.runs(length))


def answers_quoting(texts: Sequence[str], answers: Iterable[tuple[str, str]]) -> int:
    """Return how many answers, given as (prompt, answer), quote twelve words in a row of a skill's texts.

    What the prompt says itself is no quotation.
    """
    source = Words("\n".join(texts))
    prompts: dict[str, Words] = {}
    count = 0
    for prompt, answer in answers:
        beside = prompts.setdefault(prompt, Words(prompt))
        count += Words(answer).quotes(source, QUOTED_BY_AN_ANSWER, beside=beside)
    return count
