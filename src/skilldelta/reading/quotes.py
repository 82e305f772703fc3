"""Passages that two texts have in common, found word by word in linear time."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any

QUOTED_BY_AN_ANSWER = 12
"""Words in a row of a skill that an answer has by more than chance."""
_HAN = r"\p{Han}\p{Hiragana}\p{Katakana}ー"
_THAI = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts that are written without spaces: each of their letters counts as a word of its own here …"""
_LETTERS_OF_A_WORD = {_HAN: 2.5, _THAI: 5.0}
""" … and so many of them are about as much as one word of a script with spaces."""
_APART = f"[{_HAN}{_THAI}]"
_ANY_WORD = rf"{_APART}|[[\p{{L}}\p{{N}}]--{_APART}][[\p{{L}}\p{{N}}\p{{M}}\p{{Cf}}]--{_APART}]*"
_LONGEST = 100
"""Letters of a word beyond which it is taken as it is written: many accents in a row take quadratic time to order."""
_MOST_SHOWN = 100
"""Words of a passage that are looked for as a whole; the rest of it is not shown anyway."""


@cache
def _pattern(letters: str) -> Any:
    import regex

    return regex.compile(letters, regex.VERSION1)


def _word_of(found: str) -> str:
    """Return what makes a word the same word: not its case, its accents' spelling or signs that nobody sees."""
    if found.isascii() or len(found) > _LONGEST:
        return found.casefold()
    plain = unicodedata.normalize("NFKC", found).casefold()
    return unicodedata.normalize("NFKC", "".join(char for char in plain if unicodedata.category(char) != "Cf"))


class Words:
    """A text as its words, upper and lower case alike."""

    def __init__(self, text: str) -> None:
        self._text = text
        word = _pattern(_ANY_WORD)
        self._spans = [found.span() for found in word.finditer(text)]
        self._runs: dict[int, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self._spans)

    @cached_property
    def _words(self) -> list[str]:
        return [_word_of(self._text[start:end]) for start, end in self._spans]

    @cached_property
    def _joined(self) -> str:
        return f" {' '.join(self._words)} "

    @cached_property
    def _per_word(self) -> float:
        """How many of these words are about as much as one word, by the script of most of them."""
        if self._text.isascii():
            return 1.0
        counts = {letters: len(_pattern(f"[{letters}]").findall(self._text)) for letters in _LETTERS_OF_A_WORD}
        most = max(counts, key=lambda letters: counts[letters])
        return _LETTERS_OF_A_WORD[most] if 2 * counts[most] > len(self) else 1.0

    def in_a_row(self, words: int) -> int:
        """Return how many words of this text are as much as `words` words of a script with spaces."""
        return math.ceil(words * self._per_word)

    def _hashes(self, length: int) -> Iterator[int]:
        words = self._words
        return (hash(tuple(words[start : start + length])) for start in range(len(words) - length + 1))

    def runs(self, length: int) -> frozenset[int]:
        """Return what tells the runs of `length` words in it; computed once."""
        if length not in self._runs:
            self._runs[length] = frozenset(self._hashes(length))
        return self._runs[length]

    def holds(self, other: Words) -> bool:
        """Say whether all words of `other` stand in it, one after the other."""
        return other._joined in self._joined

    def passage_from(self, source: Words, length: int, *, beside: Words | None = None) -> str | None:
        """Return the longest passage of at least `length` words that also stands in `source`, None without one.

        No run of `length` words in it stands in `beside`. Of a very long passage the first hundred words are returned.
        """
        first, count = self._longest_row(source, length, beside)
        if not count:
            return None
        # Each run stands in the source, but perhaps not one after the other.
        words = self._words[first : first + min(count + length - 1, max(_MOST_SHOWN, length))]
        least, most = length, len(words)
        while least < most:
            middle = (least + most + 1) // 2
            if f" {' '.join(words[:middle])} " in source._joined:
                least = middle
            else:
                most = middle - 1
        return self._text[self._spans[first][0] : self._spans[first + least - 1][1]]

    def _longest_row(self, source: Words, length: int, beside: Words | None) -> tuple[int, int]:
        """Return where most runs in a row begin that only the source has, and how many they are."""
        best, row = (0, 0), 0
        for start, ours in enumerate(self._ours(source, length, beside)):
            row = row + 1 if ours else 0
            if row > best[1]:
                best = (start - row + 1, row)
        return best

    def _ours(self, source: Words, length: int, beside: Words | None) -> Iterator[bool]:
        known, others = source.runs(length), beside.runs(length) if beside else frozenset()
        return (each in known and each not in others for each in self._hashes(length))

    def quotes(self, source: Words, length: int, *, beside: Words) -> bool:
        """Say whether a run of `length` words of `source` stands in it that does not stand in `beside`."""
        return any(self._ours(source, length, beside))


def answers_quoting(texts: Sequence[str], answers: Iterable[tuple[str, str]]) -> int:
    """Return how many answers, given as (prompt, answer), quote twelve words in a row of a skill's texts.

    What the prompt says itself is no quotation.
    """
    source = Words("\n".join(texts))
    prompts: dict[str, Words] = {}
    count = 0
    for prompt, answer in answers:
        if prompt not in prompts:
            prompts[prompt] = Words(prompt)
        said = Words(answer)
        count += said.quotes(source, said.in_a_row(QUOTED_BY_AN_ANSWER), beside=prompts[prompt])
    return count
