"""What skilldelta adds to the calls that it makes: `python bench/overhead.py`.

A server in a process of its own answers every request of the Messages API after 50 ms. `skilldelta compare` runs 500
tasks × 2 arms × 2 rounds against it, 64 in flight, journal written, started as a user starts it; beside it, in turns,
a bare loop over the SDK makes the same calls: the floor. Span is from the first to the last request as the server saw
them, over the ideal (2,000 × 50 ms ÷ 64). CPU and peak memory are the whole process's, start-up included. Medians.
The last line is one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

DELAY = 0.05
IN_FLIGHT = 64
TRIALS = 2000
FEW = 500
RUNS = 3
CALLS_A_TASK = 4
"""Two arms, two rounds."""
ANSWER = "The answer is yes, for the reasons that stand in the handbook."


@dataclass(frozen=True)
class Run:
    """One process against the server."""

    ratio: float
    cpu_ms: float
    peak_mb: float
    server_cpu_ms: float

    def words(self, trials: int) -> str:
        """Return the run in one line; the server's CPU shows that it was not the bottleneck."""
        cpu, server = self.cpu_ms / trials, self.server_cpu_ms / trials
        return f"{self.ratio:.3f} × ideal, {cpu:.2f} ms CPU a trial, {self.peak_mb:.0f} MB, server {server:.2f} ms"


def main() -> None:
    """Measure in turns, print a line for each run, then the medians as JSON."""
    seen: dict[str, list[Run]] = {"floor": [], "ours": [], "few": []}
    with tempfile.TemporaryDirectory() as folder, serving() as url:
        many, few = Path(folder) / "many", Path(folder) / "few"
        build(many, TRIALS // CALLS_A_TASK)
        build(few, FEW // CALLS_A_TASK)
        for number in range(RUNS):
            out = Path(folder) / f"out-{number}"
            rounds = {
                "floor": (TRIALS, [sys.executable, __file__, "--floor", url, str(TRIALS)]),
                "ours": (TRIALS, compare(many, out / "many", url)),
                "few": (FEW, compare(few, out / "few", url)),
            }
            for name, (trials, argv) in rounds.items():
                run = measure(argv, url, trials)
                seen[name].append(run)
                print(f"{name:>5}: {run.words(trials)}", flush=True)
    print(json.dumps(summary(seen)))


def summary(seen: dict[str, list[Run]]) -> dict[str, float]:
    """Return the medians, and what each further trial costs beyond the first 500."""
    floor, ours, few = seen["floor"], seen["ours"], seen["few"]
    slopes = [(much.cpu_ms - little.cpu_ms) / (TRIALS - FEW) for much, little in zip(ours, few, strict=True)]
    peak, peak_few = (median(run.peak_mb for run in runs) for runs in (ours, few))
    return {
        "ratio_to_ideal": round(median(run.ratio for run in ours), 3),
        "floor_ratio_to_ideal": round(median(run.ratio for run in floor), 3),
        "cpu_ms_per_trial": round(median(run.cpu_ms for run in ours) / TRIALS, 3),
        "floor_cpu_ms_per_trial": round(median(run.cpu_ms for run in floor) / TRIALS, 3),
        "peak_mb": round(peak, 1),
        "peak_mb_500": round(peak_few, 1),
        "growth_mb": round(peak - peak_few, 1),
        "marginal_cpu_ms_per_trial": round(median(slopes), 3),
        "trials": TRIALS,
        "runs": RUNS,
    }


def compare(repository: Path, out: Path, url: str) -> list[str]:
    """Return the command line of one comparison."""
    argv = [sys.executable, "-P", "-m", "skilldelta", "compare", "--base", "main", "--head", "topic"]
    argv += ["--repo", str(repository), "--out", str(out), "--base-url", url, "--model", "test"]
    return [*argv, "--rounds", "2", "--concurrency", str(IN_FLIGHT), "--yes", "--quiet"]


def build(repository: Path, tasks: int) -> None:
    """Write a repository with one skill, its frozen suite on `main`, and a branch `topic` that edits the skill."""
    rows = "".join(
        f"  - id: task-{number}\n    prompt: 'Question {number}: may the door be left open over night?'\n"
        "    judge: {type: contains, expected: ['yes']}\n"
        for number in range(tasks)
    )
    body = "Look it up in the handbook, then answer in one sentence.\n" * 20
    text = "---\nname: doors\ndescription: Says which doors may stay open. Use when asked.\n---\n\n# Doors\n\n" + body
    files = {
        ".skilldelta.yml": "runner: {model: test, offer: inline}\n",
        "skills/doors/SKILL.md": text,
        ".skilldelta/suites/doors/suite.yaml": f'skill_id: doors\nversion: "1.0"\ntasks:\n{rows}',
    }
    for path, content in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(content)
    git(repository, "init", "--quiet", "--initial-branch=main")
    freeze = [sys.executable, "-P", "-m", "skilldelta", "suite", "freeze", "--approved-by", "bench"]
    subprocess.run(freeze, cwd=repository, check=True, stdout=subprocess.DEVNULL)
    commit(repository)
    git(repository, "checkout", "--quiet", "-b", "topic")
    (repository / "skills/doors/SKILL.md").write_text(text + "Name the page.\n")
    commit(repository)


def commit(repository: Path) -> None:
    """Commit everything that stands in the work tree."""
    git(repository, "add", "--all")
    git(repository, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-m", "x")


def git(repository: Path, *arguments: str) -> None:
    """Run git without the user's configuration."""
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=repository, check=True, env=environment)


def measure(argv: list[str], url: str, trials: int) -> Run:
    """Run one command line to its end; the server must have seen every trial once."""
    ask(f"{url}/forget")
    environment = {**os.environ, "ANTHROPIC_API_KEY": "none-is-needed"}
    process = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    log = ask(f"{url}/log")
    assert process.returncode == 0, process.returncode
    assert (log["requests"], log["keys"], log["most"]) == (trials, trials, IN_FLIGHT), log
    return Run(
        ratio=(log["last"] - log["first"]) / (trials * DELAY / IN_FLIGHT),
        cpu_ms=1000 * (used.ru_utime + used.ru_stime),
        peak_mb=used.ru_maxrss / 1024,
        server_cpu_ms=1000 * log["cpu"],
    )


def ask(url: str) -> dict[str, float]:
    """Return what the server says of itself."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=10) as response:
        found: dict[str, float] = json.load(response)
        return found


# --- the floor ------------------------------------------------------------------------------------------------------


async def floor(url: str, trials: int) -> None:
    """Make the same calls with nothing but the SDK, on the faster of its transports, which is ours too."""
    import anthropic

    left = iter(range(trials))
    transport = anthropic.DefaultAioHttpClient()
    async with anthropic.AsyncAnthropic(
        base_url=url, api_key="none-is-needed", max_retries=0, http_client=transport
    ) as client:

        async def worker() -> None:
            for number in left:
                message = await client.messages.create(
                    model="test",
                    max_tokens=4096,
                    system=[{"type": "text", "text": "Look it up in the handbook, then answer. " * 25}],
                    messages=[{"role": "user", "content": f"Question {number}"}],
                    extra_headers={"x-skilldelta-trial": f"{number:064x}"},
                )
                assert "yes" in getattr(message.content[0], "text", "")

        await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))


# --- the server -----------------------------------------------------------------------------------------------------


class Log:
    """What the server has seen."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.keys: set[bytes] = set()
        self.now = self.most = 0
        self.cpu = time.process_time()

    def said(self) -> bytes:
        """Return it as JSON."""
        seen = {"first": min(self.times, default=0), "last": max(self.times, default=0), "requests": len(self.times)}
        seen |= {"keys": len(self.keys), "most": self.most, "cpu": time.process_time() - self.cpu}
        return json.dumps(seen).encode()


class Answering(asyncio.Protocol):
    """Just enough HTTP/1.1 for the SDK: whole requests with a content-length, each answered after the delay."""

    log = Log()
    reply = json.dumps(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "test", "stop_reason": "end_turn",
            "stop_sequence": None, "content": [{"type": "text", "text": ANSWER}],
            "usage": {"input_tokens": 300, "output_tokens": 14},
        }
    ).encode()  # fmt: skip

    def __init__(self) -> None:
        self._data = b""
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = self._data[:end].lower()
            length = int(_header(head, b"content-length") or 0)
            if len(self._data) < end + 4 + length:
                return
            self._data = self._data[end + 4 + length :]
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        log = type(self).log
        if head.startswith(b"get"):
            if b"/forget" in head.split(b"\r\n")[0]:
                type(self).log = log = Log()
            self._send(log.said())
            return
        log.times.append(time.monotonic())
        log.keys.add(_header(head, b"x-skilldelta-trial"))
        log.now += 1
        log.most = max(log.most, log.now)
        self._loop.call_later(DELAY, self._done, log)

    def _done(self, log: Log) -> None:
        log.now -= 1
        self._send(self.reply)

    def _send(self, body: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        self._transport.write(head % len(body) + body)


def _header(head: bytes, name: bytes) -> bytes:
    _, found, rest = head.partition(b"\r\n" + name + b":")
    return rest.partition(b"\r\n")[0].strip() if found else b""


async def serve() -> None:
    """Answer until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", 0, backlog=2 * IN_FLIGHT)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin, ended.set)
    await ended.wait()


@contextmanager
def serving() -> Iterator[str]:
    """Run the server in a process of its own, for as long as the block lasts."""
    argv = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        assert process.stdin is not None
        process.stdin.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve())
    elif sys.argv[1:2] == ["--floor"]:
        asyncio.run(floor(sys.argv[2], int(sys.argv[3])))
    else:
        main()
