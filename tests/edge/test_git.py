"""The git edge on real repositories in every state they are met in."""

from __future__ import annotations

import os
import resource
import shutil
import time
from pathlib import Path

import pytest

from repositories import Commit, Executable, Files, Submodule, Symlink, Zeros, build, environment, git
from skilldelta.edges.git import GitRepository
from skilldelta.edges.git_command import ask_git
from skilldelta.errors import GitProblem


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def _says(problem: pytest.ExceptionInfo[GitProblem], *words: str) -> None:
    for word in words:
        assert word in str(problem.value)


# --- opening


def test_a_repository_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    """The top of the work tree is found from the top, from a subfolder and through a linked work tree."""
    build(tmp_path / "repo", [Commit(files={"a/b/c.txt": "1"})], checkout=True)
    git(tmp_path / "repo", "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    for folder, root in (("repo", "repo"), ("repo/a/b", "repo"), ("linked/a", "linked")):
        repository = GitRepository.open(tmp_path / folder)
        assert repository.root == (tmp_path / root).resolve()
        assert [entry.path for entry in repository.tree("HEAD")] == ["a/b/c.txt"]


def test_a_bare_repository_works_and_has_no_work_tree(tmp_path: Path) -> None:
    """Trees and blobs of a bare repository are read; it has no root and nothing uncommitted."""
    build(tmp_path / "bare.git", [Commit(files={"a": "1"})], bare=True)
    repository = GitRepository.open(tmp_path / "bare.git")
    assert repository.root is None
    assert repository.uncommitted() == ()
    assert repository.read("main", "a", limit=10) == b"1"


def test_the_inside_of_a_git_folder_is_not_taken_for_a_work_tree(tmp_path: Path) -> None:
    """Opened inside `.git`, the repository answers about commits and has no root."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})], checkout=True)
    repository = GitRepository.open(tmp_path / "repo/.git/refs")
    assert repository.root is None
    assert len(repository.resolve("main")) == 40


def test_what_is_not_a_repository_is_said_so(tmp_path: Path) -> None:
    """A plain folder, a missing folder and a file are each refused in words."""
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path)
    _says(problem, "not a git repository", str(tmp_path), "--repo")
    (tmp_path / "file").touch()
    for name in ("missing", "file"):
        with pytest.raises(GitProblem) as problem:
            GitRepository.open(tmp_path / name)
        _says(problem, "no such folder", name)
    with pytest.raises(GitProblem, match="cannot be opened: File name too long"):
        GitRepository.open(tmp_path / ("x" * 5000))
    with pytest.raises(GitProblem, match="git cannot be started: No such file"):
        ask_git(tmp_path / "missing", "version")


def test_a_damaged_repository_is_said_so(tmp_path: Path) -> None:
    """A configuration that git cannot read is told in git's own words."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})])
    (tmp_path / "repo/.git/config").write_text("[core\n")
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path / "repo")
    _says(problem, "cannot open", "bad config")


def test_a_repository_of_another_user_names_the_line_that_trusts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git's refusal of a foreign owner becomes the exact `safe.directory` command."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})])
    real = shutil.which("git")
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin/git"
    fake.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path / "repo")
    _says(problem, f"git config --global --add safe.directory {tmp_path / 'repo'}")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    assert GitRepository.open(tmp_path / "repo").root == tmp_path / "repo"


def test_a_machine_without_git_is_told_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git on PATH is a clear error."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitProblem, match="git is not installed"):
        GitRepository.open(tmp_path)


# --- commits


def test_every_way_to_name_a_commit_resolves(tmp_path: Path) -> None:
    """Branches, tags of both kinds, full and short ids and ancestors resolve to the commit."""
    first, second = build(tmp_path / "repo", [Commit(files={"a": "1"}), Commit(files={"a": "2"})])
    git(tmp_path / "repo", "tag", "light", first)
    git(tmp_path / "repo", "tag", "-a", "-m", "x", "heavy", first)
    repository = GitRepository.open(tmp_path / "repo")
    for ref in ("light", "heavy", "main~1", first, first[:10], "HEAD^"):
        assert repository.resolve(ref) == first
    for ref in ("main", "refs/heads/main", "HEAD", "@"):
        assert repository.resolve(ref) == second
    assert repository.checked_out() == second
    assert repository.parents(second) == (first,)
    assert repository.parents(first) == ()


@pytest.mark.parametrize("ref", ["--help", "-n1", "", "  ", "a\nb", "a\0b", "x" * 2000])
def test_a_ref_that_looks_like_an_option_is_refused(tmp_path: Path, ref: str) -> None:
    """Nothing that could be read as an option or as two lines reaches git."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})])
    with pytest.raises(GitProblem, match="cannot be the name of a commit"):
        GitRepository.open(tmp_path / "repo").resolve(ref)


@pytest.mark.parametrize("ref", ["nope", "main..main", "HEAD:a", "1" * 40, "main^5", "main:", "^main", "näh"])
def test_an_unknown_ref_says_how_to_get_it(tmp_path: Path, ref: str) -> None:
    """A name that is no commit is an error with the words to fetch it."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})])
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path / "repo").resolve(ref)
    _says(problem, "there is no commit called", "fetch")


def test_a_branch_known_only_at_the_remote_is_pointed_to(tmp_path: Path) -> None:
    """After a checkout in CI `main` may exist as `origin/main` alone; the message says so."""
    build(tmp_path / "up", [Commit(files={"a": "1"}), Commit(files={"a": "2"}, branch="topic", parents=[0])])
    git(tmp_path, "clone", "--quiet", "--branch=topic", "up", "down")
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path / "down").resolve("main")
    _says(problem, "write `origin/main`")


def test_an_unborn_branch_is_said_so(tmp_path: Path) -> None:
    """In a repository without commits HEAD and the branch's name both say that nothing was committed."""
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk", "empty")
    repository = GitRepository.open(tmp_path / "empty")
    assert repository.checked_out() is None
    for ref in ("HEAD", "trunk"):
        with pytest.raises(GitProblem, match="the branch 'trunk' has no commit yet"):
            repository.resolve(ref)
    with pytest.raises(GitProblem, match="there is no commit called 'main'"):
        repository.resolve("main")


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path) -> None:
    """A missing commit and a missing merge base of a shallow clone name the fetch that mends it."""
    commits = [
        Commit(files={"a": "1"}),
        Commit(files={"a": "2"}),
        Commit(files={"b": "1"}, branch="topic", parents=[0]),
    ]
    ids = build(tmp_path / "up", commits)
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{tmp_path}/up", "down")
    repository = GitRepository.open(tmp_path / "down")
    assert repository.is_shallow
    with pytest.raises(GitProblem) as problem:
        repository.resolve(ids[0])
    _says(problem, "shallow", "fetch-depth: 0")
    with pytest.raises(GitProblem) as problem:
        repository.merge_base(ids[1], ids[2])
    _says(problem, "shallow", "git fetch --unshallow", "fetch-depth: 0")
    assert repository.parents(ids[1]) == ()
    git(tmp_path / "down", "fetch", "--quiet", "--unshallow")
    assert not repository.is_shallow
    assert repository.merge_base(ids[1], ids[2]) == ids[0]


def test_unrelated_histories_are_called_that(tmp_path: Path) -> None:
    """Two roots have no merge base, and the message does not speak of fetching."""
    ids = build(tmp_path / "repo", [Commit(files={"a": "1"}), Commit(files={"b": "1"}, branch="other", parents=())])
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path / "repo").merge_base(*ids)
    _says(problem, "unrelated")
    assert "fetch" not in str(problem.value)


# --- trees and blobs


def test_a_tree_is_listed_with_modes_sizes_and_odd_names(tmp_path: Path) -> None:
    """Every entry has its mode and size; a name that is not UTF-8 is shown with \\xNN and marked."""
    files: Files = {
        "a b/ü\t\n.txt": "12345",
        "run": Executable("x"),
        "link": Symlink("../../etc/passwd"),
        "module": Submodule(),
        b"caf\xe9": "",
        "\\xe9": "",
    }
    build(tmp_path / "repo", [Commit(files=files)])
    entries = GitRepository.open(tmp_path / "repo").tree("main")
    assert {(entry.path, entry.mode, entry.size, entry.utf8) for entry in entries} == {
        ("a b/ü\t\n.txt", "100644", 5, True),
        ("run", "100755", 1, True),
        ("link", "120000", 16, True),
        ("module", "160000", 0, True),
        ("caf\\xe9", "100644", 0, False),
        ("\\xe9", "100644", 0, True),
    }


@pytest.mark.parametrize("copies", [1, 300])
def test_a_tree_is_narrowed_to_folders_taken_literally(tmp_path: Path, copies: int) -> None:
    """Folders are names and never patterns, however many are asked for; a folder's neighbour is not in it."""
    files: Files = {"a*/x": "1", "ab/x": "1", ":(glob)b/x": "1", "-r/x": "1", "c/x": "1", "cc/x": "1"}
    build(tmp_path / "repo", [Commit(files=files)])
    repository = GitRepository.open(tmp_path / "repo")
    for folder in ("a*", ":(glob)b", "-r", "c"):
        folders = [folder, *(f"missing{number}" for number in range(1, copies))]
        assert [entry.path for entry in repository.tree("main", folders)] == [f"{folder}/x"]
    assert len(repository.tree("main", ["."])) == len(files)


def test_landmarks_are_found_without_listing_the_rest(tmp_path: Path) -> None:
    """SKILL.md in any spelling, links and submodules are found; files that merely end like one are not."""
    files: Files = {
        "SKILL.md": "",
        "a/skill.md": "",
        "b/Skill.MD": "",
        "c/MY-SKILL.md": "",
        "d/SKILL.md/x": "",
        "e": Symlink("a"),
        "f": Submodule(),
        "12/x": "",
    }
    build(tmp_path / "repo", [Commit(files=files)])
    found = GitRepository.open(tmp_path / "repo").landmarks("main")
    assert {entry.path for entry in found} == {"SKILL.md", "a/skill.md", "b/Skill.MD", "e", "f"}


def test_blobs_come_whole_and_large_ones_not_at_all(tmp_path: Path) -> None:
    """Contents of any bytes arrive unchanged, each once; one above the limit is None."""
    files: Files = {"a": b"\0\n\xff\r\n", "b": "", "c": "x" * 101, "d": "x" * 100, "e": ""}
    build(tmp_path / "repo", [Commit(files=files)])
    repository = GitRepository.open(tmp_path / "repo")
    oids = {entry.path: entry.oid for entry in repository.tree("main")}
    found = repository.blobs(list(oids.values()) * 2, limit=100)
    expected = (b"\0\n\xff\r\n", b"", None, b"x" * 100, b"")
    assert tuple(found[oids[name]] for name in "abcde") == expected
    assert repository.blobs([], limit=1) == {}
    assert repository.blob(oids["d"], limit=99) is None


def test_a_file_of_100_megabytes_costs_neither_time_nor_memory(tmp_path: Path) -> None:
    """A blob beyond the limit is never read, by git or by us."""
    build(tmp_path / "repo", [Commit(files={"big": Zeros(100 * 1024 * 1024), "small": "1"})])
    repository = GitRepository.open(tmp_path / "repo")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    entries = {entry.path: entry for entry in repository.tree("main")}
    found = repository.blobs([entry.oid for entry in entries.values()], limit=1000)
    assert time.monotonic() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024
    assert entries["big"].size == 100 * 1024 * 1024
    assert list(found.values()) == [None, b"1"]


def test_a_missing_object_is_named(tmp_path: Path) -> None:
    """An object that is not there is an error that names it."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})])
    with pytest.raises(GitProblem) as problem:
        GitRepository.open(tmp_path / "repo").blobs(["2" * 40], limit=10)
    _says(problem, "2" * 40, "missing", "git fsck")
    assert "--filter" not in str(problem.value)


def test_a_partial_clone_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    """Sizes and contents that a clone with a filter never fetched are not fetched secretly, but said to be missing."""
    build(tmp_path / "up", [Commit(files={"a": "1"})])
    git(tmp_path / "up", "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{tmp_path}/up", "down")
    repository = GitRepository.open(tmp_path / "down")
    with pytest.raises(GitProblem) as problem:
        repository.tree("HEAD")
    _says(problem, "partial clone", "--filter")
    oid = git(tmp_path / "up", "rev-parse", "main:a")
    with pytest.raises(GitProblem) as problem:
        repository.blobs([oid], limit=10)
    _says(problem, "partial clone", "--filter")
    assert repository.landmarks("HEAD") == ()


def test_a_file_is_read_at_a_commit_or_is_not_there(tmp_path: Path) -> None:
    """A file's bytes at a commit; None for a missing file and a folder; an error for a link and beyond the limit."""
    build(tmp_path / "repo", [Commit(files={".x.yml": "12345", "d/e": "1", "l": Symlink("d/e")})])
    repository = GitRepository.open(tmp_path / "repo")
    assert repository.read("main", ".x.yml", limit=5) == b"12345"
    for path in ("missing", "d"):
        assert repository.read("main", path, limit=5) is None
    with pytest.raises(GitProblem, match="is a link or a submodule"):
        repository.read("main", "l", limit=5)
    with pytest.raises(GitProblem, match="has 5 bytes; at most 4"):
        repository.read("main", ".x.yml", limit=4)


def test_a_sha256_repository_reads_the_same(tmp_path: Path) -> None:
    """Object ids of 64 digits go through every method."""
    ids = build(tmp_path / "repo", [Commit(files={"a": "1"}), Commit(files={"a": "2"})], object_format="sha256")
    repository = GitRepository.open(tmp_path / "repo")
    assert repository.resolve("main") == ids[1]
    assert len(ids[1]) == 64
    assert repository.merge_base(*ids) == ids[0]
    (entry,) = repository.tree(ids[1])
    assert repository.blob(entry.oid, limit=10) == b"2"


def test_renames_are_git_s_own_opinion(tmp_path: Path) -> None:
    """A file moved with a small edit is reported as renamed, one rewritten is not."""
    text = "".join(f"line {number}\n" for number in range(50))
    ids = build(
        tmp_path / "repo",
        [
            Commit(files={"a/SKILL.md": text, "b/SKILL.md": "other\n"}),
            Commit(files={"ä/SKILL.md": text + "more\n", "d/SKILL.md": "new\n"}, delete=["a", "b"]),
        ],
    )
    paths = ["a/SKILL.md", "b/SKILL.md", "ä/SKILL.md", "d/SKILL.md"]
    assert GitRepository.open(tmp_path / "repo").renamed_files(ids[0], ids[1], paths) == (("a/SKILL.md", "ä/SKILL.md"),)


# --- the work tree


def test_uncommitted_changes_of_every_kind_are_listed(tmp_path: Path) -> None:
    """Changed, staged, deleted, renamed and untracked files are listed once; ignored ones are not."""
    build(
        tmp_path / "repo",
        [Commit(files={"a": "1", "b": "1", "c": "1", "d": "1", ".gitignore": "junk\n"})],
        checkout=True,
    )
    top = tmp_path / "repo"
    (top / "a").write_text("changed")
    (top / "b").unlink()
    (top / "ü dir").mkdir()
    (top / "ü dir/new").write_text("1")
    (top / "junk").write_text("1")
    git(top, "mv", "c", "c2")
    repository = GitRepository.open(top)
    assert sorted(repository.uncommitted()) == ["a", "b", "c", "c2", "ü dir/new"]
    assert not repository.merge_in_progress()


def test_a_filter_that_cannot_be_turned_off_is_not_risked(tmp_path: Path) -> None:
    """A filter whose name git's `-c` cannot write ends in an error instead of running."""
    build(tmp_path / "repo", [Commit(files={"a": "1"})], checkout=True)
    git(tmp_path / "repo", "config", "filter.a=b.clean", "touch sprung")
    with pytest.raises(GitProblem, match="a `=` in its name"):
        GitRepository.open(tmp_path / "repo").uncommitted()


def test_a_merge_that_stopped_is_noticed(tmp_path: Path) -> None:
    """A conflict leaves MERGE_HEAD, also in a linked work tree."""
    commits = [
        Commit(files={"a": "1"}),
        Commit(files={"a": "2"}, branch="topic", parents=[0]),
        Commit(files={"a": "3"}, parents=[0]),
    ]
    build(tmp_path / "repo", commits, checkout=True)
    git(tmp_path / "repo", "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), "main")
    with pytest.raises(AssertionError):
        git(tmp_path / "linked", "merge", "topic")
    assert GitRepository.open(tmp_path / "linked").merge_in_progress()
    assert GitRepository.open(tmp_path / "linked").uncommitted() == ("a",)
    assert not GitRepository.open(tmp_path / "repo").merge_in_progress()


# --- nothing of theirs is run


def test_no_program_that_the_repository_names_is_started(tmp_path: Path) -> None:
    """Hooks, filters, external diffs, text conversions, file system monitors and pagers all stay quiet."""
    files: Files = {"a.txt": "1", "b.txt": "2", ".gitattributes": "* filter=bad diff=bad\n"}
    ids = build(tmp_path / "repo", [Commit(files={"c.txt": "1"}), Commit(files=files, delete=["c.txt"])], checkout=True)
    top = tmp_path / "repo"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path / 'sprung'}\ncat\n")
    trap.chmod(0o755)
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (top / ".git/hooks").mkdir(exist_ok=True)
        shutil.copy(trap, top / ".git/hooks" / name)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.bad.command", "diff.bad.textconv"):
        git(top, "config", key, str(trap))
    for key in ("filter.bad.clean", "filter.bad.process", "filter.bad.smudge", "core.sshCommand", "core.askPass"):
        git(top, "config", key, str(trap))
    git(top, "config", "filter.bad.required", "true")
    (top / "a.txt").write_text("8")  # the same size: git has to look into it
    (top / "b.txt").touch()
    (tmp_path / "sprung").unlink(missing_ok=True)
    repository = GitRepository.open(top)
    assert repository.uncommitted() == ("a.txt",)
    repository.renamed_files(ids[0], ids[1], ["a.txt", "c.txt"])
    repository.blobs([entry.oid for entry in repository.tree("HEAD")], limit=100)
    assert not (tmp_path / "sprung").exists()


def test_the_caller_s_environment_cannot_redirect_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_DIR and its like are not handed on, and neither is a secret."""
    build(tmp_path / "one", [Commit(files={"a": "1"})])
    build(tmp_path / "two", [Commit(files={"b": "1"})])
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "two/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "two"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "two/.git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "two/.git/objects"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-value")
    assert [entry.path for entry in GitRepository.open(tmp_path / "one").tree("main")] == ["a"]
    shown = ask_git(tmp_path, "-c", "alias.show-it=!env", "show-it").output
    assert b"secret-value" not in shown
    assert b"GIT_TERMINAL_PROMPT=0" in shown


def test_replaced_objects_are_not_followed(tmp_path: Path) -> None:
    """`refs/replace` cannot show another content under a commit's name."""
    first, second = build(tmp_path / "repo", [Commit(files={"a": "1"}), Commit(files={"a": "2"})])
    git(tmp_path / "repo", "replace", second, first)
    assert GitRepository.open(tmp_path / "repo").read(second, "a", limit=9) == b"2"


# --- bounds


def test_a_git_that_hangs_is_ended_with_everything_it_started(tmp_path: Path) -> None:
    """After the time-out git and its children are gone and the error says how long was waited."""
    start = time.monotonic()
    with pytest.raises(GitProblem, match=r"no answer within 0\.3 s"):
        ask_git(tmp_path, "-c", "alias.hang=!sleep 20 & sleep 20", "hang", timeout=0.3)
    assert time.monotonic() - start < 5, "a child that lives on holds the pipe open"


def test_endless_output_is_cut(tmp_path: Path) -> None:
    """Only the asked-for bytes are read, and git is ended."""
    start = time.monotonic()
    answer = ask_git(tmp_path, "-c", "alias.flood=!yes", "flood", limit=1000, timeout=20)
    assert answer.cut
    assert len(answer.output) == 1000
    assert time.monotonic() - start < 5


def test_much_input_and_much_output_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """A feed larger than any pipe comes back whole."""
    feed = b"x" * 99 + b"\n"
    answer = ask_git(tmp_path, "stripspace", feed=feed * 20_000, limit=10_000_000)
    assert answer.output == feed * 20_000


def test_the_test_environment_itself_knows_no_user() -> None:
    """Repositories of these tests are built without anybody's configuration."""
    assert environment()["GIT_CONFIG_GLOBAL"] == os.devnull
