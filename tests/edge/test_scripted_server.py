"""The scripted server is what the tests that stand on it take it for."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anthropic
import pytest

import scripted_server
from fakes import skill_plan, task
from scripted_server import JUDGE_MARK, Rule, ScriptedServer, read_rules, unit_of
from skilldelta.domain.suite import LlmRubricJudge
from skilldelta.judge.rubric import first_request, read_text
from skilldelta.run.offer import LOAD

PROGRAM = Path(scripted_server.__file__)


def ask(server: ScriptedServer | str, key: str = "k", system: str = "", user: str = "Hello", **more: Any) -> Any:
    """Ask over plain HTTP; return (status, headers, parsed body)."""
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": user}], "system": system, **more}
    return post(server, "/v1/messages", json.dumps(body), {"x-skilldelta-trial": key})


def post(
    server: ScriptedServer | str, path: str, body: str, headers: Mapping[str, str] | None = None, method: str = "POST"
) -> tuple[int, Mapping[str, str], Any]:
    """Send one request over plain HTTP; return (status, headers, parsed body)."""
    url = server if isinstance(server, str) else server.base_url
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request(method, path, body.encode(), dict(headers or {}))
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, json.load(response)
    finally:
        connection.close()


def text_of(reply: Any) -> str:
    """Return the text of a reply's one block."""
    return str(reply[2]["content"][0]["text"])


def test_the_sdk_reads_its_messages() -> None:
    """The real SDK finds id, model, text, stop reason and usage where it looks for them, and counts tokens."""
    with (
        ScriptedServer() as server,
        anthropic.Anthropic(api_key="k", base_url=server.base_url, max_retries=0) as client,
    ):
        said = client.messages.create(model="m-1", max_tokens=9, messages=[{"role": "user", "content": "MARK-GOOD"}])
        counted = client.messages.count_tokens(model="m-1", messages=[{"role": "user", "content": "Hello"}])
    assert (said.type, said.role, said.model, said.stop_reason) == ("message", "assistant", "m-1", "end_turn")
    assert said.id.startswith("msg_")
    assert said.content[0].type == "text"
    assert said.usage.input_tokens > 0 < said.usage.output_tokens
    assert counted.input_tokens > 0
    assert [seen.kind for seen in server.seen] == ["trial", "count_tokens"]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, anthropic.BadRequestError),
        (401, anthropic.AuthenticationError),
        (403, anthropic.PermissionDeniedError),
        (404, anthropic.NotFoundError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
        (529, anthropic.InternalServerError),
    ],
)
def test_the_sdk_reads_its_errors(status: int, error: type[anthropic.APIStatusError]) -> None:
    """An error has the API's shape, its words and the headers of the rule."""
    with (
        ScriptedServer([Rule(status=status, message="Slowly.", retry_after=2, retry_after_ms=1500)]) as server,
        anthropic.Anthropic(api_key="k", base_url=server.base_url, max_retries=0) as client,
        pytest.raises(error, match="Slowly") as caught,
    ):
        client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Hello"}])
    assert caught.value.status_code == status
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["type"] == "error"
    assert caught.value.response.headers["retry-after"] == "2"
    assert caught.value.response.headers["retry-after-ms"] == "1500"


def test_equal_requests_get_equal_bytes() -> None:
    """Without counted rules the answer is a function of the request: order and time have no part in it."""
    with ScriptedServer() as server:
        first = [ask(server, f"key-{n}", user="MARK-BAD")[2] for n in range(20)]
        again = [ask(server, f"key-{n}", user="MARK-BAD")[2] for n in reversed(range(20))]
    assert first == again[::-1]


def test_a_mark_decides_how_often_a_key_passes() -> None:
    """A key passes under exactly those probabilities that are above its draw, and the draws are spread evenly."""
    keys = [f"key-{n}" for n in range(150)]
    with ScriptedServer() as server:
        passed = {
            mark: {key for key in keys if text_of(ask(server, key, system=f"Do it the {mark} way.")).startswith("yes")}
            for mark in ("MARK-BAD", "usual", "MARK-GOOD")
        }
    for mark, p in (("MARK-BAD", 0.2), ("usual", 0.6), ("MARK-GOOD", 0.95)):
        assert passed[mark] == {key for key in keys if unit_of(key) < p}
        assert len(passed[mark]) / len(keys) == pytest.approx(p, abs=0.12)
    assert abs(sum(map(unit_of, map(str, range(10_000)))) / 10_000 - 0.5) < 0.01


@pytest.mark.parametrize(
    ("condition", "request_", "holds"),
    [
        ({"if_system_contains": "X"}, {"system": "a X"}, True),
        ({"if_system_contains": "X"}, {"system": [{"type": "text", "text": "X"}]}, True),
        ({"if_system_contains": "X"}, {"user": "X"}, False),
        ({"if_user_contains": "X"}, {"user": "X"}, True),
        ({"if_user_contains": "X"}, {"system": "X"}, False),
        ({"if_contains": "X"}, {"system": "X"}, True),
        ({"if_contains": "X"}, {"user": "X"}, True),
        ({"if_contains": "X"}, {}, False),
        ({"if_kind": "judge"}, {"system": JUDGE_MARK}, True),
        ({"if_kind": "judge"}, {}, False),
        ({"if_kind": "trial"}, {}, True),
        ({"if_turn": 1}, {}, True),
        ({"if_turn": 2}, {}, False),
        ({"if_offered": "load_skill"}, {"tools": [{"name": "load_skill"}]}, True),
        ({"if_offered": "load_skill"}, {"tools": [{"name": "other"}]}, False),
        ({"if_system_contains": "X", "if_user_contains": "Y"}, {"system": "X"}, False),
        ({"share": 0.0}, {}, False),
        ({"times": 0}, {}, False),
    ],
)
def test_conditions(condition: dict[str, Any], request_: dict[str, Any], holds: bool) -> None:
    """A rule answers when all its conditions hold, else the next one does."""
    with ScriptedServer([{**condition, "pass_text": "this"}, {"pass_text": "the next"}]) as server:
        assert text_of(ask(server, **request_)) == ("this" if holds else "the next")


def test_the_skill_tools() -> None:
    """An agent that is offered a skill loads it by the name that it is told, then answers by what it has read."""
    system = "You have skills.\n\nAvailable skills:\n- my-skill: Does: things"
    offered = [{"name": LOAD, "description": "Load", "input_schema": {"type": "object"}}]
    with ScriptedServer() as server:
        first = ask(server, "low", system=system, tools=offered)[2]
        call = first["content"][0]
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "Do it. MARK-GOOD"}
        messages = [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": first["content"]},
            {"role": "user", "content": [result]},
        ]
        second = ask(server, "low", system=system, tools=offered, messages=messages)
    assert (first["stop_reason"], call["name"], call["input"]) == ("tool_use", "load_skill", {"name": "my-skill"})
    assert second[2]["stop_reason"] == "end_turn"
    assert [seen.rule for seen in server.seen] == [0, 3]


def test_a_judge_agrees_with_the_default_answers() -> None:
    """The real request of `llm-rubric` is told from a trial, and its reply scores what the default script answers."""
    settings = LlmRubricJudge(type="llm-rubric", rubric="Is it done?")
    with ScriptedServer() as server:
        for answer, score in (("yes, done as asked (1)", 0.9), ("no, not done (1)", 0.2)):
            request = first_request(skill_plan(), task(), settings, answer, "key")
            reply = ask(server, system=request.system[0], user=request.messages[0]["content"])
            word, problem = read_text(text_of(reply))
            assert word is not None, problem
            assert word.score == score
    assert {seen.kind for seen in server.seen} == {"judge"}


def test_counted_rules_are_used_up() -> None:
    """`times` counts all requests, `times_per_key` those of each trial key; then the next rule answers."""
    script: list[dict[str, Any]] = [{"status": 500, "times": 1}, {"status": 429, "times_per_key": 2}, {}]
    with ScriptedServer(script) as server:
        statuses = [ask(server, key)[0] for key in ("a", "a", "a", "a", "b", "b", "b")]
    assert statuses == [500, 429, 429, 200, 429, 429, 200]
    assert server.counts() == {"a": 4, "b": 3}


def test_a_share_of_the_keys_misbehaves() -> None:
    """A rule with a share meets always the same keys."""
    with ScriptedServer([{"share": 0.3, "status": 500}, {}]) as server:
        runs = [[ask(server, str(n))[0] for n in range(60)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert 8 <= runs[0].count(500) <= 28


@pytest.mark.parametrize("rule", [{"drop": "before"}, {"drop": "middle"}, {"hang": "middle", "hang_seconds": 0.05}])
def test_broken_connections(rule: dict[str, Any]) -> None:
    """A dropped connection ends before the reply is whole."""
    with ScriptedServer([rule]) as server, pytest.raises((ConnectionError, http.client.HTTPException)):
        ask(server)


def test_bodies_as_written() -> None:
    """A raw body, its type, further headers and another model's name and usage go out as the rule says."""
    script: list[dict[str, Any]] = [
        {"times": 1, "raw": '"odd"', "content_type": "text/html", "headers": {"x-cache": "HIT"}},
        {"model": "other", "usage": {"input_tokens": 7, "cache_read_input_tokens": 3}, "stop_reason": "refusal"},
    ]
    with ScriptedServer(script) as server:
        status, headers, odd = ask(server)
        assert (status, headers["content-type"], headers["x-cache"], odd) == (200, "text/html", "HIT", "odd")
        message = ask(server)[2]
    assert (message["model"], message["stop_reason"]) == ("other", "refusal")
    assert (message["usage"]["input_tokens"], message["usage"]["cache_read_input_tokens"]) == (7, 3)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/messages", "", 404),
        ("POST", "/v1/elsewhere", "{}", 404),
        ("POST", "/v1/messages", "{", 400),
        ("POST", "/v1/messages", "[]", 400),
        ("POST", "/v1/messages", '{"model": "m", "messages": []}', 400),
    ],
)
def test_what_is_no_request(method: str, path: str, body: str, status: int) -> None:
    """What the API would refuse is refused, in the API's shape, and is not counted."""
    with ScriptedServer() as server:
        said, _, reply = post(server, path, body, method=method)
    assert (said, reply["type"]) == (status, "error")
    assert server.seen == []


def test_a_script_with_a_slip_is_refused() -> None:
    """An unknown field of a rule is an error, not a rule that never matches."""
    with pytest.raises(TypeError, match="if_system"):
        read_rules([{"if_system": "X"}])


def test_what_it_keeps() -> None:
    """Bodies and headers are kept on request only; the digest tells equal bodies from different ones."""
    with ScriptedServer(keep_bodies=True) as keeping, ScriptedServer() as forgetting:
        for server in (keeping, forgetting):
            for user in ("one", "one", "two"):
                ask(server, "k", user=user)
    assert [body["messages"][0]["content"] for body in keeping.bodies] == ["one", "one", "two"]
    assert {seen.headers["x-skilldelta-trial"] for seen in keeping.seen if seen.headers} == {"k"}
    assert (forgetting.bodies, forgetting.seen[0].headers) == ([], None)
    digests = [seen.digest for seen in forgetting.seen]
    assert digests[0] == digests[1] != digests[2]


def test_many_at_once_wait_side_by_side() -> None:
    """Sixty-four requests of 50 ms each are answered together, not one after the other."""
    with ScriptedServer([{}], delay_ms=50) as server:
        started = time.monotonic()
        threads = [threading.Thread(target=ask, args=(server, str(n))) for n in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0.05 <= time.monotonic() - started < 1.6
    assert len(server.counts()) == 64


def test_a_hanging_request_does_not_hold_the_end_up() -> None:
    """The server ends at once while a request hangs, and drops it."""
    problems: list[Exception] = []

    def hang(server: ScriptedServer) -> None:
        try:
            ask(server)
        except (ConnectionError, http.client.HTTPException) as problem:
            problems.append(problem)

    with ScriptedServer([{"hang": "before"}]) as server:
        thread = threading.Thread(target=hang, args=(server,))
        thread.start()
        while not server.seen:
            time.sleep(0.005)
        started = time.monotonic()
    thread.join(5)
    assert len(problems) == 1
    assert time.monotonic() - started < 2


def test_a_port_that_is_taken_is_an_error() -> None:
    """The thread's failure to start is the caller's."""
    with ScriptedServer() as server, pytest.raises(OSError, match="in use"):
        ScriptedServer(port=int(server.base_url.rsplit(":", 1)[1])).__enter__()


@pytest.mark.parametrize("end", ["close the input", "SIGTERM"])
def test_as_a_program(tmp_path: Path, end: str) -> None:
    """It says where it listens, logs each request in a line at once, and ends quietly when it is told to."""
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps({"rules": [{"pass_text": "mine"}]}))
    command = [sys.executable, str(PROGRAM), "--script", str(script), "--log", str(log), "--delay-ms", "1"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        word, url = process.stdout.readline().split()
        assert (word, text_of(ask(url, "first"))) == ("READY", "mine")
        assert [json.loads(line)["key"] for line in log.read_text().splitlines()] == ["first"]
        ask(url, "second")
        if end == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        assert process.wait(5) == 0
        assert process.stderr.read() == ""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["key"] for line in lines] == ["first", "second"]
    assert set(lines[0]) == {"at", "key", "kind", "digest", "rule"}


async def test_in_a_loop_of_ones_own() -> None:
    """A program that has an event loop can serve in it."""
    server = ScriptedServer([{"pass_text": "here"}])
    ready = asyncio.Event()
    serving = asyncio.create_task(server.serve(lambda _: ready.set()))
    await ready.wait()
    assert text_of(await asyncio.to_thread(ask, server)) == "here"
    server.stop()
    await serving
