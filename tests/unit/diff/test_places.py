"""Which folders are skills."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.diff.places import links_to_skills, skill_places
from skilldelta.domain.config import DiscoverySettings
from skilldelta.domain.skill import TreeEntry


def _entry(path: str, mode: str = "100644") -> TreeEntry:
    return TreeEntry.model_validate({"path": path, "mode": mode, "oid": "0" * 40, "size": 0})


def _folders(*paths: str, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> list[str]:
    settings = DiscoverySettings(include=include, exclude=exclude)
    return [place.folder for place in skill_places([_entry(path) for path in paths], settings)]


@pytest.mark.parametrize(
    "folder",
    [
        "skills/a",
        ".claude/skills/a",
        ".agents/skills/a",
        ".github/skills/a",
        ".codex/skills/a",
        "plugins/p/skills/a",
        "packages/x/.claude/skills/a",
        "skills/group/deeper/a",
        "skills/.system/a",
        "my-skill",
        "skills/vendor",
        "skills/ü",
    ],
)
def test_skills_are_found_wherever_they_live(folder: str) -> None:
    """Every layout of the wild is found without any configuration."""
    assert _folders(f"{folder}/SKILL.md") == [folder]


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/x/skills/a/SKILL.md",
        "vendor/skills/a/SKILL.md",
        "skills/vendor/a/SKILL.md",
        ".git-something/skills/a/SKILL.md",
        ".gitlab/skills/a/SKILL.md",
        "skills/template/SKILL.md",
        "templates/skills/a/SKILL.md",
        "template/SKILL.md",
        ".skilldelta/suites/a/fixtures/skills/b/SKILL.md",
        "docs/a/SKILL.md",
        ".hidden/SKILL.md",
        "/".join(["skills"] * 70) + "/SKILL.md",
        "skills/a/MY-SKILL.md",
    ],
)
def test_what_is_not_a_skill_of_this_repository_is_left_alone(path: str) -> None:
    """Dependencies, templates, git's folders, our suites and stray files are no skills."""
    assert _folders(path) == []


def test_a_skill_inside_a_skill_is_a_skill_of_its_own() -> None:
    """A SKILL.md above or below another one hides nothing."""
    assert _folders("skills/a/SKILL.md", "skills/a/b/c/SKILL.md", "skills/ab/SKILL.md") == [
        "skills/a",
        "skills/a/b/c",
        "skills/ab",
    ]


@pytest.mark.parametrize("name", ["scripts", "references", "assets", "resources", "examples", "evals", "fixtures"])
def test_material_of_a_skill_is_no_skill(name: str) -> None:
    """A SKILL.md among a skill's examples or resources is one of its files; a skill may have such a name."""
    assert _folders(f"skills/a/{name}/SKILL.md", f"skills/a/b/{name}/c/SKILL.md", f"{name}/SKILL.md") == []
    assert _folders(f"skills/{name}/SKILL.md", f"skills/{name}/a/SKILL.md", f"{name}/skills/b/SKILL.md") == sorted(
        [f"skills/{name}", f"skills/{name}/a", f"{name}/skills/b"]
    )
    assert _folders(f"skills/a/{name}/c/SKILL.md", include=(f"skills/a/{name}/*",)) == [f"skills/a/{name}/c"]


_NAMES = st.sampled_from(["skills", "a", "b", ".claude", "examples", "vendor", "plugins", "docs"])
_PATHS = st.lists(_NAMES, max_size=4).map(lambda folders: "/".join([*folders, "SKILL.md"]))


@given(st.lists(_PATHS, unique=True, max_size=8), st.sampled_from([(), ("skills/a",), ("**/b",), ("a/*",)]))
def test_no_skill_depends_on_another(paths: list[str], exclude: tuple[str, ...]) -> None:
    """Whether a folder is a skill is the same whatever other SKILL.md files the tree holds."""
    alone = [folder for path in paths for folder in _folders(path, exclude=exclude)]
    assert _folders(*paths, exclude=exclude) == sorted(alone)


def test_a_repository_that_is_a_skill_hides_none() -> None:
    """A SKILL.md at the root takes no skill away, neither from the usual places nor from others."""
    paths = ("SKILL.md", "skills/a/SKILL.md", ".claude/skills/b/SKILL.md", "plugins/p/skills/c/SKILL.md")
    assert _folders(*paths, "examples/SKILL.md", "docs/skills/d/SKILL.md", "mine/SKILL.md") == [
        ".",
        ".claude/skills/b",
        "docs/skills/d",
        "mine",
        "plugins/p/skills/c",
        "skills/a",
    ]


def test_a_skills_folder_with_a_skill_of_its_own_hides_nothing() -> None:
    """`skills/SKILL.md` is a skill beside those below it."""
    assert _folders("skills/SKILL.md", "skills/a/SKILL.md") == ["skills", "skills/a"]


def test_includes_replace_the_usual_places() -> None:
    """With includes only what they name is a skill: by its folder, by a folder above, or by its SKILL.md."""
    paths = ("skills/a/SKILL.md", "docs/b/SKILL.md", "docs/c/d/SKILL.md", "e/SKILL.md")
    assert _folders(*paths, include=("docs/*",)) == ["docs/b", "docs/c/d"]
    assert _folders(*paths, include=("*/SKILL.md",)) == ["e"]
    assert _folders(*paths, include=("docs/b", "**/a")) == ["docs/b", "skills/a"]


def test_a_template_is_a_skill_when_it_is_included_by_name() -> None:
    """A wildcard does not reach into templates or dependencies; their name does."""
    paths = ("skills/template/SKILL.md", "node_modules/x/SKILL.md", "skills/a/SKILL.md")
    assert _folders(*paths, include=("**",)) == ["skills/a"]
    assert _folders(*paths, include=("skills/template", "skills/*")) == ["skills/a", "skills/template"]
    assert _folders(*paths, include=("node_modules/*",)) == ["node_modules/x"]


def test_excludes_are_taken_out_last() -> None:
    """What is excluded is no skill, also when it is included; a folder takes those below it along."""
    paths = ("skills/a/SKILL.md", "skills/b/SKILL.md", "skills/b/c/SKILL.md")
    assert _folders(*paths, exclude=("skills/b",)) == ["skills/a"]
    assert _folders(*paths, include=("skills",), exclude=("skills/*/SKILL.md",)) == ["skills/b/c"]
    assert _folders(*paths, exclude=("**",)) == []


def test_the_right_spelling_wins() -> None:
    """SKILL.md is the skill's file when a folder holds other spellings too; alone, any spelling is."""
    places = skill_places([_entry("skills/a/skill.md"), _entry("skills/a/SKILL.md")], DiscoverySettings())
    assert [(place.skill_file.path, place.also) for place in places] == [("skills/a/SKILL.md", ("skills/a/skill.md",))]
    assert _folders("skills/b/Skill.md") == ["skills/b"]


def test_links_where_skills_live_are_noted() -> None:
    """A linked skill, a linked skills folder and a submodule get a note; links inside skills are not told here."""
    entries = [
        _entry("skills/a/SKILL.md"),
        _entry("skills/a/link", "120000"),
        _entry(".claude/skills", "120000"),
        _entry(".agents/skills/a", "120000"),
        _entry("skills/module", "160000"),
        _entry("docs/link", "120000"),
    ]
    notes = links_to_skills(entries, skill_places(entries, DiscoverySettings()))
    assert {(note.path, note.message.split(";")[0], note.severity.value) for note in notes} == {
        (".claude/skills", "a symlink", "note"),
        (".agents/skills/a", "a symlink", "note"),
        ("skills/module", "a submodule", "note"),
    }
