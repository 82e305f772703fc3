"""Bedrock and Vertex through the SDK's own clients, their real sign-in, and a server on the loopback interface."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from skilldelta.domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from skilldelta.edges.anthropic_access import connect

pytestmark = pytest.mark.real
REQUEST = MessagesRequest(
    key="trial-1",
    model="some-model",
    messages=({"role": "user", "content": "Hello"},),
    max_tokens=10,
    timeout_seconds=20,
)
ANSWER = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "yes"}], "usage": {"input_tokens": 10, "output_tokens": 5},
}  # fmt: skip
TOKEN = {"access_token": "token-of-the-loopback", "expires_in": 3600, "token_type": "Bearer"}


class Cloud:
    """A server that gives out one access token and answers everything else; it keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                token = self.path == "/token"
                if not token:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    outer.asked.append((self.path, headers, json.loads(raw)))
                data = json.dumps(TOKEN if token else ANSWER).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
                """Nothing is written."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cloud]:
    """A server for one test; no credentials of whoever runs the tests are found."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "project")
    server = Cloud()
    monkeypatch.setenv("ANTHROPIC_BEDROCK_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_VERTEX_BASE_URL", server.url)
    yield server
    server.close()


async def ask(provider: str) -> MessagesReply:
    """Return what the provider's client makes of one request."""
    api = connect(provider, environment={"CLOUD_ML_REGION": "europe-west1"})
    try:
        return await api.create(REQUEST)
    finally:
        await api.close()


async def test_bedrock_signs_and_answers(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request goes to the model's own address, signed, with the trial's key, and its answer is read."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    reply = await ask("bedrock")
    assert (reply.status, reply.text, reply.usage.output_tokens) == (ReplyStatus.ANSWERED, "yes", 5)
    ((path, headers, body),) = cloud.asked
    assert path == "/model/some-model/invoke"
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert headers["x-skilldelta-trial"] == "trial-1"
    assert body["messages"][0]["content"][0]["text"] == "Hello"


async def test_vertex_signs_in_and_answers(cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A service account's key is changed for an access token, and the request goes out with it."""
    rsa: Any = importlib.import_module("cryptography.hazmat.primitives.asymmetric.rsa")  # of requirements/cloud.txt
    serialization: Any = importlib.import_module("cryptography.hazmat.primitives.serialization")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account", "project_id": "project", "private_key_id": "1", "private_key": key.decode(),
        "client_email": "who@project.example", "client_id": "1", "token_uri": f"{cloud.url}/token",
    }  # fmt: skip
    (tmp_path / "account.json").write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
    reply = await ask("vertex")
    assert (reply.status, reply.text) == (ReplyStatus.ANSWERED, "yes"), reply.error
    ((path, headers, _),) = cloud.asked
    assert path == "/projects/project/locations/europe-west1/publishers/anthropic/models/some-model:rawPredict"
    assert headers["authorization"] == f"Bearer {TOKEN['access_token']}"
    assert headers["x-skilldelta-trial"] == "trial-1"


ASK = """
import asyncio
from skilldelta.domain.messages import MessagesRequest
from skilldelta.edges.anthropic_access import connect
async def ask():
    api = connect({provider!r}, environment={{"CLOUD_ML_REGION": "europe-west1"}})
    message = {{"role": "user", "content": "Hello"}}
    request = MessagesRequest(key="k", model="m", messages=(message,), max_tokens=10, timeout_seconds=20)
    reply = await api.create(request)
    await api.close()
    print(reply.status.value, reply.error)
asyncio.run(ask())
"""


@pytest.mark.parametrize(("provider", "words"), [("bedrock", "credentials"), ("vertex", "credentials were not found")])
def test_without_credentials(cloud: Cloud, provider: str, words: str) -> None:
    """Nobody to sign in as is a denial with the package's own words, and nothing is sent."""
    # In a process of its own: the packages remember who signed in before.
    code = ASK.format(provider=provider)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("denied ")
    assert words in done.stdout
    assert cloud.asked == []
