"""Tasks that dropped are run again on fresh rounds; only these say that a task regressed."""

from __future__ import annotations

from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, Asked, Bench, Reply, frozen, skill, suite_text

BASE = {**skill(OLD), ".skilldelta.yml": CONFIG, **frozen(suite_text())}
CONFIRM = ("--confirm-rounds", "10", "--margin", "0.3")


def _number(asked: Asked) -> int:
    return int(asked.prompt.split()[1])


@pytest.fixture
def ready(bench: Bench) -> Bench:
    """A changed skill, and a suite of twelve tasks."""
    bench.two(BASE, skill(NEW))
    return bench


def _one(report: dict[str, Any]) -> dict[str, Any]:
    (one,) = report["skills"]
    found: dict[str, Any] = one
    return found


def _fails(task: int, *, until: int = 1000) -> Any:
    """The candidate fails one task, the first `until` times."""
    return lambda asked: "no" if asked.arm == "candidate" and _number(asked) == task and asked.time <= until else "yes"


def test_a_task_that_drops_again_has_regressed(ready: Bench) -> None:
    """The suite passes within its margin; the one task is named, with its fresh rates, in every rendering."""
    ready.server.script = _fails(3)
    report = ready.compare(*CONFIRM, "--rounds", "6")
    one = _one(report)
    (check,) = one["checks"]
    assert (check["task_id"], check["regressed"], check["rounds"]) == ("task-3", True, 10)
    assert (check["candidate"], check["reference"]) == (0.0, 1.0)
    assert check["adjusted_p_value"] < 0.001
    assert one["watch"] == ["task-3"]
    assert (report["gate"], one["verdict"]) == ("pass", "no-regression")
    assert report["sentence"].endswith("On fresh rounds 1 task regressed: task-3.")
    markdown = (ready.out / "report.md").read_text()
    assert "task-3 regressed: 100 % → 0 % on 10 fresh rounds" in markdown
    assert "Watch (" not in markdown
    assert "task-3 regressed" in ready.printed


def test_a_task_that_dropped_by_chance_is_cleared(ready: Bench) -> None:
    """It failed while the comparison ran and passes on fresh rounds: nothing is claimed of it."""
    ready.server.script = _fails(3, until=3)
    one = _one(ready.compare(*CONFIRM, "--rounds", "6"))
    (check,) = one["checks"]
    assert (check["regressed"], check["candidate"]) == (False, 1.0)
    assert "is not shown to have regressed" in ready.printed


def test_only_tasks_that_dropped_are_run_again(ready: Bench) -> None:
    """The fresh rounds cost their own trials and nothing else; they are no part of the suite's evidence."""
    ready.server.script = _fails(3)
    report = ready.compare(*CONFIRM, "--rounds", "6")
    one = _one(report)
    asked = [_number(each) for each in ready.server.asked]
    assert len(asked) == one["trials"] + 20 == one["calls"]
    assert asked[one["trials"] :] == [3] * 20
    assert one["statistics"]["pairs"] == one["trials"] // 2
    assert report["spending"]["calls"] == len(asked)


def test_nothing_is_run_again_unless_it_is_asked_for(ready: Bench) -> None:
    """Without confirm_rounds the task is to be watched and nothing else is spent."""
    ready.server.script = _fails(3)
    one = _one(ready.compare("--margin", "0.3", "--rounds", "6"))
    assert (one["checks"], one["watch"]) == ([], ["task-3"])
    assert len(ready.server.asked) == one["trials"]


def test_a_report_says_why_no_task_was_run_again(ready: Bench) -> None:
    """Tasks that dropped a little are on watch and are not paid for: the report says that they were too few."""
    ready.server.script = _fails(3, until=1)
    one = _one(ready.compare(*CONFIRM, "--rounds", "6"))
    assert (one["watch"], one["checks"]) == (["task-3"], [])
    said = "No task was run again on fresh rounds: none of them dropped clearly"
    assert any(warning.startswith(said) for warning in one["warnings"])


def test_what_is_recorded_is_not_paid_for_again(ready: Bench) -> None:
    """The same comparison again asks nobody, and says the same."""
    ready.server.script = _fails(3)
    first = ready.compare(*CONFIRM, "--rounds", "6")
    calls = len(ready.server.asked)
    again = ready.compare(*CONFIRM, "--rounds", "6")
    assert len(ready.server.asked) == calls
    assert [report["skills"] for report in (first, again)] == [first["skills"]] * 2


def test_a_budget_that_ends_in_between_claims_nothing(ready: Bench) -> None:
    """The verdict stands, the task is left unjudged, and a higher cap goes on where it ended."""
    ready.server.script = _fails(3)
    trials = _one(ready.compare("--margin", "0.3", "--rounds", "6", out=ready.folder / "before"))["trials"]
    ready.server.asked.clear()
    report = ready.compare(*CONFIRM, "--rounds", "6", "--max-calls", str(trials + 7))
    one = _one(report)
    (check,) = one["checks"]
    assert (check["regressed"], check["p_value"]) == (False, None)
    assert (one["verdict"], one["calls"], report["spending"]["reached"]) == (
        "no-regression", trials + 7, f"max_calls ({trials + 7})",
    )  # fmt: skip
    assert "its fresh rounds were not finished" in ready.printed
    more = _one(ready.compare(*CONFIRM, "--rounds", "6", "--max-calls", "1000"))
    assert more["checks"][0]["regressed"]
    assert len(ready.server.asked) == trials + 20


def test_insufficient_data_confirm_nothing(ready: Bench) -> None:
    """Where too many trials failed no more are spent on single tasks."""
    ready.server.script = lambda asked: Reply(status=400, text="no") if _number(asked) < 6 else "yes"
    one = _one(ready.compare(*CONFIRM, code=1))
    assert (one["verdict"], one["checks"]) == ("insufficient-data", [])


def test_the_same_cap_again_asks_nobody(ready: Bench) -> None:
    """Fresh rounds are booked on a restart too, also after an early stop: a cap is the run's."""
    ready.server.script = _fails(3)
    cap = ("--max-calls", "80")
    first = ready.compare(*CONFIRM, "--rounds", "6", *cap)
    calls = len(ready.server.asked)
    assert (calls, first["spending"]["reached"]) == (80, "max_calls (80)")
    for _ in range(2):
        again = ready.compare(*CONFIRM, "--rounds", "6", *cap)
        assert len(ready.server.asked) == calls
        assert (again["spending"]["reached"], again["invocation"]["lost_calls"]) == ("max_calls (80)", 0)


def test_fresh_rounds_from_a_cache_confirm_nothing(ready: Bench) -> None:
    """What the cache says again is what chose the task: it is no fresh evidence."""
    ready.server.script = lambda asked: Reply(
        text=str(_fails(3)(asked)), headers={"x-cache": "HIT"} if asked.time > 3 else {}
    )
    one = _one(ready.compare(*CONFIRM, "--rounds", "6"))
    (check,) = one["checks"]
    assert (one["rounds"], check["regressed"], check["p_value"]) == (3, False, None)


def test_fresh_pairs_that_fail_do_not_speak_against_the_candidate(ready: Bench) -> None:
    """Of a task of which too many fresh trials are lost nothing is said."""
    ready.server.script = lambda asked: (
        Reply(status=400, text="lost")
        if asked.arm == "baseline" and _number(asked) == 3 and asked.time > 3 and asked.time % 2
        else str(_fails(3)(asked))
    )
    (check,) = _one(ready.compare(*CONFIRM, "--rounds", "6"))["checks"]
    assert (check["regressed"], check["p_value"]) == (False, None)
