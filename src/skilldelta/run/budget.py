"""The hard stops of a run: calls, money, minutes."""

from __future__ import annotations

import asyncio

from ..domain.config import BudgetSettings, Price
from ..domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from ..domain.money import price_of
from ..errors import ModelRefused
from ..ports import BudgetReached, Clock, Journal, MessagesApi


class Budget:
    """What was spent, what is promised to calls in flight, and what may still be."""

    def __init__(self, settings: BudgetSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._started = clock.monotonic()
        self._calls = 0
        self._spent = 0.0
        self._promised: dict[object, float] = {}
        self._settled = asyncio.Event()
        self.reached: str | None = None
        """Which cap ended the run, in words."""

    @property
    def calls(self) -> int:
        """Calls made, those lost with a killed run included."""
        return self._calls

    @property
    def spent_usd(self) -> float:
        """US dollars spent, as far as prices are known."""
        return self._spent

    def charge(self, *, calls: int, usd: float) -> None:
        """Book what an earlier, interrupted part of this run spent."""
        self._calls += calls
        self._spent += usd

    def seconds_left(self) -> float | None:
        """Return the seconds until the time cap, None without one."""
        if self._settings.max_minutes is None:
            return None
        return self._settings.max_minutes * 60 - (self._clock.monotonic() - self._started)

    async def reserve(self, ticket: object, usd: float) -> None:
        """Promise `usd` to a call, waiting while calls in flight may free what they do not use.

        Raises BudgetReached when the call can never fit.
        """
        caps = self._settings
        while True:
            left = self.seconds_left()
            if left is not None and left <= 0:
                self._end(f"max_minutes ({caps.max_minutes:g})")
            if caps.max_calls is not None and self._calls >= caps.max_calls:
                self._end(f"max_calls ({caps.max_calls:,})")
            if caps.max_cost_usd is None or self._spent + sum(self._promised.values()) + usd <= caps.max_cost_usd:
                break
            if not self._promised:
                self._end(f"max_cost_usd ({caps.max_cost_usd:g})")
            self._settled.clear()
            await self._settled.wait()
        self._calls += 1
        self._promised[ticket] = usd

    def settle(self, ticket: object, usd: float) -> None:
        """Replace a promise by what the call really cost."""
        self._promised.pop(ticket, None)
        self._spent += usd
        self._settled.set()

    def out_of_time(self) -> None:
        """Note that time ended a round, unless another cap did."""
        left = self.seconds_left()
        if self.reached is None and left is not None and left <= 0:
            self.reached = f"max_minutes ({self._settings.max_minutes:g})"

    def _end(self, cap: str) -> None:
        self.reached = self.reached or cap
        self._settled.set()
        raise BudgetReached(cap)


class BudgetedApi:
    """A Messages API whose every call is reserved and journalled before and settled after.

    A denial before the first answer ends the run; so does a server that cannot be reached before it has answered
    anybody: `heard` holds the providers that have, and is shared by all skills of a run.
    """

    def __init__(
        self,
        api: MessagesApi,
        budget: Budget,
        price: Price | None,
        journal: Journal,
        *,
        provider: str,
        heard: set[str],
    ) -> None:
        self._api = api
        self._budget = budget
        self._journal = journal
        self._price = price
        self._provider = provider
        self._heard = heard
        self._answered = False

    def prepare(self) -> None:
        """Be ready to send."""
        self._api.prepare()

    async def create(self, request: MessagesRequest) -> MessagesReply:
        """Send one request within the budget."""
        self.prepare()
        ticket = object()
        ceiling = ceiling_of(request, self._price)
        await self._budget.reserve(ticket, ceiling)
        self._journal.sent(request.key, ceiling)
        cost = ceiling
        try:
            reply = await self._api.create(request)
            cost = _cost(reply, ceiling, self._price)
            reply = reply.model_copy(update={"charged_usd": cost})
        finally:
            self._budget.settle(ticket, cost)
        if reply.status is ReplyStatus.DENIED and not self._answered:
            raise ModelRefused(
                f"the provider refuses: {reply.error}",
                fix=f"check the key, its permissions and the model's name ({request.model})",
            )
        if reply.unreachable and self._provider not in self._heard:
            raise ModelRefused(
                f"the model's server cannot be reached: {reply.error}",
                fix="check its address (--base-url, ANTHROPIC_BASE_URL) and the network, and start the run again",
            )
        if reply.status is ReplyStatus.ANSWERED:
            self._answered = True
            self._heard.add(self._provider)
        return reply


def ceiling_of(request: MessagesRequest, price: Price | None) -> float:
    """Return the most that a request can cost: a token for every byte sent, and the whole answer limit."""
    if price is None:
        return 0.0
    sent = (
        len(str(request.messages).encode())
        + len(str(request.tools))
        + sum(len(text.encode()) for text in request.system)
    )
    dearest = max(price.input, price.cache_write if price.cache_write is not None else 1.25 * price.input)
    return (sent * dearest + request.max_tokens * price.output) / 1_000_000


def _cost(reply: MessagesReply, ceiling: float, price: Price | None) -> float:
    """Return what a reply cost: by its usage, and the ceiling for each attempt that nobody accounts for."""
    return (price_of(reply.usage, price) or 0.0) + reply.unaccounted * ceiling
