"""One outcome through all judges of its task."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.draws import judgment_key
from ..domain.judged import JudgedTrial, JudgeWord, TaskRound
from ..domain.judgment import Judgment
from ..domain.plan import SkillPlan
from ..domain.suite import JudgeSettings, LlmRubricJudge, Task
from ..domain.trial import Arm, Outcome, TrialKey, TrialStatus, Usage
from ..domain.value import digest
from ..ports import BudgetReached, Journal
from .deterministic import judge_answer
from .rubric import RubricJudge, judged_again
from .value import TrialValue, attempts_value, flags_of, trial_value

EXCERPT = 1500
"""Characters of an answer that stay in memory and may stand in a report."""


class TaskJudges:
    """Judges outcomes; what the journal holds is not asked for again. `again` re-judges a recorded run."""

    def __init__(self, journal: Journal, rubric: RubricJudge | None, *, again: bool = False) -> None:
        self._journal = journal
        self._rubric = rubric
        self._again = again

    async def __call__(self, skill: SkillPlan, task: Task, key: TrialKey, outcome: Outcome) -> JudgedTrial:
        """Return the judged trial; only an answer is judged, never the agent's own failure or a lost trial."""
        judgments: list[Judgment] = []
        if outcome.status is TrialStatus.ANSWERED:
            for index, settings in enumerate(task.judges):
                judgments.append(await self._one(skill, task, key, outcome, index, settings))
        return _judged(skill, task, key, outcome, judgments)

    async def _one(
        self, skill: SkillPlan, task: Task, key: TrialKey, outcome: Outcome, index: int, settings: JudgeSettings
    ) -> Judgment:
        name = judgment_key(skill, task, key, index)
        recorded = self._journal.judgment(name)
        if isinstance(settings, LlmRubricJudge):
            if recorded is not None:
                return judged_again(settings, skill, recorded) if self._again else recorded
            return await self._asked(skill, task, key, outcome, index, settings, name)
        if recorded is not None and (recorded.failure is not None or not self._again):
            return recorded
        judgment = judge_answer(settings, index, outcome.text)
        if recorded is not None:  # a slower machine may fail to judge today what was judged then
            return judgment if judgment.failure is None else recorded
        return self._journal.record_judgment(name, key, judgment)

    async def _asked(
        self,
        skill: SkillPlan,
        task: Task,
        key: TrialKey,
        outcome: Outcome,
        index: int,
        settings: LlmRubricJudge,
        name: str,
    ) -> Judgment:
        if self._rubric is None:
            raise BudgetReached(f"the journal ends before {skill.skill_id}, {task.id}, round {key.round} was judged")
        judgment = await self._rubric.judge(skill, task, settings, index, outcome.text, name)
        return self._journal.record_judgment(name, key, judgment)


def _judged(
    skill: SkillPlan, task: Task, key: TrialKey, outcome: Outcome, judgments: Sequence[Judgment]
) -> JudgedTrial:
    value = trial_value(outcome, judgments, task, skill.suite.suite.metric)
    judge_usage = Usage()
    for judgment in judgments:
        if judgment.usage != Usage():
            judge_usage = judge_usage.plus(judgment.usage)
    rare = {
        "judge_calls": sum(len(judgment.raw_replies) for judgment in judgments),
        "reason": outcome.reason,
        "refused_by_provider": outcome.refused_by_provider,
        "failure": value.failure,
        "flags": flags_of(outcome.text) if outcome.text else (),
        "judge_usage": None if judge_usage == Usage() else judge_usage,
        "server_cached": outcome.server_cached,
    }
    return JudgedTrial(
        task_id=key.task_id,
        arm=key.arm,
        round=key.round,
        attempt=key.attempt,
        status=outcome.status,
        value=value.value,
        judges=tuple(
            JudgeWord(
                type=judgment.type,
                passed=judgment.passed,
                score=judgment.score,
                rationale=judgment.rationale[:600],
                failure=judgment.failure,
            )
            for judgment in judgments
        ),
        excerpt=outcome.text[:EXCERPT],
        answer_chars=len(outcome.text),
        calls=outcome.turns,
        usage=outcome.usage,
        duration_ms=outcome.duration_ms,
        model=outcome.model,
        skill_loaded=outcome.skill_loaded,
        answer_digest=digest(outcome.text)[:16],
        **{name: said for name, said in rare.items() if said},  # what says nothing takes no memory
    )


def task_rounds(trials: Sequence[JudgedTrial]) -> tuple[TaskRound, ...]:
    """Return the attempts of one round joined into one value per task and arm, in the order in which they came."""
    grouped: dict[tuple[str, Arm], list[JudgedTrial]] = {}
    for trial in trials:
        grouped.setdefault((trial.task_id, trial.arm), []).append(trial)
    return tuple(
        TaskRound(
            task_id=task_id,
            arm=arm,
            round=attempts[0].round,
            value=attempts_value([TrialValue(one.value, one.failure) for one in attempts]).value,
            attempts=tuple(attempts),
        )
        for (task_id, arm), attempts in grouped.items()
    )
