"""A sham of a skill: its name, its length and its shape, with neutral words in place of what it says."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from urllib.parse import unquote

from ..domain.skill import BundledFile, SkillBundle
from .tree_hash import made_of

_PIECE = re.compile(
    r"""(?:^|(?<=\r))[ \t>]*(?P<marks>(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=[\r\n])|\Z))+(?:\[[xX]\](?=[ \t]))?
      | (?<=[`<("'])(?P<quoted>[^`<>()"'\r\n]{1,1000})(?=[`>)"'])
      | (?P<run>[\w./%-]+)
    """,
    re.VERBOSE | re.MULTILINE,
)
"""The marks of a list at the start of a line; what stands between quotes or in the brackets of a link; a run of words.

The marks stay: `7.` cannot begin a list inside a paragraph, `1.` can, so that other numbers would be another shape.
"""
_RUN = re.compile(r"[\w./%-]+")
_WORD = re.compile(r"[^\W_]+")
_MOST_STEPS = 12
"""Folders of a path that are looked at, from its end."""
_LATIN = {
    1: "ao",
    2: ("of", "on", "by", "at"),
    3: ("sky", "oak", "sea", "hay", "fog", "ivy", "dew", "elm"),
    4: ("wind", "rain", "lamp", "moss", "pond", "leaf", "dusk", "sand"),
    5: ("stone", "cloud", "grass", "chair", "river", "shelf", "brick", "frost"),
    6: ("window", "meadow", "carpet", "autumn", "pillow", "breeze", "pebble", "garden"),
    7: ("evening", "weather", "cushion", "pasture", "curtain", "orchard", "drizzle", "morning"),
    8: ("sunlight", "doorstep", "hillside", "birdsong", "footpath", "rainfall", "cupboard", "woodland"),
    9: ("afternoon", "wallpaper", "bookshelf", "driftwood", "staircase", "sandstone", "snowflake", "armchairs"),
}
"""Words about nothing in particular, by their length; longer ones are put together of these.

None of them is a mark of HTML or the name of a format: a sham must not ask for a table.
"""
_LONGEST = max(_LATIN)
_PERIOD = max(map(len, _LATIN.values()))
"""A number and the number so many further on choose the same words."""
_LETTERS = {
    "CJK": "天地山水木石風雲",
    "IDEOGRAPHIC": "天地山水木石風雲",
    "HIRAGANA": "そらやまかわもり",
    "KATAKANA": "ソラヤマカワモリ",
    "HALFWIDTH": "ｿﾗﾔﾏｶﾜﾓﾘ",
    "HANGUL": "하늘바다나무구름",
    "CYRILLIC": "водалесик",
    "GREEK": "νερόφυλα",
    "ARABIC": "سماءبحرج",
    "HEBREW": "שמיםענבה",
    "DEVANAGARI": "वनजलनभरस",
    "THAI": "ฟานำปลมก",
}
"""Script, as Unicode names begin, → letters that say nothing."""


def sham(bundle: SkillBundle) -> SkillBundle:
    """Return a skill of the same shape with neutral content: does the content help, or any text of this length?

    Name and description stay, as they decide whether a skill is loaded. In its body and its files every line keeps its
    length, its punctuation (so its Markdown) and its capitals; words, numbers and code become neutral words of the same
    length. What punctuation shows by itself is therefore left: the braces of JSON, the underscores of a name. Paths of
    its own files stay where they are named, so that reading them works. The same skill always has the same sham.
    """
    paths = frozenset(file.path for file in bundle.files)
    made = bundle.model_copy(
        update={
            "body": neutral(bundle.body, keep=paths),
            "files": tuple(_neutral_file(file, paths) for file in bundle.files),
        }
    )
    return made_of(bundle, made, "sham")


def neutral(text: str, *, keep: Collection[str] = (), folder: str = "") -> str:
    """Return `text` with every word and number replaced by a neutral one of the same length; paths in `keep` stay.

    Paths may be written from the root or from `folder`, with something before them, or escaped as in a link. A path
    that is one plain word (`json`) stays only as the target of a link: elsewhere it may be a word like any other.

    >>> neutral("Always answer in JSON, 12 lines.", keep=())
    'Carpet pillow by WIND, 89 frost.'
    """
    count = 0

    def word(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return _instead_of(found[0], _scattered(count))

    def run(found: re.Match[str]) -> str:
        start = _own_path(found[0], keep, folder)
        return _WORD.sub(word, found[0][:start]) + found[0][start:]

    def piece(found: re.Match[str]) -> str:
        if found["run"] is not None:
            return run(found)
        if found["quoted"] is None or _is_target(found, keep, folder):
            return found[0]
        return _RUN.sub(run, found[0])

    return _PIECE.sub(piece, text)


def _is_target(found: re.Match[str], keep: Collection[str], folder: str) -> bool:
    """Say whether what is quoted names a file as a whole, which it may do with spaces or escapes."""
    written = found["quoted"].strip()
    names = (written, written.split("#")[0])
    linked = found.string.endswith(("](", "](<"), 0, found.start())
    return any(_names(name.removeprefix("./"), keep, folder) and (linked or _is_no_word(name)) for name in names)


def _own_path(run: str, keep: Collection[str], folder: str) -> int:
    """Return where in the run the path of a file begins and goes to its end; the run's length where none does."""
    end = start = len(run.rstrip("."))
    for _ in range(_MOST_STEPS):
        start = max(run.rfind("/", 0, start), 0)
    while start < end:
        path = run[start:end]
        if _is_no_word(path) and (_names(path, keep, folder) or _names(path.lstrip("./"), keep, folder)):
            return start
        start = run.find("/", start, end) + 1 or end
    return len(run)


def _names(written: str, keep: Collection[str], folder: str) -> bool:
    path = unquote(written) if "%" in written else written
    return path in keep or (folder != "" and path != "" and posixpath.normpath(f"{folder}/{path}") in keep)


def _is_no_word(path: str) -> bool:
    return "/" in path or "." in path


def _neutral_file(file: BundledFile, paths: Collection[str]) -> BundledFile:
    if file.text is None:
        return file
    text = neutral(file.text, keep=paths, folder=posixpath.dirname(file.path))
    return file.model_copy(update={"text": text, "size": len(text.encode("utf-8", "replace"))})


def _scattered(place: int) -> int:
    """Return a number of 32 bits that follows from `place` and looks like chance.

    Words taken in turn would repeat where an example repeats its words, and `user name → user_name` would become
    `lamp wind → lamp_wind`, which still shows how it is done.
    """
    number = place * 0x9E3779B1 & 0xFFFFFFFF
    number = (number ^ number >> 15) * 0x85EBCA77 & 0xFFFFFFFF
    return number ^ number >> 13


def _instead_of(word: str, number: int) -> str:
    """Return a neutral word of the same length and capitals; `number` chooses it."""
    model = _unlike(word.lower(), number % _PERIOD) if len(word) <= _LONGEST else _least_like(word.lower(), number)
    if word.isascii() and word.isalpha():
        if word.islower():
            return model
        if word.isupper():
            return model.upper()
    return "".join(_letter(char, model[place], number + place) for place, char in enumerate(word))


def _least_like(word: str, number: int) -> str:
    """Return the neutral word of the same length that has the fewest letters of `word` in their places."""
    best, fewest = "", len(word) + 1
    for turn in range(4):
        model = _latin(len(word), number + turn)
        alike = sum(map(str.__eq__, model, word))
        if alike <= len(word) // 4:
            return model
        if alike < fewest:
            best, fewest = model, alike
    return best


_unlike = lru_cache(maxsize=8192)(_least_like)


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
    if char.isdigit():
        digit = unicodedata.decimal(char, None)
        return str(number % 10) if digit is None else chr(ord(char) - digit + (digit + 7) % 10)
    if char.isascii():
        return latin.upper() if char.isupper() else latin
    script = unicodedata.name(char, "LATIN").split()[0].partition("-")[0]
    letters = _LETTERS.get(script)
    if letters is not None:
        other = letters[number % len(letters)]
        other = other if other != char.lower() else letters[(number + 1) % len(letters)]
        return other.upper() if char.isupper() else other
    return latin.upper() if char.isupper() else latin
