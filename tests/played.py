"""Rounds of judged pairs written as letters, and decisions read in short."""

from __future__ import annotations

from skilldelta.domain.comparison import Decision, Pair, StopReason, Verdict

VALUES: dict[str, tuple[int | None, int | None]] = {
    "W": (100, 0),
    "L": (0, 100),
    "T": (100, 100),
    "F": (None, 100),
    "f": (100, None),
}


def played(*rounds: str) -> list[list[Pair]]:
    """Rounds written as one letter per task: Win, Loss, Tie, Failed."""
    return [
        [
            Pair(task_id=f"task-{task}", round=number, candidate=VALUES[letter][0], baseline=VALUES[letter][1])
            for task, letter in enumerate(letters)
        ]
        for number, letters in enumerate(rounds, start=1)
    ]


def said(decision: Decision) -> tuple[Verdict, StopReason, int]:
    """Verdict, reason, and the rounds after which the run ended."""
    assert decision.finished
    return decision.verdict, decision.reason, decision.looks[-1].rounds if decision.looks else 0
