"""One comparison from a real repository through the real command line to report.json, on a server of our own."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from repositories import Commit, Content, build, skill_text
from skilldelta.cli.door import run
from skilldelta.reading.frozen_suite import find_frozen, next_version

KEY = "canary-key-0123456789"
OLD, NEW = "OLD-WAY", "NEW-WAY"
"""Words in a skill's body that tell the server whose skill it is."""
CONFIG = "runner: {model: test, offer: inline}\njudge: {model: judge}\n"
SUITES = ".skilldelta/suites"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as the server saw it."""

    arm: str
    """candidate, baseline, control or judge."""
    prompt: str
    time: int
    """How often this arm was asked this, counted from 1."""
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def key(self) -> str:
        """The key that the request was sent with."""
        return self.headers.get("x-api-key") or self.headers["authorization"].removeprefix("Bearer ")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server says: a text, or an error with its status."""

    text: str = "yes"
    status: int = 200
    seconds: float = 0.0
    stop_reason: str = "end_turn"
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None


Script = Callable[[Asked], Reply | str]


class Server:
    """A Messages API on the loopback interface that answers as `script` says; it counts and keeps what it was asked."""

    def __init__(self) -> None:
        self.script: Script = lambda _: "yes"
        self.asked: list[Asked] = []
        self._counted: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                reply = outer.reply(body, {name.lower(): value for name, value in self.headers.items()})
                outer.closing.wait(reply.seconds)
                data = reply.raw if reply.raw is not None else outer.message(reply, body)
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
                """Nothing is written."""

        class Quiet(ThreadingHTTPServer):
            request_queue_size = 64
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that hung up is none of ours."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def reply(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Reply:
        """Note the request and return what the script says to it."""
        system = "".join(block["text"] for block in body.get("system", ()))
        arm = "control"
        if "You grade one answer" in system:
            arm = "judge"
        elif OLD in system or NEW in system:
            arm = "candidate" if NEW in system else "baseline"
        prompt = "\n\n".join(block["text"] for block in body["messages"][0]["content"])
        with self._lock:
            self._counted[arm, prompt] += 1
            asked = Asked(arm=arm, prompt=prompt, time=self._counted[arm, prompt], body=body, headers=headers)
            self.asked.append(asked)
        said = self.script(asked)
        return Reply(text=said) if isinstance(said, str) else said

    @staticmethod
    def message(reply: Reply, body: Mapping[str, Any]) -> bytes:
        """Return the body of a response in the API's shape."""
        if reply.status != 200:
            return json.dumps({"type": "error", "error": {"type": "api_error", "message": reply.text}}).encode()
        return json.dumps(
            {
                "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
                "content": [{"type": "text", "text": reply.text}], "stop_reason": reply.stop_reason,
                "usage": {"input_tokens": 10, "output_tokens": 5},
            }
        ).encode()  # fmt: skip

    def forget(self) -> None:
        """Count from 1 again how often each arm is asked each thing."""
        with self._lock:
            self._counted.clear()

    def arms(self) -> Counter[str]:
        """How many requests came from each arm and from judges."""
        return Counter(asked.arm for asked in self.asked)

    def close(self) -> None:
        """Stop at once, whatever is waiting."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


def suite_text(
    skill_id: str = "a", *, tasks: int = 12, head: str = "", judge: str = "{type: contains, expected: [yes-word]}"
) -> str:
    """Return a suite of so many tasks, all with one judge."""
    rows = "".join(
        f"  - id: task-{n}\n    prompt: Question {n} of {skill_id}\n    judge: {judge}\n" for n in range(tasks)
    )
    return f'skill_id: {skill_id}\nversion: "1.0"\n{head}tasks:\n{rows}'.replace("yes-word", '"yes"')


def frozen(
    text: str, skill_id: str = "a", *, before: Mapping[str, Content] | None = None, draft: bool = True,
    fixtures: Mapping[str, str] | None = None,
) -> dict[str, Content]:  # fmt: skip
    """Return the files of a suite as `skilldelta suite freeze` leaves them; `before`: what stood there already."""
    root = f"{SUITES}/{skill_id}/"
    held = {path.removeprefix(root): content for path, content in (before or {}).items()}
    files: dict[str, bytes] = {path: data.encode() for path, data in held.items() if isinstance(data, str)}
    files |= {path: data.encode() for path, data in (fixtures or {}).items()}
    files["suite.yaml"] = text.encode()
    found = find_frozen(dict.fromkeys(files, "100644"), files.__getitem__, where=root.rstrip("/"))
    record = next_version(found, approved_by="Ada", frozen_at="2026-01-02T03:04:05Z")
    files[f"{record.name}/suite.yaml"] = files["suite.yaml"]
    files[f"{record.name}/freeze.json"] = (record.model_dump_json(indent=2) + "\n").encode()
    files |= {f"{record.name}/{file.path}": files[file.path] for file in record.fixtures}
    if not draft:
        del files["suite.yaml"]
    return {root + path: data.decode() for path, data in files.items()}


def version_of(files: Mapping[str, Content], skill_id: str = "a") -> str:
    """Return the name of the newest frozen version among the files of a suite."""
    folders = {path.split("/")[3] for path in files if path.startswith(f"{SUITES}/{skill_id}/v")}
    return max(folders, key=lambda name: int(name[1:].split("-")[0]))


def skill(word: str, name: str = "a") -> dict[str, Content]:
    """Return the files of a skill whose body holds `word`."""
    return {f"skills/{name}/SKILL.md": skill_text(name, body=f"# How\n\nDo it the {word}.\n")}


class Bench:
    """A repository, a server and a folder for the run; every comparison ends in its report."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.out = folder / "out"
        self.server = Server()
        self.said = ""
        """What the last command wrote to stderr."""
        self.printed = ""
        """What the last command wrote to stdout."""
        self._capsys = capsys

    def build(self, *commits: Commit) -> None:
        """Make the repository, bare, so that no work tree has a say."""
        build(self.repo, commits, bare=True)

    def two(self, before: Mapping[str, Content], after: Mapping[str, Content], delete: Sequence[str] = ()) -> None:
        """Make a repository of two commits: `main~1` and `main`."""
        self.build(Commit(files=before), Commit(files=after, delete=delete))

    def run(self, *arguments: str | Path, code: int = 0) -> None:
        """Run one command line and hold its exit code; no output is a traceback or a bug of ours."""
        left = run([str(argument) for argument in arguments])
        captured = self._capsys.readouterr()
        self.printed, self.said = captured.out, captured.err
        assert "Traceback" not in self.said
        assert "this is a bug" not in self.said, self.said
        assert left == code, f"{left}: {self.said}{self.printed}"

    def compare(
        self, *arguments: str, code: int = 0, base: str = "main~1", head: str = "main", out: Path | None = None
    ) -> dict[str, Any]:
        """Run `skilldelta compare`, return its report; replay must give the same one but for `invocation`."""
        out = out or self.out
        named = ("--base", base, "--head", head, "--repo", self.repo, "--out", out, "--base-url", self.server.url)
        self.run("compare", *named, *arguments, code=code)
        said, printed = self.said, self.printed
        report = self.report(out)
        assert report["exit_code"] == code
        self._replay(out, report, code)
        self.said, self.printed = said, printed
        return report

    def refused(self, *arguments: str, code: int = 2, base: str = "main~1", head: str = "main") -> str:
        """Run a comparison that must end before it has a report; return what was said."""
        named = ("--base", base, "--head", head, "--repo", self.repo, "--out", self.out, "--base-url", self.server.url)
        self.run("compare", *named, *arguments, code=code)
        return self.said

    @staticmethod
    def report(out: Path) -> dict[str, Any]:
        """Return what report.json in a run's folder holds."""
        found: dict[str, Any] = json.loads((out / "report.json").read_text())
        return found

    def _replay(self, out: Path, report: dict[str, Any], code: int) -> None:
        calls = len(self.server.asked)
        again = self.folder / "replayed"
        self.run("replay", out, "--out", again, code=code)
        replayed = self.report(again)
        assert replayed.pop("invocation")["replay"] is True
        assert replayed == {name: value for name, value in report.items() if name != "invocation"}
        assert len(self.server.asked) == calls


def passing(**arms: bool) -> Script:
    """Return a script in which each arm always passes or always fails; arms that are not named pass."""
    return lambda asked: "yes" if arms.get(asked.arm, True) else "no"


def quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a canary as the key and take away whatever else of the user's environment could matter."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "ANTHROPIC_", "SKILLDELTA_", "AWS_")):
            monkeypatch.delenv(name)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
