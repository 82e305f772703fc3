"""The embedded model's server: how it starts and ends, and that the real one really answers."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skilldelta.edges import local_model
from skilldelta.edges.local_model import LocalModelServer
from skilldelta.edges.local_model_start import wait_for_health, wait_for_ready
from skilldelta.edges.local_model_weights import find_weights
from skilldelta.errors import LocalModelProblem

DEMO = Path(__file__).parents[2] / "examples" / "demo"

FAKE_SERVER = """
import http.server, json, os, signal, sys, threading
from skilldelta.edges import local_model_process as real
mode, notes, parent = sys.argv[1], sys.argv[2], os.getppid()
settings = json.loads(real._first_line())
with open(notes, "w") as file:
    json.dump({"environment": dict(os.environ), "settings": settings, "folder": os.getcwd()}, file)
threading.Thread(target=real._watch_parent, args=(parent,), daemon=True).start()
if mode == "crash":
    sys.exit("x" * 100_000 + "\\nno such tensor")
if mode == "mute":
    signal.pause()
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Health)
print("loading\\nREADY soon\\nREADY http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
"""

PARENT = """
import signal, sys
from skilldelta.edges.local_model import LocalModelServer
extra = {"command": sys.argv[1:], "weights": "none"} if sys.argv[1:] else {}
with LocalModelServer(**extra) as server:
    print(server.pid, flush=True)
    signal.pause()
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"READY http://127.0.0.1:8080\n", "http://127.0.0.1:8080"),
        (b"noise\r\nREADY http://127.0.0.1:1\r\nmore\n", "http://127.0.0.1:1"),
        (b"READY http://127.0.0.1:8080", None),
        (b"READY http://0.0.0.0:8080\nREADY http://127.0.0.1:99999\nREADY http://127.0.0.1:0\n", None),
        (b"READY http://127.0.0.1:80@evil.example\n READY http://127.0.0.1:80\n", None),
        (b"", None),
    ],
)
def test_ready_line(said: bytes, expected: str | None) -> None:
    """Only a whole line with an address on the loopback interface counts as ready."""
    reader, writer = os.pipe()
    os.write(writer, said)
    os.close(writer)
    with open(reader, "rb", buffering=0) as pipe:  # noqa: PTH123 - a file descriptor
        assert wait_for_ready(pipe, time.monotonic() + 5) == expected


def test_health_that_never_comes() -> None:
    """A server that does not answer is said to be unhealthy when the time is up."""
    with pytest.raises(LocalModelProblem, match="ConnectionRefusedError"):
        wait_for_health("http://127.0.0.1:1", time.monotonic() + 0.2)


def fake(tmp_path: Path, mode: str, **options: Any) -> LocalModelServer:
    """A server whose child is the fake one; what the child saw is in `notes.json`."""
    command = fake_command(tmp_path, mode)
    return LocalModelServer(command=command, weights=tmp_path / "weights", **options)


def fake_command(tmp_path: Path, mode: str) -> list[str]:
    """The command line of the fake child."""
    script = tmp_path / "fake_server.py"
    script.write_text(FAKE_SERVER)
    return [sys.executable, str(script), mode, str(tmp_path / "notes.json")]


def has_ended(pid: int, seconds: float = 10) -> bool:
    """Wait for the process to end and return whether it did; works for a process that is not our child."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def test_server_starts_and_ends(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Inside the block the child serves at the address it named; after it it is gone, and nothing was printed."""
    with fake(tmp_path, "good") as server:
        pid = server.pid
        assert pid is not None
        assert server.base_url.startswith("http://127.0.0.1:")
    assert server.pid is None
    assert has_ended(pid, 0)
    assert capfd.readouterr() == ("", "")


def test_child_knows_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child gets its key on standard input, no secret of ours, and another folder than our own."""
    for name in ("ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "LD_PRELOAD_NOT"):
        monkeypatch.setenv(name, "sk-hidden")
    with fake(tmp_path, "good") as server:
        arguments = Path(f"/proc/{server.pid}/cmdline").read_bytes()
        seen = json.loads((tmp_path / "notes.json").read_text())
    assert "sk-hidden" not in json.dumps(seen)
    assert seen["settings"]["api_key"] == server.api_key
    assert server.api_key not in json.dumps(seen["environment"])
    assert server.api_key.encode() not in arguments
    assert seen["environment"]["GOMP_SPINCOUNT"] == "1000"
    assert seen["folder"] == "/"


def test_every_server_has_its_own_key() -> None:
    """Keys are drawn anew and are not shown by `repr`."""
    first, second = LocalModelServer(), LocalModelServer()
    assert first.api_key != second.api_key
    assert first.api_key not in repr(first)


def test_child_that_fails_is_quoted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A child that ends before it is ready is told with its code and the end, only the end, of what it said."""
    with pytest.raises(LocalModelProblem, match=r"ended with code 1; it said\n(?s:.*)no such tensor") as caught:
        fake(tmp_path, "crash").__enter__()
    assert len(str(caught.value)) < 20_000
    assert capfd.readouterr() == ("", "")


def test_child_that_never_gets_ready(tmp_path: Path) -> None:
    """A child that says nothing is ended when the time is up."""
    server = fake(tmp_path, "mute", start_seconds=0.5)
    with pytest.raises(LocalModelProblem, match="did not get ready in time"):
        server.__enter__()
    assert server.pid is None


def test_stubborn_child_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that does not end when asked is killed."""
    monkeypatch.setattr(local_model, "STOP_SECONDS", 0.2)
    with fake(tmp_path, "stubborn") as server:
        pid = server.pid
    assert pid is not None
    assert has_ended(pid, 0)


def parent_killed(arguments: list[str]) -> int:
    """Kill -9 a process that runs a server, and return the process id of the server."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent.stdout:
        pid = int(parent.stdout.readline())
        assert not has_ended(pid, 0)
        parent.kill()
        parent.wait()
    return pid


def test_child_ends_with_its_parent(tmp_path: Path) -> None:
    """The child of a killed parent ends by itself."""
    assert has_ended(parent_killed(fake_command(tmp_path, "good")))


@pytest.fixture
def real_server() -> Iterator[LocalModelServer]:
    """The real model; a missing part fails the test with the line that mends it."""
    with LocalModelServer() as server:
        yield server


def client(server: LocalModelServer, **options: Any) -> Any:
    """An SDK client for the server that no proxy of the environment can catch."""
    import anthropic

    options.setdefault("api_key", server.api_key)
    http_client = anthropic.DefaultHttpxClient(trust_env=False)
    return anthropic.Anthropic(base_url=server.base_url, http_client=http_client, **options)


def system(skill: Path) -> list[dict[str, Any]]:
    """The system prompt as the runner sends it: two blocks, the second beginning with the blank line between them."""
    text = "\n\n" + skill.read_text(encoding="utf-8")
    return [
        {"type": "text", "text": "You are a helpful assistant."},
        {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}},
    ]


@pytest.mark.real
def test_two_servers_at_once(real_server: LocalModelServer, capfd: pytest.CaptureFixture[str]) -> None:
    """Two servers answer side by side, each with its own key, and the engine's logs stay off the terminal."""
    import anthropic

    question: dict[str, Any] = {"model": real_server.model_name, "max_tokens": 8}
    question["messages"] = [{"role": "user", "content": "Hello"}]
    with LocalModelServer() as other, client(real_server) as first, client(other) as second:
        assert real_server.base_url != other.base_url
        for each in (first, second):
            assert each.messages.create(**question).usage.output_tokens > 0
        with client(real_server, api_key=other.api_key) as stranger, pytest.raises(anthropic.AuthenticationError):
            stranger.messages.create(**question)
    assert capfd.readouterr() == ("", "")


@pytest.mark.real
def test_context_is_per_slot() -> None:
    """Each of two slots has the whole context: a prompt that fits into one is answered, a longer one is refused."""
    import anthropic

    with LocalModelServer(context_tokens=256) as server, client(server) as asked:
        fitting, longer = ([{"role": "user", "content": "word " * words}] for words in (200, 300))
        assert asked.messages.create(model="any", max_tokens=4, messages=fitting).stop_reason
        with pytest.raises(anthropic.BadRequestError, match="exceed"):
            asked.messages.create(model="any", max_tokens=4, messages=longer)


@pytest.mark.real
@pytest.mark.parametrize(
    ("prompt", "pattern", "good", "bad"),
    [
        (
            "Added a search box to the home page",
            "feat: ",
            "skills/commit-message/SKILL.md",
            "variants/commit-message-without-examples.md",
        ),
        (
            "next invoice date",
            "next_invoice_date",
            "skills/snake-case/SKILL.md",
            "variants/snake-case-sabotaged.md",
        ),
    ],
)
def test_the_skill_makes_the_difference(
    real_server: LocalModelServer, prompt: str, pattern: str, good: str, bad: str
) -> None:
    """Of ten sampled answers most pass with the good skill text and next to none with the other."""
    passed = {}
    with client(real_server) as asked:
        for skill in (good, bad):
            answers = [
                asked.messages.create(
                    model=real_server.model_name,
                    max_tokens=40,
                    system=system(DEMO / skill),
                    messages=[{"role": "user", "content": prompt}],
                    extra_body={"temperature": 0.7},
                )
                for _ in range(10)
            ]
            texts = ["".join(block.text for block in answer.content).strip() for answer in answers]
            passed[skill] = sum(text.startswith(pattern) for text in texts)
    assert passed[good] >= 6
    assert passed[bad] <= 2


@pytest.mark.real
def test_real_child_ends_with_its_parent() -> None:
    """No model server is left when the process that started it is killed."""
    find_weights()
    assert has_ended(parent_killed([]))


@pytest.mark.real
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_serve_ends_cleanly(number: signal.Signals, code: int) -> None:
    """`local-model serve` prints address and key, and ends without a traceback on Ctrl-C and on SIGTERM."""
    find_weights()
    serving = subprocess.Popen(
        [sys.executable, "-m", "skilldelta", "local-model", "serve"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert serving.stdout is not None
    assert serving.stdout.readline().startswith("base URL  http://127.0.0.1:")
    assert serving.stdout.readline().startswith("API key   ")
    serving.send_signal(number)
    _, complaints = serving.communicate(timeout=20)
    assert serving.returncode == code
    assert "Traceback" not in complaints
