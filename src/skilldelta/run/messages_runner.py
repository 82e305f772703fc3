"""The runner `messages`: one trial is one conversation with a Messages API."""

from __future__ import annotations

from typing import Any

from ..domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from ..domain.plan import SkillPlan
from ..domain.skill import SkillBundle
from ..domain.suite import Task
from ..domain.trial import Outcome, ToolUse, TrialKey, TrialStatus, Usage
from ..ports import MessagesApi
from . import offer

LONGEST_ANSWER = 1_000_000
"""Characters of an answer that are kept."""


class MessagesRunner:
    """Runs trials through a Messages API; `model` is the name that goes into the requests."""

    def __init__(self, api: MessagesApi, *, model_names: dict[str, str] | None = None) -> None:
        self._api = api
        self._names = model_names or {}

    async def run(self, skill: SkillPlan, task: Task, key: TrialKey, bundle: SkillBundle | None) -> Outcome:
        """Execute one attempt: a single turn inline, a bounded loop of skill tools when the skill is listed."""
        conversation = _Conversation(first_request(skill, task, key.key, bundle, self._names), bundle)
        explicit = skill.suite.suite.use == "explicit"
        if explicit and bundle is not None and skill.runner.offer == "listed":
            conversation.invoke()
        for _ in range(skill.runner.max_turns):
            if conversation.seconds_left <= 0:
                return conversation.ended(TrialStatus.TIMEOUT, f"no answer within {skill.task_timeout(task):g} s")
            reply = await self._api.create(conversation.request())
            outcome = conversation.take(reply)
            if outcome is not None:
                return outcome
        return conversation.ended(TrialStatus.TURN_LIMIT, f"no answer after {skill.runner.max_turns} turns")


def first_request(
    skill: SkillPlan, task: Task, key: str, bundle: SkillBundle | None, names: dict[str, str] | None = None
) -> MessagesRequest:
    """Return the request that starts a trial; the arms' requests differ in nothing but the skill and the key."""
    runner = skill.runner
    tools: tuple[dict[str, Any], ...] = ()
    if runner.offer == "inline":
        system = offer.inline(runner.system, bundle)
    else:
        system, tools = offer.listed(runner.system, bundle)
    return MessagesRequest(
        key=key,
        model=(names or {}).get(runner.provider) or runner.model or "",
        system=system,
        tools=tools,
        messages=({"role": "user", "content": task.prompt},),
        max_tokens=skill.max_tokens(task),
        sampling=runner.sampling,
        timeout_seconds=skill.task_timeout(task),
    )


class _Conversation:
    """One trial as it goes on."""

    def __init__(self, first: MessagesRequest, bundle: SkillBundle | None) -> None:
        self._first = first
        self._bundle = bundle
        self._messages: list[dict[str, Any]] = list(first.messages)
        self._usage = Usage()
        self._charged = 0.0
        self._seconds = 0.0
        self._turns = 0
        self._tool_uses: list[ToolUse] = []
        self._loaded: bool | None = False if first.tools else None
        self._last: MessagesReply | None = None

    @property
    def seconds_left(self) -> float:
        return self._first.timeout_seconds - self._seconds

    def invoke(self) -> None:
        """Load the skill before the first turn, as a user does who calls it by name."""
        if self._bundle is None:
            return
        text = f"{offer.skill_text(self._bundle)}\n\n{self._messages[0]['content']}"
        self._messages[0] = {"role": "user", "content": text}
        self._loaded = True

    def request(self) -> MessagesRequest:
        return self._first.model_copy(update={"messages": tuple(self._messages), "timeout_seconds": self.seconds_left})

    def take(self, reply: MessagesReply) -> Outcome | None:
        """Return the outcome when this reply ends the trial; otherwise answer its tool calls."""
        self._last = reply
        self._usage = self._usage.plus(reply.usage)
        self._charged += reply.charged_usd
        self._seconds += reply.seconds
        self._turns += 1
        if reply.status is ReplyStatus.TIMEOUT:
            return self.ended(TrialStatus.TIMEOUT, reply.error)
        if reply.status is not ReplyStatus.ANSWERED:
            return self.ended(TrialStatus.FAILED, reply.error)
        if reply.stop_reason == "refusal":
            return self.ended(TrialStatus.REFUSED, "the model refused")
        if reply.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            return self.ended(TrialStatus.TOKEN_LIMIT, f"cut off at {reply.usage.output_tokens:,} tokens")
        calls = [block for block in reply.content if block.get("type") == "tool_use"] if self._first.tools else []
        if calls:
            self._answer(reply, calls)
            return None
        if not reply.text.strip():
            return self.ended(TrialStatus.EMPTY, "the answer is empty")
        return self.ended(TrialStatus.ANSWERED, None)

    def _answer(self, reply: MessagesReply, calls: list[dict[str, Any]]) -> None:
        results = []
        for call in calls:
            name = str(call.get("name", ""))
            text, found, argument = offer.answer_tool(self._bundle, name, call.get("input"))
            self._tool_uses.append(ToolUse(name=name[:60], argument=argument, found=found))
            if name == offer.LOAD and found:
                self._loaded = True
            results.append(
                {"type": "tool_result", "tool_use_id": call.get("id"), "content": text}
                | ({} if found else {"is_error": True})
            )
        self._messages.append({"role": "assistant", "content": list(reply.content)})
        self._messages.append({"role": "user", "content": results})

    def ended(self, status: TrialStatus, reason: str | None) -> Outcome:
        last = self._last
        return Outcome(
            status=status,
            text=last.text.strip()[:LONGEST_ANSWER] if last else "",
            reason=reason,
            refused_by_provider=last is not None and last.status in (ReplyStatus.DENIED, ReplyStatus.REFUSED),
            usage=self._usage,
            charged_usd=self._charged,
            duration_ms=round(1000 * self._seconds),
            stop_reason=last.stop_reason if last else None,
            model=last.model if last else None,
            turns=self._turns,
            tool_uses=tuple(self._tool_uses),
            skill_loaded=self._loaded,
            server_cached=last.server_cached if last else False,
        )
