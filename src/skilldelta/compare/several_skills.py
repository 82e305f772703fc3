"""Claims about several skills of one change: sequential Holm. That none is worse by its margin needs no correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..domain.comparison import Decision, StopReason
from ..domain.design import Design
from .decision import CLAIMS, Rounds, decide_at

AT_A_LOOK = (StopReason.DECIDED, StopReason.FUTILE, StopReason.ROUNDS, StopReason.COPIES)
"""Ends at which a verdict may be given."""


class Decided(NamedTuple):
    """One skill's rounds, and what they say by themselves."""

    rounds: Rounds
    design: Design
    decision: Decision


def claim_level(design: Design, *, skills: int, claimed: int) -> float:
    """Return the two-sided error at which one of `skills` may claim while `claimed` of the others have.

    alpha / (skills − claimed): the step-down of Holm, Scandinavian Journal of Statistics 6 (1979) 65, used look by
    look; the chance of any false claim among all skills stays at most alpha, as the first false one is made at alpha
    over the number of unchanged skills or less.

    >>> claim_level(Design(rounds=2), skills=5, claimed=0)
    0.01
    """
    return design.alpha / max(1, skills - claimed)


def stepped_down(all_skills: Sequence[Decided]) -> list[Decision]:
    """Return the skills' decisions after Holm's steps: each claim leaves more of the error to those without one."""
    decisions = [one.decision for one in all_skills]
    for _ in all_skills:
        claimed = sum(decision.verdict in CLAIMS for decision in decisions)
        again = [
            _again(one, decision, claim_level(one.design, skills=len(decisions), claimed=claimed))
            for one, decision in zip(all_skills, decisions, strict=True)
        ]
        if again == decisions:
            break
        decisions = again
    return decisions


def _again(one: Decided, decision: Decision, claim_alpha: float) -> Decision:
    if decision.verdict in CLAIMS or decision.reason not in AT_A_LOOK or claim_alpha <= decision.claim_alpha:
        return decision
    again = decide_at(decision, one.rounds, one.design, claim_alpha=claim_alpha)
    return again if again.verdict in CLAIMS else again.model_copy(update={"claim_alpha": claim_alpha})
