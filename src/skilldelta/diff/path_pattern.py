"""Globs of the configuration: which folders they take in."""

from __future__ import annotations

from fnmatch import fnmatchcase


def segments(pattern: str) -> list[str]:
    """Return a pattern's path segments; a leading `/` or `./` and a trailing `/` or `/**` say nothing.

    >>> segments("/plugins/*/skills/**")
    ['plugins', '*', 'skills']
    """
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    while parts and parts[-1] == "**":
        parts.pop()
    return parts


def takes_in(pattern: str, path: str) -> bool:
    """Return True when `pattern` matches `path` or a folder above it; `*` stays in a folder, `**` crosses folders.

    >>> takes_in("plugins/*", "plugins/a/skills/b"), takes_in("**/review", "skills/review"), takes_in("s*", "x/s")
    (True, True, False)
    """
    wanted = segments(pattern)
    names = [] if path == "." else path.split("/")
    at = place = 0
    retry: tuple[int, int] | None = None  # after the last `**`: where in the pattern, and how many names it has taken
    while at < len(wanted):
        if wanted[at] == "**":
            at += 1
            retry = (at, place)
        elif place < len(names) and fnmatchcase(names[place], wanted[at]):
            at, place = at + 1, place + 1
        elif retry is not None and retry[1] < len(names):
            retry = (retry[0], retry[1] + 1)
            at, place = retry
        else:
            return False
    return True
