"""What an arm is given of a skill."""

from __future__ import annotations

from pathlib import Path

from repositories import Commit, Executable, Files, Zeros, build, skill_text
from skilldelta.diff.bundle import bundle
from skilldelta.diff.discover import discover
from skilldelta.domain.config import DiscoverySettings
from skilldelta.domain.skill import SkillBundle
from skilldelta.edges.git import GitRepository


def _bundle(tmp_path: Path, files: Files) -> SkillBundle:
    build(tmp_path / "repo", [Commit(files=files)])
    repository = GitRepository.open(tmp_path / "repo")
    skill, *_ = discover(repository, "main", DiscoverySettings()).folders
    made = bundle(repository, skill)
    assert made.tree_hash == skill.tree_hash
    return made


def test_files_come_beside_the_text_without_the_skill_file(tmp_path: Path) -> None:
    """Sorted by path within the skill, those of a skill inside it too; SKILL.md and evals are not among them."""
    files: Files = {
        "skills/a/SKILL.md": skill_text("a"),
        "skills/a/z.md": "ü\r\n",
        "skills/a/b/run.sh": Executable("#!/bin/sh\n"),
        "skills/a/evals/evals.json": "[]",
        "skills/a/b/SKILL.md": "inner",
    }
    made = _bundle(tmp_path, files)
    assert (made.name, made.description) == ("a", "Says how. Use when asked.")
    assert [(file.path, file.size, file.text) for file in made.files] == [
        ("b/SKILL.md", 5, "inner"),
        ("b/run.sh", 10, "#!/bin/sh\n"),
        ("z.md", 4, "ü\r\n"),
    ]


def test_what_is_not_text_or_too_large_has_no_text(tmp_path: Path) -> None:
    """A NUL, other bytes than UTF-8 and more than 256 KiB are listed with their size alone."""
    files: Files = {
        "skills/a/SKILL.md": skill_text("a"),
        "skills/a/latin": b"caf\xe9",
        "skills/a/nul": b"a\0b",
        "skills/a/big": Zeros(100 * 1024 * 1024),
        "skills/a/just": "x" * 256 * 1024,
        "skills/a/over": "x" * (256 * 1024 + 1),
    }
    texts = {file.path: file.text is not None for file in _bundle(tmp_path, files).files}
    assert texts == {"latin": False, "nul": False, "big": False, "just": True, "over": False}


def test_no_more_than_four_megabytes_are_taken_in_all(tmp_path: Path) -> None:
    """Files are taken in the order of their paths while there is room, small ones also after one that did not fit."""
    files = {f"skills/a/f{number:02}": f"{number:02}" * 100_000 for number in range(30)}
    made = _bundle(tmp_path, {"skills/a/SKILL.md": skill_text("a"), **files, "skills/a/z": "small"})
    with_text = [file.path for file in made.files if file.text is not None]
    assert with_text == [*(f"f{number:02}" for number in range(20)), "z"]
    assert len(made.files) == 31


def test_a_root_skill_is_bundled_from_the_root(tmp_path: Path) -> None:
    """Paths of a skill that is the repository are those of the repository."""
    made = _bundle(tmp_path, {"SKILL.md": skill_text("a"), "references/x.md": "x"})
    assert [file.path for file in made.files] == ["references/x.md"]
