"""What model calls cost."""

from __future__ import annotations

from collections.abc import Mapping

from .config import LOCAL, Price
from .trial import Usage
from .value import Value


class Spent(Value):
    """What recorded trials and judgments took."""

    calls: int = 0
    """Calls of the model that does the tasks: the turns of every trial."""
    usage: Usage = Usage()
    judge_calls: int = 0
    judge_usage: Usage = Usage()

    def plus(self, other: Spent) -> Spent:
        """Return the sum of both."""
        return Spent(
            calls=self.calls + other.calls,
            usage=self.usage.plus(other.usage),
            judge_calls=self.judge_calls + other.judge_calls,
            judge_usage=self.judge_usage.plus(other.judge_usage),
        )


def price_of(usage: Usage, price: Price | None) -> float | None:
    """Return what the usage cost in US dollars; None without a price (cache prices default to 0.1 and 1.25 of input).

    >>> price_of(Usage(input_tokens=1_000_000, output_tokens=100_000), Price(input=3, output=15))
    4.5
    """
    if price is None:
        return None
    read = price.cache_read if price.cache_read is not None else 0.1 * price.input
    write = price.cache_write if price.cache_write is not None else 1.25 * price.input
    millionths = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * read
        + usage.cache_write_tokens * write
    )
    return millionths / 1_000_000


def price_for(prices: Mapping[str, Price], provider: str, model: str | None) -> Price | None:
    """Return the model's price: the configuration's, nothing for the embedded model, None when unknown."""
    if provider == LOCAL:
        return Price(input=0, output=0)
    return prices.get(model or "")
