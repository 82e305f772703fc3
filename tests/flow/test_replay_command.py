"""`skilldelta replay`: what was recorded is judged and decided again, as it stands in the run's folder now."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bounded_child import bounded
from comparing import CONFIG, NEW, OLD, Asked, Bench, frozen, skill, suite_text
from repositories import Content
from skilldelta.domain.report import Report
from skilldelta.report.markdown import markdown
from skilldelta.report.terminal import terminal

LAW: Mapping[str, Content] = {".skilldelta.yml": CONFIG, **frozen(suite_text())}
RUBRIC = "{type: llm-rubric, rubric: Says yes., pass_threshold: 0.8}"
JUDGED: Mapping[str, Content] = {".skilldelta.yml": CONFIG, **frozen(suite_text(tasks=2, judge=RUBRIC))}
Event = dict[str, Any]


def _compared(bench: Bench, law: Mapping[str, Content] = LAW, *arguments: str) -> dict[str, Any]:
    bench.two({**skill(OLD), **law}, skill(NEW))
    return bench.compare(*arguments)


def _held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _edit(folder: Path, change: Callable[[Event], None]) -> None:
    """Change the events of a run's journal."""
    path = folder / "journal.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        change(event)
    path.write_text("".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events))


def test_the_folder_is_read_and_the_other_one_is_written(bench: Bench) -> None:
    """RUN stays as it is; `--out` makes a folder with report.json and report.md; nobody is asked, no key is needed."""
    _compared(bench)
    held, again, asked = _held(bench.out), bench.folder / "new/again", len(bench.server.asked)
    code, printed, said = bounded("replay", bench.out, "--out", again)
    assert (code, said) == (0, "")
    assert _held(bench.out) == held
    assert set(_held(again)) == {"report.json", "report.md"}
    report = Report.model_validate_json((again / "report.json").read_bytes())
    assert report.invocation.replay
    assert (again / "report.md").read_text() == markdown(report)
    assert "nobody was asked" in printed
    assert len(bench.server.asked) == asked


def test_every_format(bench: Bench) -> None:
    """Terminal, Markdown and JSON say the same report, and without `--out` nothing is written."""
    _compared(bench)
    there = sorted(bench.folder.iterdir())
    bench.run("replay", bench.out, "--format", "json")
    report = Report.model_validate_json(bench.printed)

    def timeless(text: str) -> list[str]:
        """Its lines without those that hold a time."""
        times = (report.invocation.started_at[:10], " s ", "replay")
        return [line for line in text.splitlines() if not any(time in line for time in times)]

    for form, rendered in (("terminal", terminal(report)), ("markdown", markdown(report))):
        bench.run("replay", bench.out, "--format", form)
        assert timeless(bench.printed) == timeless(rendered)
        assert len(timeless(rendered)) > 5
    bench.run("replay", bench.out)
    assert bench.printed == terminal(report)
    assert sorted(bench.folder.iterdir()) == there


def test_an_edited_answer_is_judged_again(bench: Bench) -> None:
    """Where the candidate's recorded answers no longer pass, the report says so, and so does the exit code."""
    assert _compared(bench)["skills"][0]["verdict"] == "no-regression"

    def spoil(event: Event) -> None:
        if event["t"] == "trial" and event["key"]["arm"] == "candidate":
            event["outcome"]["text"] = "no"

    _edit(bench.out, spoil)
    bench.run("replay", bench.out, "--format", "json", code=1)
    (one,) = json.loads(bench.printed)["skills"]
    assert (one["verdict"], one["gate"]) == ("regressed", "fail")
    assert {arm["arm"]: arm["mean"] for arm in one["arms"]} == {"candidate": 0.0, "baseline": 1.0}
    assert len(one["watch"]) == 12


def test_an_edited_reply_of_a_judge_is_read_again(bench: Bench) -> None:
    """The word of a judging model is what it replied: an edited reply changes the value, an edited verdict nothing."""

    def says(asked: Asked) -> str:
        return json.dumps({"score": 1, "rationale": "Yes."}) if asked.arm == "judge" else "yes"

    bench.server.script = says
    report = _compared(bench, JUDGED, "--rounds", "1")

    def verdict(event: Event) -> None:
        if event["t"] == "judgment":
            event["judgment"] |= {"passed": False, "score": 0.0}

    def reply(event: Event) -> None:
        if event["t"] == "judgment":
            event["judgment"]["raw_replies"] = [json.dumps({"score": 0, "rationale": "No."})]

    means = []
    for change in (verdict, reply):
        _edit(bench.out, change)
        bench.run("replay", bench.out, "--format", "json")
        means.append([arm["mean"] for arm in json.loads(bench.printed)["skills"][0]["arms"]])
    assert [arm["mean"] for arm in report["skills"][0]["arms"]] == means[0] == [1.0, 1.0]
    assert means[1] == [0.0, 0.0]


def _identity(text: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / text
        held = path.read_text()
        at = held.index('"identity"') + 14
        path.write_text(held[:at] + ("0" * 8 if held[at : at + 8] != "0" * 8 else "1" * 8) + held[at + 8 :])

    return spoil


def _both_identities(folder: Path) -> None:
    """Give plan and journal the same identity, which is not that of the plan."""
    identity = json.loads((folder / "plan.json").read_text())["identity"]
    for path in (folder / "plan.json", folder / "journal.jsonl"):
        path.write_text(path.read_text().replace(identity, "f" * 64))


def _plan(old: str, new: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        text = (folder / "plan.json").read_text()
        assert old in text
        (folder / "plan.json").write_text(text.replace(old, new))

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(_identity("plan.json"), id="the plan's identity"),
        pytest.param(_identity("journal.jsonl"), id="the journal's identity"),
        pytest.param(_both_identities, id="both identities"),
        pytest.param(_plan('"margin": 0.15', '"margin": 0.9'), id="the margin"),
        pytest.param(_plan('"model": "test"', '"model": "other"'), id="the model"),
    ],
)
def test_an_edited_identity_is_refused(bench: Bench, spoil: Callable[[Path], None]) -> None:
    """A plan that was edited, or that belongs to another journal, decides nothing; nothing is written."""
    _compared(bench)
    spoil(bench.out)
    bench.run("replay", bench.out, "--out", bench.folder / "again-2", code=2)
    assert "plan.json and journal.jsonl do not belong together, or one was edited" in bench.said
    assert bench.printed == ""
    assert not (bench.folder / "again-2").exists()


def _instead(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

    return spoil


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 << 30)


def _endless(path: Path) -> None:
    """Make a file of one line that never ends, and that begins like a journal."""
    path.write_bytes(b'{"t":"run"')
    with path.open("r+b") as file:
        file.truncate(5 << 30)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "no journal": (lambda folder: (folder / "journal.jsonl").unlink(), "there is no journal here"),
    "a FIFO as journal": (_instead("journal.jsonl", os.mkfifo), "is not a regular file"),
    "a folder as journal": (_instead("journal.jsonl", Path.mkdir), "journal.jsonl"),
    "a device as journal": (_instead("journal.jsonl", lambda path: path.symlink_to("/dev/zero")), "not a regular file"),
    "an empty journal": (_instead("journal.jsonl", Path.touch), "do not belong together"),
    "a journal of zeros": (_instead("journal.jsonl", _huge), "is not a journal"),
    "a journal of one line": (_instead("journal.jsonl", _endless), "is not a journal"),
    "no plan": (lambda folder: (folder / "plan.json").unlink(), "cannot be read"),
    "a FIFO as plan": (_instead("plan.json", os.mkfifo), "is not a regular file"),
    "a folder as plan": (_instead("plan.json", Path.mkdir), "is not a regular file"),
    "an empty plan": (_instead("plan.json", Path.touch), "is not a plan of this version"),
    "a huge plan": (_instead("plan.json", _huge), "too large to be ours"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_run_is_refused_soon(name: str, bench: Bench, recorded: Path) -> None:
    """A FIFO, a folder, a device, nothing or too much in the place of a file is refused in words, soon and cheaply."""
    spoil, words = ODD[name]
    shutil.copytree(recorded, bench.out)
    spoil(bench.out)
    code, printed, said = bounded("replay", bench.out, "--out", bench.folder / "again")
    assert (code, printed) == (2, "")
    assert words in said
    assert "\n  fix: " in said
    assert len(said) < 1000
    assert not (bench.folder / "again").exists()


@pytest.mark.parametrize("name", ["a FIFO", "a folder", "huge"])
def test_an_odd_report_beside_the_run_is_left_aside(name: str, bench: Bench, recorded: Path) -> None:
    """report.json only says which cap ended the run: where it is no file of ours the journal alone is heard."""
    make: dict[str, Callable[[Path], object]] = {"a FIFO": os.mkfifo, "a folder": Path.mkdir, "huge": _huge}
    shutil.copytree(recorded, bench.out)
    _instead("report.json", make[name])(bench.out)
    code, printed, said = bounded("replay", bench.out, "--format", "json")
    assert (code, said) == (0, "")
    assert json.loads(printed)["skills"][0]["verdict"] == "no-regression"


@pytest.fixture
def recorded(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, made once for all tests that only copy it."""
    folder = tmp_path_factory.getbasetemp() / "recorded-for-replay"
    if not folder.exists():
        _compared(bench)
        bench.out.rename(folder)
    return folder


def test_a_torn_journal_beside_a_finished_report_blames_no_budget(bench: Bench) -> None:
    """Nobody's money ran out: the journal ends before the answer, and that is what is said."""
    _compared(bench)
    path = bench.out / "journal.jsonl"
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 3])
    bench.run("replay", bench.out, "--format", "json")
    report = json.loads(bench.printed)
    assert report["skills"][0]["reason"] == "unfinished"
    assert "budget" not in report["sentence"]
