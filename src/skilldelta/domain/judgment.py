"""What a judge says of an outcome."""

from __future__ import annotations

from .trial import Usage
from .value import Value


class Evidence(Value):
    """A passage that a judge points at."""

    quote: str


class Judgment(Value):
    """One judge's word on one outcome; `failure` set means that there is no word."""

    judge: int
    """Index of the judge within its task."""
    type: str
    passed: bool = False
    score: float = 0.0
    """In [0, 1]."""
    rationale: str = ""
    evidence: tuple[Evidence, ...] = ()
    failure: str | None = None
    """Why the judge could not judge; such a judgment fails the pair and is never a score."""
    raw_replies: tuple[str, ...] = ()
    """What an LLM judge answered, word for word, in the order asked."""
    usage: Usage = Usage()
    charged_usd: float = 0.0
    """What the budget was charged for it, as for an outcome."""
