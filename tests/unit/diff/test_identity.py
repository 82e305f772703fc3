"""Ids of skills."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from skilldelta.diff.identity import distinct, path_id, preferred_id
from skilldelta.domain.skill import Skill


def _skill(path: str, name: str = "review", tree: str = "0", **more: Any) -> Skill:
    fields = {"skill_id": "", "path": path, "skill_file": f"{path}/SKILL.md", "name": name, "description": "d"}
    return Skill.model_validate({**fields, "body": "", "tree_hash": tree, "entries": (), **more})


@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        ("review", "skills/x", "review"),
        ("Pdf_1.2", "skills/x", "Pdf_1.2"),
        ("代码审查", "skills/x", "代码审查"),
        ("हिन्दी", "skills/x", "हिन्दी"),
        ("cafe\u0301", "skills/x", "café"),
        ("a b", "skills/x", "x"),
        ("../evil", "skills/x", "x"),
        ("-rf", "skills/x", "x"),
        (".hidden", "skills/x", "x"),
        ("a/b", "skills/x y", "x-y"),
        ("a\0b", "skills/..x", "x"),
        ("x" * 300, "skills/x", "x"),
        ("a b", ".", "a-b"),
        ("///", ".", "skill"),
    ],
)
def test_the_id_is_the_name_where_that_is_safe(name: str, folder: str, expected: str) -> None:
    """A name that could not be a folder's is replaced by the folder's own, made safe."""
    assert preferred_id(_skill(folder, name)) == expected


def test_identical_copies_are_one_skill() -> None:
    """The original comes from the first of the usual places; its copies are named."""
    (skill,) = distinct(
        [_skill(path) for path in (".claude/skills/review", "plugins/a/skills/review", "skills/review")]
    )
    assert (skill.path, skill.skill_id) == ("skills/review", "review")
    assert skill.copies == (".claude/skills/review", "plugins/a/skills/review")
    assert skill.findings == ()


def test_different_skills_of_one_name_get_ids_by_their_paths_and_a_warning() -> None:
    """The first keeps the plain id; the others' ids tell where they stand, whatever order they were found in."""
    skills = [
        _skill("plugins/a/skills/review", tree="1"),
        _skill("skills/review", tree="2"),
        _skill(".claude/skills/review", tree="3"),
    ]
    for order in itertools.permutations(skills):
        found = {skill.path: skill for skill in distinct(order)}
        assert {path: skill.skill_id for path, skill in found.items()} == {
            "skills/review": "review",
            ".claude/skills/review": "claude.skills.review",
            "plugins/a/skills/review": "plugins.a.skills.review",
        }
        assert found["skills/review"].findings == ()
        (warning,) = found["plugins/a/skills/review"].findings
        assert "skills/review holds another skill called 'review'" in warning.message


def test_a_further_skill_never_changes_the_ids_before_it() -> None:
    """Whatever comes later in the order of places leaves the ids of the earlier ones as they were."""
    paths = ["skills/a", "skills/b", ".claude/skills/a", ".agents/skills/a", "plugins/x/skills/a", "z"]
    before: dict[str, str] = {}
    for count in range(1, len(paths) + 1):
        now = {s.path: s.skill_id for s in distinct(_skill(p, "a", tree=str(n)) for n, p in enumerate(paths[:count]))}
        assert before.items() <= now.items()
        assert len(set(now.values())) == count
        before = now


def test_ids_that_differ_only_in_case_are_not_both_given() -> None:
    """On a file system that ignores case two suites' folders must not meet."""
    ids = [skill.skill_id for skill in distinct([_skill("skills/A", "A", "1"), _skill("skills/a", "a", "2")])]
    assert ids == ["A", "skills.a"]


def test_two_paths_that_read_the_same_as_ids_stay_apart() -> None:
    """`.claude/skills/a` and `claude/skills/a` end in different ids."""
    paths = ("skills/a", ".claude/skills/a", "claude/skills/a", "claude.skills/a")
    ids = [skill.skill_id for skill in distinct(_skill(path, "a", tree=path) for path in paths)]
    assert len({skill_id.casefold() for skill_id in ids}) == len(paths)
    assert path_id(".") == "skill"
