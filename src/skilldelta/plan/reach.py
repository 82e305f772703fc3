"""What a design can and cannot show on a suite, before anything is spent."""

from __future__ import annotations

from ..domain.config import DesignSettings
from ..domain.design import Design, Metric
from ..domain.plan import Reach

MOST_ROUNDS = 20
FEW_TASKS = 12


def design_for(settings: DesignSettings, metric: Metric, tasks: int) -> Design:
    """Return the resolved design: R_max is the rounds for 90 % power at the margin plus one, within 2 to 20.

    Source: the rule of section 2.5 of the method (fixed exact McNemar design, discordance 0.42). Sampling at
    temperature 0 is dealt with by `make`.
    """
    from ..statistics.power import rounds_for_power

    rounds = settings.rounds
    if rounds is None:
        needed = rounds_for_power(
            tasks=tasks, effect=settings.margin, alpha=settings.alpha, power=0.9, at_most=MOST_ROUNDS
        )
        rounds = min(MOST_ROUNDS, max(2, (needed or MOST_ROUNDS) + 1))
    return Design(
        goal=settings.goal,
        metric=metric,
        rounds=rounds,
        alpha=settings.alpha,
        margin=settings.margin,
        sequential=settings.sequential,
        look_every=settings.look_every,
    )


def reach_of(design: Design, tasks: int) -> Reach:
    """Return power at the margin, the smallest effect found with 80 % power, and the rounds that 90 % would need."""
    from ..statistics.power import DISCORDANCE, exact_power, rounds_for_power, smallest_detectable

    pairs = tasks * design.rounds
    return Reach(
        tasks=tasks,
        discordance=DISCORDANCE,
        rounds_needed=rounds_for_power(
            tasks=tasks, effect=design.margin, alpha=design.alpha, power=0.9, at_most=MOST_ROUNDS
        ),
        power_at_margin=exact_power(pairs=pairs, effect=min(design.margin, DISCORDANCE), alpha=design.alpha),
        smallest_effect=smallest_detectable(tasks=tasks, rounds=design.rounds, alpha=design.alpha),
    )
