"""The power of a whole sequential run: what is left of the exact test's after every way to end early."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..domain.design import Design, Goal

if TYPE_CHECKING:
    from ..statistics.sequential_power import Stops

_CERTAIN = 12.0
"""Standard errors from which on an effect is found however often the run looks."""


@dataclass(frozen=True)
class Moved:
    """A design whose effect sits in so many `tasks`, the given `share` of all; claims are made at `alpha`.

    `discordance` is that of the pairs of these tasks.
    """

    design: Design
    tasks: int
    share: float
    discordance: float
    alpha: float

    def power(self, effect: float) -> float:
        """Return the chance that a drop of `effect` in the suite's mean is claimed before the run ends otherwise.

        That is the exact power of the sign test over as many of the pairs as one test at the end would need for what
        the looks leave of the power (`statistics.sequential_power`, normal theory). With goal improve a rise is found
        with the same chance. Effects are in [0, 1].
        """
        from ..statistics.power import exact_power
        from ..statistics.sequential_power import share_of_pairs

        moved = min(effect / self.share, 1.0)
        pairs = self.tasks * self.design.rounds
        differing = max(self.discordance, moved)
        spread = math.sqrt(max(differing - moved**2, 0.0))
        drift = moved * math.sqrt(pairs) / spread if spread else math.inf
        if 0 < drift < _CERTAIN:
            allowed = self.design.margin / self.share * math.sqrt(pairs) / spread
            pairs = round(pairs * share_of_pairs(tuple(self._stops(allowed)), drift, self.alpha))
        return exact_power(pairs=pairs, effect=moved, discordance=self.discordance, alpha=self.alpha)

    def _stops(self, allowed: float) -> Iterator[Stops]:
        """Yield the looks; `allowed` is the margin in standard errors of the whole design."""
        from scipy.special import ndtri

        from ..statistics.sequential_power import Stops
        from ..statistics.spending import critical_values_at

        design = self.design
        looks = design.looks()
        fractions = tuple(rounds / design.rounds for rounds in looks)
        claim, interval = (
            critical_values_at(fractions, tuple(alpha * fraction**design.spending_power for fraction in fractions))
            for alpha in (self.alpha, design.alpha)
        )
        gate = design.goal is Goal.GATE
        for number, fraction in enumerate(fractions):
            root = math.sqrt(fraction)
            if looks[number] < min(design.min_rounds, design.rounds):
                yield Stops(fraction, math.inf)
                continue
            passed, futile = math.inf, (0.0, 0.0)
            if gate:
                passed = interval[number] - allowed * root
            if design.futility and fraction < 1:
                rest = float(ndtri(design.futility)) * math.sqrt(1 - fraction)
                hopeless = claim[-1] * root + rest
                futile = (-hopeless, min(hopeless, interval[-1] * root + rest - allowed * root) if gate else hopeless)
            yield Stops(fraction, claim[number], passed, futile)
