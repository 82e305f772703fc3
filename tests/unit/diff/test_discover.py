"""The skills of one tree, read from real git objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import Commit, Executable, Files, Submodule, Symlink, Zeros, build, git, skill_text
from skilldelta.diff.discover import Discovery, ReadFiles, discover
from skilldelta.domain.config import DiscoverySettings
from skilldelta.domain.skill import Severity, Skill
from skilldelta.edges.git import GitRepository


def _discover(tmp_path: Path, files: Files, settings: DiscoverySettings | None = None) -> Discovery:
    build(tmp_path / "repo", [Commit(files=files)])
    return discover(GitRepository.open(tmp_path / "repo"), "main", settings or DiscoverySettings())


def _by_path(discovery: Discovery) -> dict[str, Skill]:
    return {skill.path: skill for skill in discovery.folders}


def _errors(skill: Skill) -> list[tuple[str, str]]:
    return [(finding.path, finding.message) for finding in skill.findings if finding.severity is Severity.ERROR]


def test_a_skill_is_read_with_everything_that_belongs_to_it(tmp_path: Path) -> None:
    """Name, description, body and entries come from the tree; `evals/` is not part of the skill, a file `evals` is."""
    files: Files = {
        "README.md": "",
        "skills/review/SKILL.md": skill_text("review"),
        "skills/review/scripts/run.sh": Executable("#!/bin/sh\n"),
        "skills/review/evals/evals.json": "[]",
        "skills/review/scripts/evals/x": "",
        "skills/reviews.md": "",
        "skills/review/evals.md": "",
        "skills/other/SKILL.md": skill_text("other"),
        "skills/other/evals": "a file",
    }
    other, skill = _discover(tmp_path, files).folders
    assert [entry.path for entry in other.entries] == ["skills/other/SKILL.md", "skills/other/evals"]
    assert (skill.skill_id, skill.path, skill.skill_file) == ("review", "skills/review", "skills/review/SKILL.md")
    assert (skill.description, skill.body_line) == ("Says how. Use when asked.", 5)
    assert skill.body.startswith("\n# How")
    assert [(entry.path, entry.mode) for entry in skill.entries] == [
        ("skills/review/SKILL.md", "100644"),
        ("skills/review/evals.md", "100644"),
        ("skills/review/scripts/evals/x", "100644"),
        ("skills/review/scripts/run.sh", "100755"),
    ]
    assert skill.findings == ()
    assert skill.readable


def test_the_hash_leaves_evals_out_and_knows_no_place(tmp_path: Path) -> None:
    """The same files elsewhere, with other evals, are the same skill."""
    files = {
        "skills/a/SKILL.md": skill_text("a"),
        ".claude/skills/a/SKILL.md": skill_text("a"),
        ".claude/skills/a/evals/evals.json": "[]",
    }
    discovery = _discover(tmp_path, files)
    assert len({skill.tree_hash for skill in discovery.folders}) == 1
    (skill,) = discovery.skills
    assert (skill.path, skill.copies) == ("skills/a", (".claude/skills/a",))


def test_a_repository_that_is_one_skill(tmp_path: Path) -> None:
    """The root's skill holds everything but git's, GitHub's and our own files, its evals, and skills of their own."""
    files: Files = {
        "SKILL.md": skill_text("whole"),
        "reference.md": "",
        "docs/more.md": "",
        "skills/README.md": "",
        "skills/inner/SKILL.md": skill_text("inner"),
        "skills/inner/x": "",
        ".github/workflows/ci.yml": "",
        ".skilldelta.yml": "",
        ".skilldelta/suites/whole/draft.yaml": "",
        ".gitignore": "",
        ".gitattributes": "",
        "evals/evals.json": "",
    }
    skills = _by_path(_discover(tmp_path, files))
    assert set(skills) == {".", "skills/inner"}
    assert skills["."].skill_id == "whole"
    assert {entry.path for entry in skills["."].entries} == {
        "SKILL.md",
        "reference.md",
        "docs/more.md",
        "skills/README.md",
    }
    assert len(skills["skills/inner"].entries) == 2


def test_a_skill_inside_a_skill_is_a_part_of_it_and_a_skill_of_its_own(tmp_path: Path) -> None:
    """An agent that is given the outer folder has the inner one's files too, so both skills hold them, in any depth."""
    files: Files = {
        "SKILL.md": skill_text("whole"),
        "skills/group/SKILL.md": skill_text("group"),
        "skills/group/a/SKILL.md": skill_text("a"),
        "skills/group/a/x.md": "",
        "skills/group/a/evals/evals.json": "[]",
        "skills/group/a/b/SKILL.md": skill_text("b"),
        "skills/group/assets/SKILL.md": "{{ name }}",
        "mine/SKILL.md": skill_text("mine"),
    }
    held = {
        path: [entry.path for entry in skill.entries] for path, skill in _by_path(_discover(tmp_path, files)).items()
    }
    inner = ["skills/group/a/b/SKILL.md"]
    middle = ["skills/group/a/SKILL.md", *inner, "skills/group/a/x.md"]
    evals, assets = "skills/group/a/evals/evals.json", "skills/group/assets/SKILL.md"
    assert held == {
        ".": ["SKILL.md", "mine/SKILL.md"],
        "mine": ["mine/SKILL.md"],
        "skills/group": ["skills/group/SKILL.md", *middle[:2], evals, middle[2], assets],
        "skills/group/a": middle,
        "skills/group/a/b": inner,
    }


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({"skills/a/x/link": Symlink("../../../etc")}, "skills/a/x/link", "is a symlink"),
        ({"skills/a/loop": Symlink("loop")}, "skills/a/loop", "is a symlink"),
        ({"skills/a/SKILL.md": Symlink("x.md"), "skills/a/x.md": skill_text("a")}, "skills/a/SKILL.md", "is a symlink"),
        ({"skills/a/module": Submodule()}, "skills/a/module", "is a submodule"),
        ({b"skills/a/caf\xe9.md": "x"}, "skills/a/caf\\xe9.md", "not UTF-8"),
        ({"skills/a/x\\..\\y": "x"}, "skills/a/x\\..\\y", "no agent's workspace may hold"),
        ({"skills/a/SKILL.md": Zeros(2 * 1024 * 1024)}, "skills/a/SKILL.md", "has 2,097,152 bytes"),
        ({"skills/a/SKILL.md": b"---\nname: a\ndescription: caf\xe9\n---\n"}, "skills/a/SKILL.md", "byte 0xe9"),
        ({"skills/a/SKILL.md": "# A\n"}, "skills/a/SKILL.md", "there is no frontmatter"),
    ],
    ids=["symlink", "loop", "linked SKILL.md", "submodule", "not UTF-8", "backslash", "huge", "latin-1", "plain"],
)
def test_a_skill_that_cannot_be_read_is_one_error_and_not_the_end(
    tmp_path: Path, files: Files, path: str, message: str
) -> None:
    """The fault is named on its file, the skill stays in the list, and its neighbour is read."""
    good = {"skills/a/SKILL.md": skill_text("a"), "skills/b/SKILL.md": skill_text("b")}
    skills = _by_path(_discover(tmp_path, {**good, **files}))
    assert skills["skills/b"].readable
    assert not skills["skills/a"].readable
    ((where, said),) = _errors(skills["skills/a"])
    assert where == path
    assert message in said
    assert skills["skills/a"].skill_id == "a"


def test_a_skill_in_a_folder_whose_name_is_not_utf8_is_refused_in_words(tmp_path: Path) -> None:
    """Its path is shown with escapes, and it is in the list with an error."""
    (skill,) = _discover(tmp_path, {b"skills/caf\xe9/SKILL.md": skill_text("cafe")}).folders
    assert skill.path == "skills/caf\\xe9"
    ((_, said),) = _errors(skill)
    assert "not UTF-8" in said


def test_a_name_that_climbs_out_is_refused(tmp_path: Path) -> None:
    """A tree that holds `..` or `.git`, which no ordinary git would write, makes its skill unreadable."""
    top = tmp_path / "repo"
    build(top, [Commit(files={"SKILL.md": skill_text("a")})])
    blob = bytes.fromhex(git(top, "rev-parse", "main:SKILL.md"))

    def tree(*entries: tuple[bytes, bytes]) -> bytes:
        (tmp_path / "tree").write_bytes(b"".join(name + b"\0" + oid for name, oid in entries))
        return bytes.fromhex(git(top, "hash-object", "-t", "tree", "-w", "--literally", str(tmp_path / "tree")))

    evil = tree((b"100644 evil", blob))
    skill_tree = tree((b"40000 ..", evil), (b"100644 .GIT", blob), (b"100644 SKILL.md", blob))
    whole = tree((b"40000 a", skill_tree))
    commit = git(top, "commit-tree", "-m", "x", whole.hex())
    (skill,) = discover(GitRepository.open(top), commit, DiscoverySettings()).folders
    assert [path for path, _ in _errors(skill)] == ["a/../evil", "a/.GIT"]


def test_many_links_are_counted_and_not_all_told(tmp_path: Path) -> None:
    """Beyond five faults of a skill's files the rest is a number."""
    files: Files = {"skills/a/SKILL.md": skill_text("a"), **{f"skills/a/l{n}": Symlink("x") for n in range(9)}}
    (skill,) = _discover(tmp_path, files).folders
    assert len(_errors(skill)) == 6
    assert _errors(skill)[-1][1] == "and 4 more such files in this skill"


def test_lower_case_and_double_spellings_are_warned_of(tmp_path: Path) -> None:
    """`skill.md` is read with a warning; beside SKILL.md it is a file like any other, with a warning."""
    files = {
        "skills/a/skill.md": skill_text("a"),
        "skills/b/SKILL.md": skill_text("b"),
        "skills/b/skill.md": "---\nname: other\n---\n",
    }
    skills = _by_path(_discover(tmp_path, files))
    assert skills["skills/a"].readable
    assert skills["skills/b"].name == "b"
    assert [finding.fix for finding in skills["skills/a"].findings] == ["rename it to SKILL.md"]
    assert [finding.fix for finding in skills["skills/b"].findings] == ["keep one of the two"]


def test_linked_skills_are_noted_and_not_read_twice(tmp_path: Path) -> None:
    """`.claude/skills/a` linked to `skills/a` is a note; the skill is there once, readable."""
    files: Files = {"skills/a/SKILL.md": skill_text("a"), ".claude/skills/a": Symlink("../../skills/a")}
    discovery = _discover(tmp_path, files)
    assert [skill.path for skill in discovery.folders] == ["skills/a"]
    assert discovery.folders[0].readable
    assert [(finding.path, finding.severity.value) for finding in discovery.findings] == [(".claude/skills/a", "note")]


def test_a_file_of_100_megabytes_in_a_skill_is_only_counted(tmp_path: Path) -> None:
    """Its size is known, its bytes are never read."""
    files: Files = {"skills/a/SKILL.md": skill_text("a"), "skills/a/big.bin": Zeros(100 * 1024 * 1024)}
    (skill,) = _discover(tmp_path, files).folders
    assert skill.readable
    assert max(entry.size for entry in skill.entries) == 100 * 1024 * 1024


def test_an_identical_file_is_parsed_once(tmp_path: Path) -> None:
    """What was read for one commit is not asked for again by the next."""
    first, second = build(
        tmp_path / "repo", [Commit(files={"skills/a/SKILL.md": skill_text("a")}), Commit(files={"x": ""})]
    )
    asked: list[str] = []

    class Counting(GitRepository):
        def blobs(self, oids, *, limit):  # type: ignore[no-untyped-def]  # a stand-in
            found = list(oids)
            asked.extend(found)
            return super().blobs(found, limit=limit)

    repository = GitRepository.open(tmp_path / "repo")
    counting = Counting(git_dir=repository.git_dir, root=repository.root)
    read: ReadFiles = {}
    one = discover(counting, first, DiscoverySettings(), read=read)
    two = discover(counting, second, DiscoverySettings(), read=read)
    assert one.folders == two.folders
    assert len(asked) == 1


def test_globs_decide_what_is_found(tmp_path: Path) -> None:
    """Includes replace the usual places and excludes take out."""
    files = {f"{folder}/SKILL.md": skill_text("x") for folder in ("skills/a", "docs/b", "docs/c")}
    settings = DiscoverySettings(include=("docs/*",), exclude=("docs/c",))
    assert [skill.path for skill in _discover(tmp_path, files, settings).folders] == ["docs/b"]


def test_an_empty_tree_holds_no_skills(tmp_path: Path) -> None:
    """No SKILL.md anywhere is an empty answer."""
    discovery = _discover(tmp_path, {"README.md": ""})
    assert (discovery.folders, discovery.skills, discovery.findings) == ((), (), ())
