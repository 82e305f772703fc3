"""The demonstration: the repository that it builds, how it tells success from failure, and the whole of it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from repositories import git

DEMO = Path(__file__).parents[2] / "examples" / "demo"
SUITES = ("commit-message", "snake-case")
BRANCHES = {"improve-commit-message": "commit-message", "sabotage-snake-case": "snake-case"}


def _started(*argv: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=300, check=False)


def _built(folder: Path) -> Path:
    done = _started(sys.executable, DEMO / "build.py", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}\n"
    return folder


def _skilldelta(*words: str | Path) -> str:
    done = _started(sys.executable, "-P", "-m", "skilldelta", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as build.py makes it."""
    return _built(tmp_path_factory.mktemp("demo") / "repository")


def test_the_repository_is_the_one_of_the_readme(repository: Path) -> None:
    """Three branches, both skills on each, nothing left uncommitted; the README names the branches and the verdicts."""
    assert git(repository, "branch", "--format=%(refname:short)").split() == sorted([*BRANCHES, "main"])
    assert git(repository, "status", "--porcelain") == ""
    for branch in ("main", *BRANCHES):
        files = git(repository, "ls-tree", "-r", "--name-only", branch, "skills").split()
        assert files == [f"skills/{name}/SKILL.md" for name in SUITES]
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    for pull_request in _loaded("run").PULL_REQUESTS:
        assert BRANCHES[pull_request.head] == pull_request.skill
        (row,) = [line for line in readme.splitlines() if line.startswith(f"| `{pull_request.head}`")]
        assert f"`{pull_request.skill}`" in row
        assert f"`{pull_request.verdict}`" in row


def test_the_suites_are_frozen_and_have_six_tasks(repository: Path) -> None:
    """Both suites are valid and have one frozen version of six tasks, which nobody edited and no model need judge."""
    for name in SUITES:
        said = _skilldelta("suite", "validate", repository / f".skilldelta/suites/{name}")
        assert f"{name}/suite.yaml: ok: 6 tasks (" in said
        assert "llm-rubric" not in said
    listed = json.loads(_skilldelta("suite", "list", "--json", "--repo", repository))
    assert [(suite["suite"], suite["state"], suite["tampering"]) for suite in listed] == [(n, "ok", []) for n in SUITES]
    assert [[version["tasks"] for version in suite["versions"]] for suite in listed] == [[6], [6]]
    assert [(suite["draft"]["tasks"], suite["draft"]["differs"]) for suite in listed] == [(6, False), (6, False)]


@pytest.mark.parametrize(("branch", "skill"), BRANCHES.items())
def test_each_branch_changes_one_skill(repository: Path, branch: str, skill: str) -> None:
    """`skilldelta changes` shows exactly the one skill, modified in its SKILL.md, and the other one unchanged."""
    found = json.loads(_skilldelta("changes", "--json", "--repo", repository, "--base", "main", "--head", branch))
    (change,) = found["changes"]
    assert (change["skill_id"], change["kind"], change["readable"]) == (skill, "modified", True)
    assert [file["path"] for file in change["files"]] == ["SKILL.md"]
    assert (found["unchanged"], found["findings"], change["findings"]) == (1, [], [])


def test_every_build_has_the_same_commits(repository: Path, tmp_path: Path) -> None:
    """A second build, at another time and place, has the same ids on every branch."""
    again = _built(tmp_path / "elsewhere")
    refs = "--format=%(refname) %(objectname)"
    assert git(repository, "for-each-ref", refs) == git(again, "for-each-ref", refs)


def test_nothing_is_built_into_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    """A folder with something in it is refused and stays as it is."""
    (tmp_path / "mine").write_text("mine")
    done = _started(sys.executable, DEMO / "build.py", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not an empty folder; nothing was changed" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def _loaded(name: str) -> ModuleType:
    """Return a program of the demonstration as a module."""
    spec = importlib.util.spec_from_file_location(f"demo_{name}", DEMO / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_only_what_the_demo_made_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing folder is made and one of an earlier demo is emptied; a foreign folder or file, or a link, stays."""
    run = _loaded("run")
    output = tmp_path / "new" / "output"
    for _ in range(2):
        assert run.fresh_output(output)
        assert [path.name for path in output.iterdir()] == [run.MARKER]
        (output / "report.md").touch()

    foreign, a_file, link = tmp_path / "foreign", tmp_path / "file", tmp_path / "link"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("mine")
    a_file.write_text("mine")
    link.symlink_to(output)
    capsys.readouterr()
    for place in (foreign, a_file, link):
        assert not run.fresh_output(place)
        assert capsys.readouterr().err == f"error: {place} was not made by the demo; move it away first\n"
    assert (foreign / "thesis.tex").read_text() == a_file.read_text() == "mine"
    assert (output / "report.md").exists()


STUB = """
import json, pathlib, sys
said = json.loads(pathlib.Path(sys.argv[1]).read_text())
folder = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
if said["report"] is not None:
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps({"skills": said["report"]}))
    (folder / "report.md").write_text("the report")
print("a report")
print(folder)
sys.exit(said["code"])
"""


def _report(**verdicts: str) -> list[dict[str, str]]:
    return [{"skill_id": name.replace("_", "-"), "verdict": verdict} for name, verdict in verdicts.items()]


@pytest.mark.parametrize(
    ("report", "code", "surprises"),
    [
        (_report(snake_case="regressed"), 1, []),
        (
            _report(snake_case="no-regression"),
            0,
            [
                "sabotage-snake-case: snake-case should be regressed, the report says {'snake-case': 'no-regression'}",
                "sabotage-snake-case: exit code 0 instead of 1",
            ],
        ),
        (_report(snake_case="regressed"), 70, ["sabotage-snake-case: exit code 70 instead of 1"]),
        (
            _report(commit_message="regressed"),
            1,
            ["sabotage-snake-case: snake-case should be regressed, the report says {'commit-message': 'regressed'}"],
        ),
        ([], 1, ["sabotage-snake-case: snake-case should be regressed, the report says {}"]),
        (None, 2, ["sabotage-snake-case: no report was written (exit code 2)"]),
    ],
)
def test_another_verdict_is_a_surprise(
    report: list[dict[str, str]] | None,
    code: int,
    surprises: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever else than the expected verdict and exit code comes out of a comparison is told, in words."""
    run = _loaded("run")
    (tmp_path / "stub.py").write_text(STUB)
    (tmp_path / "said.json").write_text(json.dumps({"report": report, "code": code}))
    stub = (sys.executable, str(tmp_path / "stub.py"), str(tmp_path / "said.json"))
    monkeypatch.setattr(run, "SKILLDELTA", stub)
    (sabotage,) = [each for each in run.PULL_REQUESTS if each.skill == "snake-case"]
    assert run.compare(tmp_path, sabotage) == surprises


@pytest.mark.parametrize("words", [["a", "b"], ["--help"]])
def test_run_takes_one_folder(words: list[str]) -> None:
    """Words that are no folder end with the usage, before anything is done."""
    done = _started(sys.executable, DEMO / "run.py", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: python run.py [DIR]\n")


@pytest.mark.real
def test_the_whole_demonstration(tmp_path: Path) -> None:
    """With the real embedded model both pull requests come out as they should, and everything is kept."""
    output = tmp_path / "output"
    done = _started(sys.executable, DEMO / "run.py", output)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Both came out as they should. All is in {output}" in done.stdout
    for branch, verdict in zip(BRANCHES, ("improved", "regressed"), strict=True):
        report = json.loads((output / branch / "report.json").read_text())
        assert [skill["verdict"] for skill in report["skills"]] == [verdict]
        assert report["embedded_model"] is True
