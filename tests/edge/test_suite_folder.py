"""Suites on disk and at a commit are the same suites."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import Commit, Content, Executable, Symlink, Zeros, build, git
from skilldelta.cli.committed_suites import CommittedSuites
from skilldelta.cli.work_tree import read_suite_folder, work_tree_config
from skilldelta.edges.folder import Folder, Unreadable
from skilldelta.edges.git import GitRepository
from skilldelta.edges.suite_folder import work_tree_top, write_version
from skilldelta.errors import BadConfig, BadSuite, CannotWrite
from skilldelta.reading.frozen_suite import FoundSuite, SuiteState, next_version, suite_folders

PLACE = ".skilldelta/suites/s"
TASK = "{id: a, prompt: p, fixture: fixtures/r, judge: {type: contains, expected: [x]}}"
DRAFT = f'skill_id: s\nversion: "1.0"\ntasks:\n  - {TASK}\n'
FILES: dict[str, Content] = {
    f"{PLACE}/suite.yaml": DRAFT,
    f"{PLACE}/fixtures/r/data.csv": b"a,b\r\n1,2\r\n",
    f"{PLACE}/fixtures/r/run.sh": Executable("#!/bin/sh\n"),
    f"{PLACE}/fixtures/r/binary": b"\x00\xff\x0a",
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A checked-out repository whose attributes would rewrite line ends, with one draft."""
    build(tmp_path / "repo", [Commit(files={**FILES, ".gitattributes": "* text=auto eol=lf\n"})], checkout=True)
    return tmp_path / "repo"


def freeze(repo: Path) -> tuple[Folder, str]:
    folder = Folder(repo, PLACE)
    record = next_version(read_suite_folder(folder), approved_by="Ada", frozen_at="2026-01-02T03:04:05Z")
    return folder, write_version(folder, record, DRAFT.encode())


def at_commit(repo: Path) -> FoundSuite:
    repository = GitRepository.open(repo)
    commit = repository.resolve("HEAD")
    suites = CommittedSuites(repository, base=commit, fork_point=commit, head=commit, roots=[".skilldelta/suites"])
    return suites.pair(PLACE).head


def test_a_version_survives_being_committed(repo: Path) -> None:
    """What was frozen in the work tree is found untampered at the commit, whatever git does to line ends elsewhere."""
    (repo / PLACE / "fixtures/r/data.csv").write_bytes(b"a,b\r\n1,2\r\n")
    _, path = freeze(repo)
    in_work_tree = read_suite_folder(Folder(repo, PLACE)).newest
    assert in_work_tree is not None
    git(repo, "add", "--all")
    git(repo, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=freeze")
    assert at_commit(repo).newest == in_work_tree
    assert path == f"{PLACE}/{in_work_tree.version}"
    assert {file.path: file.mode for file in in_work_tree.record.fixtures}["fixtures/r/run.sh"] == "100755"
    git(repo, "rm", "-r", "--quiet", path)
    git(repo, "checkout", "--quiet", "HEAD", "--", path)
    assert read_suite_folder(Folder(repo, PLACE)).newest == in_work_tree


def test_a_draft_at_a_commit_is_read_from_git_alone(repo: Path) -> None:
    """The work tree's files play no part in what a commit holds."""
    (repo / PLACE / "suite.yaml").write_text("changed")
    found = at_commit(repo)
    assert found.state is SuiteState.DRAFT
    assert found.draft is not None
    assert found.draft.problems == ()


def test_links_at_a_commit_are_refused(tmp_path: Path) -> None:
    """A link among a commit's fixtures is a problem of the draft, and a link in place of the folder blocks."""
    build(tmp_path / "repo", [Commit(files={**FILES, f"{PLACE}/fixtures/link": Symlink("/etc/passwd")})])
    draft = at_commit(tmp_path / "repo").draft
    assert draft is not None
    assert "fixtures/link is a symbolic link" in draft.problems[0]
    build(tmp_path / "other", [Commit(files={PLACE: Symlink("../elsewhere")})])
    assert at_commit(tmp_path / "other").state is SuiteState.TAMPERED


def test_a_version_is_never_overwritten(repo: Path) -> None:
    """Freezing the same plan twice is refused, and the first version stays as it is."""
    folder, path = freeze(repo)
    before = {entry: folder.read(entry, limit=10_000) for entry in folder.entries()}
    record = read_suite_folder(folder).versions[0].record
    with pytest.raises(CannotWrite, match=f"{path}: is there already"):
        write_version(folder, record, b"")
    assert {entry: folder.read(entry, limit=10_000) for entry in folder.entries()} == before


def test_a_fixture_that_changes_meanwhile_stops_the_freeze(repo: Path) -> None:
    """What is written is what was hashed, or nothing."""
    folder = Folder(repo, PLACE)
    found = read_suite_folder(folder)
    record = next_version(found, approved_by="Ada", frozen_at="t")
    (repo / PLACE / "fixtures/r/binary").write_bytes(b"other")
    with pytest.raises(CannotWrite, match="changed while it was being frozen"):
        write_version(folder, record, DRAFT.encode())
    assert read_suite_folder(folder).state is SuiteState.DRAFT


def test_suites_are_found_by_draft_or_version(repo: Path) -> None:
    """A folder counts as a suite by either, not by what lies in fixtures, and the place itself is none."""
    freeze(repo)
    (repo / PLACE / "suite.yaml").unlink()
    (repo / PLACE / "fixtures/r/suite.yaml").write_text(DRAFT)
    for path in ("t/task_suite.yaml", "group/u/suite.yaml", "suite.yaml", "notes/README.md"):
        (repo / ".skilldelta/suites" / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / ".skilldelta/suites" / path).write_text(DRAFT)
    assert suite_folders(Folder(repo, ".skilldelta/suites").entries()) == ("group/u", "s", "t")
    assert suite_folders(Folder(repo, "nowhere").entries()) == ()


def test_the_top_is_where_git_is(repo: Path, tmp_path: Path) -> None:
    """The top is found from below, also where .git is a file, and a folder outside any repository is its own top."""
    assert work_tree_top(repo / PLACE) == repo
    (tmp_path / "tree/in").mkdir(parents=True)
    (tmp_path / "tree/.git").write_text("gitdir: elsewhere\n")
    assert work_tree_top(tmp_path / "tree/in") == tmp_path / "tree"


def test_the_configuration_of_a_work_tree(tmp_path: Path) -> None:
    """No file is all defaults, a file is read with its name in the messages, and a link is not followed."""
    assert work_tree_config(tmp_path).design.margin == 0.15
    (tmp_path / ".skilldelta.yml").write_text("design: {margin: 0.2}\n")
    assert work_tree_config(tmp_path).design.margin == 0.2
    (tmp_path / ".skilldelta.yml").write_text("design: {margin: 2}\n")
    with pytest.raises(BadConfig, match=r"^\.skilldelta\.yml:1: design\.margin is 2"):
        work_tree_config(tmp_path)
    (tmp_path / ".skilldelta.yml").unlink()
    (tmp_path / ".skilldelta.yml").symlink_to("nowhere")
    with pytest.raises(Unreadable, match=r"^\.skilldelta\.yml: cannot be read: it is a symbolic link"):
        work_tree_config(tmp_path)


def test_a_blob_that_is_too_large_is_told(tmp_path: Path) -> None:
    """A file of a suite beyond the limit is an error that names it, not an empty file."""
    build(tmp_path / "repo", [Commit(files={**FILES, f"{PLACE}/suite.yaml": Zeros(64 * 1024 * 1024 + 1)})])
    with pytest.raises(BadSuite, match=f"{PLACE}/suite.yaml: has more than 67,108,864 bytes"):
        at_commit(tmp_path / "repo")
