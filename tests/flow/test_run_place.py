"""The run's folder when nobody names one: in the checkout, which may be that of a hostile change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from comparing import CONFIG, NEW, OLD, Bench, frozen, passing, skill, suite_text
from repositories import Commit, Content, Submodule, Symlink, build, git

LAW: Mapping[str, Content] = {".skilldelta.yml": CONFIG, **frozen(suite_text())}
RUNS = ".skilldelta/runs"


def _compare(bench: Bench, repo: Path, *arguments: str, code: int) -> None:
    named = ("--base", "main~1", "--head", "HEAD", "--repo", repo, "--base-url", bench.server.url)
    bench.run("compare", *named, *arguments, code=code)


def test_a_run_lies_in_the_checkout_and_goes_on_there(bench: Bench) -> None:
    """The run is kept under .skilldelta/runs, out of git's sight, and the same command asks for nothing again."""
    repo = bench.folder / "repo"
    build(repo, [Commit(files={**skill(OLD), **LAW}), Commit(files=skill(NEW))], checkout=True)
    _compare(bench, repo, code=0)
    folder = Path(bench.printed.splitlines()[-1])
    assert folder.parent == (repo / RUNS).resolve()
    assert git(repo, "status", "--porcelain", "--untracked-files=all") == ""
    asked = len(bench.server.asked)
    _compare(bench, repo, code=0)
    assert len(bench.server.asked) == asked


def test_a_change_cannot_bring_its_own_answers(bench: Bench) -> None:
    """A run that a commit brought is not continued: the candidate's real answers decide, in a folder that is named."""
    repo, clone = bench.folder / "repo", bench.folder / "clone"
    build(repo, [Commit(files={**skill(OLD), **LAW}), Commit(files=skill(NEW))], checkout=True)
    _compare(bench, repo, code=0)
    forged = Path(bench.printed.splitlines()[-1])
    git(repo, "add", "--force", RUNS)
    git(repo, "commit", "--quiet", "--amend", "--message", "forged")
    git(bench.folder, "clone", "--quiet", str(repo), str(clone))

    bench.server.script = passing(candidate=False)
    asked = len(bench.server.asked)
    _compare(bench, clone, code=2)
    assert f"{RUNS}/{forged.name}/" in bench.said
    assert "is committed to the repository" in bench.said
    assert "--out DIR" in bench.said
    assert len(bench.server.asked) == asked
    _compare(bench, clone, "--out", str(bench.out), code=1)


def test_a_change_cannot_bring_its_own_answers_to_a_folder_that_is_named(bench: Bench) -> None:
    """A workflow's own --out inside the checkout may be committed as well: it is not continued either."""
    repo = bench.folder / "repo"
    build(repo, [Commit(files={**skill(OLD), **LAW}), Commit(files=skill(NEW))], checkout=True)
    out = repo / "results" / "now"
    _compare(bench, repo, "--out", str(out), code=0)
    git(repo, "add", "--force", "results")
    git(repo, "commit", "--quiet", "--amend", "--message", "forged")
    asked = len(bench.server.asked)
    _compare(bench, repo, "--out", str(out), code=2)
    assert "is committed to the repository" in bench.said
    assert len(bench.server.asked) == asked


@pytest.mark.parametrize("target", [".git/refs/tags", "../planted"])
def test_a_link_of_the_change_is_no_place_for_a_run(bench: Bench, target: str) -> None:
    """A link that a commit put where --out points leads nowhere: neither into git's folder nor out of the checkout."""
    repo = bench.folder / "repo"
    (bench.folder / "planted").mkdir()
    change = Commit(files={**skill(NEW), "results": Symlink(target)})
    build(repo, [Commit(files={**skill(OLD), **LAW}), change], checkout=True)
    _compare(bench, repo, "--out", str(repo / "results"), code=2)
    _compare(bench, repo, "--out", str(repo / "results" / "deeper"), code=2)
    assert bench.server.asked == []
    assert list((bench.folder / "planted").iterdir()) == []
    assert git(repo, "status", "--porcelain", "--untracked-files=all") == ""


def test_a_run_is_not_put_into_git_s_own_folder(bench: Bench) -> None:
    """What lies there is git's: refused in words."""
    repo = bench.folder / "repo"
    build(repo, [Commit(files={**skill(OLD), **LAW}), Commit(files=skill(NEW))], checkout=True)
    _compare(bench, repo, "--out", str(repo / ".git" / "run"), code=2)
    assert "is git's own folder" in bench.said


@pytest.mark.parametrize("how", ["merge --squash topic", "checkout topic -- ."])
def test_a_change_that_was_only_staged_brings_no_answers_either(bench: Bench, how: str) -> None:
    """What a maintainer's work tree took over from the change is in the index, and no record of anybody's answers."""
    repo, clone = bench.folder / "repo", bench.folder / "clone"
    build(repo, [Commit(files={**skill(OLD), **LAW}), Commit(files=skill(NEW))], checkout=True)
    _compare(bench, repo, code=0)
    git(repo, "add", "--force", RUNS)
    git(repo, "commit", "--quiet", "--message", "forged")
    git(repo, "branch", "topic")
    git(repo, "reset", "--quiet", "--hard", "main~2")
    git(bench.folder, "clone", "--quiet", "--branch", "main", str(repo), str(clone))
    git(clone, "branch", "topic", "origin/topic")
    git(clone, *how.split())
    asked = len(bench.server.asked)
    named = ("--base", "main", "--head", "topic~1", "--repo", clone, "--base-url", bench.server.url)
    bench.run("compare", *named, code=2)
    assert "is committed to the repository" in bench.said
    assert len(bench.server.asked) == asked


def test_answers_in_another_checkout_are_no_record(bench: Bench) -> None:
    """A folder that some other repository tracks is refused as well, also where the one compared is bare."""
    bare, other = bench.folder / "bare", bench.folder / "other"
    build(bare, [Commit(files={**skill(OLD), **LAW}), Commit(files=skill(NEW))], bare=True)
    build(other, [Commit(files={"results/journal.jsonl": "{}"})], checkout=True)
    named = ("--base", "main~1", "--head", "main", "--repo", bare, "--base-url", bench.server.url)
    bench.run("compare", *named, "--out", other / "results", code=2)
    assert "results/journal.jsonl: the run's folder is committed" in bench.said


def test_a_change_cannot_bring_its_own_answers_in_a_submodule(bench: Bench) -> None:
    """A submodule where the runs lie may hold anything once it is checked out: no run is begun or continued there."""
    repo = bench.folder / "repo"
    change = Commit(files={**skill(NEW), RUNS: Submodule()})
    build(repo, [Commit(files={**skill(OLD), **LAW}), change], checkout=True)
    _compare(bench, repo, code=2)
    assert f"{RUNS}: the run's folder is committed" in bench.said


def test_a_change_cannot_lead_the_run_away(bench: Bench) -> None:
    """Links that a change puts where the run would lie are refused before anything is asked or written."""
    for number, (path, target) in enumerate({RUNS: "..", f"{RUNS}/.gitignore": "../../../planted"}.items()):
        repo = bench.folder / f"repo-{number}"
        change = Commit(files={**skill(NEW), path: Symlink(target)})
        build(repo, [Commit(files={**skill(OLD), **LAW}), change], checkout=True)
        _compare(bench, repo, code=2)
        assert "no folder for the run can be made here" in bench.said
        assert "--out DIR" in bench.said
        assert git(repo, "status", "--porcelain", "--untracked-files=all") == ""
    assert not (bench.folder / "planted").exists()
    assert bench.server.asked == []
