"""The body of a SKILL.md: its headings, its relative links and whether they lead anywhere, its size."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from ..domain.skill import Finding, Link, Severity, Skill
from .tree_hash import within

MOST_LINES = 500
MOST_TOKENS = 5_000
"""What the Agent Skills specification recommends; a token is taken as four bytes."""

_MOST_READ = {"bytes": 128 * 1024, "lines": 20_000, "brackets": 5_000}
"""Beyond these the body is measured but not taken apart: the parser's time grows with the square of the brackets."""
_MOST_FINDINGS = 20
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/#?\\]")


def analysed(skill: Skill) -> Skill:
    """Return `skill` with its headings and relative links, and with warnings on dead links and on a long body."""
    if not skill.readable:
        return skill
    lines = skill.body.count("\n") + 1
    size = len(skill.body.encode())
    findings = list(_size(skill, lines, size))
    headings: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    if not too_long_to_read(skill.body):
        headings, links = _read(skill)
        findings += _dead(skill, links)
    else:
        message = "the body is too long for its links to be checked"
        findings.append(_warning(skill, message, "move parts of it into files beside it", skill.body_line))
    return skill.model_copy(
        update={"headings": headings, "links": links, "findings": (*skill.findings, *findings)},
    )


def too_long_to_read(body: str) -> bool:
    """Return True for a body that is measured but not taken apart."""
    counted = {"bytes": len(body.encode()), "lines": body.count("\n") + 1, "brackets": body.count("[")}
    return any(counted[what] > most for what, most in _MOST_READ.items())


def _size(skill: Skill, lines: int, size: int) -> Iterator[Finding]:
    tokens = size // 4
    if lines > MOST_LINES or tokens > MOST_TOKENS:
        yield _warning(
            skill,
            f"the body has {lines:,} lines and about {tokens:,} tokens; recommended are at most "
            f"{MOST_LINES} and {MOST_TOKENS:,}",
            "move details into files beside it that are read when they are needed",
            skill.body_line,
        )


def _read(skill: Skill) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    from markdown_it import MarkdownIt

    paths = {within(entry.path, skill.path) for entry in skill.entries}
    folders = {path[: at.start()] for path in paths for at in re.finditer("/", path)}
    headings: list[str] = []
    links: dict[tuple[str, int], Link] = {}
    tokens = MarkdownIt("commonmark").parse(skill.body)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline" or token.map is None:
            continue
        if before is not None and before.type == "heading_open":
            headings.append("".join(child.content for child in token.children or () if child.content).strip())
        line = skill.body_line + token.map[0]
        for child in token.children or ():
            if child.type in ("softbreak", "hardbreak"):
                line += 1
            target = child.attrGet("href") or child.attrGet("src")
            if isinstance(target, str) and target and not _ELSEWHERE.match(target):
                written = unquote(target)
                to = posixpath.normpath(re.split(r"[?#]", written, maxsplit=1)[0] or ".")
                exists = to in paths or to in folders or to == "."
                links.setdefault((written, line), Link(target=written, line=line, exists=exists))
    return tuple(headings), tuple(links.values())


def _dead(skill: Skill, links: tuple[Link, ...]) -> Iterator[Finding]:
    dead = [link for link in links if not link.exists]
    for link in dead[:_MOST_FINDINGS]:
        outside = posixpath.normpath(link.target).startswith("../") or link.target == ".."
        where = (
            "leads out of the skill, where an agent does not find it" if outside else "leads to no file of the skill"
        )
        yield _warning(skill, f"the link to {link.target[:200]!r} {where}", "mend the link, or add the file", link.line)
    if len(dead) > _MOST_FINDINGS:
        message = f"and {len(dead) - _MOST_FINDINGS:,} more dead links"
        yield _warning(skill, message, "mend the links, or add the files", dead[_MOST_FINDINGS].line)


def _warning(skill: Skill, message: str, fix: str, line: int) -> Finding:
    return Finding(severity=Severity.WARNING, path=skill.skill_file, line=line, message=message, fix=fix)
