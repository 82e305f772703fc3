"""A run that is killed, at whatever moment and however often, ends in the report of one that never was."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from aiohttp import web

from comparing import CONFIG, NEW, OLD, Bench, frozen, quiet_environment, skill, suite_text
from forked_command import ForkedCommands, Running
from repositories import Commit, build, environment
from scripted_server import Rule, ScriptedServer, Seen

RUBRIC = "{type: llm-rubric, rubric: Says yes., pass_threshold: 0.8}"
CONTAINS = "{type: contains, expected: [yes-word]}"
SCRIPT = (
    Rule(if_kind="trial", share=0.08, status=529, retry_after_ms=1),
    Rule(if_kind="judge", share=0.12, status=400),
    Rule(if_kind="judge", share=0.2, if_turn=1, pass_text="hm"),  # noqa: S106 - an answer's text
    Rule(if_kind="judge", if_user_contains="yes, done", pass_text='{"rationale": "It does.", "score": 0.9}'),  # noqa: S106 - no password
    Rule(if_kind="judge", pass_text='{"rationale": "It does not.", "score": 0.2}'),  # noqa: S106 - no password
    Rule(if_system_contains=OLD, p=0.7),
    Rule(p=0.8),
)
"""A twelfth of the trials and an eighth of the judgments is lost, every fifth judge has to be asked twice."""
SEED = 20260101
DELAY_MS = 8.0
Moment = tuple[float, Literal["any", "trial", "judge"]]
"""The share of a run's remaining requests (of a kind) that the server has seen when the process dies."""


class Server(ScriptedServer):
    """A scripted server that ends a process, or whatever else is to happen, as a certain request comes in."""

    def __init__(self) -> None:
        super().__init__(SCRIPT, delay_ms=DELAY_MS, keep_bodies=True)
        self.armed: tuple[str, str, int, int, int] | None = None

    def arm(self, invocation: str, kind: str, at: int, pid: int, number: int) -> None:
        """Send the signal `number` to `pid` as the invocation's request number `at` of a kind comes in."""
        self.armed = (invocation, kind, at, pid, number)

    def of(self, invocation: str, kind: str = "any") -> list[Seen]:
        """Return what one invocation asked; each has a key of its own."""
        return [seen for seen in self.seen if _invocation(seen) == invocation and kind in ("any", seen.kind)]

    def _note(self, asked: Any, index: int | None, request: web.BaseRequest) -> None:
        super()._note(asked, index, request)
        if self.armed is not None:
            invocation, kind, at, pid, number = self.armed
            if len(self.of(invocation, kind)) >= at:
                self.armed = None
                os.kill(pid, number)


def _invocation(seen: Seen) -> str:
    headers = seen.headers or {}
    return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")


@dataclass
class Ended:
    """A command that has come to its end."""

    code: int
    said: str
    seen: list[Seen]
    running: Running


@dataclass
class Stage:
    """A repository with two changed skills, the server, and whatever runs on them."""

    folder: Path
    server: Server
    commands: ForkedCommands
    started: int = 0
    reference: dict[str, Any] = field(default_factory=dict)
    requests: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(Kind, key) → how often an undisturbed run asks."""
    journal: bytes = b""

    def words(self, out: Path, *more: str) -> list[str]:
        """Return the command line of the comparison."""
        named = ["--base", "main~1", "--head", "main", "--repo", str(self.folder / "repo"), "--out", str(out)]
        return ["compare", *named, "--base-url", self.server.base_url, "--rounds", "3", "--yes", *more]

    def play(self, out: Path, *more: str, kill: tuple[int, str] | None = None, by: int = signal.SIGKILL) -> Ended:
        """Run the comparison to its end, or send a signal as request number (n, kind) comes in; 0: at once."""
        self.started += 1
        invocation = f"key-of-invocation-{self.started:04}"
        running = self.commands.start(self.words(out, *more), key=invocation)
        if kill is not None and kill[0] == 0:
            os.kill(running.pid, by)
        elif kill is not None:
            self.server.arm(invocation, kill[1], kill[0], running.pid, by)
        code = running.wait()
        self.server.armed = None
        return Ended(code, running.said, self.server.of(invocation), running)

    def left(self, held: set[str], kind: str) -> int:
        """Return how many requests of a kind a run still makes that holds these keys."""
        return sum(count for (asked, key), count in self.requests.items() if key not in held and kind in ("any", asked))

    def report(self, out: Path) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the report without the block `invocation`, and that block."""
        report: dict[str, Any] = json.loads((out / "report.json").read_text())
        return report, report.pop("invocation")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Everything in its place, and the report of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("kill")
    law = {
        ".skilldelta.yml": CONFIG,
        **frozen(suite_text("a", tasks=7, judge=CONTAINS), "a"),
        **frozen(suite_text("b", tasks=6, judge=RUBRIC), "b"),
    }
    before = {**law, **skill(OLD, "a"), **skill(OLD, "b")}
    build(folder / "repo", [Commit(files=before), Commit(files={**skill(NEW, "a"), **skill(NEW, "b")})], bare=True)
    with pytest.MonkeyPatch.context() as patch:
        quiet_environment(patch)
        clean = dict(os.environ)
    with Server() as server, ForkedCommands(folder, clean) as commands:
        made = Stage(folder, server, commands)
        ended = made.play(folder / "reference")
        assert ended.code in (0, 1), ended.said
        made.reference, _ = made.report(folder / "reference")
        made.requests = Counter((seen.kind, seen.key) for seen in ended.seen)
        made.journal = (folder / "reference/journal.jsonl").read_bytes()
        yield made


def held_by(out: Path) -> set[str]:
    """Return the keys of all trials and judgments that a journal holds."""
    path = out / "journal.jsonl"
    if not path.exists():
        return set()
    events = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    trials = {event["key"]["key"] for event in events if event["t"] == "trial"}
    return trials | {event["key"] for event in events if event["t"] == "judgment"}


def sent_and_lost(out: Path) -> int:
    """Return how many calls a journal says were sent in an invocation that never saw them answered."""
    lost, sent = 0, Counter[str]()
    for line in (out / "journal.jsonl").read_bytes().split(b"\n")[:-1]:
        event = json.loads(line)
        if event["t"] == "session":
            lost += sent.total()
            sent.clear()
        elif event["t"] == "sent":
            sent[event["key"]] += 1
        elif event["t"] in ("trial", "judgment"):
            sent.pop(event["key"]["key"] if event["t"] == "trial" else event["key"], None)
    return lost + sent.total()


def tear(out: Path, share: float) -> None:
    """Cut the journal within its last line, as a write does that never came to its end."""
    path = out / "journal.jsonl"
    data = path.read_bytes()
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    os.truncate(path, start + max(1, int(share * (len(data) - 1 - start))))


def _moments() -> list[tuple[Moment, ...]]:
    """Return the runs: when each dies, and dies again; 0 is before the journal exists."""
    draw = random.Random(SEED)  # noqa: S311 - moments, not secrets
    runs: list[tuple[Moment, ...]] = [((0.0, "any"),)]
    runs += [((draw.random(), "any"),) for _ in range(5)]
    runs += [((draw.random(), "judge"),) for _ in range(3)]
    runs += [((draw.uniform(0, 0.5), "any"), (draw.random(), "any")) for _ in range(3)]
    runs += [((draw.uniform(0, 0.3), "any"), (0.0, "any"), (draw.random(), "judge")), ((1.0, "any"),)]
    return [*runs, ((draw.uniform(0, 0.4), "any"), (draw.uniform(0, 0.6), "trial"), (draw.random(), "any"))]


def test_the_reference_has_everything_that_can_happen(stage: Stage) -> None:
    """Trials that fail, trials and judgments that are lost, judges asked twice: all of it is in the reference."""
    first, second = stage.reference["skills"]
    assert [one["skill_id"] for one in (first, second)] == ["a", "b"]
    assert {kind for kind, _ in stage.requests} == {"trial", "judge"}
    assert first["statistics"]["failed_pairs"] > 0
    assert second["statistics"]["failed_pairs"] > 0
    assert any("the judge did not answer" in failed["reason"] for failed in second["failed"])
    assert any("HTTP 529" in failed["reason"] for failed in first["failed"])
    assert all(0 < arm["mean"] < 1 for one in (first, second) for arm in one["arms"])
    judged = Counter(count for (kind, _), count in stage.requests.items() if kind == "judge")
    assert judged[2] > 0


def test_the_moments_are_twenty() -> None:
    """The runs below die at twenty moments at least, one of them before the journal exists."""
    runs = _moments()
    assert sum(len(run) for run in runs) >= 20
    assert {len(run) for run in runs} == {1, 2, 3}


@pytest.mark.parametrize("number", range(len(_moments())))
def test_killed(stage: Stage, number: int) -> None:
    """After any kill -9 the run goes on to the same report, and asks for nothing again that the journal holds."""
    draw = random.Random(SEED + number)  # noqa: S311 - places in a file, not secrets
    out = stage.folder / f"killed-{number}"
    held: set[str] = set()
    for share, kind in _moments()[number]:
        left = stage.left(held, kind)
        at = 0 if share == 0 or left == 0 else max(1, int(share * left))
        ended = stage.play(out, "--resume", kill=(at, kind))
        assert ended.code == -signal.SIGKILL, ended.said
        assert not held & {seen.key for seen in ended.seen}
        if at and draw.random() < 0.5:
            tear(out, draw.random())
        held = held_by(out)
    lost = sent_and_lost(out) if (out / "journal.jsonl").exists() else 0
    ended = stage.play(out, "--resume", "--concurrency", str(draw.choice([1, 8, 30])))
    assert ended.code == stage.reference["exit_code"], ended.said
    assert not held & {seen.key for seen in ended.seen}
    assert len(ended.seen) == stage.left(held, "any")
    report, invocation = stage.report(out)
    assert report == stage.reference
    assert invocation["lost_calls"] == lost
    assert sent_and_lost(out) == lost


@pytest.mark.parametrize("share", [0.0, 0.001, 0.003, 0.2, 0.4, 0.7, 0.9, 0.999, 1.0])
def test_any_beginning_of_a_journal_goes_on(stage: Stage, share: float) -> None:
    """A journal cut at any byte, its header and its end included, leads to the same report."""
    out = stage.folder / f"cut-{share}"
    out.mkdir()
    (out / "journal.jsonl").write_bytes(stage.journal[: int(share * len(stage.journal))])
    held = {key for key in held_by(out) if key}
    ended = stage.play(out, "--resume")
    assert ended.code == stage.reference["exit_code"], ended.said
    assert not held & {seen.key for seen in ended.seen}
    assert stage.report(out)[0] == stage.reference


def test_killed_as_a_user_starts_it(stage: Stage) -> None:
    """The whole command, started by its name in a fresh interpreter and killed, goes on as well."""
    out, invocation = stage.folder / "whole", "key-of-a-whole-command"
    argv = [sys.executable, "-P", "-m", "skilldelta", *stage.words(out)]
    clean = environment() | {"ANTHROPIC_API_KEY": invocation}
    with subprocess.Popen(argv, env=clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        stage.server.arm(invocation, "any", 20, process.pid, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    held = held_by(out)
    ended = stage.play(out, "--resume")
    assert not held & {seen.key for seen in ended.seen}
    assert stage.report(out)[0] == stage.reference


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("at", [3, 60])
def test_asked_to_stop(stage: Stage, number: int, code: int, at: int) -> None:
    """SIGINT ends with 130, SIGTERM with 143; the words say how to go on; what was in flight is charged."""
    out = stage.folder / f"stopped-{number}-{at}"
    ended = stage.play(out, kill=(at, "any"), by=number)
    assert ended.code == code, ended.said
    assert f"--out {out} --resume" in ended.said
    assert "every finished trial is kept" in ended.said
    assert ended.running.printed == ""
    assert not (out / "report.json").exists()
    held, lost = held_by(out), sent_and_lost(out)
    assert 0 < lost <= 2 * 8
    assert lost >= len({seen.key for seen in ended.seen} - held)
    ended = stage.play(out, "--resume")
    report, invocation = stage.report(out)
    assert report == stage.reference
    assert (invocation["lost_calls"], invocation["attempts"]) == (lost, 2)
    assert not held & {seen.key for seen in ended.seen}


def test_stopped_before_the_first_call(stage: Stage) -> None:
    """A process that is interrupted while it gets ready leaves nothing that could not be started again."""
    out = stage.folder / "early"
    ended = stage.play(out, kill=(0, "any"), by=signal.SIGINT)
    assert ended.code in (130, -signal.SIGINT)
    assert not ended.seen
    stage.play(out)
    assert stage.report(out)[0] == stage.reference


@pytest.mark.parametrize("kind", ["any", "judge"])
def test_what_was_in_flight_counts_against_the_caps(stage: Stage, kind: str) -> None:
    """Under max_calls a killed run and its successor together send no more than the cap."""
    out = stage.folder / f"capped-{kind}"
    stage.play(out, kill=(12, kind))
    lost = sent_and_lost(out)
    sent = out.joinpath("journal.jsonl").read_bytes().count(b'{"t":"sent"')
    assert lost > 0
    ended = stage.play(out, "--resume", "--max-calls", str(sent + 5))
    report, invocation = stage.report(out)
    assert out.joinpath("journal.jsonl").read_bytes().count(b'{"t":"sent"') == sent + 5
    assert 0 < len({seen.key for seen in ended.seen}) <= 5
    assert invocation["lost_calls"] >= lost
    assert report["spending"]["calls"] + invocation["lost_calls"] == sent + 5


LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.executable, [sys.executable, "-P", "-m", "skilldelta", *sys.argv[2:]])
"""


def test_a_full_disk(stage: Stage) -> None:
    """Where the journal does not fit the run ends in words, exit 2; with room again it goes on to the same report."""
    out, limit = stage.folder / "full", len(stage.journal) * 2 // 3
    assert (stage.folder / "reference/plan.json").stat().st_size < limit
    argv = [sys.executable, "-c", LIMITED, str(limit), *stage.words(out)]
    clean = environment() | {"ANTHROPIC_API_KEY": "key-of-the-full-disk"}
    done = subprocess.run(argv, env=clean, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
    assert "the journal cannot be written: File too large" in done.stderr
    assert "free some space, resume" in done.stderr
    held = held_by(out)
    assert (out / "journal.jsonl").read_bytes().endswith(b"\n")
    ended = stage.play(out, "--resume")
    assert not held & {seen.key for seen in ended.seen}
    assert stage.report(out)[0] == stage.reference


# --- what is refused ------------------------------------------------------------------------------------------------


def _copy(stage: Stage, name: str) -> Path:
    out = stage.folder / name
    shutil.copytree(stage.folder / "reference", out)
    return out


def test_the_journal_of_another_run(stage: Stage) -> None:
    """Another seed is another run: refused in words, nothing asked, nothing written."""
    out = _copy(stage, "other")
    ended = stage.play(out, "--resume", "--seed", "7")
    assert ended.code == 2
    assert "the folder holds another run" in ended.said
    assert not ended.seen
    assert (out / "journal.jsonl").read_bytes() == stage.journal


@pytest.mark.parametrize("bad", [b"no json", b"[]", b"{}", b'{"t":"trial","key":{}}', b"\xff\xfe", b"", b'{"t":"?"}'])
def test_a_line_in_the_middle_that_is_no_event(stage: Stage, bad: bytes) -> None:
    """Only a last line may be cut off; anything else is refused by its number, and the file stays as it is."""
    out = _copy(stage, f"corrupt-{bad.hex()}")
    lines = stage.journal.split(b"\n")
    lines[30] = bad
    (out / "journal.jsonl").write_bytes(b"\n".join(lines))
    ended = stage.play(out, "--resume")
    assert ended.code == 2
    assert "line 31 is not an event of a journal" in ended.said
    assert "this is a bug" not in ended.said
    assert not ended.seen
    assert (out / "journal.jsonl").read_bytes() == b"\n".join(lines)


def test_two_at_once(stage: Stage, bench: Bench) -> None:
    """While one process writes to a run, another is refused, and the first does not notice."""
    out, first = stage.folder / "twice", "key-of-the-first"
    running = stage.commands.start(stage.words(out), key=first)
    stage.server.arm(first, "any", 10, running.pid, signal.SIGSTOP)
    _stopped(running.pid)
    bench.run(*stage.words(out), code=2)
    assert "another process is writing to this run" in bench.said
    os.kill(running.pid, signal.SIGCONT)
    assert running.wait() == stage.reference["exit_code"]
    assert stage.report(out)[0] == stage.reference


def _stopped(pid: int) -> None:
    """Wait until a process stands still."""
    path = Path(f"/proc/{pid}/stat")
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if path.read_text().rpartition(")")[2].split()[0] == "T":
            return
        os.sched_yield()
    raise AssertionError("it never stopped")
