"""Build the demonstration repository: `python build.py DIR` (DIR is missing or empty).

It has three branches: `main` (commit-message still without its examples, and frozen suites),
`improve-commit-message` (gets its examples) and `sabotage-snake-case` (the rule becomes CamelCase). Author and dates
are fixed and no git configuration is read, so every build has the same commits.
"""
# ruff: noqa: S603, S607, T201 - a program for the terminal that starts git from PATH with fixed arguments

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WHEN = "2025-01-01T12:00:00Z"
WHO = {"NAME": "Demo", "EMAIL": "demo@example.org", "DATE": WHEN}
SUITES = ("commit-message", "snake-case")


def main(arguments: list[str]) -> int:
    """Build into the one folder named; 2 when it cannot be used."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python build.py DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0]).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        print(f"error: {folder} is not an empty folder; nothing was changed", file=sys.stderr)
        return 2
    try:
        build(folder)
    except subprocess.CalledProcessError as error:
        print(f"error: {' '.join(map(str, error.cmd))} ended with code {error.returncode}", file=sys.stderr)
        return 1
    print(folder)
    return 0


def build(folder: Path) -> None:
    """Write the repository; raises CalledProcessError when git or skilldelta fails."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--template=")
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    put(folder, ".gitignore", ".skilldelta/runs/\n")
    put(folder, ".skilldelta.yml", source(".skilldelta.yml"))
    put(folder, "skills/commit-message/SKILL.md", source("variants/commit-message-without-examples.md"))
    put(folder, "skills/snake-case/SKILL.md", source("skills/snake-case/SKILL.md"))
    for skill in SUITES:
        put(folder, f".skilldelta/suites/{skill}/suite.yaml", source(f"suites/{skill}/suite.yaml"))
    freeze(folder)
    commit(folder, "Two skills, their frozen suites and the configuration")

    git(folder, "checkout", "--quiet", "-b", "improve-commit-message", "main")
    put(folder, "skills/commit-message/SKILL.md", source("skills/commit-message/SKILL.md"))
    commit(folder, "commit-message: add examples")

    git(folder, "checkout", "--quiet", "-b", "sabotage-snake-case", "main")
    put(folder, "skills/snake-case/SKILL.md", source("variants/snake-case-sabotaged.md"))
    commit(folder, "snake-case: tidy up the rules")  # the words of a bad change seldom say that it is one

    git(folder, "checkout", "--quiet", "main")


def freeze(folder: Path) -> None:
    """Freeze both suites, and give the records a fixed time, which no hash covers."""
    command = [sys.executable, "-P", "-m", "skilldelta", "suite", "freeze", "--repo", str(folder)]
    subprocess.run([*command, "--approved-by", "demo"], check=True, stdout=subprocess.DEVNULL)
    for record in sorted(folder.glob(".skilldelta/suites/*/*/freeze.json")):
        text = record.read_text(encoding="utf-8")
        text, found = re.subn(r'("frozen_at":\s*)"[^"]*"', rf'\1"{WHEN}"', text)
        if found != 1:
            raise AssertionError(f"{record} has no frozen_at")
        record.write_text(text, encoding="utf-8", newline="\n")


def commit(folder: Path, message: str) -> None:
    """Commit everything there is."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def git(folder: Path, *arguments: str) -> None:
    """Run git in the folder with an environment that holds no configuration and no other repository."""
    people = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in WHO.items()}
    own = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": "/"}
    subprocess.run(["git", *arguments], cwd=folder, check=True, env=own | nothing | people)


def source(name: str) -> str:
    """Return the text of a file of the demo."""
    return (HERE / name).read_text(encoding="utf-8")


def put(folder: Path, name: str, text: str) -> None:
    """Write a file of the repository, with its folders."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
