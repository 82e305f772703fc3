"""How often the procedure claims a change where there is none: recorded trials of one skill, dealt out anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..domain.comparison import Pair, Verdict
from ..domain.design import Design
from .decision import conclude

_FEWEST, _MOST = 100, 1_000
_PAIRS = 400_000
"""About so many pairs are dealt in all, so that a large suite takes no minutes."""


class Alarms(NamedTuple):
    """What the deals came to."""

    deals: int
    rounds: int
    """Rounds of the design that the recorded trials suffice for."""
    improved: int
    regressed: int
    drops: int
    """Deals in which the candidate's mean was below the baseline's."""


def false_alarms(trials: Mapping[str, Sequence[int]], design: Design, *, seed: int) -> Alarms | None:
    """Return how often `design` claims anything when each task's trials are dealt to two arms and rounds at random.

    `trials`: task → values in hundredths of all trials of one skill; None where some task has too few for the
    design's fewest rounds. R_max is cut to what the fewest trials suffice for, and every task
    has all rounds. A deal is a draw from "no change on any task" given these trials: Fisher, The Design of
    Experiments (1935) §21.
    """
    available = min((len(values) for values in trials.values()), default=0) // 2
    if available < design.min_rounds:
        return None
    rounds = min(design.rounds, available)
    design = design.model_copy(update={"rounds": rounds, "brief": ()})
    deals = max(_FEWEST, min(_MOST, _PAIRS // (rounds * len(trials))))
    generator = np.random.default_rng(seed)
    said = dict.fromkeys(Verdict, 0)
    drops = 0

    @lru_cache(maxsize=_PAIRS)
    def pair(task: str, number: int, candidate: int, baseline: int) -> Pair:
        """Return one pair; pairs are frozen, so that all deals share the few that there can be."""
        return Pair(task_id=task, round=number, candidate=candidate, baseline=baseline)

    for _ in range(deals):
        dealt = {task: generator.permutation(np.asarray(values))[: 2 * rounds] for task, values in trials.items()}
        pairs = [
            [pair(task, number + 1, int(own[2 * number]), int(own[2 * number + 1])) for task, own in dealt.items()]
            for number in range(rounds)
        ]
        said[conclude(pairs, design).verdict] += 1
        drops += sum(int(own[::2].sum()) - int(own[1::2].sum()) for own in dealt.values()) < 0
    return Alarms(deals, rounds, said[Verdict.IMPROVED], said[Verdict.REGRESSED], drops)
