"""The fakes keep what their ports promise."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from fakes import (
    MemoryJournal,
    ScriptedApi,
    SilentProgress,
    StoppedClock,
    answered,
    bundle,
    ended,
    said,
    skill_plan,
    task,
    tool_call,
)
from skilldelta.domain.draws import round_keys
from skilldelta.domain.judgment import Judgment
from skilldelta.domain.messages import MessagesRequest, ReplyStatus
from skilldelta.domain.trial import Arm
from skilldelta.edges.journal import open_journal
from skilldelta.ports import Clock, Journal, MessagesApi, Progress

REQUEST = MessagesRequest(
    key="k", model="m", messages=({"role": "user", "content": "Hello"},), max_tokens=9, timeout_seconds=1
)


def test_each_is_its_port() -> None:
    """The type checker holds every fake against its Protocol here."""
    journal: Journal = MemoryJournal()
    progress: Progress = SilentProgress()
    clock: Clock = StoppedClock()
    api: MessagesApi = ScriptedApi([])
    assert all((journal, progress, clock, api))


@pytest.mark.parametrize("real", [False, True])
def test_the_journal_keeps_the_first_record(real: bool, tmp_path: Path) -> None:
    """Like the real journal, the fake returns what was first recorded under a key, and None for the rest."""
    with contextlib.ExitStack() as stack:
        journal: Journal = MemoryJournal()
        if real:
            journal = stack.enter_context(contextlib.closing(open_journal(tmp_path)))
        _, key = next(round_keys(skill_plan(), 1))
        words = [Judgment(judge=0, type="contains", passed=passed) for passed in (True, False)]
        assert (journal.outcome(key.key), journal.judgment("j")) == (None, None)
        journal.sent(key.key, 0.5)
        for text, word in zip(("first", "second"), words, strict=True):
            journal.record_outcome(key, answered(text))
            journal.record_judgment("j", key, word)
        assert (journal.outcome(key.key), journal.judgment("j")) == (answered("first"), words[0])
        assert list(journal.lost()) == []


def test_the_journal_knows_its_calls() -> None:
    """Calls are kept in order, and the test says what was lost."""
    journal = MemoryJournal(lost=[0.1])
    journal.sent("a", 0.5)
    journal.sent("a", 0.25)
    assert (journal.calls, list(journal.lost())) == ([("a", 0.5), ("a", 0.25)], [0.1])


def test_the_clock_moves_only_when_told() -> None:
    """Time stands still until it is put forward."""
    clock = StoppedClock()
    before = clock.monotonic()
    assert clock.monotonic() == before
    clock.forward(60)
    assert clock.monotonic() == before + 60
    assert clock.now() == clock.now()


async def test_the_api_answers_in_order() -> None:
    """Answers come one after the other, an exception is raised in its place, and every request is kept."""
    api = ScriptedApi(["one", said("two", "refusal"), ended(ReplyStatus.DENIED), ValueError("four")])
    assert (await api.create(REQUEST)).text == "one"
    assert (await api.create(REQUEST)).stop_reason == "refusal"
    assert (await api.create(REQUEST)).status is ReplyStatus.DENIED
    with pytest.raises(ValueError, match="four"):
        await api.create(REQUEST)
    assert api.requests == [REQUEST] * 4
    by_function = ScriptedApi(lambda request: request.key)
    assert (await by_function.create(REQUEST)).text == "k"


def test_the_plan_can_be_varied() -> None:
    """The smallest plan has one task in two arms, and what a test names replaces what stands there."""
    plan = skill_plan(task("a"), task("b"), reference=Arm.CONTROL, runner={"offer": "inline"}, pass_k=2)
    assert len(list(round_keys(skill_plan(), 1))) == 2
    assert len(list(round_keys(plan, 1))) == 8
    assert (plan.runner.offer, plan.arms) == ("inline", (Arm.CANDIDATE, Arm.CONTROL))


def test_bundles_differ_in_their_word() -> None:
    """Two bundles are equal but for their word; tool calls are messages like any other."""
    old, new = bundle("old").model_dump_json(), bundle("new").model_dump_json()
    assert old.replace("old", "new") == new
    assert bundle(files={"a": "text", "b": None}).files[1].text is None
    assert tool_call("t", a=1).content[0]["input"] == {"a": 1}


def test_progress_remembers() -> None:
    """What it was told can be read afterwards."""
    progress, plan = SilentProgress(), skill_plan()
    _, key = next(round_keys(plan, 1))
    progress.skill_started(plan)
    progress.round_started(plan, 1, 2)
    progress.trial_done(plan, key, recorded=True)
    progress.looked(plan, 1, "So it is.")
    assert (progress.rounds, progress.done, progress.sentences) == ([(1, 2)], [(key, True)], ["So it is."])
