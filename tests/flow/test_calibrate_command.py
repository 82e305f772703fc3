"""`skilldelta calibrate`: a skill against itself, what is then on record, and what plans and comparisons make of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, Asked, Bench, Reply, frozen, skill, suite_text, version_of
from repositories import Commit, build, commit_all

LAW = frozen(suite_text())
BASE = {**skill(OLD), ".skilldelta.yml": CONFIG, **LAW}
JUDGED = frozen(suite_text(tasks=5, judge="{type: llm-rubric, rubric: Says yes.}"))


def _number(asked: Asked) -> int:
    return int(asked.prompt.split()[1])


def mixed(asked: Asked) -> str:
    """Task 0 is never passed, tasks 1 to 4 in about half of their trials, the others always."""
    number = _number(asked)
    return "no" if number == 0 or (number < 5 and (3 * asked.time + number) % 5 < 2) else "yes"


def calibrate(bench: Bench, *arguments: str, code: int = 0, repo: Path | None = None) -> dict[str, Any]:
    """Run `skilldelta calibrate`, return the record of its only skill; a replay must say the same."""
    out = bench.folder / "calibrated"
    named = ("--repo", repo or bench.repo, "--out", out, "--base-url", bench.server.url)
    bench.run("calibrate", *named, *arguments, code=code)
    if code > 1:
        return {}
    said, printed = bench.said, bench.printed
    (record,) = json.loads((out / "calibration.json").read_text())
    calls = len(bench.server.asked)
    bench.run("replay", out, "--format", "json", code=code)
    (again,) = json.loads(bench.printed)
    apart = ("invocation", "measured_at")
    assert {name: value for name, value in again.items() if name not in apart} == {
        name: value for name, value in record.items() if name not in apart
    }
    assert len(bench.server.asked) == calls
    bench.said, bench.printed = said, printed
    return dict(record)


@pytest.fixture
def ready(bench: Bench) -> Bench:
    """A skill with a suite of twelve tasks, in a repository with a work tree."""
    build(bench.repo, [Commit(files=BASE)], checkout=True)
    bench.server.script = mixed
    return bench


def test_what_it_takes_is_said_first(ready: Bench) -> None:
    """Before the first call: trials, calls, and what a comparison on the suite can show until more is known."""
    calibrate(ready, "--rounds", "2")
    assert "a against itself: 12 tasks × 2 arms × 2 rounds, all of which are run: at most 48 trials" in ready.said
    shown = "12 tasks × at most 18 rounds can show a drop of 14 points or more"
    assert f"A comparison on it, until this is known: {shown}" in ready.said


def test_what_is_found(ready: Bench) -> None:
    """Both arms are the same skill; all rounds are run; tasks are told by what they show."""
    record = calibrate(ready)
    assert {asked.arm for asked in ready.server.asked} == {"baseline"}
    assert len(ready.server.asked) == 12 * 2 * 10
    assert (record["rounds"], record["finished"], record["suite_version"]) == (10, True, version_of(LAW))
    kinds = {task["task_id"]: task["kind"] for task in record["tasks"]}
    assert kinds["task-0"] == "impossible"
    assert {kinds[f"task-{n}"] for n in range(1, 5)} == {"flaky"}
    assert {kinds[f"task-{n}"] for n in range(5, 12)} == {"saturated"}
    halves = record["tasks"][1]
    assert 0.4 < halves["discordance"] < 0.6
    assert record["discordance"] == pytest.approx(sum(task["discordance"] for task in record["tasks"]) / 12, abs=1e-4)
    assert any("task-0" in finding for finding in record["findings"])
    assert not record["cannot_fail"]


def test_the_false_alarms_of_this_suite(ready: Bench) -> None:
    """Dealt out anew, the procedure claims seldom; any drop would fail a good share of unchanged skills."""
    alarms = calibrate(ready)["false_alarms"]
    assert alarms["deals"] >= 1000
    assert alarms["rate"] <= 0.05
    assert alarms["rate"] == (alarms["improved"] + alarms["regressed"]) / alarms["deals"]
    assert alarms["any_drop"] > 0.3
    assert 'the rule "any drop is a regression" would have failed' in ready.printed


def test_a_suite_that_cannot_fail_is_called_one(ready: Bench) -> None:
    """Every trial of both arms passed."""
    ready.server.script = lambda _: "yes"
    record = calibrate(ready)
    assert (record["cannot_fail"], record["discordance"]) == (True, 0.0)
    assert any("cannot fail" in finding for finding in record["findings"])


def test_a_judge_is_asked_twice(bench: Bench) -> None:
    """The same answers to the same judge: how often it agrees with itself is said with an interval and kappa."""
    build(bench.repo, [Commit(files={**skill(OLD), ".skilldelta.yml": CONFIG, **JUDGED})], checkout=True)

    def script(asked: Asked) -> str:
        if asked.arm != "judge":
            return "yes" if asked.time % 2 else "no"
        liked = "\nyes\n</answer" in asked.prompt
        wavering = len(bench.server.asked) % 7 == 0
        return json.dumps({"rationale": "so", "score": 0.9 if liked != wavering else 0.1})

    bench.server.script = script
    record = calibrate(bench, "--rounds", "4")
    judges = record["judges"]
    trials = 5 * 2 * 4
    assert judges["asked"] == trials
    assert 0.5 * trials < judges["agreeing"] < trials
    assert judges["agreement_interval"]["low"] < judges["agreeing"] / trials < judges["agreement_interval"]["high"]
    assert -1 <= judges["kappa"] < 1
    assert bench.server.arms()["judge"] == 2 * trials
    assert record["spent"]["judge_calls"] == 2 * trials
    assert "the judge agreed with itself" in bench.printed


def test_deterministic_judges_are_not_asked_again(ready: Bench) -> None:
    """A string is in an answer or it is not: there is nobody to agree."""
    assert calibrate(ready)["judges"] is None


def test_a_budget_that_ends_it(ready: Bench) -> None:
    """What was not finished says so, is not recorded, and goes on with a higher cap."""
    record = calibrate(ready, "--max-calls", "50", "--record", code=1)
    assert (record["finished"], record["rounds"]) == (False, 2)
    assert "NOT FINISHED" in ready.printed
    assert "recorded in" not in ready.said
    calls = len(ready.server.asked)
    assert calls == 50
    assert calibrate(ready, "--record")["finished"]
    assert len(ready.server.asked) == 240
    assert "recorded in .skilldelta/suites/a/calibration.json" in ready.said


def test_the_record_is_what_plans_expect(ready: Bench) -> None:
    """Committed beside the suite it replaces the default discordance, and with it R_max and what can be found."""
    record = calibrate(ready, "--record")
    assert json.loads((ready.repo / ".skilldelta/suites/a/calibration.json").read_text()) == record
    commit_all(ready.repo)
    commit_all(ready.repo, skill(NEW))
    one = planned(ready)
    tilt = sum(max(0.0, 2 * task["mean"] - 1) for task in record["tasks"]) / 12
    assert one["reach"]["discordance"] == pytest.approx(record["discordance"] + 0.15 * tilt, abs=1e-4)
    assert one["reach"]["discordance_from"] == "calibration"
    assert one["design"]["rounds"] < 18
    assert one["reach"]["smallest_effect"] is not None
    ready.run("plan", "--base", "main~1", "--head", "main", "--repo", ready.repo)
    assert "of pairs expected to differ: from its calibration" in ready.printed


def test_tasks_that_always_ended_alike_may_have_fewer_rounds(ready: Bench) -> None:
    """Where it is set and leaves room for an answer; otherwise it is said why not."""
    many = suite_text(tasks=30)
    build(
        ready.folder / "many", [Commit(files={**skill(OLD), ".skilldelta.yml": CONFIG, **frozen(many)})], checkout=True
    )
    ready.repo = ready.folder / "many"
    ready.server.script = lambda asked: "no" if _number(asked) > 3 and (asked.time * 7 + _number(asked)) % 3 else "yes"
    calibrate(ready, "--record")
    commit_all(ready.repo)
    commit_all(ready.repo, skill(NEW))
    assert planned(ready)["design"]["brief"] == []
    commit_all(ready.repo, {".skilldelta.yml": f"{CONFIG}design: {{saturated_rounds: 4}}\n"})
    commit_all(ready.repo, skill("OTHER-WAY"))
    one = planned(ready)
    assert one["design"]["brief"] == ["task-0", "task-1", "task-2", "task-3"]
    assert one["estimate"]["trials"] == 2 * (26 * one["design"]["rounds"] + 4 * 4)
    assert any("4 of 30 tasks have always ended alike" in note for note in one["notes"])


def test_a_record_of_something_else_is_not_used(ready: Bench) -> None:
    """Another suite version, another configuration, or nonsense: the default is used, and why is said."""
    calibrate(ready, "--record")
    commit_all(ready.repo)
    commit_all(ready.repo, skill(NEW))
    one = planned(ready, "--model", "other")
    assert (one["reach"]["discordance_from"], len(one["notes"])) == ("default", 1)
    assert "of another model, judge or setting" in one["notes"][0]
    path = ready.repo / ".skilldelta/suites/a/calibration.json"
    kept = path.read_text()
    path.write_text(json.dumps({**json.loads(kept), "skill_id": "other"}))
    commit_all(ready.repo)
    commit_all(ready.repo, skill("THIRD-WAY"))
    one = planned(ready)
    assert (one["reach"]["discordance_from"], one["recorded"]) == ("default", None)
    assert "is of the skill 'other'" in one["notes"][0]
    path.write_text(kept.replace(version_of(LAW), "v1-ffffffffffff"))
    commit_all(ready.repo)
    commit_all(ready.repo, skill("OTHER-WAY"))
    assert "is of v1-ffffffffffff" in planned(ready)["notes"][0]
    found = json.loads(kept)
    spoilt = [
        '{"format": 1', "[]", "", "null",
        kept.replace(f'"discordance": {found["discordance"]}', '"discordance": NaN', 1),
        json.dumps({**found, "discordance": 7}), json.dumps({**found, "discordance": -0.1}),
        json.dumps({**found, "tasks": [{**found["tasks"][0], "mean": 1.5}]}),
        json.dumps({**found, "tasks": [{**found["tasks"][0], "trials": -3}]}), f'"{"x" * 9_000_000}"',
        json.dumps({**found, "discordance": round(found["discordance"] / 2, 4)}), json.dumps({**found, "rounds": -5}),
        json.dumps({**found, "rounds": 9}),
        json.dumps({**found, "tasks": [{**task, "lowest": 1.0, "highest": 0.0} for task in found["tasks"]]}),
        json.dumps({**found, "tasks": []}), json.dumps({**found, "tasks": found["tasks"][:-1]}),
        json.dumps({**found, "tasks": [*found["tasks"], found["tasks"][0]]}),
        json.dumps({**found, "tasks": [{**task, "task_id": f"x{task['task_id']}"} for task in found["tasks"]]}),
    ]  # fmt: skip
    for number, text in enumerate(spoilt):
        path.write_text(text)
        commit_all(ready.repo)
        commit_all(ready.repo, skill(f"WAY-{number}"))
        assert "cannot be read" in planned(ready)["notes"][0], text[:80]
    path.unlink()
    path.symlink_to("/etc/passwd")
    commit_all(ready.repo)
    commit_all(ready.repo, skill("LAST-WAY"))
    assert "cannot be read" in planned(ready)["notes"][0]


def test_a_skill_that_moved_keeps_its_record(ready: Bench) -> None:
    """The record is of the skill as it was called; under its new name it is the same skill."""
    calibrate(ready, "--record")
    commit_all(ready.repo)
    (ready.repo / "skills/a/SKILL.md").unlink()
    commit_all(ready.repo, skill(NEW, "b"))
    one = planned(ready)
    assert (one["name"], one["renamed_from"]) == ("b", "skills/a")
    assert one["reach"]["discordance_from"] == "calibration"


def test_the_false_alarms_are_of_the_comparisons_that_follow(ready: Bench) -> None:
    """The rounds that are dealt are those of a comparison after the record, not of one that knows nothing."""
    ready.server.script = lambda _: "yes"
    record = calibrate(ready, "--record")
    commit_all(ready.repo)
    commit_all(ready.repo, skill(NEW))
    assert record["false_alarms"]["rounds"] == planned(ready)["design"]["rounds"] < 10


def test_its_rounds_are_its_own(ready: Bench) -> None:
    """`--rounds` says how long the calibration is; the comparisons that it is about have the configuration's."""
    ready.server.script = lambda _: "yes"
    four = calibrate(ready, "--rounds", "4")
    assert (four["rounds"], four["false_alarms"]["rounds"]) == (4, 4)
    commit_all(ready.repo, {".skilldelta.yml": f"{CONFIG}design: {{rounds: 3}}\n"})
    ready.folder = ready.folder / "second"
    ready.folder.mkdir()
    ten = calibrate(ready)
    assert (ten["rounds"], ten["false_alarms"]["rounds"]) == (10, 3)


@pytest.mark.parametrize("against", ["control", "sham"])
def test_both_arms_are_the_skill_whatever_comparisons_are_against(ready: Bench, against: str) -> None:
    """A configuration that compares with something else changes nothing: a calibration is the skill against itself."""
    commit_all(ready.repo, {".skilldelta.yml": f"{CONFIG}design: {{against: {against}}}\n"})
    record = calibrate(ready, "--rounds", "2")
    assert {asked.arm for asked in ready.server.asked} == {"baseline"}
    assert len(ready.server.asked) == 48
    assert record["finished"]


def test_at_temperature_zero_one_round_is_run(ready: Bench) -> None:
    """Further rounds would be copies: two trials of a task say whether the server repeats itself, and that is all."""
    cold = "runner: {model: test, offer: inline, sampling: {temperature: 0}}\n"
    commit_all(ready.repo, {".skilldelta.yml": cold})
    ready.server.script = lambda asked: "yes" if asked.arm else ""
    record = calibrate(ready)
    assert len(ready.server.asked) == 24
    assert (record["rounds"], record["finished"], record["discordance"]) == (1, True, 0.0)
    assert (record["false_alarms"]["rounds"], record["false_alarms"]["rate"]) == (1, 0.0)


def test_two_skills_of_one_suite_are_recorded_one_by_one(ready: Bench) -> None:
    """A suite's folder holds the record of one skill, so that nothing is spent on one that would be lost."""
    shared = f"{CONFIG}skills: {{b: {{suite: a}}}}\n"
    commit_all(ready.repo, {**skill(OLD, "b"), ".skilldelta.yml": shared})
    calibrate(ready, "--record", code=2)
    assert "share the suite in .skilldelta/suites/a" in ready.said
    assert ready.server.asked == []
    assert calibrate(ready, "--record", "--skill", "b")["skill_id"] == "b"


def test_a_change_cannot_bring_its_own_record(ready: Bench) -> None:
    """The base's record is the law; a record that comes with the change is flagged."""
    record = json.dumps({**calibrate(ready), "discordance": 0.01})
    commit_all(ready.repo, {**skill(NEW), ".skilldelta/suites/a/calibration.json": record})
    assert planned(ready)["reach"]["discordance_from"] == "default"
    report = ready.compare("--smoke")
    (flag,) = report["flags"]
    assert (flag["kind"], flag["path"]) == ("suite", ".skilldelta/suites/a/calibration.json")


def test_a_first_suite_brings_its_record(bench: Bench) -> None:
    """Where the base has no suite the head's is used, and with it what is on record of it."""
    build(bench.repo, [Commit(files={**skill(OLD), ".skilldelta.yml": CONFIG})], checkout=True)
    commit_all(bench.repo, {**skill(NEW), **LAW})
    bench.server.script = lambda _: "yes"
    record = json.dumps(calibrate(bench, "--rounds", "8"))
    assert planned(bench)["reach"]["discordance_from"] == "default"
    commit_all(bench.repo, {".skilldelta/suites/a/calibration.json": record})
    bench.run("plan", "--base", "main~2", "--head", "main", "--repo", bench.repo, "--format", "json")
    (one,) = json.loads(bench.printed)["skills"]
    assert (one["suite_from"], one["reach"]["discordance_from"]) == ("head", "calibration")


def test_what_the_judge_was_asked_again_is_charged(bench: Bench) -> None:
    """A cap that ends a calibration while its judge is asked again holds on the next start, and nothing is lost."""
    build(bench.repo, [Commit(files={**skill(OLD), ".skilldelta.yml": CONFIG, **JUDGED})], checkout=True)
    good = json.dumps({"rationale": "so", "score": 0.9})
    bench.server.script = lambda asked: good if asked.arm == "judge" else "yes"
    trials = 5 * 2 * 2
    first = calibrate(bench, "--rounds", "2", "--max-calls", str(2 * trials + 7))
    assert (first["judges"]["asked"], first["spent"]["judge_calls"]) == (7, trials + 7)
    assert len(bench.server.asked) == 2 * trials + 7
    again = calibrate(bench, "--rounds", "2", "--max-calls", str(2 * trials + 7))
    assert len(bench.server.asked) == 2 * trials + 7
    assert [one["invocation"]["lost_calls"] for one in (first, again)] == [0, 0]
    assert calibrate(bench, "--rounds", "2")["judges"]["asked"] == trials
    assert len(bench.server.asked) == 3 * trials


def test_a_model_that_changed_since_is_not_the_skills_doing(ready: Bench) -> None:
    """The unchanged baseline does worse than it did: said apart, and no part of the skill's difference."""
    ready.server.script = lambda _: "yes"
    calibrate(ready, "--record")
    commit_all(ready.repo)
    commit_all(ready.repo, skill(NEW))
    ready.server.script = lambda asked: "no" if _number(asked) < 6 else "yes"
    report = ready.compare("--model", "other")
    (one,) = report["skills"]
    assert one["drift"]["difference"] == -0.5
    assert one["drift"]["interval"]["high"] < -0.3
    assert one["drift"]["changed"] == ["the model"]
    assert one["statistics"]["mean_delta"] == 0.0
    (said,) = (warning for warning in one["warnings"] if warning.startswith("Since the calibration of"))
    assert "the model changed (from test to other)" in said
    assert "moved by −50 points" in said


def test_a_baseline_that_is_another_skill_by_now_is_not_compared(ready: Bench) -> None:
    """The record is of the skill as it was: after a change of it the two times say nothing about the model."""
    calibrate(ready, "--record")
    commit_all(ready.repo)
    commit_all(ready.repo, skill("OTHER-WAY"))
    commit_all(ready.repo, skill(NEW))
    (one,) = ready.compare("--model", "other", "--rounds", "2")["skills"]
    assert one["drift"] is None


def test_nothing_to_calibrate(bench: Bench) -> None:
    """A repository without a frozen suite says so, and what to do."""
    build(bench.repo, [Commit(files={**skill(OLD), ".skilldelta.yml": CONFIG})], checkout=True)
    calibrate(bench, code=2)
    assert "no skill with a frozen suite to calibrate: a: there is no suite" in bench.said


def test_a_bare_repository_cannot_be_recorded_in(bench: Bench) -> None:
    """The run is not lost for it: its folder holds the record."""
    bench.build(Commit(files=BASE))
    bench.server.script = mixed
    out = bench.folder / "calibrated"
    named = ("--repo", bench.repo, "--out", out, "--base-url", bench.server.url, "--rounds", "2", "--record")
    bench.run("calibrate", *named, code=2)
    assert "there is no work tree to record it in" in bench.said
    assert json.loads((out / "calibration.json").read_text())[0]["rounds"] == 2


def test_another_run_is_not_continued(ready: Bench) -> None:
    """A comparison's folder is no calibration's."""
    commit_all(ready.repo, skill(NEW))
    ready.compare("--smoke", out=ready.folder / "calibrated")
    calibrate(ready, code=2)
    assert "the folder holds another run" in ready.said


def test_a_server_that_fails_is_no_finding(ready: Bench) -> None:
    """Failed trials are counted out; too many of them are insufficient data."""
    ready.server.script = lambda asked: Reply(status=400, text="no") if _number(asked) < 3 else mixed(asked)
    record = calibrate(ready, "--rounds", "4")
    assert record["tasks"][0]["kind"] == "unknown"
    assert record["tasks"][0]["trials"] == 0
    assert record["false_alarms"] is None


def planned(bench: Bench, *arguments: str) -> dict[str, Any]:
    """Return the only skill of the plan from main~1 to main."""
    bench.run("plan", "--base", "main~1", "--head", "main", "--repo", bench.repo, "--format", "json", *arguments)
    (one,) = json.loads(bench.printed)["skills"]
    found: dict[str, Any] = one
    return found


def test_it_can_be_rendered_again(ready: Bench) -> None:
    """`skilldelta report` shows what was found; a damaged record is an error in words."""
    record = calibrate(ready, "--rounds", "2")
    printed, out = ready.printed, ready.folder / "calibrated"
    ready.run("report", out)
    assert printed.startswith(ready.printed)
    ready.run("report", out, "--format", "json")
    assert json.loads(ready.printed) == [record]
    ready.run("report", out, "--write", code=2)
    assert "a calibration has no Markdown" in ready.said
    (out / "calibration.json").write_text("[{}]")
    ready.run("report", out, code=2)
    assert "is not a calibration of this version" in ready.said


def test_an_interrupted_calibration_goes_on(ready: Bench) -> None:
    """A cap that ends it in the middle of a round, then again: nothing is paid for twice, and it says the same."""
    whole = calibrate(ready, "--rounds", "4", "--seed", "3")
    asked = len(ready.server.asked)
    ready.server.asked.clear()
    ready.server.forget()
    ready.folder = ready.folder / "second"
    ready.folder.mkdir()
    for cap in ("7", "30", "1000"):
        code = 0 if cap == "1000" else 1
        record = calibrate(ready, "--rounds", "4", "--seed", "3", "--max-calls", cap, code=code)
    assert len(ready.server.asked) == asked
    assert record["finished"]
    assert record["invocation"]["attempts"] == 3
    assert record["tasks"] == whole["tasks"]
