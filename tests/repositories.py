"""Real git repositories for tests, written by `git fast-import` in a few milliseconds, with the same ids every time."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WHEN = "1700000000 +0000"
WHO = "A. Tester <tester@example.org>"


@dataclass(frozen=True)
class Executable:
    """A file with mode 100755."""

    content: str | bytes


@dataclass(frozen=True)
class Symlink:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Submodule:
    """A submodule entry; the commit need not exist."""

    commit: str = "1" * 40


@dataclass(frozen=True)
class Zeros:
    """A file of this many zero bytes, which compresses to next to nothing."""

    size: int


Content = str | bytes | Executable | Symlink | Submodule | Zeros
Files = Mapping[Any, Content]
"""Path from the repository's root (text, or bytes for any name at all) → what stands there."""


@dataclass(frozen=True, kw_only=True)
class Commit:
    """What one commit writes and deletes, on top of its parents (names of earlier commits; None: the one before it)."""

    files: Files = field(default_factory=dict)
    delete: Sequence[str] = ()
    branch: str = "main"
    parents: Sequence[int] | None = None
    """Positions of earlier commits; () starts a history of its own."""


def build(
    path: Path, commits: Sequence[Commit], *, bare: bool = False, checkout: bool = False, object_format: str = "sha1"
) -> list[str]:
    """Make a repository at `path` that holds `commits`, with HEAD on `main`; return their ids in the same order."""
    git(path.parent, "init", "--quiet", "--initial-branch=main", f"--object-format={object_format}",
        *(["--bare"] if bare else []), str(path))  # fmt: skip
    marks = path.parent / f"{path.name}.marks"
    process = subprocess.Popen(
        [
            "git",
            "-c",
            "core.bigFileThreshold=1m",
            "-c",
            "core.compression=1",
            "fast-import",
            "--quiet",
            f"--export-marks={marks}",
        ],
        cwd=path,
        env=environment(),
        stdin=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        for chunk in _stream(commits):
            process.stdin.write(chunk)
    assert process.returncode == 0
    ids = dict(line.split() for line in marks.read_text().splitlines())
    marks.unlink()
    if checkout:
        git(path, "reset", "--quiet", "--hard", "main")
    return [ids[f":{number}"] for number in range(1, len(commits) + 1)]


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` without the user's configuration; return what it printed; a failure is an AssertionError."""
    argv = ["git", *arguments]
    done = subprocess.run(argv, cwd=folder, env=environment(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "backslashreplace")
    return done.stdout.decode("utf-8", "backslashreplace").strip()


def commit_all(path: Path, files: Files | None = None) -> str:
    """Write `files` (texts only) into the work tree, commit everything there, and return the new commit's id."""
    for name, text in (files or {}).items():
        assert isinstance(text, str)
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--message", "more")
    return git(path, "rev-parse", "HEAD")


def environment() -> dict[str, str]:
    """Return an environment in which git knows no user, no system configuration and one fixed date."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    name, mail = WHO.removesuffix(">").split(" <")
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_AUTHOR_DATE": WHEN,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": mail,
        "GIT_COMMITTER_DATE": WHEN,
        "GIT_ALLOW_PROTOCOL": "file",
    }


def skill_text(
    name: str, *, description: str = "Says how. Use when asked.", body: str = "# How\n\nDo it well.\n"
) -> str:
    """Return a SKILL.md without anything to find fault with."""
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}"


def _stream(commits: Sequence[Commit]) -> Iterator[bytes]:
    newest: dict[str, int] = {}
    for number, commit in enumerate(commits, start=1):
        yield f"commit refs/heads/{commit.branch}\nmark :{number}\ncommitter {WHO} {WHEN}\n".encode()
        yield _data(f"commit {number}\n".encode())
        last = newest.get(commit.branch, number - 1)
        parents = [last] if commit.parents is None and last else [parent + 1 for parent in commit.parents or ()]
        for place, parent in enumerate(parents):
            yield f"{'merge' if place else 'from'} :{parent}\n".encode()
        if commit.parents == ():
            yield b"deleteall\n"
        for gone in commit.delete:
            yield b"D " + _quoted(gone) + b"\n"
        for path, content in commit.files.items():
            yield from _file(_quoted(path), content)
        newest[commit.branch] = number
    yield b"done\n"


def _file(path: bytes, content: Content) -> Iterator[bytes]:
    match content:
        case Submodule(commit):
            yield b"M 160000 %s %s\n" % (commit.encode(), path)
        case Symlink(target):
            yield b"M 120000 inline %s\n" % path + _data(target.encode())
        case Executable(inner):
            yield b"M 100755 inline %s\n" % path + _data(_bytes(inner))
        case Zeros(size):
            yield b"M 100644 inline %s\ndata %d\n" % (path, size)
            for at in range(0, size, 1 << 20):
                yield bytes(min(1 << 20, size - at))
            yield b"\n"
        case str() | bytes():
            yield b"M 100644 inline %s\n" % path + _data(_bytes(content))


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str | bytes) -> bytes:
    """Return a path as fast-import reads it whatever its bytes are."""
    raw = path.encode() if isinstance(path, str) else path
    return b'"' + re.sub(rb"[^!#-\[\]-~]", lambda found: b"\\%03o" % found[0][0], raw) + b'"'
