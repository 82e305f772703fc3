"""Which skills differ between two commits, and as what."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import Commit, Executable, Files, Symlink, build, git, skill_text
from skilldelta.diff.changes import find_changes
from skilldelta.domain.config import DiscoverySettings
from skilldelta.domain.skill import Changes, Severity
from skilldelta.edges.git import GitRepository

A = skill_text("a")
B = skill_text("b", body="".join(f"Line {number} of b.\n" for number in range(40)))
HERE, THERE = "skills/a/SKILL.md", ".claude/skills/a/SKILL.md"


def _changes(tmp_path: Path, before: Files, after: Files, delete: tuple[str, ...] = ()) -> Changes:
    first, second = build(tmp_path / "repo", [Commit(files=before), Commit(files=after, delete=delete)])
    repository = GitRepository.open(tmp_path / "repo")
    return find_changes(repository, first, first, second, DiscoverySettings(), base_ref="main~1", head_ref="main")


def _told(changes: Changes) -> list[tuple[str, str, str, str | None]]:
    return [(change.kind.value, change.skill_id, change.path, change.renamed_from) for change in changes.changes]


def _files(changes: Changes) -> list[tuple[str, str]]:
    return [(file.path, file.kind) for change in changes.changes for file in change.files]


def _words(changes: Changes) -> str:
    candidates = [change.candidate for change in changes.changes if change.candidate]
    return "\n".join(finding.message for skill in candidates for finding in skill.findings)


# --- the kinds


def test_the_same_commit_twice_has_no_changes(tmp_path: Path) -> None:
    """Everything is unchanged, and the commits and refs are passed on."""
    (only,) = build(tmp_path / "repo", [Commit(files={"skills/a/SKILL.md": A, "skills/b/SKILL.md": B})])
    changes = find_changes(GitRepository.open(tmp_path / "repo"), only, only, only, DiscoverySettings())
    assert (changes.changes, changes.unchanged) == ((), 2)
    assert (changes.base_ref, changes.head_ref, changes.baseline_commit) == (only, only, only)


def test_added_deleted_and_modified_skills_are_told(tmp_path: Path) -> None:
    """Each kind once, sorted by path, with its files; an untouched skill is only counted."""
    before: Files = {
        "skills/a/SKILL.md": A,
        "skills/b/SKILL.md": B,
        "skills/b/x": "1",
        "skills/d/SKILL.md": skill_text("d"),
    }
    after: Files = {"skills/a/SKILL.md": A + "more\n", "skills/c/SKILL.md": skill_text("c"), "skills/c/y": "1"}
    changes = _changes(tmp_path, before, after, delete=("skills/b",))
    assert _told(changes) == [
        ("modified", "a", "skills/a", None),
        ("deleted", "b", "skills/b", None),
        ("added", "c", "skills/c", None),
    ]
    assert _files(changes) == [
        ("SKILL.md", "modified"),
        ("SKILL.md", "deleted"),
        ("x", "deleted"),
        ("SKILL.md", "added"),
        ("y", "added"),
    ]
    assert changes.unchanged == 1
    modified, deleted, added = changes.changes
    assert modified.baseline is not None
    assert modified.candidate is not None
    assert modified.candidate.body == modified.baseline.body + "more\n"
    assert (deleted.candidate, added.baseline) == (None, None)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"run": "1"}, {"run": "2"}, [("run", "modified")]),
        ({"run": "1"}, {"run": Executable("1")}, [("run", "mode")]),
        ({"run": "1"}, {"run": Executable("2")}, [("run", "modified")]),
        ({}, {"references/x.md": "1"}, [("references/x.md", "added")]),
        ({"run": "1"}, {"run": Symlink("x")}, [("run", "modified")]),
    ],
    ids=["script", "mode", "mode and content", "reference", "link"],
)
def test_a_change_in_any_bundled_file_is_a_change_of_the_skill(
    tmp_path: Path, before: Files, after: Files, expected: list[tuple[str, str]]
) -> None:
    """A script, a mode, a new reference: the skill is modified, and the file is named."""
    changes = _changes(
        tmp_path,
        {"skills/a/SKILL.md": A, **{f"skills/a/{path}": content for path, content in before.items()}},
        {f"skills/a/{path}": content for path, content in after.items()},
    )
    assert _told(changes) == [("modified", "a", "skills/a", None)]
    assert _files(changes) == expected


def test_a_change_under_evals_or_beside_the_skills_is_none(tmp_path: Path) -> None:
    """Neither a skill's tests nor other files of the repository are part of a skill."""
    before: Files = {"skills/a/SKILL.md": A, "skills/a/evals/evals.json": "[]", "README.md": "1"}
    changes = _changes(tmp_path, before, {"skills/a/evals/evals.json": "[1]", "README.md": "2", "skills/x.md": ""})
    assert (changes.changes, changes.unchanged) == ((), 1)


# --- renames


def test_a_moved_skill_is_the_same_skill(tmp_path: Path) -> None:
    """Another path with the same content is a move without files."""
    before, after = ({f"{top}/a/SKILL.md": A, f"{top}/a/x": "1"} for top in ("skills", "tools/skills"))
    changes = _changes(tmp_path, before, after, delete=("skills",))
    assert _told(changes) == [("moved", "a", "tools/skills/a", "skills/a")]
    assert _files(changes) == []


def test_a_skill_moved_and_edited_keeps_its_baseline(tmp_path: Path) -> None:
    """The same name at another path is the same skill, modified."""
    changes = _changes(
        tmp_path, {"skills/a/SKILL.md": A}, {".claude/skills/a/SKILL.md": A + "more\n"}, delete=("skills",)
    )
    assert _told(changes) == [("modified", "a", ".claude/skills/a", "skills/a")]


def test_a_skill_moved_and_rewritten_is_known_by_its_name(tmp_path: Path) -> None:
    """Not a line in common: the name alone makes it the same skill."""
    rewritten = "---\nname: b\ndescription: Quite another text.\n---\n" + "Other words.\n" * 30
    changes = _changes(tmp_path, {"skills/b/SKILL.md": B}, {"x/skills/b/SKILL.md": rewritten}, delete=("skills",))
    assert _told(changes) == [("modified", "b", "x/skills/b", "skills/b")]


def test_one_of_several_skills_of_a_name_is_followed_under_the_id_it_had(tmp_path: Path) -> None:
    """The one that moved and was rewritten is not taken for the one that stayed."""
    other = skill_text("a", body="Quite another text.\n" * 20)
    rewritten = "---\nname: a\ndescription: New.\n---\n" + "Other words.\n" * 30
    changes = _changes(
        tmp_path, {HERE: A, "p/skills/a/SKILL.md": other}, {"q/skills/a/SKILL.md": rewritten}, delete=("p",)
    )
    assert _told(changes) == [("modified", "p.skills.a", "q/skills/a", "p/skills/a")]
    assert changes.unchanged == 1


def test_skills_of_one_name_that_move_are_told_apart_by_their_content(tmp_path: Path) -> None:
    """The content decides before the name: both moved, neither is modified."""
    other = skill_text("a", body="Quite another text.\n" * 20)
    before = {"p/skills/a/SKILL.md": A, "q/skills/a/SKILL.md": other}
    changes = _changes(tmp_path, before, {"r/skills/a/SKILL.md": other, "s/skills/a/SKILL.md": A}, delete=("p", "q"))
    assert _told(changes) == [
        ("moved", "q.skills.a", "r/skills/a", "q/skills/a"),
        ("moved", "a", "s/skills/a", "p/skills/a"),
    ]


def test_a_skill_renamed_and_edited_is_followed_by_git_s_opinion(tmp_path: Path) -> None:
    """Another name, another folder, nearly the same text: the id stays, and a warning says what comes."""
    renamed = B.replace("name: b", "name: better")
    changes = _changes(tmp_path, {"skills/b/SKILL.md": B}, {"skills/better/SKILL.md": renamed}, delete=("skills/b",))
    assert _told(changes) == [("modified", "b", "skills/better", "skills/b")]
    assert "the skill's id becomes 'better'" in _words(changes)


def test_a_skill_replaced_by_another_is_deleted_and_added(tmp_path: Path) -> None:
    """Nothing in common: two changes."""
    after = {"skills/c/SKILL.md": "---\nname: c\ndescription: Quite another thing.\n---\n" + "Other words.\n" * 30}
    changes = _changes(tmp_path, {"skills/b/SKILL.md": B}, after, delete=("skills/b",))
    assert [kind for kind, *_ in _told(changes)] == ["deleted", "added"]


def test_the_path_decides_before_everything_else(tmp_path: Path) -> None:
    """Two skills that swap their contents are two modified skills, each with the id its place had."""
    changes = _changes(
        tmp_path,
        {"skills/a/SKILL.md": A, "skills/b/SKILL.md": B},
        {"skills/a/SKILL.md": B, "skills/b/SKILL.md": A},
    )
    assert _told(changes) == [("modified", "a", "skills/a", None), ("modified", "b", "skills/b", None)]


def test_a_renamed_name_in_place_keeps_the_id_for_this_comparison(tmp_path: Path) -> None:
    """The suite is found under the base's id; what happens after the merge is a warning."""
    changes = _changes(tmp_path, {"skills/a/SKILL.md": A}, {"skills/a/SKILL.md": skill_text("z")})
    assert _told(changes) == [("modified", "a", "skills/a", None)]
    assert "the skill's id becomes 'z'" in _words(changes)


def test_a_spelling_mended_is_a_change_of_the_same_skill(tmp_path: Path) -> None:
    """skill.md renamed to SKILL.md stays where it is."""
    changes = _changes(tmp_path, {"skills/a/skill.md": A}, {"skills/a/SKILL.md": A}, delete=("skills/a/skill.md",))
    assert _told(changes) == [("modified", "a", "skills/a", None)]


def test_git_is_asked_for_renames_only_when_something_is_left_over(tmp_path: Path) -> None:
    """Edits, additions and moves need no look at similarity."""
    before: Files = {"skills/a/SKILL.md": A, "skills/b/SKILL.md": B}
    after: Files = {"skills/a/SKILL.md": A + "x", "x/skills/b/SKILL.md": B, "skills/c/SKILL.md": skill_text("c")}
    first, second = build(tmp_path / "repo", [Commit(files=before), Commit(files=after, delete=("skills/b",))])

    class NotAsked(GitRepository):
        def renamed_files(self, base: str, head: str, paths: object) -> tuple[tuple[str, str], ...]:
            raise AssertionError((base, head, paths))

    repository = GitRepository.open(tmp_path / "repo")
    repository = NotAsked(git_dir=repository.git_dir, root=repository.root)
    assert len(find_changes(repository, first, first, second, DiscoverySettings()).changes) == 3


# --- copies and doubles


def test_copies_changed_alike_are_one_change(tmp_path: Path) -> None:
    """The same edit in every copy is measured once; the others are named."""
    changes = _changes(tmp_path, {HERE: A, THERE: A}, {HERE: A + "x", THERE: A + "x"})
    assert _told(changes) == [("modified", "a", "skills/a", None)]
    assert changes.changes[0].candidate is not None
    assert changes.changes[0].candidate.copies == (".claude/skills/a",)


@pytest.mark.parametrize(("edited", "left"), [(HERE, ".claude/skills/a"), (THERE, "skills/a")])
def test_a_copy_changed_alone_is_measured_under_the_id_it_had(tmp_path: Path, edited: str, left: str) -> None:
    """Editing one of two copies does not get around the suite, and the copy left behind is told."""
    changes = _changes(tmp_path, {HERE: A, THERE: A}, {edited: A + "x"})
    assert _told(changes) == [("modified", "a", edited.removesuffix("/SKILL.md"), None)]
    assert f"copies of this skill in {left} were not changed along" in _words(changes)
    assert changes.unchanged == 1


def test_copies_changed_apart_are_two_changes_with_two_ids(tmp_path: Path) -> None:
    """The original keeps the id; the other gets one by its path, and a warning."""
    changes = _changes(tmp_path, {HERE: A, THERE: A}, {HERE: A + "x", THERE: A + "y"})
    assert [(skill_id, path) for _, skill_id, path, _ in _told(changes)] == [
        ("claude.skills.a", ".claude/skills/a"),
        ("a", "skills/a"),
    ]
    assert "holds another skill called 'a'" in _words(changes)


def test_a_new_copy_is_not_a_new_skill(tmp_path: Path) -> None:
    """The same content in one more place is a note, not something to measure; a copy removed neither."""
    changes = _changes(tmp_path, {HERE: A}, {THERE: A})
    assert (changes.changes, changes.unchanged) == ((), 1)
    assert [(finding.severity, finding.path) for finding in changes.findings] == [(Severity.NOTE, ".claude/skills/a")]
    (tmp_path / "back").mkdir()
    changes = _changes(tmp_path / "back", {HERE: A, THERE: A}, {}, delete=(".claude",))
    assert (changes.changes, changes.unchanged) == ((), 1)
    assert "no longer there" in changes.findings[0].message


def test_a_new_skill_cannot_take_the_id_of_one_that_is_there(tmp_path: Path) -> None:
    """A skill added with a taken name gets an id by its path, also where it comes first in the order of places."""
    changes = _changes(tmp_path, {THERE: A}, {HERE: B.replace("name: b", "name: a")})
    assert _told(changes) == [("added", "skills.a", "skills/a", None)]
    assert ".claude/skills/a holds another skill called 'a'" in _words(changes)


def test_several_added_copies_are_one_new_skill(tmp_path: Path) -> None:
    """One addition, its copies named."""
    changes = _changes(tmp_path, {"x": "1"}, {HERE: A, THERE: A, "plugins/p/skills/a/SKILL.md": A})
    assert _told(changes) == [("added", "a", "skills/a", None)]
    assert changes.changes[0].candidate is not None
    assert changes.changes[0].candidate.copies == (".claude/skills/a", "plugins/p/skills/a")


def test_all_copies_deleted_is_one_deletion(tmp_path: Path) -> None:
    """One deletion, its copies named."""
    changes = _changes(tmp_path, {HERE: A, THERE: A}, {}, delete=("skills", ".claude"))
    assert _told(changes) == [("deleted", "a", "skills/a", None)]
    assert changes.changes[0].baseline is not None
    assert changes.changes[0].baseline.copies == (".claude/skills/a",)


def test_ids_of_one_answer_never_meet(tmp_path: Path) -> None:
    """However names and copies are shuffled, no two changes have the same id."""
    before: Files = {HERE: A, THERE: A, "skills/b/SKILL.md": B, "p/skills/b/SKILL.md": skill_text("b")}
    after: Files = {
        HERE: B,
        THERE: B + "x",
        "skills/b/SKILL.md": A,
        "p/skills/b/SKILL.md": A + "y",
        "q/skills/a/SKILL.md": skill_text("a", body="new"),
        "q/skills/b/SKILL.md": skill_text("b", body="new"),
    }
    changes = _changes(tmp_path, before, after)
    assert len(changes.changes) == 6
    assert len({change.skill_id for change in changes.changes}) == 6


# --- findings


def test_what_is_wrong_with_unchanged_skills_blocks_nobody(tmp_path: Path) -> None:
    """An unreadable skill that was not touched is a warning of the whole; a changed one has its own error."""
    before: Files = {"skills/bad/SKILL.md": "# none\n", "skills/worse/SKILL.md": "# none\n", "skills/a/SKILL.md": A}
    changes = _changes(tmp_path, before, {"skills/worse/SKILL.md": "# still none\n"})
    assert [(finding.severity, finding.path) for finding in changes.findings] == [
        (Severity.WARNING, "skills/bad/SKILL.md")
    ]
    (change,) = changes.changes
    assert change.candidate is not None
    assert not change.candidate.readable


def test_only_changed_skills_are_taken_apart(tmp_path: Path) -> None:
    """Headings and links of a changed skill are there, and its dead link is a warning on the right line."""
    after = {"skills/a/SKILL.md": A + "\nSee [this](references/none.md).\n"}
    changes = _changes(tmp_path, {"skills/a/SKILL.md": A, "skills/b/SKILL.md": B + "[dead](x.md)\n"}, after)
    candidate = changes.changes[0].candidate
    assert candidate is not None
    assert candidate.headings == ("How",)
    assert [(finding.line, finding.path) for finding in candidate.findings] == [(10, "skills/a/SKILL.md")]
    assert changes.findings == ()


# --- commits


def test_a_tested_merge_commit_is_compared_with_its_base_side(tmp_path: Path) -> None:
    """With the merge's first parent as baseline only the branch's own change is told."""
    ids = build(
        tmp_path / "repo",
        [
            Commit(files={"skills/a/SKILL.md": A, "skills/b/SKILL.md": B}),
            Commit(files={"skills/a/SKILL.md": A + "topic\n"}, branch="topic", parents=[0]),
            Commit(files={"skills/b/SKILL.md": B + "base\n"}),
            Commit(files={"skills/a/SKILL.md": A + "topic\n"}, branch="merge", parents=[2, 1]),
        ],
    )
    repository = GitRepository.open(tmp_path / "repo")
    baseline = repository.parents(ids[3])[0]
    changes = find_changes(repository, baseline, baseline, ids[3], DiscoverySettings())
    assert _told(changes) == [("modified", "a", "skills/a", None)]


def test_a_repository_of_sha256_objects_has_the_same_changes(tmp_path: Path) -> None:
    """Ids of 64 digits change nothing but the hashes."""
    commits = [Commit(files={HERE: A}), Commit(files={HERE: A + "x"})]
    first, second = build(tmp_path / "repo", commits, object_format="sha256")
    changes = find_changes(GitRepository.open(tmp_path / "repo"), first, first, second, DiscoverySettings())
    assert _told(changes) == [("modified", "a", "skills/a", None)]
    assert git(tmp_path / "repo", "rev-parse", "--show-object-format") == "sha256"
