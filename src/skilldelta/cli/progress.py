"""What a run says while it goes on: bars on a terminal, one line a round elsewhere, nothing when asked for silence."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..domain.plan import SkillPlan
from ..domain.trial import TrialKey
from ..ports import Progress
from .door import printable

if TYPE_CHECKING:
    from rich.progress import Progress as Drawn
    from rich.progress import TaskID


class Silent:
    """A `Progress` that says nothing."""

    def skill_started(self, skill: SkillPlan) -> None:
        """Say nothing."""

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:
        """Say nothing."""

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:
        """Say nothing."""

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:
        """Say nothing."""


class Lines:
    """A `Progress` that says what each look found: one line a round on stderr."""

    def skill_started(self, skill: SkillPlan) -> None:
        """Nothing is known yet."""

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:
        """Nothing is known yet."""

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:
        """One trial is no news."""

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:  # noqa: ARG002 - the port's signature
        """Say what the statistics say."""
        sys.stderr.write(printable(f"{skill.name}: {sentence}") + "\n")


class Bars:
    """A `Progress` that draws one bar a round with rich, and says what each look found above it."""

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn
        self._bar: TaskID | None = None

    def skill_started(self, skill: SkillPlan) -> None:
        """The bar begins with the round."""

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:
        """Put a new bar in the place of the last round's."""
        if self._bar is not None:
            self._drawn.remove_task(self._bar)
        label = printable(f"{skill.name[:40]}: {_what(skill, number)}")
        self._bar = self._drawn.add_task(label, total=trials)

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:  # noqa: ARG002 - the port's signature
        """Move the bar on."""
        if self._bar is not None:
            self._drawn.advance(self._bar)

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:  # noqa: ARG002 - the port's signature
        """Say what the statistics say, above the bar."""
        self._drawn.console.print(printable(f"{skill.name}: {sentence}"), markup=False, highlight=False)


def _what(skill: SkillPlan, number: int) -> str:
    """Return what is going on; rounds beyond the design's are fresh ones, or a judge that is asked again."""
    if number <= skill.design.rounds:
        return f"round {number} of at most {skill.design.rounds}"
    return "fresh rounds of what dropped" if skill.usual is None else "the judge is asked again"


@contextlib.contextmanager
def progress(*, silent: bool = False) -> Iterator[Progress]:
    """Show progress on stderr while the block lasts: bars on a terminal, lines elsewhere, nothing when `silent`."""
    if silent:
        yield Silent()
    elif not sys.stderr.isatty():
        yield Lines()
    else:
        with _drawn() as drawn:
            yield Bars(drawn)


def _drawn() -> Drawn:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Drawn

    label = TextColumn("{task.description}", markup=False)
    columns = (label, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Drawn(*columns, console=Console(stderr=True), transient=True)
