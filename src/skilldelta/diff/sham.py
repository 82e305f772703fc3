"""A sham of a skill: its name, its length and its shape, with neutral words in place of what it says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from ..domain.skill import BundledFile, SkillBundle
from ..domain.value import digest

_RUN = re.compile(r"[\w./-]+")
_WORD = re.compile(r"[^\W_]+")
_LATIN = {
    1: "ao",
    2: ("of", "on", "by"),
    3: ("sky", "oak", "sea", "hay"),
    4: ("wind", "rain", "lamp", "moss"),
    5: ("table", "cloud", "grass", "chair"),
    6: ("window", "meadow", "carpet", "autumn"),
    7: ("evening", "weather", "cushion", "pasture"),
    8: ("sunlight", "doorstep", "hillside", "birdsong"),
    9: ("afternoon", "wallpaper", "bookshelf", "driftwood"),
}
"""Words about nothing in particular, by their length; longer ones are put together of these."""
_LONGEST = max(_LATIN)
_LETTERS = {
    "CJK": "天地山水木石風雲",
    "HIRAGANA": "そらやまかわもり",
    "KATAKANA": "ソラヤマカワモリ",
    "HANGUL": "하늘바다나무구름",
    "CYRILLIC": "водалесик",
    "GREEK": "νερόφυλα",
    "ARABIC": "سماءبحرج",
    "HEBREW": "שמיםעננה",
    "DEVANAGARI": "वनजलनभरस",
    "THAI": "ฟานำปลมก",
}
"""Script, as Unicode names begin, → letters that say nothing."""


def sham(bundle: SkillBundle) -> SkillBundle:
    """Return a skill of the same shape with neutral content: does the content help, or any text of this length?

    Name and description stay, as they decide whether a skill is loaded. In its body and its files every line keeps its
    length, its Markdown and its capitals; words, numbers and code become neutral words of the same length. Paths of its
    own files stay where they are named, so that reading them works. The same skill always has the same sham.
    """
    paths = {file.path for file in bundle.files}
    return bundle.model_copy(
        update={
            "body": neutral(bundle.body, keep=paths),
            "files": tuple(_neutral_file(file, paths) for file in bundle.files),
            "tree_hash": digest("sham", bundle.tree_hash),
        }
    )


def neutral(text: str, *, keep: Collection[str] = ()) -> str:
    """Return `text` with every word and number replaced by a neutral one of the same length; paths in `keep` stay.

    >>> neutral("Always answer in JSON, 12 lines.", keep=())
    'Meadow carpet of WIND, 89 grass.'
    """
    count = 0

    def word(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return _instead_of(found[0], count)

    def run(found: re.Match[str]) -> str:
        path = found[0].removeprefix("./").rstrip(".")
        return found[0] if path in keep else _WORD.sub(word, found[0])

    return _RUN.sub(run, text)


def _neutral_file(file: BundledFile, paths: Collection[str]) -> BundledFile:
    if file.text is None:
        return file
    text = neutral(file.text, keep=paths)
    return file.model_copy(update={"text": text, "size": len(text.encode("utf-8", "replace"))})


def _instead_of(word: str, number: int) -> str:
    """Return a neutral word of the same length and capitals; `number` is the word's place in the text."""
    model = _latin(len(word), number)
    if word.isascii() and word.lower() == model:
        model = _latin(len(word), number + 1)
    return "".join(_letter(char, model[place], number + place) for place, char in enumerate(word))


def _latin(length: int, number: int) -> str:
    parts: list[str] = []
    left = length
    while left:
        size = min(left, _LONGEST)
        bank = _LATIN[size]
        parts.append(bank[(number + len(parts)) % len(bank)])
        left -= size
    return "".join(parts)


def _letter(char: str, latin: str, number: int) -> str:
    if char.isascii():
        if char.isdigit():
            return str((int(char) + 7) % 10)
        return latin.upper() if char.isupper() else latin
    script = unicodedata.name(char, "LATIN").split()[0]
    letters = _LETTERS.get(script)
    if letters is not None:
        other = letters[number % len(letters)]
        other = other if other != char.lower() else letters[(number + 1) % len(letters)]
        return other.upper() if char.isupper() else other
    return latin.upper() if char.isupper() else latin
