"""A skill without one of its parts: a bundled file, or a section of its body."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..domain.skill import SkillBundle
from ..errors import BadUsage
from ..reading.nearest import nearest
from .body import too_long_to_read
from .tree_hash import made_of

_SHOWN = 10
_LONGEST_SHOWN = 80
_MOST_COMPARED = 500
"""Parts among which the nearest is looked for."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
"""A line as the Markdown parser counts them, with its end."""


class _Section(NamedTuple):
    name: str
    """`#` and the heading's text; of a heading that comes again also `:1`, `:2`, …"""
    heading: str
    """The same without the number."""
    level: int
    line: int


def without(bundle: SkillBundle, part: str) -> SkillBundle:
    """Return the skill without `part`: the path of a bundled file, or `#Heading` for a section of the body.

    A section goes from its heading to the next one of the same or a higher level. What refers to the part stays. The
    body may be empty afterwards: an agent that is offered a skill with nothing in it is a fair comparison. Raises
    BadUsage, naming the parts, where there is no such part or more than one.
    """
    path = part.removeprefix("./")
    files = tuple(file for file in bundle.files if file.path != path)
    if len(files) < len(bundle.files) and (part != path or not part.startswith("#")):
        return made_of(bundle, bundle.model_copy(update={"files": files}), f"without {_file_name(path)}")
    sections = _sections(bundle.body)
    place = _place(sections, part)
    if place is None:
        raise _no_such(bundle, part, sections)
    body = _cut(bundle.body, sections, place)
    return made_of(bundle, bundle.model_copy(update={"body": body}), f"without {sections[place].name}")


def parts(bundle: SkillBundle) -> tuple[str, ...]:
    """Return every part that can be left out: the sections in their order, then the files; each names one part.

    Of headings that are alike the first is `#Heading:1`; a file whose name begins as a section's does is `./#file`. A
    body that is too long to be taken apart has no sections.
    """
    return (*(section.name for section in _sections(bundle.body)), *(_file_name(file.path) for file in bundle.files))


def _file_name(path: str) -> str:
    return f"./{path}" if path.startswith("#") else path


def _place(sections: Sequence[_Section], part: str) -> int | None:
    """Return which section is meant: the one of this name, else of this heading with any number of `#` before it."""
    names = {section.name: place for place, section in enumerate(sections)}
    if part in names or not part.startswith("#"):
        return names.get(part)
    return names.get(_as_heading(part))


def _as_heading(part: str) -> str:
    return f"#{' '.join(part.lstrip('#').split())}"


def _sections(body: str) -> list[_Section]:
    from markdown_it import MarkdownIt

    if too_long_to_read(body):
        return []
    tokens = MarkdownIt("commonmark").parse(body)
    found = [
        (f"#{' '.join(inline.content.split())}", int(token.tag[1:]), token.map[0])
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]
    names = _told_apart([heading for heading, _, _ in found])
    return [_Section(name, *each) for name, each in zip(names, found, strict=True)]


def _told_apart(names: list[str]) -> list[str]:
    """Return the names, with a number behind each that is there more than once; so often that none is."""
    while len(set(names)) < len(names):
        again = Counter(names)
        seen: Counter[str] = Counter()
        numbered = []
        for name in names:
            seen[name] += 1
            numbered.append(name if again[name] == 1 else f"{name}:{seen[name]}")
        names = numbered
    return names


def _cut(body: str, sections: Sequence[_Section], place: int) -> str:
    lines = _LINE.findall(body)
    own = sections[place]
    end = next((other.line for other in sections[place + 1 :] if other.level <= own.level), len(lines))
    return "".join((*lines[: own.line], *lines[end:]))


def _no_such(bundle: SkillBundle, part: str, sections: Sequence[_Section]) -> BadUsage:
    heading = _as_heading(part) if part.startswith("#") else part
    several = [section.name for section in sections if section.heading == heading and section.name != heading]
    what = "is more than one part" if several else "is no part"
    known = parts(bundle)
    if several:
        fix = f"say which: {_listed(several)}"
    elif part.startswith("#") and too_long_to_read(bundle.body):
        fix = "its body is too long to be taken apart: move sections into files, which can be left out"
    elif known:
        near = _nearest(heading, known)
        fix = f"did you mean {_short(near)!r}? " if near else ""
        fix += (
            f"there are {len(known)} parts: {_listed(known)}"
            if len(known) > 1
            else f"the only part is {_short(known[0])}"
        )
    else:
        fix = "the skill has neither sections nor files"
    return BadUsage(f"{_short(part)!r} {what} of the skill {_short(bundle.name)}", where="--without", fix=fix)


def _nearest(part: str, known: Sequence[str]) -> str | None:
    written = {_short(name).lower(): name for name in known[:_MOST_COMPARED]}
    return written.get(nearest(part, written) or "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_short, names[:_SHOWN])) + (" …" if len(names) > _SHOWN else "")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_SHOWN else f"{name[: _LONGEST_SHOWN - 1]}…"
