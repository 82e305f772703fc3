"""One skill from its first round to its verdict: run → judge → compare, round after round, until the answer holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .compare.decision import decide
from .compare.gate import gate_of
from .compare.pairs import Seen, pairs_of
from .compare.tasks import checks_of, screened
from .domain.comparison import Decision, Pair, StopReason, Verdict
from .domain.draws import confirming_numbers, judgment_key, round_keys
from .domain.judged import JudgedTrial, TaskRound
from .domain.judgment import Judgment
from .domain.measured import Measured
from .domain.money import Spent
from .domain.plan import Gate, SkillPlan
from .domain.skill import SkillBundle
from .domain.suite import Task
from .domain.trial import Arm, Outcome, TrialKey, TrialStatus
from .errors import ModelRefused
from .judge.again import SECOND_TIME
from .judge.trial import task_rounds
from .ports import Journal
from .report.words import look_sentence
from .run.budget import Budget
from .run.round import Floor, run_round

Bundles = Mapping[Arm, SkillBundle]


async def measure_skill(
    skill: SkillPlan, bundles: Bundles, floor: Floor, budget: Budget | None, *, claim_alpha: float, smoke: bool
) -> Measured:
    """Run rounds until the answer holds or the budget ends; a smoke run is one round and gives no verdict."""
    rounds: list[tuple[TaskRound, ...]] = []
    pairs: list[tuple[Pair, ...]] = []
    seen: Seen = {}
    cut_off = Spent()
    decision = decide((), skill.design, claim_alpha=claim_alpha)
    while not decision.finished:
        number = len(rounds) + 1
        work = list(round_keys(skill, number))
        trials = await run_round(skill, number, work, bundles, floor, budget.seconds_left() if budget else None)
        if trials is None:
            if budget:
                budget.out_of_time()
            cut_off = _spent(skill, work, floor.journal)
            decision = decide(pairs, skill.design, out_of_budget=True, claim_alpha=claim_alpha)
            break
        _refuse_if_refused(trials, skill)
        values = task_rounds(trials)
        rounds.append(values)
        pairs.append(pairs_of(values, Arm(skill.reference), seen))
        decision = _dead_from_the_start(decide(pairs, skill.design, claim_alpha=claim_alpha), trials)
        if not smoke:
            floor.progress.looked(skill, number, look_sentence(decision, skill, number))
    answers = [trial for values in rounds for value in values for trial in value.attempts]
    nothing_works = decision.verdict is Verdict.INSUFFICIENT_DATA or not any(
        trial.status is TrialStatus.ANSWERED for trial in answers
    )
    if smoke:
        decision = _smoke(decision)
    one = Measured(
        plan=skill, rounds=tuple(rounds), pairs=tuple(pairs), decision=decision, gate=Gate.NEUTRAL, cut_off=cut_off
    )
    if smoke:
        return one.model_copy(update={"gate": Gate.FAIL if rounds and nothing_works else Gate.NEUTRAL})
    return gated(one)


def gated(one: Measured) -> Measured:
    """Return the same with the gate that its verdict means; what runs beside the law has no say."""
    if one.plan.role == "beside":
        return one.model_copy(update={"gate": Gate.NEUTRAL})
    return one.model_copy(update={"gate": gate_of(one.decision.verdict, one.plan.design.goal, one.plan.gate)})


async def confirm_drops(one: Measured, bundles: Bundles, floor: Floor, budget: Budget | None) -> Measured:
    """Run the tasks that dropped again on fresh rounds, and say which of them regressed on these alone.

    Nothing is run where the plan does not ask for it or the data are insufficient; when the budget ends first nothing
    is said of any task.
    """
    skill = one.plan
    numbers = confirming_numbers(skill)
    settled = one.decision.verdict is Verdict.INSUFFICIENT_DATA or one.decision.reason is StopReason.COPIES
    found = screened(one.pairs) if numbers and not settled else ()
    if not found:
        return one
    only = {task.task_id for task in found}
    work = [each for number in numbers for each in round_keys(skill, number, only)]
    trials = await run_round(skill, numbers[0], work, bundles, floor, budget.seconds_left() if budget else None)
    if trials is None:
        if budget:
            budget.out_of_time()
        spent = one.cut_off.plus(_spent(skill, work, floor.journal))
        return one.model_copy(update={"checks": checks_of(found, None, skill.design.alpha), "cut_off": spent})
    fresh = [value for number in numbers for value in task_rounds([t for t in trials if t.round == number])]
    by_round = [[value for value in fresh if value.round == number] for number in numbers]
    seen: Seen = {}
    for values in one.rounds:
        pairs_of(values, Arm(skill.reference), seen)
    pairs = [pairs_of(values, Arm(skill.reference), seen) for values in by_round]
    return one.model_copy(update={"fresh": tuple(fresh), "checks": checks_of(found, pairs, skill.design.alpha)})


def recorded_calls(
    skill: SkillPlan, journal: Journal, *, judged_twice: bool = False
) -> Iterator[tuple[Outcome, list[Judgment]]]:
    """Yield what the journal holds of a skill: each outcome, and the judgments of models on it."""
    for number in range(1, skill.design.rounds + 1):
        recorded = list(_on_record(skill, round_keys(skill, number), journal, judged_twice=judged_twice))
        yield from recorded
        if not recorded:
            break  # no round is begun before the one before it is done
    everything = {task.id for task in skill.tasks}
    for number in confirming_numbers(skill):
        yield from _on_record(skill, round_keys(skill, number, everything), journal)


def _on_record(
    skill: SkillPlan, work: Iterable[tuple[Task, TrialKey]], journal: Journal, *, judged_twice: bool = False
) -> Iterator[tuple[Outcome, list[Judgment]]]:
    times = (1, SECOND_TIME) if judged_twice else (1,)
    for task, key in work:
        outcome = journal.outcome(key.key)
        if outcome is not None:
            names = (judgment_key(skill, task, key, index, time=t) for index in range(len(task.judges)) for t in times)
            judgments = (journal.judgment(name) for name in names)
            yield outcome, [each for each in judgments if each is not None and each.raw_replies]


def _spent(skill: SkillPlan, work: Sequence[tuple[Task, TrialKey]], journal: Journal) -> Spent:
    """Return what work took that was begun and not finished."""
    spent = Spent()
    for outcome, judgments in _on_record(skill, work, journal):
        spent = spent.plus(Spent(calls=outcome.turns, usage=outcome.usage))
        for judgment in judgments:
            spent = spent.plus(Spent(judge_calls=len(judgment.raw_replies), judge_usage=judgment.usage))
    return spent


def _dead_from_the_start(decision: Decision, trials: Sequence[JudgedTrial]) -> Decision:
    """End a comparison in whose first round nothing was answered, in time or at all: a server that is not there.

    More rounds would not help, and two arms that are both silent are no finding about a skill.
    """
    silent = (TrialStatus.FAILED, TrialStatus.TIMEOUT)
    heard = any(trial.status not in silent or trial.usage.output_tokens for trial in trials)
    if heard or any(trial.round > 1 for trial in trials):
        return decision
    return decision.model_copy(
        update={"verdict": Verdict.INSUFFICIENT_DATA, "reason": StopReason.FAILURES, "finished": True}
    )


def _refuse_if_refused(trials: Sequence[JudgedTrial], skill: SkillPlan) -> None:
    """Raise ModelRefused when the provider refused every single request of a round: no statistics can help then."""
    if trials and all(trial.refused_by_provider for trial in trials):
        raise ModelRefused(
            f"the provider refused every request of a round: {trials[0].reason}",
            where=skill.skill_id,
            fix="check the model's name, max_tokens and sampling parameters; then take a new --out folder",
        )


def _smoke(decision: Decision) -> Decision:
    """A smoke run shows that everything works and gives no verdict."""
    return decision.model_copy(
        update={"reason": StopReason.SMOKE, "verdict": Verdict.INCONCLUSIVE, "held_back": None, "finished": True}
    )
