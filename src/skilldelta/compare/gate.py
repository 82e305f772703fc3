"""The policy that turns verdicts into a gate and an exit code."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.comparison import Verdict
from ..domain.config import GateSettings
from ..domain.design import Goal
from ..domain.plan import Gate
from ..errors import EXIT_BLOCKED, EXIT_CONFLICTED, EXIT_FAIL, EXIT_PASS

_ORDER = tuple(Gate)
_EXIT = {Gate.FAIL: EXIT_FAIL, Gate.BLOCKED: EXIT_BLOCKED, Gate.CONFLICTED: EXIT_CONFLICTED}


def gate_of(verdict: Verdict | None, goal: Goal, settings: GateSettings) -> Gate:
    """Return what a verdict means for the merge; no verdict (a smoke run) is neutral.

    >>> gate_of(Verdict.NO_REGRESSION, Goal.IMPROVE, GateSettings()).value
    'warn'
    """
    if verdict is None:
        return Gate.NEUTRAL
    if verdict is Verdict.IMPROVED:
        return Gate.PASS
    if verdict is Verdict.NO_REGRESSION:
        return Gate.PASS if goal is Goal.GATE else Gate.WARN
    if verdict is Verdict.INCONCLUSIVE:
        return Gate(settings.inconclusive)
    return Gate.FAIL


def worst(gates: Iterable[Gate]) -> Gate:
    """Return the worst of the gates; neutral when there are none.

    >>> worst([Gate.PASS, Gate.WARN, Gate.NEUTRAL]).value
    'warn'
    """
    found = set(gates) - {Gate.NEUTRAL}
    return max(found, key=_ORDER.index) if found else Gate.NEUTRAL


def exit_code(gate: Gate) -> int:
    """Return the exit code of a gate.

    >>> [exit_code(gate) for gate in Gate]
    [0, 0, 0, 1, 3, 2]
    """
    return _EXIT.get(gate, EXIT_PASS)
