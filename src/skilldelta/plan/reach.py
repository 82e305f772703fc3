"""What a design can and cannot show on a suite, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..domain.calibration import Known
from ..domain.config import DesignSettings
from ..domain.design import Design, Metric
from ..domain.plan import Estimate, Reach, Step
from .power import Moved

MOST_ROUNDS = 20
FEW_TASKS = 12
MORE_TASKS = 10
POWER = 0.8
ENOUGH_FOR_ONE_ROUND = 20
"""Tasks from which on a single round may decide; with fewer the interval's approximation is not trusted that early."""
_PRECISION = 1e-4


def design_for(
    settings: DesignSettings,
    metric: Metric,
    tasks: Sequence[str],
    known: Known | None = None,
    *,
    replicates: bool = True,
) -> Design:
    """Return the resolved design: R_max is the rounds for 90 % power at the margin plus one, within 2 to 20.

    Source: the rule of section 2.5 of the method (fixed exact McNemar design), at the discordance that is known, else
    0.42. Tasks that always ended alike have `saturated_rounds` rounds, where these are set and fewer. Without
    `replicates`, as at temperature 0, there is one round: further ones would be copies.
    """
    from ..statistics.power import DISCORDANCE, rounds_for_power

    rounds = settings.rounds
    if rounds is None:
        needed = rounds_for_power(
            tasks=len(tasks), effect=settings.margin, alpha=settings.alpha, power=0.9, at_most=MOST_ROUNDS,
            discordance=known.at_drop(settings.margin) if known else DISCORDANCE,
        )  # fmt: skip
        rounds = min(MOST_ROUNDS, max(2, (needed or MOST_ROUNDS) + 1))
    design = Design(
        goal=settings.goal,
        metric=metric,
        rounds=rounds,
        alpha=settings.alpha,
        margin=settings.margin,
        sequential=settings.sequential,
        look_every=settings.look_every,
        min_rounds=fewest_rounds(len(tasks)),
    )
    if not replicates and rounds > 1:
        return design.model_copy(update={"rounds": 1, "min_rounds": 1})
    alike = tuple(task for task in tasks if known is not None and task in known.always_alike)
    fewer = settings.saturated_rounds
    if fewer is None or fewer >= rounds or not alike or not leaves_room(design, len(alike), len(tasks), fewer):
        return design
    return design.model_copy(update={"brief": alike, "brief_rounds": fewer})


def fewest_rounds(tasks: int) -> int:
    """Return the rounds before which nothing is decided: one with twenty tasks or more, else two."""
    return 1 if tasks >= ENOUGH_FOR_ONE_ROUND else 2


def leaves_room(design: Design, alike: int, tasks: int, rounds: int) -> bool:
    """Say whether tasks with fewer rounds leave at least half the margin to the others, were all their pairs tied.

    A task that was seen a few times may still have dropped, and the interval has to allow for it: c²/(N + c²) for N
    tied pairs (Tango's lower limit), with the tasks' share as its weight. Where that takes most of the margin, the
    saving would be paid for by runs that reach no verdict.
    """
    from ..statistics.spending import critical_values_at

    fractions = tuple(number / design.rounds for number in range(1, design.rounds + 1))
    spent = tuple(design.alpha * fraction**design.spending_power for fraction in fractions)
    squared = critical_values_at(fractions, spent)[-1] ** 2
    return alike < tasks and alike / tasks * squared / (alike * rounds + squared) <= design.margin / 2


def reach_of(
    design: Design,
    tasks: int,
    known: Known | None = None,
    one_round: Estimate | None = None,
    *,
    replicates: bool = True,
    skills: int = 1,
) -> Reach:
    """Return power at the margin, the smallest effect found with 80 % power, and what a larger design would show.

    `one_round` is what a single round takes; without it nothing is said of larger designs, and without `replicates`
    nothing of more rounds. Of several `skills` each is taken to claim first, at alpha over their number.
    """
    from ..statistics.power import DISCORDANCE, rounds_for_power

    discordance = known.at_drop(design.margin) if known else DISCORDANCE
    alpha = design.alpha / skills
    found = _Found(design, tasks, discordance, alpha, beyond=known is not None)
    return Reach(
        tasks=tasks,
        discordance=discordance,
        discordance_from=known.source if known else "default",
        rounds_needed=rounds_for_power(
            tasks=tasks, effect=design.margin, discordance=discordance, alpha=alpha, power=0.9, at_most=MOST_ROUNDS,
        ),
        power_at_margin=found.power(design.margin),
        smallest_effect=found.smallest(),
        skills=skills,
        steps=_steps(found, design, tasks, one_round, replicates=replicates) if one_round else (),
    )  # fmt: skip


class _Found:
    """What a design finds; tasks with fewer rounds are taken not to move, which is why they have fewer.

    A discordance that was measured is that of equal arms, so that a change may make more pairs differ (`beyond`).
    """

    def __init__(self, design: Design, tasks: int, discordance: float, alpha: float, *, beyond: bool) -> None:
        self._design, self._tasks, self._discordance = design, tasks, discordance
        self._alpha, self._beyond = alpha, beyond

    def power(self, effect: float) -> float:
        """Return the chance that a drop (goal improve: a change) as large as `effect` is found."""
        return self._moved(self._tasks, self._design).power(effect)

    def smallest(self, *, more_tasks: int = 0, more_rounds: int = 0) -> float | None:
        """Return the smallest effect found with 80 % power, None when none of up to the discordance is."""
        design = self._design.model_copy(update={"rounds": self._design.rounds + more_rounds})
        moved = self._moved(self._tasks + more_tasks, design)
        low, high = 0.0, min(moved.discordance * moved.share, moved.share)
        if moved.power(high) < POWER:
            low, high = high, moved.share
            if not self._beyond or moved.power(high) < POWER:
                return None
        while high - low > _PRECISION:
            effect = (low + high) / 2
            low, high = (low, effect) if moved.power(effect) >= POWER else (effect, high)
        return high

    def _moved(self, tasks: int, design: Design) -> Moved:
        """Return what moves; tasks that come on top have all rounds."""
        moving = tasks - len(design.brief)
        share = moving / tasks
        return Moved(design, moving, share, min(1.0, self._discordance / share), self._alpha)


def _steps(found: _Found, design: Design, tasks: int, one_round: Estimate, *, replicates: bool) -> tuple[Step, ...]:
    """Return what one more round and ten more tasks like these would show, and cost when all rounds are run."""

    def step(what: Literal["one more round", "ten more tasks"], smallest: float | None, rounds: float) -> Step:
        """Return the step that adds so many rounds of all tasks."""
        cost = one_round.cost_usd
        return Step(
            what=what,
            smallest_effect=smallest,
            trials=round(rounds * one_round.trials),
            cost_usd=None if cost is None else round(rounds * cost, 4),
        )

    steps = []
    if replicates and design.rounds < MOST_ROUNDS:
        part = (tasks - len(design.brief)) / tasks
        steps.append(step("one more round", found.smallest(more_rounds=1), part))
    steps.append(step("ten more tasks", found.smallest(more_tasks=MORE_TASKS), MORE_TASKS * design.rounds / tasks))
    return tuple(steps)
