"""What the README promises to somebody who has a repository of skills and no key: its own lines, typed one by one."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from repositories import skill_text

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BODY = "# Commit messages\n\nWrite one line. Start with `feat:` or `fix:`.\n"
EXAMPLES = """
## Examples

User: Added a dark theme to the settings page
Assistant: feat: add dark theme to settings page

User: The login button crashed on empty passwords, now it does not
Assistant: fix: stop login crash on empty password

User: Added an export to PDF
Assistant: feat: add export to PDF
"""
PROMPTS = ("Added a search box to the home page", "Added French translations", "Added a button to copy the link")
RUBRIC_TASK = re.compile(r"\n  # A judging model.*", re.DOTALL)
"""The draft's second placeholder, which is its last part."""


class Typist:
    """Types commands in a repository, with an environment that holds no key and no settings of anybody."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        people = {f"GIT_{role}_{what}": "me@x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.environment = people | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(folder.parent),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def type(self, line: str, code: int = 0) -> str:
        """Run one line as the README shows it (its comment is not typed) and return what it printed."""
        printed = ""
        for command in line.split(" && "):
            argv = shlex.split(command, comments=True)
            done = subprocess.run(
                argv, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300, check=False
            )
            assert done.returncode == code, f"{command}: {done.stdout}{done.stderr}"
            printed = done.stdout
        return printed


def lines_of(after: str) -> list[str]:
    """Return the commands of the first indented block after these words of the README."""
    block = re.search(r"(?:^ {4}\S.*\n)+", README.split(after, 1)[1], re.MULTILINE)
    assert block is not None
    return [line.strip() for line in block.group().splitlines()]


@pytest.mark.real
def test_the_recipe_without_a_key(tmp_path: Path) -> None:
    """Init, edit, freeze, commit, change, compare with the embedded model: the README's lines end in a report."""
    typist = Typist(tmp_path / "repository")
    skill = typist.folder / "skills/my-skill/SKILL.md"
    suite = typist.folder / ".skilldelta/suites/my-skill/suite.yaml"
    skill.parent.mkdir(parents=True)
    skill.write_text(skill_text("my-skill", body=BODY))
    typist.type("git init --quiet --initial-branch=main && git add --all && git commit --quiet -m Skills")

    doctor, init, edit, *rest = lines_of("with that environment's `bin` on your `PATH`")
    assert "no model is named" in typist.type(doctor, code=2)
    typist.type(init)
    assert edit.split()[:2] == ["$EDITOR", ".skilldelta/suites/my-skill/suite.yaml"]
    draft = suite.read_text()
    head = RUBRIC_TASK.sub("", draft).split("tasks:")[0]
    assert RUBRIC_TASK.search(draft)
    tasks = [
        {"id": f"t{n}", "prompt": each, "judge": {"type": "regex", "pattern": "^feat: "}}
        for n, each in enumerate(PROMPTS)
    ]
    suite.write_text(f"{head}tasks: {json.dumps(tasks)}\n")
    assert [line.split()[:3] for line in rest[:2]] == [["skilldelta", "suite", word] for word in ("validate", "freeze")]
    for line in rest:
        typist.type(line)

    typist.type("git checkout --quiet -b my-branch")
    skill.write_text(skill_text("my-skill", body=BODY + EXAMPLES))
    typist.type("git commit --quiet -am Examples")
    engine, install, compare = lines_of("Without a key")
    assert "requirements/local.txt" in engine
    typist.type(install)
    assert compare.endswith("--model local")
    printed = typist.type(compare)

    report = json.loads((Path(printed.splitlines()[-1]) / "report.json").read_text())
    (one,) = report["skills"]
    assert one["statistics"]["failed_pairs"] == 0
    assert one["verdict"] in ("improved", "no-regression", "inconclusive")
    rates = {arm["arm"]: arm["mean"] for arm in one["arms"]}
    assert rates["candidate"] > rates["baseline"]
    assert typist.type("git status --porcelain") == ""
