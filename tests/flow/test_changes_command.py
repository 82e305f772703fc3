"""`skilldelta skills` and `skilldelta changes` on repositories in every state they are met in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from repositories import Commit, Executable, Files, Submodule, Symlink, Zeros, build, git, skill_text
from skilldelta.cli.door import run

Capture = pytest.CaptureFixture[str]
A = skill_text("a")


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def _run(capsys: Capture, *arguments: str | Path, code: int = 0) -> tuple[str, str]:
    """Run one command line; return what it wrote to stdout and stderr."""
    assert run([str(argument) for argument in arguments]) == code
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "bug" not in captured.err
    return captured.out, captured.err


def _between(capsys: Capture, repo: Path, base: str = "main~1", head: str = "main") -> dict[str, Any]:
    out, _ = _run(capsys, "changes", "--repo", repo, "--base", base, "--head", head, "--json")
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one of everything: `main~1` before, `main` after."""
    before: Files = {
        "skills/commit-message/SKILL.md": skill_text("commit-message"),
        "skills/commit-message/scripts/check.sh": "#!/bin/sh\n",
        "skills/old-place/SKILL.md": skill_text("old-place"),
        "skills/gone/SKILL.md": skill_text("gone"),
        "skills/gone/notes.md": "x\n",
        "skills/steady/SKILL.md": skill_text("steady", description="Never changes, whatever comes. " * 4),
        ".claude/skills/steady/SKILL.md": skill_text("steady", description="Never changes, whatever comes. " * 4),
    }
    after: Files = {
        "skills/commit-message/SKILL.md": skill_text("commit-message") + "\nSee [the list](references/list.md).\n",
        "skills/commit-message/scripts/check.sh": Executable("#!/bin/sh\n"),
        "plugins/p/skills/old-place/SKILL.md": skill_text("old-place"),
        "skills/代码审查/SKILL.md": skill_text("代码审查", description="审查代码。"),
        "skills/broken/SKILL.md": "# No frontmatter\n",
    }
    commits = [Commit(files=before), Commit(files=after, delete=["skills/gone", "skills/old-place"])]
    build(tmp_path / "repo", commits, checkout=True)
    return tmp_path / "repo"


CHANGES = """\
CHANGE    SKILL           FOLDER                                         FILES
moved     old-place       skills/old-place → plugins/p/skills/old-place
added     broken          skills/broken                                  1 file
modified  commit-message  skills/commit-message                          SKILL.md (modified), scripts/check.sh (mode)
deleted   gone            skills/gone                                    2 files
added     代码审查        skills/代码审查                                1 file

5 skills changed from {base} to main ({head}); 1 skill unchanged.
error   skills/broken/SKILL.md:1: there is no frontmatter: an agent is never told what this skill is for
        fix: start the file with `---`, name, description and `---`
warning skills/commit-message/SKILL.md:10: the link to 'references/list.md' leads to no file of the skill
        fix: mend the link, or add the file
"""


def test_changes_are_a_table_that_a_person_reads(repo: Path, capsys: Capture) -> None:
    """One row for each changed skill, then the sum, then what is wrong with them; plain text when piped."""
    out, err = _run(capsys, "changes", "--repo", repo, "--base", "main~1", "--head", "main")
    base, head = git(repo, "rev-parse", "main~1", "main").split()
    assert out == CHANGES.format(base=base[:12], head=head[:12])
    assert err == ""


def test_changes_as_json_have_a_stable_shape(repo: Path, capsys: Capture) -> None:
    """Every key of the documented object is there, with commits, hashes, files and findings."""
    found = _between(capsys, repo)
    base, head = git(repo, "rev-parse", "main~1", "main").split()
    assert {key: found[key] for key in ("version", "base", "head", "baseline", "unchanged", "findings")} == {
        "version": 1,
        "base": {"ref": "main~1", "commit": base},
        "head": {"ref": "main", "commit": head},
        "baseline": {"commit": base},
        "unchanged": 1,
        "findings": [],
    }
    modified = next(change for change in found["changes"] if change["kind"] == "modified")
    assert len(modified.pop("tree_hash")) == len(modified.pop("baseline_tree_hash")) == 64
    assert modified == {
        "skill_id": "commit-message",
        "kind": "modified",
        "path": "skills/commit-message",
        "renamed_from": None,
        "readable": True,
        "copies": [],
        "files": [{"path": "SKILL.md", "kind": "modified"}, {"path": "scripts/check.sh", "kind": "mode"}],
        "findings": [
            {
                "severity": "warning",
                "path": "skills/commit-message/SKILL.md",
                "line": 10,
                "message": "the link to 'references/list.md' leads to no file of the skill",
                "fix": "mend the link, or add the file",
            }
        ],
    }
    by_id = {change["skill_id"]: change for change in found["changes"]}
    assert by_id["old-place"]["renamed_from"] == "skills/old-place"
    assert by_id["old-place"]["tree_hash"] == by_id["old-place"]["baseline_tree_hash"]
    assert by_id["gone"]["tree_hash"] is None
    assert by_id["broken"]["readable"] is False


SKILLS = """\
SKILL           FOLDER                      FILES  SIZE   DESCRIPTION
old-place       plugins/p/skills/old-place  1      83 B   Says how. Use when asked.
broken          skills/broken               1      17 B   (cannot be read)
commit-message  skills/commit-message       2      135 B  Says how. Use when asked.
steady          skills/steady               1      179 B  Never changes, whatever comes. Never changes, whatever come…
代码审查        skills/代码审查             1      76 B   审查代码。
steady: identical copies in .claude/skills/steady

5 skills, 1 of them cannot be read
error   skills/broken/SKILL.md:1: there is no frontmatter: an agent is never told what this skill is for
        fix: start the file with `---`, name, description and `---`
warning skills/commit-message/SKILL.md:10: the link to 'references/list.md' leads to no file of the skill
        fix: mend the link, or add the file
"""


def test_skills_are_a_table_that_a_person_reads(repo: Path, capsys: Capture) -> None:
    """All skills with their files and descriptions, copies, and what is wrong; the exit code stays 0."""
    out, err = _run(capsys, "skills", "--repo", repo)
    assert (out, err) == (SKILLS, "")


def test_skills_as_json_have_a_stable_shape(repo: Path, capsys: Capture) -> None:
    """Every key of the documented object is there."""
    out, _ = _run(capsys, "skills", "--repo", repo, "--ref", "main", "--json")
    found = json.loads(out)
    assert (found["version"], found["ref"], found["commit"]) == (1, "main", git(repo, "rev-parse", "main"))
    skill = next(skill for skill in found["skills"] if skill["skill_id"] == "commit-message")
    assert len(skill.pop("tree_hash")) == 64
    assert skill.pop("findings")[0]["line"] == 10
    assert skill == {
        "skill_id": "commit-message",
        "name": "commit-message",
        "path": "skills/commit-message",
        "skill_file": "skills/commit-message/SKILL.md",
        "description": "Says how. Use when asked.",
        "readable": True,
        "files": 2,
        "bytes": 135,
        "headings": ["How"],
        "links": [{"target": "references/list.md", "line": 10, "exists": False}],
        "copies": [],
    }


def test_nothing_changed_is_said_in_one_line(repo: Path, capsys: Capture) -> None:
    """No table, and the two commits by name."""
    out, _ = _run(capsys, "changes", "--repo", repo, "--base", "main", "--head", "main")
    head = git(repo, "rev-parse", "main")[:12]
    assert out == f"No skill changed from {head} to main ({head}); 5 skills unchanged.\n"


def test_a_branch_is_not_blamed_for_the_base_s_commits(tmp_path: Path, capsys: Capture) -> None:
    """What happened on the base since the branch left it is not among the branch's changes."""
    commits = [
        Commit(files={"skills/a/SKILL.md": A, "skills/b/SKILL.md": skill_text("b")}),
        Commit(files={"skills/a/SKILL.md": A + "topic\n"}, branch="topic", parents=[0]),
        Commit(files={"skills/b/SKILL.md": skill_text("b") + "base\n"}),
    ]
    ids = build(tmp_path / "repo", commits)
    found = _between(capsys, tmp_path / "repo", "main", "topic")
    assert [change["skill_id"] for change in found["changes"]] == ["a"]
    assert (found["base"]["commit"], found["baseline"]["commit"]) == (ids[2], ids[0])


# --- odd states


def test_a_subfolder_and_a_linked_work_tree_are_as_good_as_the_top(repo: Path, tmp_path: Path, capsys: Capture) -> None:
    """`--repo` may be any folder of the repository; paths are always those from its top."""
    git(repo, "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    expected = _between(capsys, repo)
    for folder in (repo / "skills/commit-message/scripts", tmp_path / "linked/skills"):
        assert _between(capsys, folder) == expected


def test_a_bare_repository_works(tmp_path: Path, capsys: Capture) -> None:
    """No work tree, no warnings about one."""
    build(tmp_path / "x.git", [Commit(files={"skills/a/SKILL.md": A})], bare=True)
    out, err = _run(capsys, "skills", "--repo", tmp_path / "x.git")
    assert "1 skill\n" in out
    assert err == ""


def test_a_detached_head_works(repo: Path, capsys: Capture) -> None:
    """HEAD need not be on a branch."""
    git(repo, "checkout", "--quiet", "--detach", "main")
    assert len(_between(capsys, repo, "HEAD~1", "HEAD")["changes"]) == 5


def test_an_empty_repository_is_told_to_commit(tmp_path: Path, capsys: Capture) -> None:
    """Without any commit there is nothing to read: blocked, in words."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "repo")
    _, err = _run(capsys, "skills", "--repo", tmp_path / "repo", code=2)
    assert "the branch 'main' has no commit yet" in err
    assert "fix:" in err


def test_a_repository_without_skills_says_so(tmp_path: Path, capsys: Capture) -> None:
    """An empty tree and a tree without SKILL.md are an answer, not an error."""
    build(tmp_path / "repo", [Commit(), Commit(files={"README.md": ""})])
    for ref in ("main", "main~1"):
        out, _ = _run(capsys, "skills", "--repo", tmp_path / "repo", "--ref", ref)
        assert out.startswith(f"There are no skills at {ref}")


def test_what_is_not_a_repository_is_blocked(tmp_path: Path, capsys: Capture) -> None:
    """A plain folder and a missing one end with code 2 and the way out."""
    for folder in (tmp_path, tmp_path / "missing"):
        _, err = _run(capsys, "skills", "--repo", folder, code=2)
        assert str(folder) in err
        assert "--repo" in err


@pytest.mark.parametrize("ref", ["nope", "--version", "-x", "", "main..main", "\x1b[31mred"])
def test_a_ref_that_is_none_is_blocked(repo: Path, capsys: Capture, ref: str) -> None:
    """Unknown refs and what looks like an option end with code 2, without control characters in the message."""
    _, err = _run(capsys, "changes", "--repo", repo, f"--base={ref}", "--head", "main", code=2)
    assert err.startswith(("error: ", f"error: {repo}"))
    assert "\x1b" not in err


def test_a_shallow_clone_says_which_depth_to_fetch(tmp_path: Path, capsys: Capture) -> None:
    """Missing history is blocked with the two ways to get it."""
    commits = [
        Commit(files={"skills/a/SKILL.md": A}),
        Commit(files={"x": "1"}),
        Commit(files={"skills/a/SKILL.md": A + "x"}, branch="topic", parents=[0]),
    ]
    build(tmp_path / "up", commits)
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{tmp_path}/up", "down")
    arguments = ("changes", "--repo", tmp_path / "down", "--base", "origin/main", "--head", "origin/topic")
    _, err = _run(capsys, *arguments, code=2)
    assert "git fetch --unshallow" in err
    assert "fetch-depth: 0" in err


def test_unrelated_histories_are_blocked(tmp_path: Path, capsys: Capture) -> None:
    """Two branches without a common commit cannot be compared."""
    build(tmp_path / "repo", [Commit(files={"skills/a/SKILL.md": A}), Commit(files={"x": ""}, branch="o", parents=())])
    _, err = _run(capsys, "changes", "--repo", tmp_path / "repo", "--base", "main", "--head", "o", code=2)
    assert "unrelated" in err


def test_uncommitted_changes_are_left_out_with_a_warning(tmp_path: Path, capsys: Capture) -> None:
    """Edits, new skills and our own files are named, up to five; other files and other commits are not spoken of."""
    commits = [Commit(files={"skills/a/SKILL.md": A, "README.md": ""}), Commit(files={"skills/a/x": ""})]
    build(tmp_path / "repo", commits, checkout=True)
    top = tmp_path / "repo"
    (top / "skills/a/SKILL.md").write_text("changed")
    (top / "README.md").write_text("changed")
    (top / "skills/new").mkdir()
    (top / "skills/new/SKILL.md").write_text(skill_text("new"))
    (top / ".skilldelta.yml").write_text("version: 1\n")
    for number in range(4):
        (top / f"skills/a/n{number}").touch()
    arguments = ("changes", "--repo", top, "--base", "main~1", "--head")
    out, err = _run(capsys, *arguments, "main")
    assert "1 skill changed" in out
    assert err == (
        "warning changes that are not committed are left out: .skilldelta.yml, skills/a/SKILL.md, skills/a/n0, "
        "skills/a/n1, skills/a/n2 and 2 more\n        fix: commit them to have them counted\n"
    )
    _, err = _run(capsys, *arguments, "main~1")
    assert err == ""


def test_a_merge_in_progress_is_warned_of(tmp_path: Path, capsys: Capture) -> None:
    """Only what is committed counts; the unfinished merge and its files are named."""
    commits = [
        Commit(files={"skills/a/SKILL.md": A}),
        Commit(files={"skills/a/SKILL.md": A + "topic\n"}, branch="topic", parents=[0]),
        Commit(files={"skills/a/SKILL.md": A + "main\n"}),
    ]
    build(tmp_path / "repo", commits, checkout=True)
    with pytest.raises(AssertionError):
        git(tmp_path / "repo", "merge", "topic")
    out, err = _run(capsys, "changes", "--repo", tmp_path / "repo", "--base", "main~1", "--head", "main")
    assert "modified  a" in out
    assert "a merge is not finished" in err
    assert "skills/a/SKILL.md" in err


ODD: dict[str, Files] = {
    "names that are not UTF-8": {b"skills/a/caf\xe9.md": "x", b"skills/caf\xe9/SKILL.md": skill_text("c")},
    "names with control characters": {"skills/a/\x1b[31m\n\t\u202e.md": "x", "skills/\x1b[2J/SKILL.md": A},
    "100 MB in a skill, and as SKILL.md": {
        f"skills/{path}": Zeros(100 * 1024 * 1024) for path in ("a/x", "b/SKILL.md")
    },
    "symlinks": {"skills/a/link": Symlink("/etc/passwd"), ".claude/skills/a": Symlink("../../skills/a")},
    "symlink loops": {"skills/a/loop": Symlink("."), "skills/loop": Symlink("../skills"), "skills/b": Symlink("b")},
    "submodules": {"skills/a/module": Submodule(), "skills/module": Submodule(), "module": Submodule()},
    "skills in skills": {"skills/a/b/SKILL.md": "broken", "skills/a/evals/c/SKILL.md": "broken"},
    "a folder called SKILL.md": {"skills/b/SKILL.md/x": "1", "SKILL.md/skills/c/SKILL.md": skill_text("c")},
    "a submodule called SKILL.md": {"skills/b/SKILL.md": Submodule()},
    "very deep": {"/".join(["skills", *["d"] * 500, "SKILL.md"]): A, "/".join(["skills", "a", *["e"] * 500]): "x"},
    "very many files": {f"skills/a/f{number}": "" for number in range(5000)},
}


@pytest.mark.parametrize("files", ODD.values(), ids=ODD.keys())
def test_an_odd_repository_is_read_quickly_in_little_memory(tmp_path: Path, files: Files) -> None:
    """Whatever a skill's folder holds: exit 0, its neighbour is read, under 5 s and 300 MB, and plain text."""
    good = {"skills/a/SKILL.md": A, "skills/good/SKILL.md": skill_text("good")}
    build(tmp_path / "repo", [Commit(files=good), Commit(files={**files, "skills/good/x": ""})])
    program = (
        "import resource, sys\nfrom pathlib import Path\nfrom skilldelta.cli.door import run\n"
        "repo = ['--repo', sys.argv[1]]\n"
        "codes = run(['skills', *repo]), run(['changes', '--base', 'main~1', '--head', 'main', *repo])\n"
        # What is reported of the process itself would begin at the peak of the test runner that started it.
        "own = int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
        "print(*codes, max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) // 1024)"
    )
    start = time.monotonic()
    argv = [sys.executable, "-c", program, str(tmp_path / "repo")]
    done = subprocess.run(argv, capture_output=True, timeout=60, check=False)
    assert time.monotonic() - start < 5
    assert done.returncode == 0, done.stderr.decode()
    out = done.stdout.decode()
    *codes, megabytes = out.splitlines()[-1].split()
    assert codes == ["0", "0"]
    assert int(megabytes) < 300
    assert out.count("skills/good ") == 2
    assert all(char == "\n" or char.isprintable() for char in out + done.stderr.decode())


# --- configuration


def test_the_base_s_globs_are_the_law(tmp_path: Path, capsys: Capture) -> None:
    """A branch that excludes its skill in its own configuration is compared by the base's; without one, by its own."""
    law = "discovery:\n  exclude: [skills/b]\n"
    commits = [
        Commit(files={"skills/a/SKILL.md": A, "skills/b/SKILL.md": skill_text("b"), ".skilldelta.yml": law}),
        Commit(
            files={
                "skills/a/SKILL.md": A + "x",
                "skills/b/SKILL.md": skill_text("b") + "x",
                ".skilldelta.yml": "discovery:\n  exclude: ['**']\n",
            }
        ),
        Commit(delete=[".skilldelta.yml"], branch="bare", parents=[0]),
        Commit(files={"skills/a/SKILL.md": A + "x", ".skilldelta.yml": law}, branch="first", parents=[2]),
    ]
    build(tmp_path / "repo", commits)
    found = _between(capsys, tmp_path / "repo")
    assert ([change["skill_id"] for change in found["changes"]], found["unchanged"]) == (["a"], 0)
    found = _between(capsys, tmp_path / "repo", "bare", "first")
    assert ([change["skill_id"] for change in found["changes"]], found["unchanged"]) == (["a"], 0)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (".skilldelta.yml", "discovry: {}\n", "discovery"),
        (".skilldelta.yml", "a: [\n", ".skilldelta.yml at main"),
        (".skilldelta.yml", b"\xff", "UTF-8"),
        (".skilldelta.yaml", "version: 1\n", "name it .skilldelta.yml"),
    ],
)
def test_a_bad_configuration_is_blocked(
    tmp_path: Path, capsys: Capture, name: str, content: str | bytes, words: str
) -> None:
    """What cannot be used is named with its file and ref."""
    build(tmp_path / "repo", [Commit(files={"skills/a/SKILL.md": A, name: content})])
    _, err = _run(capsys, "skills", "--repo", tmp_path / "repo", "--ref", "main", code=2)
    assert words in err


# --- the command line


def test_many_findings_on_other_skills_are_cut(tmp_path: Path, capsys: Capture) -> None:
    """What is wrong with unchanged skills goes to stderr, ten at most, and says where to see all."""
    files = {f"skills/s{number:02}/SKILL.md": f"# none {number}\n" for number in range(15)}
    build(tmp_path / "repo", [Commit(files=files), Commit(files={"skills/a/SKILL.md": A})], bare=True)
    out, err = _run(capsys, "changes", "--repo", tmp_path / "repo", "--base", "main~1", "--head", "main")
    assert "none" not in out
    assert err.count("there is no frontmatter") == 10
    assert err.endswith("and 5 findings more on skills that did not change: see `skilldelta skills`\n")


def test_help_is_cheap_and_names_the_options() -> None:
    """`--help` of both verbs imports neither pydantic nor a Markdown parser."""
    program = (
        "import sys\nfrom skilldelta.cli.door import run\nrun(['changes', '--help'])\nrun(['skills', '--help'])\n"
        "print([name for name in ('pydantic', 'markdown_it', 'yaml', 'scipy', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "--base" in done.stdout
    assert "--ref" in done.stdout
    assert done.stdout.endswith("[]\n")


def test_missing_options_are_bad_usage(repo: Path, capsys: Capture) -> None:
    """Without `--base` or `--head` the command says which is missing."""
    _, err = _run(capsys, "changes", "--repo", repo, "--base", "main", code=2)
    assert "--head" in err
