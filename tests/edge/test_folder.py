"""Folders of the work tree: nothing is followed out of them, and what is written is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skilldelta.edges.folder import Folder, Unreadable
from skilldelta.errors import BadUsage, CannotWrite


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A root with a folder `in`, and a secret beside the root."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "root/in/deep").mkdir(parents=True)
    (tmp_path / "root/in/a.txt").write_bytes(b"abc")
    (tmp_path / "root/in/deep/run.sh").write_bytes(b"#!")
    (tmp_path / "root/in/deep/run.sh").chmod(0o755)
    return tmp_path / "root"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_every_entry_has_its_git_mode(top: Path) -> None:
    """Files, executables, links to files and folders, and pipes are told apart; folders themselves are no entries."""
    (top / "in/link").symlink_to("a.txt")
    (top / "in/folder-link").symlink_to("deep")
    os.mkfifo(top / "in/pipe")
    assert Folder(top, "in").entries() == {
        "a.txt": "100644",
        "deep/run.sh": "100755",
        "folder-link": "120000",
        "link": "120000",
        "pipe": "000000",
    }


def test_what_is_not_there_has_no_entries(top: Path) -> None:
    """A folder that does not exist is empty, and a file in its place is an error in words."""
    assert Folder(top, "nowhere/at/all").entries() == {}
    assert not Folder(top, "nowhere").exists()
    assert Folder(top, "in").exists()
    with pytest.raises(Unreadable, match="a file or a symbolic link stands where a folder should be"):
        Folder(top, "in/a.txt").entries()


@pytest.mark.parametrize("path", ["link", "folder-link/secret", "pipe", "deep", "nothing", "deep/nothing"])
def test_only_ordinary_files_inside_are_read(path: str, top: Path) -> None:
    """A link, a pipe, a folder, or nothing is an error that names the path; nobody waits for a pipe."""
    (top / "in/link").symlink_to(top.parent / "secret")
    (top / "in/folder-link").symlink_to(top.parent)
    os.mkfifo(top / "in/pipe")
    folder = Folder(top, "in")
    assert folder.read("a.txt", limit=3) == b"abc"
    with pytest.raises(Unreadable) as caught:
        folder.read(path, limit=100)
    assert f"in/{path}: " in str(caught.value)


def test_no_part_of_the_way_below_the_root_may_be_a_link(top: Path) -> None:
    """A link on the way to the folder is not followed for listing, reading or writing; the root itself may be one."""
    (top / "linked").symlink_to(top / "in")
    for act in (
        lambda: Folder(top, "linked").entries(),
        lambda: Folder(top, "linked").read("a.txt", limit=9),
        lambda: Folder(top, "linked").create("b.txt", b""),
    ):
        with pytest.raises((Unreadable, CannotWrite), match="links are not followed"):
            act()
    (top.parent / "other-name").symlink_to(top)
    assert Folder(top.parent / "other-name", "in").read("a.txt", limit=9) == b"abc"


def test_a_path_cannot_climb() -> None:
    """.. is refused before anything is opened."""
    with pytest.raises(BadUsage):
        Folder(Path("/"), "a/../b")


def test_reading_is_bounded(top: Path) -> None:
    """A file beyond the limit is refused, or cut where that is asked for."""
    with pytest.raises(Unreadable, match="more than 2 bytes"):
        Folder(top, "in").read("a.txt", limit=2)
    assert Folder(top, "in").read("a.txt", limit=2, cut=True) == b"ab"


def test_a_folder_of_folders_without_end_is_refused(top: Path) -> None:
    """Nesting is bounded."""
    (top / "/".join(["in", *(["d"] * 70)])).mkdir(parents=True)
    with pytest.raises(Unreadable, match="nested deeper"):
        Folder(top, "in").entries()


def test_a_file_is_created_once(top: Path) -> None:
    """A new file comes with its folders; what is there already, a dangling link too, is left alone."""
    folder = Folder(top)
    assert folder.create("new/er/b.sh", b"1", executable=True)
    assert (top / "new/er/b.sh").read_bytes() == b"1"
    assert (top / "new/er/b.sh").stat().st_mode & 0o777 == 0o755
    assert not folder.create("new/er/b.sh", b"2")
    assert (top / "new/er/b.sh").read_bytes() == b"1"
    (top / "dangling").symlink_to(top.parent / "not-there-yet")
    assert not folder.create("dangling", b"3")
    assert not (top.parent / "not-there-yet").exists()


def test_a_folder_that_may_not_be_written_is_told(top: Path) -> None:
    """A file where a folder should be ends in words that name the path."""
    with pytest.raises(CannotWrite, match=r"in/a\.txt/b: cannot be written"):
        Folder(top).create("in/a.txt/b", b"")


FILES = [("x", "100644", b"1"), ("sub/y", "100755", b"2")]


def test_a_folder_of_files_appears_whole(top: Path) -> None:
    """All files with their modes, and nothing else, stand under the new name."""
    assert Folder(top, "in").create_folder("made", iter(FILES))
    assert Folder(top, "in/made").entries() == {"x": "100644", "sub/y": "100755"}
    assert names(top / "in") == ["a.txt", "deep", "made"]


def test_a_folder_that_is_there_is_never_touched(top: Path) -> None:
    """A taken name, be it by a file, a folder or a dangling link, means that nothing is written."""
    (top / "in/dangling").symlink_to("nowhere")
    for name in ("deep", "a.txt", "dangling"):
        assert not Folder(top, "in").create_folder(name, iter(FILES))
    assert names(top / "in") == ["a.txt", "dangling", "deep"]
    assert names(top / "in/deep") == ["run.sh"]


def test_a_folder_that_fails_midway_leaves_nothing_behind(top: Path) -> None:
    """Whatever stops the writing, neither the folder nor a part of it remains."""

    def failing() -> Iterator[tuple[str, str, bytes]]:
        yield from FILES
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Folder(top, "in").create_folder("made", failing())
    assert names(top / "in") == ["a.txt", "deep"]


def test_what_a_kill_left_behind_is_passed_over(top: Path) -> None:
    """The temporary folder of a freeze that was killed is no part of the suite."""
    (top / "in/.freezing-v1-x-1").mkdir()
    (top / "in/.freezing-v1-x-1/suite.yaml").write_text("half")
    assert set(Folder(top, "in").entries()) == {"a.txt", "deep/run.sh"}
