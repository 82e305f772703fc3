"""A Messages API on the loopback interface whose answers are a function of the request and of a small script.

In a test: `with ScriptedServer([{"if_system_contains": "MARK-GOOD", "p": 0.95}]) as server: server.base_url`.
As a program: `python tests/scripted_server.py --script FILE --delay-ms 50 --log FILE` prints `READY URL` and ends when
its standard input is closed, or on SIGTERM.

A script is a list of rules (in a file: JSON, alone or under "rules"). The first rule answers whose every condition
holds and which is not used up; the fields of `Rule` say what there is. Chance is a hash of the trial's key.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, cast

from aiohttp import web

JUDGE_MARK = "You grade one answer"
"""In the system prompt of every request to the judge."""
Kind = Literal["trial", "judge", "count_tokens"]
_PATHS = {"/v1/messages", "/v1/messages/count_tokens"}
_ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Rule:
    """When it applies, and what is answered then."""

    if_kind: Kind | None = None
    """trial, judge or count_tokens; requests that count tokens obey only rules that name them."""
    if_contains: str | None = None
    """In the system prompt or in any message, tool results included."""
    if_system_contains: str | None = None
    if_user_contains: str | None = None
    """In any message, tool results included."""
    if_turn: int | None = None
    """1 for a request without an assistant's message, then counted up."""
    if_offered: str | None = None
    """The name of a tool among those that the request offers."""
    share: float = 1.0
    """For this share of the trial keys only, drawn by their hash."""
    times: int | None = None
    """So often altogether, then the rule is used up."""
    times_per_key: int | None = None
    """So often for each trial key."""

    p: float = 1.0
    """Probability that a trial key draws `pass_text`; the draw is the same for all turns and rules."""
    pass_text: str = "yes, done as asked ($key)"  # noqa: S105 - an answer's text
    """In texts, `$key` is the first 8 characters of the trial key."""
    fail_text: str = "no, not done ($key)"
    stop_reason: str = "end_turn"
    tool_use: Mapping[str, Any] | None = None
    """{"name", "input"}: calls this tool; `$skill` in the input is the name that the system prompt lists."""
    model: str | None = None
    """Instead of the requested model's name."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """Over the usual usage: a token for every four characters."""

    delay_ms: float | None = None
    """Instead of the server's delay."""
    status: int = 200
    message: str = "as scripted"
    """Of an error; `$api_key` echoes the key that came with the request."""
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_after: float | None = None
    """Seconds, as the header `retry-after`."""
    retry_after_ms: float | None = None
    raw: str | None = None
    """The whole body, whatever the status."""
    content_type: str = "application/json"
    drop: Literal["before", "middle"] | None = None
    """Break the connection: without a byte, or after half of the body."""
    hang: Literal["before", "middle"] | None = None
    """Go silent at that point, for `hang_seconds` or until the server ends, then break the connection."""
    hang_seconds: float = 60.0


LOAD_SKILL = Rule(
    if_kind="trial", if_turn=1, if_offered="load_skill", tool_use={"name": "load_skill", "input": {"name": "$skill"}}
)
"""An agent that loads the skill it is offered before it answers."""
DEFAULT_SCRIPT = (
    LOAD_SKILL,
    Rule(
        if_kind="judge",
        if_user_contains="yes, done",
        pass_text='{"rationale": "It does it.", "score": 0.9}',  # noqa: S106 - an answer's text
    ),
    Rule(
        if_kind="judge",
        pass_text='{"rationale": "It does not do it.", "score": 0.2}',  # noqa: S106 - an answer's text
    ),
    Rule(if_contains="MARK-GOOD", p=0.95),
    Rule(if_contains="MARK-BAD", p=0.2),
    Rule(p=0.6),
)
Script = Sequence[Rule | Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as it came in."""

    key: str
    """Of the header `x-skilldelta-trial`; empty without one."""
    kind: Kind
    at: float
    """Seconds of the wall clock."""
    digest: str
    """The first 16 hex digits of the body's SHA-256."""
    rule: int | None
    """Index of the rule that answered; None where none did."""
    body: Mapping[str, Any] | None = None
    """Kept with `keep_bodies=True`."""
    headers: Mapping[str, str] | None = None
    """Likewise, names in lower case."""


@dataclass(frozen=True, kw_only=True)
class _Asked:
    key: str
    kind: Kind
    body: Mapping[str, Any]
    size: int
    digest: str
    api_key: str

    @functools.cached_property
    def system(self) -> str:
        return _text(self.body.get("system", ""))

    @functools.cached_property
    def said(self) -> str:
        return "\n".join(_text(message.get("content")) for message in self.body["messages"])

    @property
    def turn(self) -> int:
        return 1 + sum(1 for message in self.body["messages"] if message.get("role") == "assistant")

    @property
    def skill(self) -> str:
        """The name in the first line of the system prompt that lists one."""
        lines = (line for line in self.system.splitlines() if line.startswith("- ") and ":" in line)
        return next(lines, "- :")[2:].split(":")[0]

    def draw(self, *what: object) -> float:
        """A number in [0, 1) that belongs to the trial key (to the body where there is none) and to `what`."""
        text = json.dumps([self.key or self.digest, *what])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7]) / 2**56


def unit_of(key: str) -> float:
    """Return the draw of a trial key: it passes under every rule whose `p` is larger."""
    return _Asked(key=key, kind="trial", body={}, size=0, digest="", api_key="").draw()


def read_rules(script: Script | Mapping[str, Any]) -> tuple[Rule, ...]:
    """Return the rules of a script; an unknown field is a TypeError."""
    rows = cast("Script", script["rules"]) if isinstance(script, Mapping) else script
    return tuple(row if isinstance(row, Rule) else Rule(**row) for row in rows)


class ScriptedServer:
    """The server, in a thread of its own while the `with` block lasts."""

    def __init__(
        self,
        script: Script | Mapping[str, Any] = DEFAULT_SCRIPT,
        *,
        delay_ms: float = 0.0,
        log: Path | None = None,
        keep_bodies: bool = False,
        port: int = 0,
    ) -> None:
        self.base_url = ""
        self._rules = read_rules(script)
        self._delay_ms = delay_ms
        self._log_path = log
        self._log: IO[str] | None = None
        self._keep_bodies = keep_bodies
        self._port = port
        self._seen: list[Seen] = []
        self._used: Counter[object] = Counter()
        self._stop = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def seen(self) -> list[Seen]:
        """Every request so far, in the order in which they came."""
        return list(self._seen)

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """The bodies of the requests so far; needs `keep_bodies`."""
        return [seen.body for seen in self.seen if seen.body is not None]

    def counts(self, kind: Kind | None = None) -> Counter[str]:
        """Return how often each trial key was seen."""
        return Counter(seen.key for seen in self.seen if kind is None or seen.kind == kind)

    def __enter__(self) -> Self:
        ready = threading.Event()
        problems: list[BaseException] = []

        def run() -> None:
            try:
                asyncio.run(self.serve(lambda _: ready.set()))
            except BaseException as problem:  # noqa: BLE001 - handed over to the thread that waits
                problems.append(problem)
            finally:
                ready.set()

        self._thread = threading.Thread(target=run, name="scripted-server", daemon=True)
        self._thread.start()
        ready.wait()
        if problems:
            raise problems[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """End the server at once, from any thread; what hangs is dropped."""
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)

    async def serve(self, ready: Callable[[str], None]) -> None:
        """Serve in this event loop until `stop`; `ready` is told the URL."""
        self._loop = asyncio.get_running_loop()
        server = web.Server(self._handle, access_log=None)
        listening = await self._loop.create_server(server, "127.0.0.1", self._port, backlog=1024)
        self.base_url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        with contextlib.ExitStack() as stack:
            if self._log_path is not None:
                self._log = stack.enter_context(self._log_path.open("a", buffering=1, encoding="utf-8"))
            ready(self.base_url)
            try:
                await self._stop.wait()
            finally:
                listening.close()
                await server.shutdown(0.01)
                await listening.wait_closed()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        data = await request.content.read()
        if request.path not in _PATHS or request.method != "POST":
            return _response(404, _error(404, f"there is no {request.method} {request.path}"))
        try:
            asked = _parsed(request, data)
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            return _response(400, _error(400, f"not a request: {problem!r}"))
        index = self._choose(asked)
        self._note(asked, index, request)
        if index is None:
            if asked.kind == "count_tokens":
                return _response(200, {"input_tokens": asked.size // 4})
            return _response(400, _error(400, "no rule of the script answers this request"))
        return await self._play(self._rules[index], asked, request)

    def _choose(self, asked: _Asked) -> int | None:
        for index, rule in enumerate(self._rules):
            if not _applies(rule, asked) or (rule.share < 1 and asked.draw("share", index) >= rule.share):
                continue
            if rule.times is not None and self._used[index] >= rule.times:
                continue
            if rule.times_per_key is not None and self._used[index, asked.key] >= rule.times_per_key:
                continue
            self._used[index] += 1
            if rule.times_per_key is not None:
                self._used[index, asked.key] += 1
            return index
        return None

    def _note(self, asked: _Asked, index: int | None, request: web.BaseRequest) -> None:
        kept = self._keep_bodies
        seen = Seen(
            key=asked.key,
            kind=asked.kind,
            at=time.time(),
            digest=asked.digest,
            rule=index,
            body=asked.body if kept else None,
            headers={name.lower(): value for name, value in request.headers.items()} if kept else None,
        )
        self._seen.append(seen)
        if self._log is not None:
            line = {"at": seen.at, "key": seen.key, "kind": seen.kind, "digest": seen.digest, "rule": seen.rule}
            self._log.write(json.dumps(line) + "\n")

    async def _play(self, rule: Rule, asked: _Asked, request: web.BaseRequest) -> web.StreamResponse:
        delay = self._delay_ms if rule.delay_ms is None else rule.delay_ms
        if delay > 0:
            await asyncio.sleep(delay / 1000)
        body = reply_of(rule, asked)
        if rule.drop is None and rule.hang is None:
            return _response(rule.status, body, rule)
        response: web.StreamResponse = web.Response()
        if "middle" in (rule.drop, rule.hang):
            response = web.StreamResponse(status=rule.status, headers={"content-type": rule.content_type})
            response.content_length = len(body)
            await response.prepare(request)
            await response.write(body[: len(body) // 2])
        if rule.hang is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), rule.hang_seconds)
        if request.transport is not None:
            request.transport.close()
        return response


def _parsed(request: web.BaseRequest, data: bytes) -> _Asked:
    body = json.loads(data)
    for name in ("model", "messages") if request.path.endswith("count_tokens") else ("model", "messages", "max_tokens"):
        body[name]
    system = _text(body.get("system", ""))
    kind: Kind = "judge" if JUDGE_MARK in system else "trial"
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    return _Asked(
        key=request.headers.get("x-skilldelta-trial", ""),
        kind="count_tokens" if request.path.endswith("count_tokens") else kind,
        body=body,
        size=len(data),
        digest=hashlib.sha256(data).hexdigest()[:16],
        api_key=request.headers.get("x-api-key", bearer),
    )


def _applies(rule: Rule, asked: _Asked) -> bool:
    return (
        (rule.if_kind == asked.kind if rule.if_kind or asked.kind == "count_tokens" else True)
        and (rule.if_contains is None or rule.if_contains in asked.system or rule.if_contains in asked.said)
        and (rule.if_system_contains is None or rule.if_system_contains in asked.system)
        and (rule.if_user_contains is None or rule.if_user_contains in asked.said)
        and (rule.if_turn is None or rule.if_turn == asked.turn)
        and (rule.if_offered is None or any(tool["name"] == rule.if_offered for tool in asked.body.get("tools", ())))
    )


def reply_of(rule: Rule, asked: _Asked) -> bytes:
    """Return the body that a rule gives to a request: equal requests, equal bytes."""
    if rule.raw is not None:
        return rule.raw.encode()
    if rule.status != 200:
        return json.dumps(_error(rule.status, rule.message.replace("$api_key", asked.api_key))).encode()
    if asked.kind == "count_tokens":
        return json.dumps({"input_tokens": rule.usage.get("input_tokens", asked.size // 4)}).encode()
    stop_reason = rule.stop_reason
    if rule.tool_use is not None:
        given = {
            name: value.replace("$skill", asked.skill) if isinstance(value, str) else value
            for name, value in rule.tool_use.get("input", {}).items()
        }
        content: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{asked.digest}", "name": rule.tool_use["name"]}
        content["input"] = given
        stop_reason = "tool_use"
    else:
        text = rule.pass_text if asked.draw() < rule.p else rule.fail_text
        content = {"type": "text", "text": text.replace("$key", asked.key[:8])}
    usage = {
        "input_tokens": asked.size // 4,
        "output_tokens": len(json.dumps(content)) // 4,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
        **rule.usage,
    }
    return json.dumps(
        {
            "id": f"msg_{asked.digest}",
            "type": "message",
            "role": "assistant",
            "model": rule.model or asked.body["model"],
            "content": [content],
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": usage,
        }
    ).encode()


def _response(status: int, body: bytes | Mapping[str, Any], rule: Rule | None = None) -> web.Response:
    headers = {"content-type": rule.content_type if rule else "application/json", "request-id": "req_scripted"}
    if rule is not None:
        headers |= dict(rule.headers)
        if rule.retry_after is not None:
            headers["retry-after"] = f"{rule.retry_after:g}"
        if rule.retry_after_ms is not None:
            headers["retry-after-ms"] = f"{rule.retry_after_ms:g}"
    return web.Response(
        status=status, body=body if isinstance(body, bytes) else json.dumps(body).encode(), headers=headers
    )


def _error(status: int, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": _ERRORS.get(status, "api_error"), "message": message}}


def _text(content: Any) -> str:
    """Return all text in a system prompt, a message's content or a tool's result."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(block["text"] if block.get("type") == "text" else _text(block.get("content")) for block in content)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the server as a program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--script", type=Path, help="a JSON file of rules; left out: the default script")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="milliseconds before each answer")
    parser.add_argument("--log", type=Path, help="one JSON line per request is appended here")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args(arguments)
    script = json.loads(given.script.read_text(encoding="utf-8")) if given.script else DEFAULT_SCRIPT
    server = ScriptedServer(script, delay_ms=given.delay_ms, log=given.log, port=given.port)

    def watch_input() -> None:
        while os.read(0, 65536):
            pass
        server.stop()

    def ready(url: str) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.stop)
        threading.Thread(target=watch_input, daemon=True).start()
        sys.stdout.write(f"READY {url}\n")
        sys.stdout.flush()

    asyncio.run(server.serve(ready))


if __name__ == "__main__":
    main()
