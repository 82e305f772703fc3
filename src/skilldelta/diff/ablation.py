"""A skill without one of its parts: a bundled file, or a section of its body."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from ..domain.skill import SkillBundle
from ..domain.value import digest
from ..errors import BadUsage
from ..reading.nearest import nearest
from .body import too_long_to_read

_SHOWN = 10
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
"""A line as the Markdown parser counts them, with its end."""


class _Section(NamedTuple):
    name: str
    """`#` and the heading's text; of a heading that comes again also `:2`, `:3`, …"""
    level: int
    line: int


def without(bundle: SkillBundle, part: str) -> SkillBundle:
    """Return the skill without `part`: the path of a bundled file, or `#Heading` for a section of the body.

    A section goes from its heading to the next one of the same or a higher level. What refers to the part stays. Raises
    BadUsage, naming the nearest part, where there is no such part or more than one.
    """
    path = part.removeprefix("./")
    files = tuple(file for file in bundle.files if file.path != path)
    if len(files) < len(bundle.files):
        return bundle.model_copy(update={"files": files, "tree_hash": _hash(bundle, path)})
    sections = _sections(bundle.body)
    name = f"#{part.lstrip('#').strip()}" if part.startswith("#") else part
    found = [place for place, section in enumerate(sections) if section.name == name]
    if not found:
        raise _no_such(bundle, name, sections)
    body = _cut(bundle.body, sections, found[0])
    return bundle.model_copy(update={"body": body, "tree_hash": _hash(bundle, name)})


def _hash(bundle: SkillBundle, part: str) -> str:
    return digest("without", bundle.tree_hash, part)


def parts(bundle: SkillBundle) -> tuple[str, ...]:
    """Return every part that can be left out: the sections in their order, then the files."""
    return (*(section.name for section in _sections(bundle.body)), *(file.path for file in bundle.files))


def _sections(body: str) -> list[_Section]:
    from markdown_it import MarkdownIt

    if too_long_to_read(body):
        return []
    tokens = MarkdownIt("commonmark").parse(body)
    found = [
        (f"#{inline.content.strip()}", int(token.tag[1:]), token.map[0])
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map is not None
    ]
    again = Counter(name for name, _, _ in found)
    seen: Counter[str] = Counter()
    sections = []
    for name, level, line in found:
        seen[name] += 1
        sections.append(_Section(name if again[name] == 1 else f"{name}:{seen[name]}", level, line))
    return sections


def _cut(body: str, sections: list[_Section], place: int) -> str:
    lines = _LINE.findall(body)
    own = sections[place]
    end = next((other.line for other in sections[place + 1 :] if other.level <= own.level), len(lines))
    return "".join((*lines[: own.line], *lines[end:]))


def _no_such(bundle: SkillBundle, part: str, sections: list[_Section]) -> BadUsage:
    known = [*(section.name for section in sections), *(file.path for file in bundle.files)]
    several = [name for name in known if part and name.rpartition(":")[0] == part]
    written = {name.lower(): name for name in known}
    near = written.get(nearest(part, written) or "")
    if several:
        fix = f"say which: {', '.join(several[:_SHOWN])}"
    elif near:
        fix = f"did you mean {near!r}?"
    elif known:
        fix = f"there are {len(known)} parts: {', '.join(known[:_SHOWN])}{' …' if len(known) > _SHOWN else ''}"
    else:
        fix = "the skill has neither sections nor files"
    what = "is more than one part" if several else "is no part"
    return BadUsage(f"{part[:100]!r} {what} of the skill {bundle.name}", where="--without", fix=fix)
