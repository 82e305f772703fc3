"""Where a run lies by default: in the work tree, and never where a link of the checkout leads."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skilldelta.edges.run_folder import default_folder, require_writable
from skilldelta.errors import CannotWrite

IDENTITY = "0123456789abcdef" * 4
NAME = IDENTITY[:12]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A work tree, with a folder beside it that is none of ours."""
    (tmp_path / "outside").mkdir()
    made = tmp_path / "root"
    made.mkdir()
    return made


def _everything(folder: Path) -> dict[str, str]:
    """Return every path below a folder with what stands there; links are not followed."""
    return {
        str(path.relative_to(folder)): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_the_folder_of_a_run_is_kept_out_of_git(root: Path) -> None:
    """The runs' folder is made with a file that keeps everything in it out of git; the run's own is made later."""
    assert default_folder(root, IDENTITY) == root / ".skilldelta/runs" / NAME
    assert _everything(root) == {".skilldelta/runs/.gitignore": "*\n"}


def test_what_is_there_already_is_left_alone(root: Path) -> None:
    """A second run finds folder and file as they are, and a file that says something else stays so."""
    default_folder(root, IDENTITY)
    (root / ".skilldelta/runs/.gitignore").write_text("/*\n")
    (root / ".skilldelta/runs" / NAME).mkdir()
    assert default_folder(root, IDENTITY) == root / ".skilldelta/runs" / NAME
    assert _everything(root) == {".skilldelta/runs/.gitignore": "/*\n"}


def test_a_work_tree_that_is_reached_by_a_link(root: Path, tmp_path: Path) -> None:
    """The root is trusted: that somebody reaches it by a link of their own is nothing to refuse."""
    (tmp_path / "link").symlink_to(root)
    assert default_folder(tmp_path / "link", IDENTITY) == tmp_path / "link/.skilldelta/runs" / NAME


def _link(path: str, target: str) -> Callable[[Path], None]:
    def made(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)

    return made


def _fifo(root: Path) -> None:
    (root / ".skilldelta/runs").mkdir(parents=True)
    os.mkfifo(root / ".skilldelta/runs/.gitignore")


def _file(root: Path) -> None:
    (root / ".skilldelta").write_text("mine\n")


@pytest.mark.parametrize(
    ("made", "place"),
    [
        (_link(".skilldelta/runs/.gitignore", "../../../outside/new"), ".skilldelta/runs/.gitignore"),
        (_link(".skilldelta/runs/.gitignore", "../../README"), ".skilldelta/runs/.gitignore"),
        (_link(".skilldelta/runs", ".."), ".skilldelta/runs"),
        (_link(".skilldelta/runs", "../../outside"), ".skilldelta/runs"),
        (_link(".skilldelta/runs", "nowhere"), ".skilldelta/runs"),
        (_link(".skilldelta", "../outside"), ".skilldelta"),
        (_link(f".skilldelta/runs/{NAME}", "../../../outside"), f".skilldelta/runs/{NAME}"),
        (_link(f".skilldelta/runs/{NAME}", "nowhere"), f".skilldelta/runs/{NAME}"),
        (_fifo, ".skilldelta/runs/.gitignore"),
        (_file, ".skilldelta"),
    ],
)
def test_no_link_of_the_checkout_is_followed(
    root: Path, tmp_path: Path, made: Callable[[Path], None], place: str
) -> None:
    """A link (or what is no file) where the run would lie is refused with its place, and nothing outside is written."""
    (root / "README").write_text("mine\n")
    made(root)
    before = _everything(tmp_path)
    with pytest.raises(CannotWrite, match="no folder for the run can be made here") as caught:
        default_folder(root, IDENTITY)
    assert str(root / place) in (caught.value.where or "")
    assert caught.value.fix == "name another with --out DIR"
    after = _everything(tmp_path)
    new = {path: after[path] for path in after if before.get(path) != after[path]}
    assert new.items() <= {"root/.skilldelta/runs/.gitignore": "*\n"}.items()


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Give up the superuser's rights for a while; somebody else has none to give up."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_folder_that_cannot_be_written() -> None:
    """A work tree without write permission is said to be that, with the way out; so is a folder that is named."""
    with tempfile.TemporaryDirectory() as everybody_s:
        root = Path(everybody_s) / "root"
        root.mkdir()
        root.chmod(0o555)
        Path(everybody_s).chmod(0o755)
        with as_nobody(), pytest.raises(CannotWrite, match="permission denied"):
            default_folder(root, IDENTITY)
        for named in (root, root / "deeper" / "still"):
            with as_nobody(), pytest.raises(CannotWrite, match="is not writable"):
                require_writable(named)
        root.chmod(0o000)
        with as_nobody(), pytest.raises(CannotWrite):
            require_writable(root / "deeper" / "still")
        root.chmod(0o755)


def test_a_bare_repository_has_its_runs_where_one_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a work tree the run lies below the folder from which the command was started; nothing is made yet."""
    monkeypatch.chdir(tmp_path)
    assert default_folder(None, IDENTITY) == tmp_path / "skilldelta-runs" / NAME
    assert list(tmp_path.iterdir()) == []
