"""Per-task results, and the trials that are worth a look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ..domain.comparison import Pair
from ..domain.judged import JudgedTrial
from ..domain.measured import Measured
from ..domain.report import Sample, TaskResult
from ..domain.trial import Arm

_PROMPT = 600
_ANSWER = 900


def task_results(one: Measured) -> tuple[TaskResult, ...]:
    """Return one row per task in the suite's order, with a sample of each arm where the two moved apart."""
    pairs: dict[str, list[Pair]] = {}
    for round_pairs in one.pairs:
        for pair in round_pairs:
            pairs.setdefault(pair.task_id, []).append(pair)
    trials: dict[str, list[JudgedTrial]] = {}
    for values in one.rounds:
        for value in values:
            trials.setdefault(value.task_id, []).extend(value.attempts)
    return tuple(
        _result(task.id, task.description, task.prompt, pairs.get(task.id, []), trials.get(task.id, []))
        for task in one.plan.tasks
    )


def _result(
    task_id: str, description: str, prompt: str, pairs: Sequence[Pair], trials: Sequence[JudgedTrial]
) -> TaskResult:
    observed = [pair for pair in pairs if pair.difference is not None]
    candidate = _mean(pair.candidate for pair in observed)
    reference = _mean(pair.baseline for pair in observed)
    delta = _delta(observed)
    return TaskResult(
        task_id=task_id,
        description=description[:_PROMPT],
        prompt=prompt[:_PROMPT],
        pairs=len(observed),
        failed_pairs=sum(pair.failed for pair in pairs),
        candidate=candidate,
        reference=reference,
        delta=delta,
        movement=_movement(delta),
        samples=_samples(trials) if delta else _failures(trials),
    )


def _delta(observed: Sequence[Pair]) -> float | None:
    """Return the mean difference, rounded once."""
    total = sum(pair.difference or 0 for pair in observed)
    return round(total / len(observed) / 100, 4) + 0.0 if observed else None


def _movement(delta: float | None) -> Literal["up", "down", "same", "unknown"]:
    if delta is None:
        return "unknown"
    if delta == 0:
        return "same"
    return "up" if delta > 0 else "down"


def _mean(values: Iterable[int | None]) -> float | None:
    given = [value for value in values if value is not None]
    return round(sum(given) / len(given) / 100, 4) if given else None


def _samples(trials: Sequence[JudgedTrial]) -> tuple[Sample, ...]:
    """Return one trial of each arm: of the arm that did worse its worst, of the other its best."""
    candidate = [trial for trial in trials if trial.arm is Arm.CANDIDATE and trial.value is not None]
    reference = [trial for trial in trials if trial.arm is not Arm.CANDIDATE and trial.value is not None]
    if not candidate or not reference:
        return _failures(trials)
    better = _total(candidate) / len(candidate) > _total(reference) / len(reference)
    return (_sample(_extreme(candidate, best=better)), _sample(_extreme(reference, best=not better)))


def _failures(trials: Sequence[JudgedTrial]) -> tuple[Sample, ...]:
    """Return the first trial of the candidate that did not reach the full value, if there is one."""
    failed = next((trial for trial in trials if trial.arm is Arm.CANDIDATE and trial.value not in (None, 100)), None)
    return (_sample(failed),) if failed else ()


def _total(trials: Sequence[JudgedTrial]) -> int:
    return sum(trial.value or 0 for trial in trials)


def _extreme(trials: Sequence[JudgedTrial], *, best: bool) -> JudgedTrial:
    ordered = sorted(trials, key=lambda trial: ((trial.value or 0) * (-1 if best else 1), trial.round, trial.attempt))
    return ordered[0]


def _sample(trial: JudgedTrial) -> Sample:
    return Sample(
        arm=trial.arm,
        round=trial.round,
        value=None if trial.value is None else trial.value / 100,
        status=trial.status,
        reason=trial.reason,
        answer=trial.excerpt[:_ANSWER],
        answer_chars=trial.answer_chars,
        judges=tuple(
            f"{word.type}: {'failed to judge' if word.failure else 'pass' if word.passed else 'fail'}"
            f" ({word.score:g}): {word.failure or word.rationale}"
            for word in trial.judges
        ),
        flags=trial.flags,
    )
