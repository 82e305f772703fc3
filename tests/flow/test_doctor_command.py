"""`skilldelta doctor` names whatever a comparison would stop at, with how to mend it, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, SUITES, frozen, quiet_environment, skill, suite_text, version_of
from repositories import Commit, Content, Symlink, Zeros, build, git, skill_text
from skilldelta.cli.door import run

LAW: Mapping[str, Content] = frozen(suite_text())
V1 = version_of(LAW)
RUBRIC = frozen(suite_text(judge="{type: llm-rubric, rubric: Good.}"))
GOOD: Mapping[str, Content] = {**skill(OLD), ".skilldelta.yml": CONFIG, **LAW}
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quiet_environment(monkeypatch)
    monkeypatch.setenv("SKILLDELTA_MODEL_DIR", str(tmp_path / "no weights"))
    monkeypatch.setattr("skilldelta.edges.anthropic_access._installed", lambda _: True)  # of Bedrock and Vertex


def _doctor(capsys: Capture, repo: Path, *arguments: str, code: int = 0) -> str:
    """Run the command on a repository; return what it printed."""
    assert run(["doctor", "--repo", str(repo), *arguments]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.endswith("Something is missing.\n" if code else "Ready.\n") or "--json" in arguments
    return captured.out


def _repo(tmp_path: Path, *commits: Mapping[Any, Content], checkout: bool = False) -> Path:
    build(tmp_path / "repo", [Commit(files=files) for files in commits], bare=not checkout, checkout=checkout)
    return tmp_path / "repo"


@pytest.mark.parametrize("checkout", [True, False], ids=["work tree", "bare"])
def test_a_ready_repository_is_called_ready(capsys: Capture, tmp_path: Path, checkout: bool) -> None:
    """Every part of a comparison has its line, and none is missing, with a work tree or without."""
    repo = _repo(tmp_path, GOOD, checkout=checkout)
    assert _doctor(capsys, repo).splitlines() == [
        f"ok    a git repository: {repo}",
        "ok    the history is complete",
        "ok    .skilldelta.yml can be read",
        "ok    1 of 1 skills can be read",
        "ok    model: test",
        "ok    a key for the Messages API is in the environment (it was not tried)",
        f"ok    a: suite {V1}",
        "Ready.",
    ]


@dataclass(frozen=True, kw_only=True)
class Lack:
    """One thing that is missing: a repository, what is said of it, and how to mend it."""

    files: Mapping[Any, Content]
    words: str
    fix: str
    environment: Mapping[str, str] = field(default_factory=dict)


_EDITED = {f"{SUITES}/a/{V1}/suite.yaml": suite_text(tasks=1)}
_PLAIN = {**skill(OLD), ".skilldelta.yml": CONFIG}
LACKS: dict[str, Lack] = {
    "key": Lack(
        files=GOOD,
        words="no key for the Messages API",
        fix="set ANTHROPIC_API_KEY",
        environment={"ANTHROPIC_API_KEY": ""},
    ),
    "model": Lack(
        files={**GOOD, ".skilldelta.yml": "version: 1\n"},
        words="runner.model: no model is named that should do the tasks",
        fix="set runner.model in .skilldelta.yml or pass --model NAME",
    ),
    "model, before any suite": Lack(
        files=skill(OLD), words="runner.model: no model is named that should do the tasks", fix="set runner.model"
    ),
    "judge model": Lack(
        files={**skill(OLD), ".skilldelta.yml": "runner: {model: test}\n", **RUBRIC},
        words="judge.model: the suite has llm-rubric judges and no judge model is named",
        fix="set judge.model in .skilldelta.yml or pass --judge-model NAME",
    ),
    "judge model that cannot judge": Lack(
        files={**skill(OLD), ".skilldelta.yml": "runner: {model: test}\njudge: {model: local}\n", **RUBRIC},
        words="the embedded model cannot give structured output",
        fix="name another judge model",
    ),
    "key of the judge": Lack(
        files={**skill(OLD), ".skilldelta.yml": "runner: {model: t, provider: bedrock}\njudge: {model: j}\n", **RUBRIC},
        words="no key for the Messages API",
        fix="set ANTHROPIC_API_KEY",
        environment={"ANTHROPIC_API_KEY": ""},
    ),
    "region": Lack(
        files={**GOOD, ".skilldelta.yml": "runner: {model: t, provider: vertex}\n"},
        words="Vertex needs a region",
        fix="set CLOUD_ML_REGION",
    ),
    "prices": Lack(
        files={**GOOD, ".skilldelta.yml": f"{CONFIG}budget: {{max_cost_usd: 5}}\n"},
        words="`prices` has no entry for the model 'test'",
        fix="add its prices to .skilldelta.yml",
    ),
    "engine of the embedded model": Lack(
        files=GOOD,
        words="the embedded model's weights are not installed",
        fix="skilldelta local-model install",
        environment={"SKILLDELTA_MODEL": "local"},
    ),
    "suite of a bearable size": Lack(
        files={**_PLAIN, f"{SUITES}/a/suite.yaml": Zeros(64 * 1024 * 1024 + 1)},
        words=f"{SUITES}/a/suite.yaml: has more than 67,108,864 bytes",
        fix="leave it out of the suite",
    ),
    "suite": Lack(files=_PLAIN, words="a: there is no suite", fix="skilldelta init writes a draft to"),
    "frozen suite": Lack(
        files={**_PLAIN, f"{SUITES}/a/suite.yaml": suite_text()},
        words="a: the suite is a draft that was never frozen",
        fix=f"skilldelta suite freeze {SUITES}/a --approved-by NAME, and commit the result",
    ),
    "required suite": Lack(
        files={**GOOD, **skill(OLD, "b"), ".skilldelta.yml": f"{CONFIG}gate: {{require_suite: true}}\n"},
        words="b: there is no suite",
        fix="skilldelta init writes a draft",
    ),
    "suite as it was frozen": Lack(
        files={**GOOD, **_EDITED}, words="a: the suite is not what was frozen (in the head)", fix="restore it"
    ),
    "folder of the suite": Lack(
        files={**_PLAIN, f"{SUITES}/a": Symlink("../b")}, words=f"{SUITES}/a: is no folder", fix="remove it"
    ),
    "runner for a fixture": Lack(
        files={
            **_PLAIN,
            **frozen(
                suite_text(tasks=1, judge="{type: contains, expected: [x]}\n    fixture: fixtures/t"),
                fixtures={"fixtures/t/x": "1"},
            ),
        },
        words="the task has a fixture",
        fix="put what it needs in the prompt",
    ),
    "skill": Lack(files={**LAW, ".skilldelta.yml": CONFIG}, words="no skill is committed", fix="commit a folder"),
    "readable skill": Lack(
        files={**GOOD, "skills/b/SKILL.md": "---\nname: b\n"},
        words="skills/b/SKILL.md:1: the skill cannot be read: ",
        fix="---",
    ),
    "readable configuration": Lack(
        files={**GOOD, ".skilldelta.yml": "design: {runds: 3}\n"},
        words=".skilldelta.yml at HEAD, line 1: design.runds is not a known key",
        fix="",
    ),
    "configuration by its name": Lack(
        files={**GOOD, ".skilldelta.yaml": "", ".skilldelta.yml": Symlink("x")},
        words=".skilldelta.yml: is a link or a submodule",
        fix="make it an ordinary file",
    ),
    "usable variable": Lack(
        files=GOOD, words="SKILLDELTA_ROUNDS is 'x'", fix="", environment={"SKILLDELTA_ROUNDS": "x"}
    ),
}


@pytest.mark.parametrize("lack", LACKS.values(), ids=LACKS)
def test_what_is_missing_is_named_with_how_to_mend_it(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lack: Lack
) -> None:
    """Each thing that a comparison would stop at is one line that says so once, a way to mend it, and exit code 2."""
    for name, value in lack.environment.items():
        monkeypatch.setenv(name, value)
    printed = _doctor(capsys, _repo(tmp_path, lack.files), code=2)
    assert sum(line.startswith("MISS") and lack.words in line for line in printed.splitlines()) == 1, printed
    after = printed.partition(lack.words)[2].splitlines()
    assert not lack.fix or (after[1].startswith("      fix: ") and lack.fix in after[1]), printed
    assert "Traceback" not in printed


def test_all_that_is_missing_is_named_together(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One run of the command is enough to know all that is to do, each thing once however many skills want it."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    files: dict[str, Content] = {"skills/c/SKILL.md": "x"}
    for name in "ab":
        own = frozen(suite_text(name, judge="{type: llm-rubric, rubric: Good.}"), name)
        files |= {**skill(OLD, name), **own}
    printed = _doctor(capsys, _repo(tmp_path, files), code=2)
    missing = [line.removeprefix("MISS  ") for line in printed.splitlines() if line.startswith("MISS")]
    assert [line.split(":")[0] for line in missing] == [
        "skills/c/SKILL.md",
        "runner.model",
        "no key for the Messages API",
        "judge.model",
    ]


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("SKILLDELTA_MODEL", "other", "ok    model: other"),
        ("SKILLDELTA_MODEL", "local", "MISS  the embedded model's weights are not installed"),
        ("SKILLDELTA_JUDGE_MODEL", "critic", "ok    judge model: critic"),
    ],
)
def test_the_environment_counts_as_in_a_comparison(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, value: str, line: str
) -> None:
    """A variable beats the configuration here as well, and the embedded model needs no key."""
    monkeypatch.setenv(variable, value)
    if value == "local":
        monkeypatch.delenv("ANTHROPIC_API_KEY")
    files = {**skill(OLD), ".skilldelta.yml": CONFIG, **(RUBRIC if "JUDGE" in variable else LAW)}
    printed = _doctor(capsys, _repo(tmp_path, files), code=2 if value == "local" else 0)
    assert line in printed.splitlines()
    assert "no key" not in printed


def test_a_skill_without_a_suite_beside_others_is_a_note(capsys: Capture, tmp_path: Path) -> None:
    """Where something can be measured, a further skill without a suite keeps nobody from starting, as in the gate."""
    repo = _repo(
        tmp_path,
        {**GOOD, **skill(OLD, "b"), **skill(OLD, "c"), ".skilldelta.yml": f"{CONFIG}skills: {{c: {{skip: true}}}}\n"},
    )
    printed = _doctor(capsys, repo)
    assert "note  b: there is no suite: its changes are a warning, and are not measured\n      fix: " in printed
    assert " c: " not in printed


def test_a_first_look_at_a_repository_says_where_to_begin(capsys: Capture, tmp_path: Path) -> None:
    """Without a configuration the defaults hold, which is a note with the verb that writes one."""
    printed = _doctor(capsys, _repo(tmp_path, skill(OLD)), code=2)
    assert "note  no .skilldelta.yml is committed: the defaults hold\n      fix: skilldelta init\n" in printed


def test_uncommitted_work_is_a_note(capsys: Capture, tmp_path: Path) -> None:
    """What is not committed is left out of a comparison, and that is said here already."""
    repo = _repo(tmp_path, GOOD, checkout=True)
    (repo / "skills/a/SKILL.md").write_text(skill_text("a", body="Another.\n"))
    printed = _doctor(capsys, repo)
    assert "note  changes that are not committed are left out: skills/a/SKILL.md\n      fix: commit them" in printed


def test_as_json_it_is_one_object(capsys: Capture, tmp_path: Path) -> None:
    """The same checks in the same order, with a state, words and a fix or null."""
    repo = _repo(tmp_path, {**GOOD, **_EDITED})
    lines = [line for line in _doctor(capsys, repo, code=2).splitlines()[:-1] if not line.startswith("      fix: ")]
    found = json.loads(_doctor(capsys, repo, "--json", code=2))
    assert set(found) == {"ready", "checks"}
    assert found["ready"] is False
    signs = {"ok": "ok  ", "note": "note", "missing": "MISS"}
    assert [f"{signs[check['state']]}  {check['what']}" for check in found["checks"]] == lines
    assert {check["fix"] is None for check in found["checks"] if check["state"] == "ok"} == {True}
    (one,) = (check for check in found["checks"] if check["state"] == "missing")
    assert set(one) == {"state", "what", "fix"}
    assert "restore it" in one["fix"]


@pytest.mark.parametrize(
    ("before", "after", "code", "words"),
    [
        (GOOD, {}, 0, f"ok    a: suite {V1}"),
        (GOOD, {".skilldelta.yml": "version: 1\n"}, 0, "ok    model: test"),
        (skill(OLD), {**GOOD}, 0, "note  main~1 has no .skilldelta.yml: the one of HEAD would be used"),
        (
            {**skill(OLD), **LAW},
            {".skilldelta.yml": f"{CONFIG}skills: {{a: {{skip: true}}}}\n"},
            0,
            f"ok    a: suite {V1}",
        ),
        (GOOD, _EDITED, 2, "MISS  a: the suite is not what was frozen (in the head)"),
        ({**GOOD, **_EDITED}, skill(NEW), 2, "MISS  a: the suite is not what was frozen (in the base)"),
        ({**GOOD, ".skilldelta.yml": "{"}, {".skilldelta.yml": CONFIG}, 2, "MISS  .skilldelta.yml at main~1"),
    ],
    ids=["same", "looser head", "first adoption", "skip", "edit in place", "broken base", "bad law"],
)
def test_with_a_base_its_law_is_looked_at(
    capsys: Capture, tmp_path: Path, before: Mapping[str, Content], after: Mapping[str, Content], code: int, words: str
) -> None:
    """With --base the configuration and the suites are those that a comparison with it would use."""
    printed = _doctor(capsys, _repo(tmp_path, before, {**skill(NEW), **after}), "--base", "main~1", code=code)
    assert words in printed
    assert "ok    HEAD left main~1 at " in printed


def test_a_base_that_is_not_known_is_missing(capsys: Capture, tmp_path: Path) -> None:
    """The ref is named, and the rest is looked at all the same."""
    printed = _doctor(capsys, _repo(tmp_path, GOOD), "--base", "origin/main", code=2)
    assert "MISS  " in printed
    assert "origin/main" in printed
    assert f"ok    a: suite {V1}" in printed


def test_a_shallow_clone_is_a_note_until_its_history_is_needed(capsys: Capture, tmp_path: Path) -> None:
    """Where the merge base of --base is cut off the history is missing, with how to fetch it; else it may do."""
    topic = Commit(files=skill(NEW), branch="topic", parents=(0,))
    build(tmp_path / "whole", [Commit(files=GOOD), topic, Commit(files={"x": ""}, parents=(0,))])
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{tmp_path}/whole", "clone")
    printed = _doctor(capsys, tmp_path / "clone")
    assert "note  the clone is shallow" in printed
    assert "fix: git fetch --unshallow (in a workflow: fetch-depth: 0)" in printed
    printed = _doctor(capsys, tmp_path / "clone", "--base", "origin/topic", code=2)
    assert "this shallow clone does not reach the commit that" in printed
    assert "fix: run `git fetch --unshallow`, or set `fetch-depth: 0` for actions/checkout" in printed
    assert "ok    HEAD left HEAD at " in _doctor(capsys, tmp_path / "clone", "--base", "HEAD")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("no folder", "there is no such folder"),
        ("no repository", "this is not a git repository"),
        ("no commit", "no commit yet"),
    ],
)
def test_where_nothing_can_be_looked_at_that_is_all_that_is_said(
    capsys: Capture, tmp_path: Path, kind: str, words: str
) -> None:
    """Outside a repository, and before the first commit, the one thing to mend is named."""
    place = tmp_path / "place"
    if kind != "no folder":
        place.mkdir()
    if kind == "no commit":
        git(place, "init", "--quiet", "--initial-branch=main")
    printed = _doctor(capsys, place, code=2)
    (line,) = [line for line in printed.splitlines() if line.startswith("MISS")]
    assert words in line


def _process(repo: Path, stdout: int, arguments: Sequence[str] = ()) -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-m", "skilldelta", "doctor", "--repo", str(repo), *arguments]
    return subprocess.run(argv, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=60)


def test_a_full_disk_is_no_bug(tmp_path: Path) -> None:
    """Output that cannot be written is one line on stderr and exit code 2."""
    with Path("/dev/full").open("wb") as full:
        done = _process(_repo(tmp_path, GOOD), full.fileno())
    words = (
        b"error: stdout cannot be written: No space left on device\n  fix: make room, or send the output elsewhere\n"
    )
    assert (done.returncode, done.stderr) == (2, words)


def test_a_reader_that_left_is_no_bug_and_no_success(tmp_path: Path) -> None:
    """A closed pipe ends the command quietly, and what is missing still is no success."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = _process(_repo(tmp_path, skill(OLD)), writer)
    finally:
        os.close(writer)
    assert done.returncode != 0
    assert done.stderr == b""


def test_a_suite_that_is_not_committed(capsys: Capture, tmp_path: Path) -> None:
    """What was frozen and forgotten in the work tree is to be committed, not to be drafted anew."""
    repo = _repo(tmp_path, {**skill(OLD), ".skilldelta.yml": CONFIG}, checkout=True)
    for path, text in LAW.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(str(text))
    printed = _doctor(capsys, repo, code=2)
    assert f"MISS  a: its suite is not committed\n      fix: git add {SUITES}/a, and commit it" in printed
