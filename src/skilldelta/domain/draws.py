"""Every draw and every key is a hash of what it belongs to, so that concurrency, resume and sharding change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .config import JudgeModelSettings, RunnerSettings
from .plan import SkillPlan
from .suite import Task
from .trial import Arm, TrialKey
from .value import digest


def arms_in_order(skill: SkillPlan, task_id: str, number: int) -> tuple[Arm, Arm]:
    """Return the two arms in the order in which they go in this round: a fair coin keyed by (seed, skill, suite
    version, task, round)."""
    coin = digest("first arm", skill.seed, skill.skill_id, skill.suite.version, task_id, number)
    first, second = skill.arms
    return (first, second) if int(coin[:8], 16) % 2 == 0 else (second, first)


def trial_key(skill: SkillPlan, task: Task, arm: Arm, number: int, attempt: int) -> TrialKey:
    """Return the key of one attempt; it changes with whatever could change the answer."""
    tree = skill.candidate_tree if arm is Arm.CANDIDATE else skill.reference_tree
    key = digest(
        "trial",
        skill.skill_id,
        tree,
        skill.suite.version,
        task.model_dump(mode="json", exclude={"judges", "require", "description", "tags"}),
        skill.runner.model_dump(mode="json"),
        skill.max_tokens(task),
        skill.task_timeout(task),
        arm.value,
        number,
        attempt,
        skill.seed,
    )
    return TrialKey(skill_id=skill.skill_id, task_id=task.id, arm=arm, round=number, attempt=attempt, key=key)


def judgment_key(skill: SkillPlan, task: Task, trial: TrialKey, judge: int, *, time: int = 1) -> str:
    """Return the key of one judge's word on one attempt; `time` counts how often the judge is asked about it."""
    return digest(
        *(("judgment",) if time == 1 else ("judgment", time)),
        trial.key,
        judge,
        task.judges[judge].model_dump(mode="json", by_alias=True),
        skill.judge.model_dump(mode="json"),
        skill.pass_threshold,
    )


def round_keys(skill: SkillPlan, number: int, only: Collection[str] | None = None) -> Iterator[tuple[Task, TrialKey]]:
    """Yield every attempt of one round in the order in which they are sent; `only`: of these tasks."""
    for task in skill.tasks:
        if skill.design.runs(task.id, number) if only is None else task.id in only:
            for arm in arms_in_order(skill, task.id, number):
                for attempt in range(1, skill.pass_k + 1):
                    yield task, trial_key(skill, task, arm, number, attempt)


def confirming_numbers(skill: SkillPlan) -> range:
    """Return the numbers of the fresh rounds in which tasks that dropped are run again: they follow the design's."""
    return range(skill.design.rounds + 1, skill.design.rounds + 1 + skill.confirm_rounds)


def configuration_digest(
    runner: RunnerSettings, judge: JudgeModelSettings | None, *, pass_k: int, pass_threshold: float, timeout: float
) -> str:
    """Return the digest of everything but skill and suite that a trial's value depends on; `judge`: where one is asked.

    Numbers of two runs may be put side by side only where it is equal.
    """
    asked = None if judge is None else judge.model_dump(mode="json")
    return digest("configuration", runner.model_dump(mode="json"), asked, pass_k, pass_threshold, timeout)
