"""One trial is one conversation, and how it ends is one status."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import Answer, ScriptedApi, bundle, ended, said, skill_plan, task, tool_call
from skilldelta.domain.draws import trial_key
from skilldelta.domain.messages import ReplyStatus
from skilldelta.domain.plan import SkillPlan
from skilldelta.domain.skill import SkillBundle
from skilldelta.domain.suite import Task
from skilldelta.domain.trial import Arm, Outcome, ToolUse, TrialStatus, Usage
from skilldelta.run.messages_runner import LONGEST_ANSWER, MessagesRunner
from skilldelta.run.offer import LOAD, READ

NEW = bundle("new", files={"a.md": "The text of a."})


async def run(
    *answers: Answer, plan: SkillPlan | None = None, given: SkillBundle | None = NEW, asked: Task | None = None
) -> tuple[Outcome, ScriptedApi]:
    """Run one trial against scripted answers."""
    plan, asked = plan or skill_plan(), asked or task()
    api = ScriptedApi(answers)
    key = trial_key(plan, asked, Arm.CANDIDATE, 1, 1)
    outcome = await MessagesRunner(api).run(plan, asked, key, given)
    assert {request.key for request in api.requests} <= {key.key}
    return outcome, api


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        (said("  Done. \n"), TrialStatus.ANSWERED, None),
        (said("Done.", "stop_sequence"), TrialStatus.ANSWERED, None),
        (said("No.", "refusal"), TrialStatus.REFUSED, "the model refused"),
        (said("Do", "max_tokens"), TrialStatus.TOKEN_LIMIT, "cut off at 5 tokens"),
        (said("Do", "model_context_window_exceeded"), TrialStatus.TOKEN_LIMIT, "cut off at 5 tokens"),
        (said(" \n\t"), TrialStatus.EMPTY, "the answer is empty"),
        (said("", content=()), TrialStatus.EMPTY, "the answer is empty"),
        (ended(ReplyStatus.TIMEOUT, "no answer within 3 s"), TrialStatus.TIMEOUT, "no answer within 3 s"),
        (ended(ReplyStatus.FAILED, "HTTP 529"), TrialStatus.FAILED, "HTTP 529"),
        (ended(ReplyStatus.REFUSED, "HTTP 400"), TrialStatus.FAILED, "HTTP 400"),
        (ended(ReplyStatus.DENIED, "HTTP 401"), TrialStatus.FAILED, "HTTP 401"),
    ],
)
@pytest.mark.parametrize("given", [NEW, None])
async def test_how_a_trial_ends(
    reply: Answer, status: TrialStatus, reason: str | None, given: SkillBundle | None
) -> None:
    """Each way a reply can end has its status and its words, with a skill and without one; it is never asked again."""
    outcome, api = await run(reply, given=given)
    assert (outcome.status, outcome.reason, len(api.requests)) == (status, reason, 1)
    assert outcome.refused_by_provider is (reason in ("HTTP 400", "HTTP 401"))
    assert outcome.status.own_failure is (status not in (TrialStatus.ANSWERED, TrialStatus.FAILED))


async def test_what_an_answer_leaves_behind() -> None:
    """Text, usage, time, model and stop reason are the last reply's."""
    outcome, _ = await run(said("  Done. \n", server_cached=True), given=None)
    assert outcome == Outcome(
        status=TrialStatus.ANSWERED,
        text="Done.",
        usage=Usage(input_tokens=10, output_tokens=5, requests=1),
        duration_ms=500,
        stop_reason="end_turn",
        model="test-1",
        server_cached=True,
        skill_loaded=None,
    )


async def test_loading_and_reading() -> None:
    """Each tool call is answered in the next request, in its order; usage and time add up over the turns."""
    both = said(
        "",
        "tool_use",
        content=(
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "1", "name": LOAD, "input": {"name": "demo"}},
            {"type": "tool_use", "id": "2", "name": READ, "input": {"name": "demo", "path": "none.md"}},
        ),
    )
    outcome, api = await run(both, tool_call(READ, name="demo", path="a.md"), said("Done."))
    assert (outcome.status, outcome.text, outcome.turns, outcome.skill_loaded) == (
        TrialStatus.ANSWERED, "Done.", 3, True,
    )  # fmt: skip
    assert outcome.tool_uses == (
        ToolUse(name=LOAD, argument="demo"),
        ToolUse(name=READ, argument="demo: none.md", found=False),
        ToolUse(name=READ, argument="demo: a.md"),
    )
    assert outcome.usage == Usage(input_tokens=30, output_tokens=15, requests=3)
    assert outcome.duration_ms == 1500
    first, second, third = (request.messages for request in api.requests)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert second[1] == {"role": "assistant", "content": list(both.content)}
    loaded, missing = second[2]["content"]
    assert (loaded["tool_use_id"], missing["tool_use_id"]) == ("1", "2")
    assert "Do it the new way." in loaded["content"]
    assert "is_error" not in loaded
    assert missing["is_error"] is True
    assert third[4]["content"][0]["content"] == "The text of a."


@pytest.mark.parametrize(
    "call",
    [tool_call("bash", command="ls"), tool_call(LOAD, name="other"), tool_call(READ, name="demo", path="../x")],
)
async def test_a_tool_that_finds_nothing(call: Answer) -> None:
    """An unknown tool, skill or file is said to be unknown, and the agent may go on; nothing was loaded."""
    outcome, api = await run(call, said("Done."))
    assert (outcome.status, outcome.skill_loaded, [use.found for use in outcome.tool_uses]) == (
        TrialStatus.ANSWERED, False, [False],
    )  # fmt: skip
    assert api.requests[1].messages[-1]["content"][0]["is_error"] is True


async def test_a_skill_that_is_left_alone() -> None:
    """An agent that never loads the skill is on record as not having loaded it."""
    assert (await run(said("Done.")))[0].skill_loaded is False


async def test_control_cannot_call_tools() -> None:
    """A tool call of an arm that was offered no tool is not answered: it is no answer, and is over."""
    outcome, api = await run(tool_call(LOAD, name="demo"), given=None)
    assert (outcome.status, outcome.tool_uses, len(api.requests)) == (TrialStatus.EMPTY, (), 1)


async def test_turns_are_limited() -> None:
    """An agent that only ever calls tools is stopped at the limit, with everything it cost."""
    outcome, api = await run(*[tool_call(LOAD, name="demo")] * 3, plan=skill_plan(runner={"max_turns": 3}))
    assert (outcome.status, outcome.reason, len(api.requests)) == (
        TrialStatus.TURN_LIMIT, "no answer after 3 turns", 3,
    )  # fmt: skip
    assert (outcome.turns, outcome.usage.requests) == (3, 3)


async def test_one_clock_for_all_turns() -> None:
    """Each turn has what the earlier ones left of the task's time; when none is left, that is the end."""
    slow = tool_call(LOAD, name="demo").model_copy(update={"seconds": 4.0})
    outcome, api = await run(*[slow] * 3, asked=task(timeout_seconds=10))
    assert [request.timeout_seconds for request in api.requests] == [10, 6, 2]
    assert (outcome.status, outcome.reason) == (TrialStatus.TIMEOUT, "no answer within 10 s")
    assert outcome.duration_ms == 12_000


async def test_a_failure_in_a_later_turn() -> None:
    """A transport failure after a tool call fails the whole trial, with the usage of what went before."""
    outcome, _ = await run(tool_call(LOAD, name="demo"), ended(ReplyStatus.FAILED, "HTTP 529"))
    assert (outcome.status, outcome.reason, outcome.turns) == (TrialStatus.FAILED, "HTTP 529", 2)
    assert outcome.usage == Usage(input_tokens=10, output_tokens=5, requests=2)
    assert outcome.text == ""


async def test_explicit_use() -> None:
    """`use: explicit` puts the skill before the prompt as if the user had called it; control gets the prompt alone."""
    plan = skill_plan(use="explicit")
    outcome, api = await run(said("Done."), plan=plan)
    assert outcome.skill_loaded is True
    text = api.requests[0].messages[0]["content"]
    assert text.endswith("\n\nDo one.")
    assert "Do it the new way." in text
    outcome, api = await run(said("Done."), plan=plan, given=None)
    assert (outcome.skill_loaded, api.requests[0].messages[0]["content"]) == (None, "Do one.")
    inline = skill_plan(use="explicit", runner={"offer": "inline"})
    _, api = await run(said("Done."), plan=inline)
    assert api.requests[0].messages[0]["content"] == "Do one."


@pytest.mark.parametrize(
    ("own", "expected"),
    [({}, (4096, 300)), ({"max_tokens": 7, "timeout_seconds": 9}, (7, 9))],
)
async def test_a_tasks_own_limits(own: dict[str, Any], expected: tuple[int, float]) -> None:
    """A task's own limits go before the configuration's; sampling and model are the runner's."""
    plan = skill_plan(runner={"sampling": {"temperature": 0.5}})
    _, api = await run(said("Done."), plan=plan, asked=task(**own))
    request = api.requests[0]
    assert (request.max_tokens, request.timeout_seconds) == expected
    assert (request.model, request.sampling, request.output_schema) == ("test", {"temperature": 0.5}, None)


async def test_a_provider_with_one_model() -> None:
    """A provider that has only one model gives its name."""
    api = ScriptedApi([said("Done.")])
    plan = skill_plan(runner={"model": "local"})
    runner = MessagesRunner(api, model_names={"local": "tiny"})
    await runner.run(plan, task(), trial_key(plan, task(), Arm.CANDIDATE, 1, 1), None)
    assert api.requests[0].model == "tiny"


async def test_an_endless_answer_is_cut() -> None:
    """What is kept of an answer is bounded."""
    outcome, _ = await run(said("x" * (LONGEST_ANSWER + 1)))
    assert len(outcome.text) == LONGEST_ANSWER
