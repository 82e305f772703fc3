"""The model servers that a plan needs: clients by provider, and the embedded model while it is needed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import SecretStr

from ..domain.plan import Plan, SkillPlan
from ..domain.skill import SkillBundle
from ..domain.trial import Arm
from ..errors import BadUsage, ContextExceeded

if TYPE_CHECKING:
    from ..edges.anthropic_access import WhenAsked
    from ..edges.anthropic_messages import AnthropicMessages
    from ..edges.local_model import LocalModelServer

_WITH_AN_ADDRESS = ("bedrock", "vertex")
"""Providers whose SDK knows where they are; an address that is given for them would never be asked."""


@dataclass
class Servers:
    """Clients, made once per provider inside the event loop; close them when done."""

    environment: Mapping[str, str]
    base_url: str | None
    local: LocalModelServer | None
    clients: dict[str, WhenAsked] = field(default_factory=dict)

    def of_runner(self, skill: SkillPlan) -> WhenAsked:
        """Return the client that answers this skill's trials."""
        return self._client(skill.runner.provider)

    def of_judge(self, skill: SkillPlan) -> WhenAsked:
        """Return the client that judges this skill's answers."""
        return self._client(skill.judge.provider)

    def _client(self, provider: str) -> WhenAsked:
        from ..edges.anthropic_access import WhenAsked, connect, connect_local

        def connected() -> AnthropicMessages:
            if self.local is not None and provider == "local":
                return connect_local(self.local.base_url, SecretStr(self.local.api_key))
            return connect(provider, environment=self.environment, base_url=self.base_url)

        return self.clients.setdefault(provider, WhenAsked(connected))

    async def close(self) -> None:
        """Close every client's connections."""
        for client in self.clients.values():
            await client.close()


def require_all(plan: Plan, *, environment: Mapping[str, str], base_url: str | None) -> None:
    """Raise MissingKey or BadUsage when a server that the plan needs cannot be asked from here."""
    from ..edges.anthropic_access import require_access

    for skill in plan.skills:
        providers = [skill.runner.provider]
        if skill.suite.suite.needs_judge_model:
            providers.append(skill.judge.provider)
        for provider in providers:
            if base_url and provider in _WITH_AN_ADDRESS:
                raise BadUsage(
                    f"--base-url does not hold for the provider {provider}, whose address comes from its region",
                    where=skill.skill_id,
                    fix="leave it out; provider: anthropic is the one for a server of your own",
                )
            require_access(provider, environment=environment, base_url=base_url)


@contextlib.contextmanager
def embedded_model(plan: Plan) -> Iterator[LocalModelServer | None]:
    """Run the embedded model for as long as the block lasts, when the plan asks for it."""
    if not any(skill.runner.provider == "local" for skill in plan.skills):
        yield None
        return
    from ..edges.local_model import LocalModelServer

    with LocalModelServer() as server:
        yield server


async def check_context(plan: Plan, bundles: Mapping[tuple[str, Arm], SkillBundle], servers: Servers) -> None:
    """Raise ContextExceeded when a prompt of either arm does not fit the embedded model's context window."""
    from ..run.messages_runner import first_request

    if servers.local is None:
        return
    room = servers.local.context_tokens
    names = {"local": servers.local.model_name}
    for skill in plan.skills:
        if skill.runner.provider != "local":
            continue
        for arm in skill.arms:
            for task in skill.tasks:
                request = first_request(skill, task, "", bundles.get((skill.skill_id, arm)), names)
                tokens = await servers.of_runner(skill).count_tokens(request)
                problem = _too_much(tokens, request.max_tokens, room, arm)
                if problem:
                    raise ContextExceeded(
                        problem,
                        where=f"{skill.skill_id}, task {task.id}",
                        fix="shorten the skill or the prompt, lower max_tokens, or use a larger model (--model NAME)",
                    )


def _too_much(tokens: int | None, answer: int, room: int, arm: Arm) -> str:
    """Return in words why prompt and answer do not fit into the context; "" when they do, as far as is known."""
    if tokens is None:  # nothing but the answer's own length can be held against the context
        said = f"the prompt of {arm.value} could not be counted, and the answer alone may have {answer:,} tokens: they"
        return f"{said} do not fit the embedded model's context of {room:,} beside a prompt" if answer >= room else ""
    if tokens + answer <= room:
        return ""
    return (
        f"the prompt of {arm.value} has {tokens:,} tokens and the answer may have {answer:,}: "
        f"{tokens + answer:,} do not fit the embedded model's context of {room:,}"
    )
