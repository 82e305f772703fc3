"""`skilldelta init` gets a repository started, and never overwrites anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_text import golden
from repositories import Commit, build, git
from skilldelta.cli.door import run

SKILL = "---\nname: {0}\ndescription: Does {0} things.\n---\n# {0}\n"
FILES = {f"skills/{name}/SKILL.md": SKILL.format(name) for name in ("alpha", "beta", "gamma")}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checked-out repository of three skills, which is the current folder."""
    build(tmp_path / "repo", [Commit(files=FILES)], checkout=True)
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


def files(repo: Path) -> dict[str, str]:
    return {
        str(path.relative_to(repo)): path.read_text()
        for path in sorted(repo.rglob("*"))
        if path.is_file() and ".git/" not in f"{path}" and "skills/" not in f"{path.relative_to(repo)}"
    }


def test_the_first_files_are_written_and_pass(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Configuration, ignore file and one draft a skill are written, and every draft validates with its warnings."""
    assert run(["init"]) == 0
    golden("init.txt", capsys.readouterr().out)
    assert sorted(files(repo)) == [
        ".skilldelta.yml",
        ".skilldelta/.gitignore",
        *(f".skilldelta/suites/{name}/suite.yaml" for name in ("alpha", "beta", "gamma")),
    ]
    assert run(["suite", "validate", "alpha", "beta", "gamma"]) == 0
    err = capsys.readouterr().err
    assert err.count("is a placeholder: edit it") == 6
    assert "Does alpha things." in files(repo)[".skilldelta/suites/alpha/suite.yaml"]
    assert git(repo, "status", "--porcelain", "--ignored").count("runs") == 0
    (repo / ".skilldelta/runs").mkdir()
    (repo / ".skilldelta/runs/x").write_text("")
    assert "!! .skilldelta/runs/" in str(git(repo, "status", "--porcelain", "--ignored"))


def test_a_second_time_changes_nothing(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is there is left alone, and said to be."""
    run(["init"])
    before = files(repo)
    capsys.readouterr()
    assert run(["init"]) == 0
    golden("init_again.txt", capsys.readouterr().out)
    assert files(repo) == before


def test_what_is_there_is_respected(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its own configuration says where suites go and which skills are passed over; frozen suites and notes stay."""
    (repo / ".skilldelta.yml").write_text("suites: evals\nskills: {alpha: {skip: true}, gamma: {suite: shared}}\n")
    (repo / "evals/beta").mkdir(parents=True)
    (repo / "evals/beta/task_suite.yaml").write_text("mine")
    (repo / ".skilldelta").mkdir()
    (repo / ".skilldelta/.gitignore").write_text("cache/\n")
    assert run(["init"]) == 0
    out = capsys.readouterr().out
    assert "left alone .skilldelta.yml\n" in out
    assert "left out   skills/alpha (alpha: skip is set)\n" in out
    assert "left alone evals/beta (there is a suite)\n" in out
    assert "wrote      evals/shared/suite.yaml\n" in out
    assert "warning    .skilldelta/.gitignore does not hold runs/" in out
    assert (repo / "evals/beta/task_suite.yaml").read_text() == "mine"
    assert run(["suite", "validate", "gamma"]) == 0
    assert "the folder is that of" not in capsys.readouterr().err


def test_before_the_first_commit_only_the_configuration_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Skills are read from what is committed, and where nothing is, that is said."""
    git(tmp_path, "init", "--quiet", "new")
    monkeypatch.chdir(tmp_path / "new")
    assert run(["init"]) == 0
    assert "nothing is committed yet: commit the skills, and run skilldelta init again" in capsys.readouterr().out
    assert sorted(files(tmp_path / "new")) == [".skilldelta.yml", ".skilldelta/.gitignore"]


def test_where_nothing_can_be_written_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No repository, a bare one, and a broken configuration are each exit code 2, and nothing is written."""
    assert run(["init", "--repo", str(tmp_path)]) == 2
    build(tmp_path / "bare.git", [Commit(files=FILES)], bare=True)
    assert run(["init", "--repo", str(tmp_path / "bare.git")]) == 2
    assert "a bare repository has no work tree to write to" in capsys.readouterr().err
    build(tmp_path / "broken", [Commit(files={**FILES, ".skilldelta.yml": "suits: x\n"})], checkout=True)
    assert run(["init", "--repo", str(tmp_path / "broken")]) == 2
    assert "suits is not a known key; did you mean 'suites'?" in capsys.readouterr().err
    assert not (tmp_path / "broken/.skilldelta").exists()


def test_links_are_not_followed(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A link in place of .skilldelta, or of the configuration, never makes init write elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    (repo / ".skilldelta").symlink_to(tmp_path / "elsewhere")
    assert run(["init"]) == 2
    assert "links are not followed" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_skill_that_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A SKILL.md that is no text gets no suite; a repository without skills is told so."""
    build(tmp_path / "repo", [Commit(files={"skills/bad/SKILL.md": b"\xff\xfe\x00"})], checkout=True)
    monkeypatch.chdir(tmp_path / "repo")
    assert run(["init"]) == 0
    assert "left out   skills/bad (it cannot be read: skilldelta skills says why)" in capsys.readouterr().out
    build(tmp_path / "none", [Commit(files={"README.md": "x"})], checkout=True)
    monkeypatch.chdir(tmp_path / "none")
    assert run(["init"]) == 0
    assert "no skills are committed" in capsys.readouterr().out
