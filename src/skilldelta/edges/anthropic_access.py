"""Who may be asked, and how: clients of the Messages API from what the environment holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..errors import BadConfig, BadUsage, MissingKey

if TYPE_CHECKING:
    from ..domain.messages import MessagesReply, MessagesRequest
    from .anthropic_messages import AnthropicMessages

_PACKAGES = {"bedrock": "boto3", "vertex": "google.auth"}
"""Provider → the package that its extra brings, by the name under which it is imported."""
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class WhenAsked:
    """A `MessagesApi` that is connected with its first request: a run that asks nobody does not load the SDK."""

    def __init__(self, connect: Callable[[], AnthropicMessages]) -> None:
        self._connect = connect
        self._api: AnthropicMessages | None = None

    def _connected(self) -> AnthropicMessages:
        if self._api is None:
            self._api = self._connect()
        return self._api

    def prepare(self) -> None:
        """Connect; raises what `connect` raises."""
        self._connected()

    async def create(self, request: MessagesRequest) -> MessagesReply:
        """Send one request and return what came of it."""
        return await self._connected().create(request)

    async def count_tokens(self, request: MessagesRequest) -> int | None:
        """Return the prompt's tokens as the server counts them, or None when it cannot."""
        return await self._connected().count_tokens(request)

    async def close(self) -> None:
        """Close the connections, if there are any."""
        if self._api is not None:
            await self._api.close()


def require_access(provider: str, *, environment: Mapping[str, str], base_url: str | None = None) -> None:
    """Raise MissingKey for want of a package, a key or a region, BadUsage for an address that is none; nobody is asked.

    Credentials of Bedrock and Vertex are found by their own packages, when the first request is made.
    """
    if provider in _PACKAGES:
        if not _installed(_PACKAGES[provider]):
            raise MissingKey(
                f"the provider {provider} needs a package that is not installed: {_PACKAGES[provider]}",
                fix=f"pip install 'anthropic[{provider}]'",
            )
        if provider == "vertex" and not environment.get("CLOUD_ML_REGION"):
            raise MissingKey("Vertex needs a region", fix="set CLOUD_ML_REGION (and ANTHROPIC_VERTEX_PROJECT_ID)")
    if provider != "anthropic":
        return
    given = [name for name in _KEYS if environment.get(name)]
    if not given:
        raise MissingKey(
            "no key for the Messages API",
            fix="set ANTHROPIC_API_KEY (in a workflow: from a secret), or use --model local for the embedded model",
        )
    for name in given:
        if not re.fullmatch(r"[!-~]+", environment[name]):
            raise MissingKey(
                "holds white space, a line end or another character that no key has",
                where=name,
                fix="copy the key again, and nothing around it",
            )
    _address(base_url or environment.get("ANTHROPIC_BASE_URL"))


def connect(provider: str, *, environment: Mapping[str, str], base_url: str | None = None) -> AnthropicMessages:
    """Return a client for the provider, its credentials from `environment` or given; MissingKey when there are none."""
    require_access(provider, environment=environment, base_url=base_url)
    try:
        return _client(provider, environment, base_url)
    except OSError as error:
        raise BadConfig(
            f"the certificates cannot be read: {error.strerror}",
            where="SSL_CERT_FILE, SSL_CERT_DIR",
            fix="name a file or folder of certificates that exists, or unset them",
        ) from None


def _client(provider: str, environment: Mapping[str, str], base_url: str | None) -> AnthropicMessages:
    import anthropic

    from .anthropic_messages import AnthropicMessages

    if provider == "bedrock":
        try:
            return AnthropicMessages(anthropic.AsyncAnthropicBedrock(max_retries=0, http_client=transport()))
        except ValueError as problem:
            raise MissingKey("Bedrock needs a region", fix="set AWS_REGION (and credentials of AWS)") from problem
    if provider == "vertex":
        region = environment["CLOUD_ML_REGION"]
        return AnthropicMessages(anthropic.AsyncAnthropicVertex(region=region, max_retries=0, http_client=transport()))
    key, token = (SecretStr(environment.get(name, "")) for name in _KEYS)
    client = anthropic.AsyncAnthropic(
        api_key=key.get_secret_value() or None,
        auth_token=token.get_secret_value() or None,
        base_url=_address(base_url or environment.get("ANTHROPIC_BASE_URL")),
        max_retries=0,
        http_client=transport(),
    )
    return AnthropicMessages(client, secrets=(key, token))


def connect_local(base_url: str, api_key: SecretStr) -> AnthropicMessages:
    """Return a client for a server on the loopback interface; no proxy of the environment gets in between."""
    import anthropic

    from .anthropic_messages import AnthropicMessages

    client = anthropic.AsyncAnthropic(
        api_key=api_key.get_secret_value(),
        base_url=base_url,
        max_retries=0,
        http_client=transport(trust_env=False),
    )
    return AnthropicMessages(client, secrets=(api_key,))


def transport(**settings: Any) -> Any:
    """Return the SDK's aiohttp transport, which takes a third less CPU a call than its other one, bodies bounded."""
    import anthropic

    from .bounded_body import bound

    return anthropic.DefaultAioHttpClient(event_hooks={"response": [bound]}, **settings)


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:  # the package around it is not there either
        return False


def _address(url: str | None) -> str | None:
    """Return the server's address; BadUsage for what cannot be one, before it is tried again and again."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in url
    except ValueError:
        usable = False
    if usable and "@" in parts.netloc:
        raise BadUsage(
            f"{_without_password(url)[:200]!r} holds a name or a password",
            where="--base-url or ANTHROPIC_BASE_URL",
            fix="take it out of the address; ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN says who asks",
        )
    if not usable:
        raise BadUsage(
            f"{_without_password(url)[:200]!r} is no address of a server",
            where="--base-url or ANTHROPIC_BASE_URL",
            fix="write it like https://example.org or http://127.0.0.1:8080",
        )
    return url


def _without_password(url: str) -> str:
    return re.sub(r"(?<=//)[^/@]*@", "[secret]@", url)
