"""Skill and suite change together: the base's version decides, the new one runs beside it, the effects stand apart."""

from __future__ import annotations

from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, Asked, Bench, frozen, skill, suite_text, version_of

LAW = frozen(suite_text())
BROUGHT = frozen(suite_text(tasks=14), before=LAW)
BASE = {**skill(OLD), ".skilldelta.yml": CONFIG, **LAW}


def _rows(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["role"]: one for one in report["skills"]}


def _number(asked: Asked) -> int:
    return int(asked.prompt.split()[1])


@pytest.fixture
def both(bench: Bench) -> Bench:
    """A head that changes the skill and brings a suite version of 14 tasks."""
    bench.two(BASE, {**skill(NEW), **BROUGHT})
    return bench


def test_the_new_version_runs_beside_the_law(both: Bench) -> None:
    """Both arms run on it, after the law's, and the report has a row for each; they are told apart in words."""
    report = both.compare()
    rows = _rows(report)
    assert (rows["gate"]["suite_version"], rows["beside"]["suite_version"]) == (version_of(LAW), version_of(BROUGHT))
    assert [one["role"] for one in report["skills"]] == ["gate", "beside"]
    assert {task["task_id"] for task in rows["beside"]["tasks"]} >= {"task-12", "task-13"}
    assert (rows["beside"]["gate"], rows["beside"]["suite_from"]) == ("neutral", "head")
    assert report["sentence"] == rows["gate"]["sentence"]
    assert [one["claim_alpha"] for one in report["skills"]] == [0.05, 0.05]
    assert [one["reach"]["skills"] for one in report["skills"]] == [1, 1]
    markdown = (both.out / "report.md").read_text()
    assert f"(new suite {version_of(BROUGHT)}, not the gate)" in markdown
    assert "Skill and suite change together" in markdown
    assert "Skill and suite change together" in both.printed
    assert "beside the gate" in both.said


def test_the_effects_of_skill_and_suite_stand_apart(both: Bench) -> None:
    """The skill helps on both versions; the new one is harder for the skill as it was, which is its own doing."""
    both.server.script = lambda asked: "no" if asked.arm == "baseline" and _number(asked) >= 6 else "yes"
    report = both.compare("--goal", "improve")
    law, new = _rows(report)["gate"], _rows(report)["beside"]
    assert (law["verdict"], law["statistics"]["mean_delta"], law["arms"][1]["mean"]) == ("improved", 0.5, 0.5)
    assert (new["statistics"]["mean_delta"], new["arms"][1]["mean"]) == (0.5714, 0.4286)
    apart = new["effects_apart"]
    assert "+50 points on v1-" in apart
    assert "+57 on v2-" in apart
    assert "50 % on the one and 43 % on the other: that difference is the suites', not the skill's" in apart
    assert law["effects_apart"] == ""


def test_a_new_version_that_the_skill_quotes_is_called_one(bench: Bench) -> None:
    """What the skill and its new suite have in common is said of the new row alone."""
    text = "The one true answer to everything that is ever asked here is yes.\n"
    new = frozen(suite_text(tasks=14).replace("Question 13 of a", text.strip()), before=LAW)
    bench.two(BASE, {**skill(NEW), **new, "skills/a/more.md": text})
    rows = _rows(bench.compare())
    assert not any("quotes" in note for note in rows["gate"]["notes"])
    assert any("quotes the prompt of task task-13 of its suite" in note for note in rows["beside"]["notes"])


def test_a_new_version_has_no_say(both: Bench) -> None:
    """Worse on the two tasks that the change itself brings: reported, and no part of the gate."""
    both.server.script = lambda asked: "no" if asked.arm == "candidate" and _number(asked) >= 12 else "yes"
    report = both.compare("--margin", "0.3", "--rounds", "20")
    rows = _rows(report)
    assert (report["gate"], rows["gate"]["verdict"]) == ("pass", "no-regression")
    assert (rows["beside"]["arms"][0]["mean"], rows["beside"]["gate"]) == (0.8571, "neutral")


def test_a_new_version_cannot_loosen_what_the_law_says(both: Bench) -> None:
    """Better on the new tasks and worse on the law's: the law's regression fails."""
    both.server.script = lambda asked: "no" if (asked.arm == "candidate") == (_number(asked) < 12) else "yes"
    report = both.compare(code=1)
    assert (report["gate"], _rows(report)["gate"]["verdict"]) == ("fail", "regressed")


def test_the_law_is_paid_for_first(both: Bench) -> None:
    """A budget that ends before the new version has its rounds leaves the gate as it was."""
    needed = _rows(both.compare(out=both.folder / "first"))["gate"]["trials"]
    report = both.compare("--max-calls", str(needed + 5), "--seed", "1")
    rows = _rows(report)
    assert (report["gate"], rows["gate"]["verdict"]) == ("pass", "no-regression")
    assert (rows["beside"]["verdict"], rows["beside"]["reason"]) == ("inconclusive", "budget")


def test_a_new_version_that_cannot_run_is_left_out(bench: Bench) -> None:
    """What only a later version of skilldelta can run does not stand in the way of the law."""
    judge = "{type: pytest, test_file: fixtures/t.py}"
    later = frozen(suite_text(judge=judge), before=LAW, fixtures={"fixtures/t.py": "def test(): pass\n"})
    bench.two(BASE, {**skill(NEW), **later})
    assert [one["role"] for one in bench.compare()["skills"]] == ["gate"]


def test_a_version_that_the_base_brings_is_not_new(bench: Bench) -> None:
    """Where only the base's tip has moved on there is nothing beside the law."""
    bench.two({**BASE, **BROUGHT}, skill(NEW))
    assert [one["role"] for one in bench.compare()["skills"]] == ["gate"]


def test_a_smoke_run_is_one_task_of_the_law(both: Bench) -> None:
    """It shows that everything works, and runs nothing beside."""
    assert [one["role"] for one in both.compare("--smoke")["skills"]] == ["gate"]
