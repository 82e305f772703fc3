"""The Messages API through the real SDK, against a real server that misbehaves as it is told."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import time
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from pydantic import SecretStr

from scripted_server import Rule, ScriptedServer, Seen
from skilldelta.domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from skilldelta.domain.trial import Outcome, TrialStatus
from skilldelta.edges import anthropic_messages, bounded_body
from skilldelta.edges.anthropic_access import WhenAsked, connect, connect_local, require_access, transport
from skilldelta.edges.anthropic_messages import AnthropicMessages
from skilldelta.errors import BadConfig, BadUsage, MissingKey

KEY = "canary-key-0123456789"
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}}


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "AWS_", "CLOUD_ML_", "GOOGLE_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def request(**fields: Any) -> MessagesRequest:
    """Return a small request with the given fields in it."""
    known: dict[str, Any] = {
        "key": "trial-1",
        "model": "model-1",
        "messages": ({"role": "user", "content": "Hello"},),
        "max_tokens": 100,
        "timeout_seconds": 5.0,
    }
    return MessagesRequest(**(known | fields))


def client(url: str, *, attempts: int = 3) -> AnthropicMessages:
    """Return a client that waits for a millisecond before its second attempt."""
    sdk = anthropic.AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0, http_client=transport(trust_env=False))
    return AnthropicMessages(sdk, secrets=(SecretStr(KEY),), attempts=attempts, first_pause=0.001)


async def ask(server: ScriptedServer, asked: MessagesRequest | None = None, *, attempts: int = 3) -> MessagesReply:
    """Send one request and return what came of it."""
    api = client(server.base_url, attempts=attempts)
    try:
        return await api.create(asked or request())
    finally:
        await api.close()


def played(*rules: dict[str, Any], asked: MessagesRequest | None = None) -> tuple[MessagesReply, list[Seen]]:
    """Return the reply under a script, and the requests that the server saw."""
    with ScriptedServer(rules, keep_bodies=True) as server:
        return asyncio.run(ask(server, asked)), server.seen


def until_asked(server: ScriptedServer) -> None:
    """Wait until the first request has come in."""
    while not server.seen:
        time.sleep(0.005)


def test_an_answer() -> None:
    """Text, stop reason, the model's name, all four counts of tokens and one request are read off the reply."""
    usage = {
        "input_tokens": 11,
        "output_tokens": 12,
        "cache_read_input_tokens": 13,
        "cache_creation_input_tokens": 14,
    }
    reply, seen = played({"pass_text": "Hi ☺", "usage": usage, "model": "model-1-dated", "stop_reason": "max_tokens"})
    assert (reply.status, reply.text, reply.error) == (ReplyStatus.ANSWERED, "Hi ☺", None)
    assert (reply.stop_reason, reply.model, reply.server_cached) == ("max_tokens", "model-1-dated", False)
    counts = reply.usage
    assert (counts.input_tokens, counts.output_tokens, counts.cache_read_tokens, counts.cache_write_tokens) == (
        11, 12, 13, 14,
    )  # fmt: skip
    assert counts.requests == len(seen) == 1
    assert 0 < reply.seconds < 5


HELLO = {"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}


def test_a_conversation_is_marked_at_its_beginning_alone() -> None:
    """Only the first block of the first message is marked: the rest differs from trial to trial."""
    blocks = [{"type": "text", "text": "Hello"}, {"type": "text", "text": "Answer"}]
    more = ({"role": "assistant", "content": "No"}, {"role": "user", "content": "Again"})
    _, (seen,) = played({}, asked=request(messages=({"role": "user", "content": blocks}, *more)))
    assert seen.body is not None
    assert seen.body["messages"] == [{"role": "user", "content": [HELLO, blocks[1]]}, *more]


def test_what_is_sent() -> None:
    """The trial's key is a header; the last system block and the prompt are marked for the cache."""
    asked = request(
        system=("One.", "Two."),
        tools=({"name": "t", "description": "d", "input_schema": {"type": "object"}},),
        sampling={"temperature": 0.5, "min_p": 0.1, "seed": 3},
        output_schema=SCHEMA,
    )
    _, (seen,) = played({}, asked=asked)
    assert seen.key == "trial-1"
    assert seen.body == {
        "model": "model-1",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": [HELLO]}],
        "system": [
            {"type": "text", "text": "One."},
            {"type": "text", "text": "Two.", "cache_control": {"type": "ephemeral"}},
        ],
        "tools": [{"name": "t", "description": "d", "input_schema": {"type": "object"}}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "temperature": 0.5,
        "min_p": 0.1,
        "seed": 3,
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    """Without system, tools, sampling and schema the body holds none of them, however many tokens may come back."""
    reply, (seen,) = played({}, asked=request(max_tokens=1_000_000))
    assert reply.status is ReplyStatus.ANSWERED
    assert seen.body == {
        "model": "model-1",
        "max_tokens": 1_000_000,
        "messages": [{"role": "user", "content": [HELLO]}],
    }


def test_a_tool_call() -> None:
    """A block that is no text is handed on as it came."""
    reply, _ = played({"tool_use": {"name": "t", "input": {"a": [1, None]}}})
    assert (reply.text, reply.stop_reason) == ("", "tool_use")
    assert (reply.content[0]["name"], reply.content[0]["input"]) == ("t", {"a": [1, None]})


@pytest.mark.parametrize(("said", "cached"), [("HIT", True), ("hit from edge", True), ("MISS", False)])
def test_a_server_that_says_it_cached(said: str, cached: bool) -> None:
    """An answer that the server had in store is marked as one."""
    assert played({"headers": {"x-cache": said}})[0].server_cached is cached


@pytest.mark.parametrize(
    "trouble",
    [
        {"status": 429, "retry_after_ms": 1},
        {"status": 429, "retry_after": 0.001},
        {"status": 429, "headers": {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}},
        {"status": 429, "headers": {"retry-after": "nan"}},
        {"status": 429, "headers": {"retry-after": "inf"}},
        {"status": 429, "headers": {"retry-after": "-1"}},
        {"status": 408},
        {"status": 409},
        {"status": 500},
        {"status": 503, "raw": "<html>", "content_type": "text/html"},
        {"status": 529},
        {"drop": "before"},
        {"drop": "middle"},
    ],
    ids=str,
)
def test_what_passes_is_tried_again(trouble: dict[str, Any]) -> None:
    """Two passing faults and then an answer is an answer, that cost three requests with one key."""
    reply, seen = played({**trouble, "times": 2}, {})
    assert (reply.status, reply.usage.requests, [one.key for one in seen]) == (
        ReplyStatus.ANSWERED, 3, ["trial-1"] * 3,
    )  # fmt: skip
    assert len({one.digest for one in seen}) == 1


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ({"status": 429, "message": "Slowly"}, "HTTP 429: Slowly"),
        ({"status": 529, "message": "Overloaded"}, "HTTP 529: Overloaded"),
        ({"status": 500, "raw": "boom", "content_type": "text/plain"}, "HTTP 500"),
        ({"drop": "before"}, "connection lost"),
        ({"drop": "middle"}, "connection lost"),
    ],
    ids=str,
)
def test_what_does_not_pass_is_given_up(trouble: dict[str, Any], words: str) -> None:
    """A fault at every attempt fails the call after as many requests as there are attempts."""
    reply, seen = played(trouble)
    assert (reply.status, reply.usage.requests, len(seen)) == (ReplyStatus.FAILED, 3, 3)
    assert words in (reply.error or "")


@pytest.mark.parametrize("trouble", [{"raw": "garbage"}, {"raw": "<html>", "content_type": "text/html"}], ids=str)
def test_a_reply_that_cannot_be_read_is_not_asked_for_again(trouble: dict[str, Any]) -> None:
    """The server has answered, and may have been paid for it: a failed call after one request."""
    reply, seen = played(trouble)
    assert (reply.status, reply.usage.requests, len(seen)) == (ReplyStatus.FAILED, 1, 1)
    assert "not a message" in (reply.error or "")


@pytest.mark.parametrize(
    ("trouble", "unaccounted"),
    [
        ({"status": 529}, 0),
        ({"status": 400}, 0),
        ({"drop": "before"}, 3),
        ({"drop": "middle"}, 3),
        ({"raw": "garbage"}, 1),
        ({"drop": "middle", "times": 2}, 2),
        ({}, 0),
    ],
    ids=str,
)
def test_what_nobody_accounts_for_is_counted(trouble: dict[str, Any], unaccounted: int) -> None:
    """An attempt whose answer never came, or could not be read, may cost something; an error's status does not."""
    assert played(trouble, {})[0].unaccounted == unaccounted


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, ReplyStatus.REFUSED),
        (413, ReplyStatus.REFUSED),
        (422, ReplyStatus.REFUSED),
        (401, ReplyStatus.DENIED),
        (402, ReplyStatus.DENIED),
        (403, ReplyStatus.DENIED),
        (404, ReplyStatus.DENIED),
    ],
)
def test_a_final_refusal(status: int, expected: ReplyStatus) -> None:
    """A refusal of the request is told from a refusal of everything; neither is tried again."""
    reply, seen = played({"status": status, "message": "No."})
    assert (reply.status, reply.error, len(seen)) == (expected, f"HTTP {status}: No.", 1)


@pytest.mark.parametrize("rule", [{"hang": "before"}, {"hang": "middle"}, {"delay_ms": 2000}], ids=str)
def test_a_timeout_is_an_outcome(rule: dict[str, Any]) -> None:
    """No whole answer in time is a timeout, whatever came of it, and is never tried again."""
    reply, seen = played(rule, asked=request(timeout_seconds=0.4))
    assert (reply.status, reply.error, len(seen)) == (ReplyStatus.TIMEOUT, "no answer within 0.4 s", 1)
    assert 0.4 <= reply.seconds < 2


async def test_a_server_that_takes_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is never made is the server's failure, not an answer that came too late."""
    monkeypatch.setattr(anthropic_messages, "_CONNECT_SECONDS", 0.4)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        api = client(f"http://127.0.0.1:{port}", attempts=2)
        refused = await api.create(request())
        await api.close()
        assert (refused.status, refused.usage.requests) == (ReplyStatus.FAILED, 2)
        assert "connection lost" in (refused.error or "")

        listening.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        for seconds in (5.0, 0.4):
            api = client(f"http://127.0.0.1:{port}", attempts=1)
            mute = await api.create(request(timeout_seconds=seconds))
            await api.close()
            assert (mute.status, mute.error) == (ReplyStatus.FAILED, "no connection in time")
        for one in waiting:
            one.close()


async def test_retries_wait_as_long_as_the_server_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's wait is taken word for word, else pauses double from the first; a far too long wait ends it."""
    pauses: list[float] = []
    really = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await really(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    script = [
        Rule(times=1, status=429, retry_after=7),
        Rule(times=1, status=429, retry_after=7, retry_after_ms=2500),
        Rule(status=529),
    ]
    with ScriptedServer(script) as server:
        reply = await ask(server, attempts=8)
    assert (reply.status, len(server.seen)) == (ReplyStatus.FAILED, 8)
    assert pauses[:2] == [7, 2.5]
    steps = [pause / 0.001 for pause in pauses[2:]]
    assert [low * 0.75 <= step <= low * 1.25 for low, step in zip((4, 8, 16, 16, 16), steps, strict=True)] == [True] * 5

    with ScriptedServer([Rule(status=429, retry_after=301)]) as server:
        reply = await ask(server)
    assert (reply.status, len(server.seen), len(pauses)) == (ReplyStatus.FAILED, 1, 7)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"type": "error", "error": {"type": "api_error", "message": "x"}}',
        '{"content": "Hello"}',
        '{"content": {}}',
        '{"content": [1]}',
        '{"content": [{"type": "text", "text": 1}]}',
        '{"content": [{"type": "text"}]}',
        '{"content": [], "usage": [1]}',
        '{"content": [{"type": "tool_use", "input": {"a": NaN}}]}',
        "[" * 100_000,
    ],
    ids=lambda raw: raw[:40],
)
def test_what_is_no_message_is_a_failure(raw: str) -> None:
    """A reply that is not a message is never taken for an empty answer."""
    assert played({"raw": raw})[0].status is ReplyStatus.FAILED


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ("{}", 0),
        ("null", 0),
        ('{"output_tokens": -1}', 0),
        ('{"output_tokens": true}', 0),
        ('{"output_tokens": 1e9}', 0),
        ('{"output_tokens": 1' + "0" * 400 + "}", 0),
        ('{"output_tokens": 12}', 12),
    ],
)
def test_odd_counts_are_not_counted(usage: str, tokens: int) -> None:
    """A count of tokens that cannot be one is 0, and the answer stands."""
    reply, _ = played({"raw": f'{{"content": [{{"type": "text", "text": "Hi"}}], "usage": {usage}}}'})
    assert (reply.status, reply.usage.output_tokens) == (ReplyStatus.ANSWERED, tokens)


def test_half_a_character_can_be_written_down() -> None:
    """An answer with half of a surrogate pair can go into the record; whole pairs stay what they are."""
    raw = '{"content": [{"type": "text", "text": "\\ud83d and \\ud83d\\ude00"}], "stop_reason": "\\ud800"}'
    reply, _ = played({"raw": raw})
    assert reply.text == "? and 😀"
    assert json.loads(Outcome(status=TrialStatus.ANSWERED, text=reply.text).model_dump_json())["text"] == "? and 😀"
    assert reply.stop_reason == "?"


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_reply_without_end_is_not_read_to_its_end(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its status, a body ends where no answer could be as long: a failure that nobody asks for again."""
    monkeypatch.setattr(bounded_body, "LONGEST_REPLY", 1000)
    reply, seen = played({"status": status, "raw": "x" * 1001})
    assert (reply.status, reply.unaccounted, len(seen)) == (ReplyStatus.FAILED, 1, 1)
    assert reply.error == "a reply of more than 1,000 bytes"


def test_a_compressed_reply_is_not_unpacked() -> None:
    """None is asked for, so that a small body cannot become a large one here."""
    bomb = gzip.compress(b" " * 10_000_000).decode("latin-1")
    reply, (seen,) = played({"raw": bomb, "headers": {"content-encoding": "gzip"}})
    assert (reply.status, reply.error) == (ReplyStatus.FAILED, "a compressed reply, though none was asked for")
    assert (seen.headers or {})["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "rule",
    [
        {"status": 401, "message": "bad key: $api_key"},
        {"status": 400, "message": "x" * 980 + "$api_key" + "x" * 500},
        {"status": 500, "message": "$api_key"},
        {"status": 401, "raw": KEY, "content_type": "text/plain"},
        {"status": 400, "raw": json.dumps({"error": KEY})},
        {"status": 302, "headers": {"location": f"http://127.0.0.1:1/{KEY}"}},
    ],
    ids=lambda rule: str(rule)[:60],
)
def test_the_key_is_never_repeated(rule: dict[str, Any]) -> None:
    """A server that echoes the key does not get it into an error, nor a part of it at the cut."""
    reply, _ = played(rule)
    assert reply.status is not ReplyStatus.ANSWERED
    assert reply.error
    assert KEY[:10] not in reply.model_dump_json()
    assert len(reply.error) <= 1000


def test_tokens_are_counted_before() -> None:
    """The server's count of a prompt is handed on; a server that cannot count gives None."""

    async def count(server: ScriptedServer) -> int | None:
        api = client(server.base_url)
        try:
            return await api.count_tokens(request(system=("One.",)))
        finally:
            await api.close()

    rule = {"if_kind": "count_tokens", "usage": {"input_tokens": 42}}
    with ScriptedServer([rule], keep_bodies=True) as server:
        assert asyncio.run(count(server)) == 42
        assert set(server.bodies[0]) == {"model", "messages", "system"}
    with ScriptedServer([{"if_kind": "count_tokens", "status": 404}]) as server:
        assert asyncio.run(count(server)) is None


def test_cancelling_ends_the_wait() -> None:
    """A call that is cancelled ends at once and is not tried again."""

    async def cancelled(server: ScriptedServer) -> None:
        call = asyncio.create_task(ask(server))
        await asyncio.to_thread(until_asked, server)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    with ScriptedServer([{"hang": "before"}]) as server:
        asyncio.run(cancelled(server))
        assert len(server.seen) == 1


@pytest.fixture
def answering() -> Iterator[ScriptedServer]:
    """A server that answers."""
    with ScriptedServer([{}], keep_bodies=True) as server:
        yield server


@pytest.mark.parametrize(
    "environment",
    [
        {"ANTHROPIC_API_KEY": KEY},
        {"ANTHROPIC_AUTH_TOKEN": KEY},
        {"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": KEY},
    ],
    ids=str,
)
async def test_credentials_of_the_environment(answering: ScriptedServer, environment: dict[str, str]) -> None:
    """A key or a token of the environment goes out in its header, to the base URL given or named there."""
    for given in (
        connect("anthropic", environment=environment, base_url=answering.base_url),
        connect("anthropic", environment=environment | {"ANTHROPIC_BASE_URL": answering.base_url}),
    ):
        assert (await given.create(request())).status is ReplyStatus.ANSWERED
        await given.close()
    headers = [seen.headers or {} for seen in answering.seen]
    sent = [{one.get("x-api-key"), one.get("authorization")} for one in headers]
    assert all(one & {KEY, f"Bearer {KEY}"} for one in sent), sent
    assert len(sent) == 2


async def test_a_local_server_is_reached_past_any_proxy(
    answering: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No proxy of the environment comes between us and a server on the loopback interface."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    api = connect_local(answering.base_url, SecretStr(KEY))
    assert (await api.create(request())).status is ReplyStatus.ANSWERED
    await api.close()


@pytest.mark.parametrize(
    ("provider", "environment", "what", "fix"),
    [
        ("anthropic", {}, "no key for the Messages API", "ANTHROPIC_API_KEY"),
        ("anthropic", {"ANTHROPIC_API_KEY": ""}, "no key for the Messages API", "--model local"),
        ("vertex", {}, "Vertex needs a region", "CLOUD_ML_REGION"),
        ("bedrock", {}, "Bedrock needs a region", "AWS_REGION"),
    ],
)
def test_without_a_key(
    provider: str, environment: dict[str, str], what: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing credentials are named before the first call, with what to set."""
    monkeypatch.setattr("skilldelta.edges.anthropic_access._installed", lambda _: True)
    with pytest.raises(MissingKey, match=what) as caught:
        connect(provider, environment=environment)
    assert fix in (caught.value.fix or "")


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", "clé", "a\x00b"])
def test_a_key_with_something_around_it(key: str) -> None:
    """A line end that came along when the key was copied is named, and the key is not shown."""
    with pytest.raises(MissingKey, match="holds white space, a line end") as caught:
        require_access("anthropic", environment={"ANTHROPIC_AUTH_TOKEN": key})
    assert caught.value.where == "ANTHROPIC_AUTH_TOKEN"
    assert KEY not in str(caught.value)


def test_an_address_with_a_password() -> None:
    """Nobody could be asked that way; the password is not shown."""
    with pytest.raises(BadUsage, match="holds a name or a password") as caught:
        require_access("anthropic", environment={"ANTHROPIC_API_KEY": KEY}, base_url="https://me:hidden@example.org")
    assert "hidden" not in str(caught.value)


def test_certificates_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong SSL_CERT_FILE is the user's to mend."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    with pytest.raises(BadConfig, match="certificates cannot be read: No such file"):
        connect("anthropic", environment={"ANTHROPIC_API_KEY": KEY})


async def test_a_client_is_made_with_its_first_request(answering: ScriptedServer) -> None:
    """Whoever asks nobody does not pay for loading the SDK; the second request goes through the same client."""
    made: list[AnthropicMessages] = []

    def connecting() -> AnthropicMessages:
        made.append(client(answering.base_url))
        return made[-1]

    api = WhenAsked(connecting)
    await api.close()
    assert made == []
    for _ in range(2):
        assert (await api.create(request())).status is ReplyStatus.ANSWERED
    assert await api.count_tokens(request()) is not None
    assert len(made) == 1
    await api.close()


@pytest.mark.parametrize(("provider", "package"), [("bedrock", "boto3"), ("vertex", "google.auth")])
def test_a_provider_whose_package_is_missing(provider: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is named with the line that installs it, before anything is sent."""
    monkeypatch.setattr("skilldelta.edges.anthropic_access.find_spec", lambda _: None)
    with pytest.raises(MissingKey, match=package) as caught:
        require_access(provider, environment={"CLOUD_ML_REGION": "europe-west1"})
    assert caught.value.fix == f"pip install 'anthropic[{provider}]'"
