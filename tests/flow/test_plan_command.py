"""`skilldelta plan`: what would be run, shown and paid, before anything is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, Asked, Bench, frozen, skill, suite_text, version_of
from repositories import Commit, build, commit_all

PRICES = "prices: {test: {input: 3, output: 15}}\n"
LAW = frozen(suite_text())
BASE = {**skill(OLD), ".skilldelta.yml": CONFIG + PRICES, **LAW}


def plan(bench: Bench, *arguments: str, code: int = 0) -> str:
    """Return what `skilldelta plan` prints of the change from main~1 to main."""
    named = ("--base", "main~1", "--head", "main", "--repo", str(bench.repo))
    bench.run("plan", *named, *arguments, code=code)
    return bench.printed


def planned(bench: Bench, *arguments: str) -> dict[str, Any]:
    """Return the only skill of the plan as JSON."""
    (one,) = json.loads(plan(bench, "--format", "json", *arguments))["skills"]
    found: dict[str, Any] = one
    return found


def test_what_it_says(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials, price, what can be found with 80 % power, and what more would buy; no key is needed, nobody is asked."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    bench.two(BASE, skill(NEW))
    said = plan(bench)
    assert "a: 12 tasks × 2 arms × at most 18 rounds: at most 432 trials, about 432 model calls, $" in said
    assert f"suite {version_of(LAW)} (from the base)" in said
    assert "12 tasks × at most 18 rounds can show a drop of 14 points or more with 80 % power" in said
    assert "(42 % of pairs expected to differ: the default)" in said
    assert "With one more round: 13 points (at most 24 trials more, up to $" in said
    assert "ten more tasks: 11 points (at most 360 trials more, up to $" in said
    assert bench.server.asked == []
    assert not (bench.repo / ".skilldelta").exists()


def test_a_comparison_says_the_same_first_and_in_its_report(bench: Bench) -> None:
    """The lines stand before the first call, and in the report that becomes the comment."""
    bench.two(BASE, skill(NEW))
    said = plan(bench)
    bench.compare()
    assert said.strip() in bench.said
    reach, steps = (line.strip() for line in said.splitlines()[1:3])
    markdown = (bench.out / "report.md").read_text().splitlines()
    assert reach in [line.replace("\\", "").strip() for line in markdown]
    assert any(line.replace("\\", "").strip() == steps for line in markdown)


def test_the_price_is_of_what_is_planned(bench: Bench) -> None:
    """A further round costs a round's share; rounds that confirm drops are said beside the rest."""
    bench.two(BASE, skill(NEW))
    one = planned(bench)
    share = one["estimate"]["cost_usd"] / one["design"]["rounds"]
    more_round, more_tasks = one["reach"]["steps"]
    assert more_round["cost_usd"] == pytest.approx(share, rel=0.01)
    assert more_tasks["cost_usd"] == pytest.approx(10 / 12 * one["estimate"]["cost_usd"], rel=0.01)
    assert one["estimate"]["confirm_trials"] == 0
    confirmed = planned(bench, "--confirm-rounds", "10")["estimate"]["confirm_cost_usd"]
    assert confirmed == pytest.approx(10 * share, rel=0.01)
    said = f"10 fresh rounds: at most 240 trials more, where all of them drop (${confirmed:.2f})."
    assert said in plan(bench, "--confirm-rounds", "10")
    assert planned(bench, "--confirm-rounds", "10")["estimate"]["trials"] == one["estimate"]["trials"]


def test_one_round_confirms_nothing_and_can_be_made_more(bench: Bench) -> None:
    """No single task is told from chance by one trial; what a further round would buy is said all the same."""
    bench.two(BASE, skill(NEW))
    one = planned(bench, "--rounds", "1", "--confirm-rounds", "10")
    assert (one["confirm_rounds"], one["estimate"]["confirm_trials"]) == (0, 0)
    assert any(note.startswith("confirm_rounds is not used") for note in one["notes"])
    assert [step["what"] for step in one["reach"]["steps"]] == ["one more round", "ten more tasks"]


@pytest.mark.parametrize(("fresh", "used"), [("1", 0), ("2", 0), ("3", 3)])
def test_fresh_rounds_that_could_name_no_task_are_not_run(bench: Bench, fresh: str, used: int) -> None:
    """Two against two can never be told from chance at 5 %: nothing is paid for it, and it is said."""
    bench.two(BASE, skill(NEW))
    one = planned(bench, "--confirm-rounds", fresh)
    assert (one["confirm_rounds"], one["estimate"]["confirm_trials"]) == (used, 24 * used)
    said = f"confirm_rounds {fresh} is not used: with fewer than 3 no task could ever be named"
    assert (said in one["notes"]) == (used == 0)


@pytest.mark.parametrize(("margin", "said"), [("0.0001", "0.01"), ("0.155", "15.5"), ("0.9999", "99.99")])
def test_a_margin_is_shown_as_it_is(bench: Bench, margin: str, said: str) -> None:
    """Not rounded to 0 or 100 points."""
    bench.two(BASE, skill(NEW))
    assert f"margin {said} points" in plan(bench, "--margin", margin)


def test_few_rounds_can_show_little(bench: Bench) -> None:
    """A design that finds nothing says so, and what would change that."""
    bench.two({**skill(OLD), ".skilldelta.yml": CONFIG, **frozen(suite_text(tasks=5))}, skill(NEW))
    said = plan(bench, "--rounds", "2")
    assert "can show no drop of up to 42 points with 80 % power" in said
    assert "one more round: nothing yet" in said


@pytest.mark.parametrize("goal", ["gate", "improve"])
def test_the_whole_schedule_is_the_rule(bench: Bench, goal: str) -> None:
    """R_max is the rounds for 90 % power at the margin, and one more; at 20 no further round is offered."""
    bench.two(BASE, skill(NEW))
    assert planned(bench, "--goal", goal)["design"]["rounds"] == 18
    most = planned(bench, "--goal", goal, "--margin", "0.05")
    assert most["design"]["rounds"] == 20
    assert [step["what"] for step in most["reach"]["steps"]] == ["ten more tasks"]


def test_nothing_to_run(bench: Bench) -> None:
    """No skill changed: that is what it says, with exit code 0."""
    bench.two(BASE, {"other.txt": "x"})
    assert plan(bench) == "no skill changed: nothing to run\n"


def test_what_blocks_a_comparison_blocks_its_plan(bench: Bench) -> None:
    """A configuration without a model is an error here as well."""
    bench.two({**BASE, ".skilldelta.yml": "{}\n"}, skill(NEW))
    plan(bench, code=2)
    assert "no model is named" in bench.said


def _wavering(asked: Asked) -> str:
    """Every task passes in two of three trials, in both arms."""
    return "no" if (asked.time + int(asked.prompt.split()[1])) % 3 == 0 else "yes"


def _in_a_work_tree(bench: Bench, *, code: int = 0) -> None:
    """Compare main~1 with main in the run's usual folder."""
    refs = ("--base", "main~1", "--head", "main", "--repo", bench.repo, "--base-url", bench.server.url)
    bench.run("compare", *refs, "--rounds", "6", code=code)


def test_earlier_runs_tell_what_to_expect(bench: Bench) -> None:
    """The next plan expects what the baseline's trials showed; the design, and so the same run, stays as it is."""
    build(bench.repo, [Commit(files=BASE), Commit(files=skill(NEW))], checkout=True)
    bench.server.script = _wavering
    before = planned(bench)
    _in_a_work_tree(bench)
    calls = len(bench.server.asked)
    _in_a_work_tree(bench)
    assert len(bench.server.asked) == calls
    assert "the default" in bench.said
    commit_all(bench.repo, skill("THIRD-WAY"))
    one = planned(bench)
    assert one["reach"]["discordance_from"] == "history"
    assert 0.35 < one["reach"]["discordance"] < 0.65
    assert one["design"] == before["design"]
    assert "of pairs expected to differ: from earlier runs" in plan(bench)
    assert planned(bench, "--model", "other")["reach"]["discordance_from"] == "default"


def test_a_commit_brings_no_history(bench: Bench) -> None:
    """Reports that are committed, and what is no report at all, are passed over."""
    build(bench.repo, [Commit(files=BASE), Commit(files=skill(NEW))], checkout=True)
    bench.server.script = _wavering
    _in_a_work_tree(bench)
    runs = bench.repo / ".skilldelta/runs"
    (folder,) = (entry for entry in runs.iterdir() if entry.is_dir())
    report = (folder / "report.json").read_text()
    (runs / "nonsense").mkdir()
    (runs / "nonsense/report.json").write_text("{}")
    (runs / ".gitignore").unlink()
    folder.rename(runs / "forged")
    assert planned(bench, "--rounds", "6")["reach"]["discordance_from"] == "default"  # no history of its own
    commit_all(bench.repo, skill("THIRD-WAY"))
    assert planned(bench)["reach"]["discordance_from"] == "default"
    (runs / "real").mkdir()
    (runs / "real/report.json").write_text(report)
    assert planned(bench)["reach"]["discordance_from"] == "history"
