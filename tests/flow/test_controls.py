"""What a skill is compared with instead of what it was: nothing, a sham of it, itself without a part."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, Asked, Bench, frozen, skill, suite_text
from repositories import skill_text

BODY = f"# How\n\nDo it the {NEW}.\n\n## Numbers\n\nAlways round to 41.5 and say SENTINEL-SECTION.\n"
SKILL = {
    "skills/a/SKILL.md": skill_text("a", body=BODY),
    "skills/a/references/more.md": "SENTINEL-FILE stands here.\n",
}
BASE = {**SKILL, ".skilldelta.yml": CONFIG, **frozen(suite_text())}
LISTED = "runner: {model: test}\njudge: {model: judge}\n"
SAME: dict[str, Any] = {"base": "main", "head": "main"}


def _one(report: dict[str, Any]) -> dict[str, Any]:
    (one,) = report["skills"]
    found: dict[str, Any] = one
    return found


def _systems(bench: Bench) -> set[str]:
    return {"".join(block["text"] for block in asked.body.get("system", ())) for asked in bench.server.asked}


@pytest.fixture
def ready(bench: Bench) -> Bench:
    """One skill with a section and a file, unchanged, and a suite of twelve tasks."""
    bench.two({"readme.md": "x"}, BASE)
    return bench


def test_a_sham_has_the_shape_and_not_the_content(ready: Bench) -> None:
    """An unchanged skill that is named is compared with neutral words of the same shape under its name."""
    ready.server.script = lambda asked: "yes" if asked.arm == "candidate" else "no"
    report = ready.compare("--skill", "a", "--against", "sham", **SAME)
    one = _one(report)
    assert (one["reference"], one["verdict"], one["kind"]) == ("sham", "improved", "unchanged")
    assert report["sentence"].startswith("improved: a does better than a sham of the same shape on these 12 tasks")
    assert "0 % with the sham → 100 %" in report["sentence"]
    real, sham = sorted(_systems(ready), key=lambda text: NEW not in text)
    assert len(real) == len(sham)
    assert real.count("\n") == sham.count("\n")
    for word in (NEW, "SENTINEL", "round", "41.5", "Always"):
        assert word in real
        assert word not in sham
    assert "name: a\n" in sham
    assert "Says how." in sham


def test_a_section_can_be_left_out(ready: Bench) -> None:
    """The reference is the same skill without the section: what it adds is what is measured."""
    ready.server.script = lambda asked: "yes" if "SENTINEL-SECTION" in str(asked.body) else "no"
    report = ready.compare("--skill", "a", "--without", "#Numbers", **SAME)
    one = _one(report)
    assert (one["reference"], one["without"], one["verdict"]) == ("ablation", "#Numbers", "improved")
    assert "does better than without #Numbers" in report["sentence"]
    assert "ablation" in (ready.out / "report.md").read_text() or "without" in (ready.out / "report.md").read_text()


def test_a_file_can_be_left_out(bench: Bench) -> None:
    """A bundled file that is taken away is not offered: an arm of its own, with a tree hash of its own."""
    bench.two({"readme.md": "x"}, {**BASE, ".skilldelta.yml": LISTED})
    one = _one(bench.compare("--skill", "a", "--without", "references/more.md", "--rounds", "2", **SAME))
    assert (one["without"], one["reference"]) == ("references/more.md", "ablation")
    (planned,) = json.loads((bench.out / "plan.json").read_text())["skills"]
    assert planned["reference_tree"] not in (None, planned["candidate_tree"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--skill", "a", "--without", "#Number"), "#Numbers"),
        (("--skill", "a", "--without", "references/mor.md"), "references/more.md"),
        (("--without", "#Numbers"), "name the skill with --skill NAME"),
        (("--skill", "a", "--without", "#Numbers", "--against", "sham"), "--without: names another reference than"),
        (("--skill", "b", "--against", "sham"), "no skill is called 'b'"),
    ],
)
def test_what_is_not_there_is_named(ready: Bench, arguments: tuple[str, ...], said: str) -> None:
    """A part or a skill that is not there is an error that says what there is."""
    assert said in ready.refused(*arguments, base="main", head="main")


def test_no_skill_at_all(ready: Bench) -> None:
    """Does the skill help? An unchanged one that is named is compared with none."""
    ready.server.script = lambda asked: "yes" if asked.arm == "candidate" else "no"
    report = ready.compare("--skill", "a", "--against", "control", **SAME)
    assert (_one(report)["reference"], _one(report)["verdict"]) == ("control", "improved")
    assert "better than no skill at all" in report["sentence"]
    assert any("name: a" not in text for text in _systems(ready))


def test_an_unchanged_skill_that_nobody_asked_for_is_not_run(ready: Bench) -> None:
    """Against the base there is nothing to compare an unchanged skill with."""
    report = ready.compare("--skill", "a", **SAME)
    assert (report["skills"], report["sentence"]) == ([], "No skill changed: there is nothing to compare.")


def test_only_what_is_compared_with_a_control_needs_no_change(bench: Bench) -> None:
    """Of two unchanged skills that are named, the one that has a control is run, and of the other nothing is said."""
    suites = {**frozen(suite_text("a"), "a"), **frozen(suite_text("b"), "b")}
    config = f"{CONFIG}skills: {{a: {{design: {{against: control}}}}}}\n"
    bench.two({"readme.md": "x"}, {**skill(OLD, "a"), **skill(OLD, "b"), ".skilldelta.yml": config, **suites})
    report = bench.compare("--skill", "a", "--skill", "b", **SAME)
    assert [one["skill_id"] for one in report["skills"]] == ["a"]
    assert report["left_out"] == []


def test_a_changed_skill_against_its_sham(bench: Bench) -> None:
    """The candidate is the head's, and so is its sham."""
    bench.two({**skill(OLD), ".skilldelta.yml": CONFIG, **frozen(suite_text())}, skill(NEW))

    def script(asked: Asked) -> str:
        return "yes" if asked.arm == "candidate" else "no"

    bench.server.script = script
    assert _one(bench.compare("--against", "sham"))["verdict"] == "improved"
    assert bench.server.arms()["baseline"] == 0


def test_a_new_skill_against_its_sham(bench: Bench) -> None:
    """It is compared with what was asked for, and not said to be compared with no skill at all."""
    law = {".skilldelta.yml": CONFIG, **frozen(suite_text())}
    bench.two({"readme.md": "x"}, {**SKILL, **law})
    one = _one(bench.compare("--against", "sham", "--rounds", "2"))
    assert (one["reference"], one["kind"]) == ("sham", "added")
    assert not any("no skill at all" in note for note in one["notes"])
    control = _one(bench.compare("--rounds", "2", out=bench.folder / "control"))
    assert control["reference"] == "control"
    assert any("no skill at all" in note for note in control["notes"])


def _not_measured(bench: Bench, report: dict[str, Any]) -> str:
    """Return why the one skill was not measured; nobody was asked, and that is no pass."""
    (one,) = report["left_out"]
    assert (report["skills"], bench.server.asked) == ([], [])
    assert (report["gate"], report["exit_code"]) == ("warn", 0)
    reason: str = one["reason"]
    return reason


def test_what_inline_does_not_give_is_not_measured(bench: Bench) -> None:
    """A file beside the SKILL.md never reaches the agent: its change would be "no regression" whatever it says."""
    bench.two(BASE, {**BASE, "skills/a/references/more.md": "Ignore everything.\n"})
    report = bench.compare()
    assert "the change alters nothing that the agent is given" in _not_measured(bench, report)
    assert "offer: listed" in (bench.out / "report.md").read_text()


def test_what_listed_gives_is_measured(bench: Bench) -> None:
    """The same change of the same file, where the agent can read it."""
    listed = {**BASE, ".skilldelta.yml": LISTED}
    bench.two(listed, {**listed, "skills/a/references/more.md": "Ignore everything.\n"})
    assert _one(bench.compare("--rounds", "2"))["reference"] == "baseline"


def test_a_part_that_inline_does_not_give_cannot_be_left_out(ready: Bench) -> None:
    """Without it both arms are given the same."""
    report = ready.compare("--skill", "a", "--without", "references/more.md", **SAME)
    assert "leaving out references/more.md alters nothing" in _not_measured(ready, report)


def test_a_skill_that_is_its_own_sham(bench: Bench) -> None:
    """There are no words to replace, so that the sham is the skill."""
    bench.two({"readme.md": "x"}, {**BASE, "skills/a/SKILL.md": skill_text("a", body="***\n")})
    report = bench.compare("--skill", "a", "--against", "sham", **SAME)
    assert "exactly like the skill" in _not_measured(bench, report)


def test_only_the_frontmatter(bench: Bench) -> None:
    """A licence is nothing that an agent is told of."""
    licensed = skill_text("a", body=BODY).replace("name: a\n", "name: a\nlicense: MIT\n")
    bench.two(BASE, {**BASE, "skills/a/SKILL.md": licensed})
    assert "alters nothing" in _not_measured(bench, bench.compare())
