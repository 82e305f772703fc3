"""What is wrong with a skill's files, whatever stands in them: links, submodules, names, spellings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..domain.skill import Finding, Severity, TreeEntry
from .places import Place, name_of
from .tree_hash import within

_MOST_SHOWN = 5

_SYMLINK = ("is a symlink; a skill may not point out of itself", "put the file itself in its place")
_SUBMODULE = ("is a submodule; its files are not in this repository", "copy its files into the skill")
_NOT_UTF8 = ("has a name that is not UTF-8", "rename it")
_ESCAPES = ("has a name that no agent's workspace may hold", "rename it")


def faults(place: Place, entries: Sequence[TreeEntry]) -> tuple[Finding, ...]:
    """Return the findings on the files of the skill at `place`; every kind is an error but the spelling of SKILL.md."""
    return (*_spelling(place), *_limited(_errors(place.folder, entries)))


def _spelling(place: Place) -> Iterator[Finding]:
    written = name_of(place.skill_file.path)
    if written != "SKILL.md":
        message = f"the file is called {written}; many tools look for SKILL.md alone"
        yield _finding(Severity.WARNING, place.skill_file.path, message, "rename it to SKILL.md")
    for path in place.also:
        message = f"the folder also holds {written}, which is the one that is read"
        yield _finding(Severity.WARNING, path, message, "keep one of the two")


def _errors(folder: str, entries: Iterable[TreeEntry]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield (path, (what is wrong, what to do)) for each entry that makes a skill unreadable."""
    for entry in entries:
        names = within(entry.path, folder).split("/")
        if entry.mode == "120000":
            yield entry.path, _SYMLINK
        elif entry.mode == "160000":
            yield entry.path, _SUBMODULE
        elif not entry.utf8:
            yield entry.path, _NOT_UTF8
        elif any(name in ("", ".", "..") or name.lower() == ".git" or "\\" in name for name in names):
            yield entry.path, _ESCAPES


def _limited(found: Iterable[tuple[str, tuple[str, str]]]) -> Iterator[Finding]:
    count = 0
    for path, (message, fix) in found:
        count += 1
        if count <= _MOST_SHOWN:
            yield _finding(Severity.ERROR, path, message, fix)
            last = path
    if count > _MOST_SHOWN:
        message = f"and {count - _MOST_SHOWN:,} more such files in this skill"
        yield _finding(Severity.ERROR, last, message, "mend them all")


def _finding(severity: Severity, path: str, message: str, fix: str) -> Finding:
    return Finding(severity=severity, path=path, message=message, fix=fix)
