"""Progress on a terminal; silence when piped."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from ..domain.plan import SkillPlan
from ..domain.trial import TrialKey
from .door import printable


class Quiet:
    """A `Progress` that only says what each look found, one line a round, on stderr."""

    def __init__(self, *, silent: bool = False) -> None:
        self._silent = silent

    def __enter__(self) -> Quiet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to put away."""

    def skill_started(self, skill: SkillPlan) -> None:
        """A skill's first round begins."""

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:
        """A round of so many trials begins."""

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:
        """A trial has its outcome and its judgments."""

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:  # noqa: ARG002 - the port's signature
        """Say what the statistics say."""
        if not self._silent:
            sys.stderr.write(printable(f"{skill.name}: {sentence}") + "\n")


class Bars(Quiet):
    """A `Progress` with one bar per round, drawn by rich on stderr."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar: Any = None

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the bar away."""
        self._progress.stop()

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:
        """Start the round's bar."""
        if self._bar is not None:
            self._progress.remove_task(self._bar)
        label = printable(f"{skill.name[:40]}: round {number} of at most {skill.design.rounds}")
        self._bar = self._progress.add_task(label, total=trials)

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:  # noqa: ARG002 - the port's signature
        """Move the bar on."""
        if self._bar is not None:
            self._progress.advance(self._bar)

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:  # noqa: ARG002 - the port's signature
        """Say what the statistics say, above the bar."""
        self._progress.console.print(printable(f"{skill.name}: {sentence}"), markup=False, highlight=False)


def progress(*, silent: bool = False) -> Quiet:
    """Return bars on a terminal, one line a round elsewhere, nothing when `silent`."""
    if silent:
        return Quiet(silent=True)
    return Bars() if sys.stderr.isatty() else Quiet()
