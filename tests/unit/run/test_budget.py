"""The hard stops: no call goes out that does not fit, and what is in flight is counted as if it cost the most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from fakes import Answer, MemoryJournal, ScriptedApi, StoppedClock, ended, said
from skilldelta.domain.config import BudgetSettings, Price
from skilldelta.domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from skilldelta.domain.trial import Usage
from skilldelta.errors import ModelRefused
from skilldelta.ports import BudgetReached
from skilldelta.run.budget import Budget, BudgetedApi, ceiling_of

PRICE = Price(input=10, output=100)
REQUEST = MessagesRequest(
    key="k", model="m", messages=({"role": "user", "content": "Hello"},), max_tokens=1000, timeout_seconds=1
)


def budget(clock: StoppedClock | None = None, **caps: float) -> Budget:
    """Return a budget with these caps."""
    return Budget(BudgetSettings.model_validate(caps), clock or StoppedClock())


async def settled() -> None:
    """Let every task run until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_without_caps_everything_fits() -> None:
    """No cap, no end."""
    unlimited = budget()
    for number in range(100):
        await unlimited.reserve(number, 1e9)
    assert (unlimited.calls, unlimited.reached, unlimited.seconds_left()) == (100, None, None)


@pytest.mark.parametrize("most", [0, 1, 3])
async def test_calls(most: int) -> None:
    """Exactly `max_calls` calls go out, and the end names the cap."""
    capped = budget(max_calls=most)
    for number in range(most):
        await capped.reserve(number, 0)
    with pytest.raises(BudgetReached):
        await capped.reserve("one more", 0)
    assert (capped.calls, capped.reached) == (most, f"max_calls ({most})")


async def test_calls_of_an_earlier_start_count() -> None:
    """What an interrupted run made and spent is charged to the same caps."""
    capped = budget(max_calls=3, max_cost_usd=1)
    capped.charge(calls=2, usd=0.9)
    assert (capped.calls, capped.spent_usd) == (2, 0.9)
    with pytest.raises(BudgetReached):
        await capped.reserve("too dear", 0.2)
    await capped.reserve("fits", 0.1)
    with pytest.raises(BudgetReached):
        await capped.reserve("one more", 0)
    assert capped.reached == "max_cost_usd (1)"


async def test_a_call_that_can_never_fit() -> None:
    """With nothing in flight a call above the rest of the money ends the run at once; an exact fit goes out."""
    capped = budget(max_cost_usd=1)
    with pytest.raises(BudgetReached):
        await capped.reserve("too dear", 1.01)
    assert (capped.calls, capped.reached) == (0, "max_cost_usd (1)")
    await capped.reserve("all of it", 1.0)


async def test_a_call_waits_for_the_promises_in_flight() -> None:
    """A call that fits once a call in flight has cost less than promised waits for that, and only for that."""
    capped = budget(max_cost_usd=1)
    await capped.reserve("first", 0.6)
    waiting = asyncio.create_task(capped.reserve("second", 0.6))
    await settled()
    assert not waiting.done()
    capped.settle("first", 0.4)
    await waiting
    assert (capped.calls, capped.spent_usd, capped.reached) == (2, 0.4, None)


async def test_waiting_calls_end_when_the_money_is_gone() -> None:
    """All who wait are told when what was in flight used up what they wait for."""
    capped = budget(max_cost_usd=1)
    await capped.reserve("first", 0.6)
    waiting = [asyncio.create_task(capped.reserve(number, 0.6)) for number in range(3)]
    await settled()
    capped.settle("first", 0.6)
    ends = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 1)
    assert [type(end) for end in ends] == [BudgetReached] * 3
    assert capped.calls == 1


async def test_one_freed_place_is_taken_once() -> None:
    """Of several who wait for the same money one goes; the others wait on, and each has its turn."""
    capped = budget(max_cost_usd=1)
    await capped.reserve("first", 1)
    waiting = [asyncio.create_task(capped.reserve(number, 0.9)) for number in range(3)]
    await settled()
    capped.settle("first", 0)
    for left in (2, 1, 0):
        await settled()
        gone = [number for number, task in enumerate(waiting) if task.done()]
        assert len(gone) == 3 - left
        capped.settle(gone[-1] if left == 2 else next(n for n in gone if n in capped._promised), 0.0)
    await asyncio.gather(*waiting)
    assert capped.calls == 4


async def test_a_cancelled_wait_promises_nothing() -> None:
    """A call that is cancelled while it waits leaves no promise behind."""
    capped = budget(max_cost_usd=1)
    await capped.reserve("first", 1)
    waiting = asyncio.create_task(capped.reserve("second", 1))
    await settled()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    capped.settle("first", 0)
    await capped.reserve("third", 1)
    assert capped.calls == 2


async def test_minutes() -> None:
    """Calls go out until the minutes are over, by the clock that was handed in."""
    clock = StoppedClock()
    capped = budget(clock, max_minutes=2)
    assert capped.seconds_left() == 120
    clock.forward(119)
    await capped.reserve("in time", 0)
    capped.out_of_time()
    assert (capped.seconds_left(), capped.reached) == (1, None)
    clock.forward(1)
    with pytest.raises(BudgetReached):
        await capped.reserve("late", 0)
    assert (capped.calls, capped.reached) == (1, "max_minutes (2)")


def test_time_that_ends_a_round_is_named() -> None:
    """A round that time ended says so, unless another cap was there before."""
    clock = StoppedClock()
    capped = budget(clock, max_minutes=1)
    clock.forward(60)
    capped.out_of_time()
    assert capped.reached == "max_minutes (1)"


async def test_the_first_cap_is_the_one_named() -> None:
    """Later caps do not change why the run ended."""
    clock = StoppedClock()
    capped = budget(clock, max_minutes=1, max_calls=0)
    with pytest.raises(BudgetReached):
        await capped.reserve("a", 0)
    clock.forward(61)
    capped.out_of_time()
    with pytest.raises(BudgetReached):
        await capped.reserve("b", 0)
    assert capped.reached == "max_calls (0)"


def paying(
    answers: list[Answer] | Callable[[MessagesRequest], Answer], *, price: Price | None = PRICE, **caps: float
) -> tuple[BudgetedApi, Budget, MemoryJournal]:
    """Return an API under a budget, with its parts."""
    capped, journal = budget(None, **caps), MemoryJournal()
    api = BudgetedApi(ScriptedApi(answers), capped, price, journal, provider="anthropic", heard=set())
    return api, capped, journal


def costing(**tokens: int) -> MessagesReply:
    """Return an answer with this usage."""
    return said("yes", usage=Usage(requests=1, **tokens))


@pytest.mark.parametrize(
    ("reply", "usd"),
    [
        (costing(input_tokens=1000, output_tokens=100), 0.02),
        (costing(cache_read_tokens=1000, cache_write_tokens=1000), 0.0135),
        (ended(ReplyStatus.FAILED), 0.0),
        (ended(ReplyStatus.REFUSED), 0.0),
        (ended(ReplyStatus.TIMEOUT), ceiling_of(REQUEST, PRICE)),
        (costing(output_tokens=100).model_copy(update={"unaccounted": 2}), 0.01 + 2 * ceiling_of(REQUEST, PRICE)),
    ],
)
async def test_what_a_call_costs(reply: MessagesReply, usd: float) -> None:
    """An answer costs its usage, a refusal nothing, and what nobody accounts for the most: it may have been billed."""
    api, capped, journal = paying([reply])
    answer = await api.create(REQUEST)
    assert answer.model_copy(update={"charged_usd": 0.0}) == reply
    assert capped.spent_usd == answer.charged_usd == pytest.approx(usd)
    assert journal.calls == [("k", ceiling_of(REQUEST, PRICE))]


async def test_without_a_price_nothing_is_counted() -> None:
    """Calls are counted and journalled also where no price is known."""
    api, capped, journal = paying([ended(ReplyStatus.TIMEOUT)], price=None)
    await api.create(REQUEST)
    assert (capped.calls, capped.spent_usd, journal.calls) == (1, 0, [("k", 0.0)])


async def test_a_call_is_journalled_before_it_is_made() -> None:
    """When the program dies during a call, the journal already knows of it."""
    seen: list[list[tuple[str, float]]] = []

    def answer(_: MessagesRequest) -> Answer:
        seen.append(list(journal.calls))
        return "yes"

    api, _, journal = paying(answer)
    await api.create(REQUEST)
    assert seen == [[("k", ceiling_of(REQUEST, PRICE))]]


async def test_a_call_that_does_not_fit_is_not_made() -> None:
    """What the budget refuses is neither journalled nor sent."""
    api, capped, journal = paying(["yes"], max_calls=0)
    with pytest.raises(BudgetReached):
        await api.create(REQUEST)
    assert (journal.calls, capped.calls) == ([], 0)


@pytest.mark.parametrize("end", [asyncio.CancelledError(), ValueError("a crash")])
async def test_a_call_that_is_cut_off_costs_the_most(end: BaseException) -> None:
    """Whatever ends a call before its reply, its promise is booked in full and frees those who wait."""
    api, capped, _ = paying([end])
    with pytest.raises(type(end)):
        await api.create(REQUEST)
    assert capped.spent_usd == pytest.approx(ceiling_of(REQUEST, PRICE))


async def test_a_denial_before_the_first_answer_ends_the_run() -> None:
    """A wrong key or model is the user's to mend: said once, with what to check, and nothing is charged."""
    api, capped, _ = paying([ended(ReplyStatus.DENIED, "HTTP 401: no")])
    with pytest.raises(ModelRefused, match="HTTP 401: no") as caught:
        await api.create(REQUEST)
    assert caught.value.fix == "check the key, its permissions and the model's name (m)"
    assert capped.spent_usd == 0


async def test_a_denial_after_an_answer_is_a_failed_trial() -> None:
    """Once the server has answered, a denial is one trial's matter; a failure before is no answer."""
    denied = ended(ReplyStatus.DENIED)
    api, _, _ = paying(["yes", denied])
    await api.create(REQUEST)
    assert await api.create(REQUEST) == denied
    api, _, _ = paying([ended(ReplyStatus.FAILED), denied])
    await api.create(REQUEST)
    with pytest.raises(ModelRefused):
        await api.create(REQUEST)


async def test_a_server_that_was_heard_once_may_be_lost_later() -> None:
    """Unreachable before anybody was answered ends the run; afterwards, for whatever skill, it is a failed trial."""
    gone = ended(ReplyStatus.FAILED).model_copy(update={"unreachable": True})
    for heard in (set[str](), {"bedrock"}):
        api = BudgetedApi(ScriptedApi([gone]), budget(None), None, MemoryJournal(), provider="anthropic", heard=heard)
        with pytest.raises(ModelRefused, match="cannot be reached"):
            await api.create(REQUEST)
    heard = set()
    first = BudgetedApi(ScriptedApi(["yes"]), budget(None), None, MemoryJournal(), provider="anthropic", heard=heard)
    await first.create(REQUEST)
    second = BudgetedApi(ScriptedApi([gone]), budget(None), None, MemoryJournal(), provider="anthropic", heard=heard)
    assert (await second.create(REQUEST)).status is ReplyStatus.FAILED


def test_the_ceiling_covers_what_is_sent_and_what_may_come_back() -> None:
    """A token a byte sent (system, tools, messages) at the dearest input price, and the whole answer limit."""
    assert ceiling_of(REQUEST, None) == 0
    answer = REQUEST.max_tokens * PRICE.output / 1e6
    sent = len(f"{REQUEST.messages}{REQUEST.tools}".encode()) * 12.5 / 1e6
    assert ceiling_of(REQUEST, PRICE) == pytest.approx(answer + sent)
    more = REQUEST.model_copy(update={"system": ("é" * 1000,), "tools": ({"name": "t" * 500},)})
    assert ceiling_of(more, PRICE) >= ceiling_of(REQUEST, PRICE) + 2500 * 12.5 / 1e6
    assert ceiling_of(REQUEST, Price(input=10, output=100, cache_write=1)) == pytest.approx(answer + sent / 1.25)
