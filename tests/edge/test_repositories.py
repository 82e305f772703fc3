"""The repositories that other tests stand on are what they say."""

from __future__ import annotations

from pathlib import Path

from repositories import Commit, Executable, Files, Submodule, Symlink, Zeros, build, git


def test_every_kind_of_content_lands_in_the_tree(tmp_path: Path) -> None:
    """A file, a program, a link, a submodule and a name that is not UTF-8 are written as git stores them."""
    files: Files = {
        "a b.txt": "text\n",
        "run.sh": Executable("#!/bin/sh\n"),
        "link": Symlink("a b.txt"),
        "module": Submodule(),
        b"caf\xe9.txt": b"\0\1",
        'quo"te\n.txt': "",
        "zeros": Zeros(3 * 1024 * 1024),
    }
    build(tmp_path / "repo", [Commit(files=files)])
    listed = git(tmp_path / "repo", "ls-tree", "-z", "-l", "main").split("\0")
    assert {(line.split()[0], line.split()[3], line.split("\t")[1]) for line in listed if line} == {
        ("100644", "5", "a b.txt"),
        ("100755", "10", "run.sh"),
        ("120000", "7", "link"),
        ("160000", "-", "module"),
        ("100644", "2", "caf\\xe9.txt"),
        ("100644", "0", 'quo"te\n.txt'),
        ("100644", "3145728", "zeros"),
    }


def test_histories_branch_and_merge_as_told(tmp_path: Path) -> None:
    """Parents are the commits named, an empty tuple starts a history of its own, and ids are the same every time."""
    commits = [
        Commit(files={"a": "1"}),
        Commit(files={"b": "1"}, branch="side", parents=[0]),
        Commit(files={"a": "2"}, delete=["b"]),
        Commit(parents=[2, 1]),
        Commit(files={"c": "1"}, branch="alone", parents=()),
    ]
    first = build(tmp_path / "one", commits, checkout=True)
    second = build(tmp_path / "two", commits, bare=True)
    assert first == second
    assert git(tmp_path / "one", "rev-list", "--parents", "-n1", "main").split() == [first[3], first[2], first[1]]
    assert git(tmp_path / "one", "rev-list", "alone") == first[4]
    assert git(tmp_path / "one", "ls-tree", "--name-only", "alone") == "c"
    assert git(tmp_path / "one", "status", "--porcelain") == ""
    assert (tmp_path / "one" / "a").read_text() == "2"
