"""One change, its suite and its configuration become one skill's plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from ..domain.calibration import Known
from ..domain.config import Config
from ..domain.counted import counted
from ..domain.design import Design, Goal
from ..domain.money import price_for
from ..domain.plan import Estimate, SkillPlan
from ..domain.skill import SkillBundle, SkillChange
from ..domain.suite import FrozenSuite
from ..domain.trial import Arm
from .known import OnRecord, configuration_of
from .law import Ruling
from .price import estimate
from .reach import FEW_TASKS, design_for, reach_of

Bundles = Mapping[tuple[str, Arm], SkillBundle]
"""What each arm of each skill is given; control has no entry."""
_COPIES = "the temperature is 0, so further rounds would be copies and not replicates: one round is run"
MOST_TEXT = 400_000
"""Characters of a skill that are compared with its answers."""
Reference = Literal[Arm.BASELINE, Arm.CONTROL, Arm.SHAM, Arm.ABLATION]


def skill_plan(
    change: SkillChange,
    own: Config,
    ruling: Ruling,
    bundles: Bundles,
    *,
    record: OnRecord = OnRecord(),  # noqa: B008 - a frozen value
    beside: FrozenSuite | None = None,
    without: str | None = None,
    notes: tuple[str, ...] = (),
    leaks: tuple[str, ...] = (),
    calibrate: int | None = None,
    smoke: bool = False,
    skills: int = 1,
) -> SkillPlan:
    """Return the plan of one skill's comparison; `beside`: on this suite of the head's, for the report alone.

    `calibrate`: the rounds of a calibration; None for a comparison. `skills`: how many share the error of claims.
    """
    candidate, frozen = change.candidate, beside or ruling.suite
    if candidate is None or frozen is None:
        raise AssertionError("left out before")
    reference = Arm.BASELINE if calibrate else reference_of(change, own, without)
    if smoke:
        frozen = _one_task(frozen)
    design, about_design = _design(own, frozen, record.known, calibrate=calibrate, smoke=smoke)
    confirm_rounds, about_confirming = (0, ()) if smoke or calibrate else _confirm_rounds(own, design)
    given = (bundles[change.skill_id, Arm.CANDIDATE], bundles.get((change.skill_id, reference)))
    whole = _estimate(own, frozen, given, design.rounds_of)
    one_round = None if smoke else _estimate(own, frozen, given, lambda _: 1)
    confirming = _estimate(own, frozen, given, lambda _: confirm_rounds) if confirm_rounds else None
    reach = reach_of(
        design, len(frozen.suite.tasks), record.known, one_round, replicates=own.runner.replicates, skills=skills
    )  # fmt: skip
    plan = SkillPlan(
        skill_id=change.skill_id,
        name=candidate.name,
        path=candidate.path,
        skill_file=candidate.skill_file,
        kind=change.kind,
        renamed_from=change.renamed_from,
        files=change.files,
        findings=candidate.findings if beside is None else (),
        candidate_tree=candidate.tree_hash,
        reference_tree=_reference_tree(change, reference, bundles),
        reference=reference,
        without=without,
        role="gate" if beside is None else "beside",
        suite=frozen,
        suite_from=ruling.source if beside is None else "head",
        design=design,
        seed=own.design.seed,
        pass_k=own.design.pass_k,
        pass_threshold=own.design.pass_threshold,
        task_timeout_seconds=own.design.task_timeout_seconds,
        runner=own.runner,
        judge=own.judge,
        gate=own.gate,
        confirm_rounds=confirm_rounds,
        configuration=configuration_of(own, frozen),
        setup=configuration_of(own, frozen, models=False),
        usual=own.design if calibrate else None,
        texts=_texts(given[0]) if calibrate else (),
        leaks=leaks,
        recorded=record.baseline if reference is Arm.BASELINE and beside is None else None,
        reach=reach,
        one_round=one_round,
        estimate=_with_confirming(whole, confirming),
    )
    on_record = (record.note,) if record.note else ()
    about_suite = _about_suite(change, own, frozen)
    few = (_few_tasks(plan),) if len(plan.tasks) < FEW_TASKS and not smoke else ()
    notes = (*notes, *on_record, *about_suite, *about_design, *about_confirming, *_about_reference(change, plan), *few)
    return plan.model_copy(update={"notes": notes})


def _estimate(
    own: Config,
    frozen: FrozenSuite,
    given: tuple[SkillBundle, SkillBundle | None],
    rounds_of: Callable[[str], int],
) -> Estimate:
    """Return what it takes to run every task of the suite in so many rounds; `given`: what each arm is given."""
    most = own.runner.max_tokens
    return estimate(
        tasks=[(task, task.max_tokens or most, rounds_of(task.id)) for task in frozen.suite.tasks],
        pass_k=own.design.pass_k,
        listed=own.runner.offer == "listed",
        bundles=given,
        system=own.runner.system,
        judge_max_tokens=own.judge.max_tokens,
        runner_price=price_for(own.prices, own.runner.provider, own.runner.model),
        judge_price=price_for(own.prices, own.judge.provider, own.judge.model),
    )


def _texts(bundle: SkillBundle) -> tuple[str, ...]:
    """Return the skill's texts, as many as are worth looking for in an answer."""
    texts, left = [], MOST_TEXT
    for text in (bundle.body, *(file.text for file in bundle.files if file.text)):
        texts.append(text[:left])
        left -= len(texts[-1])
        if left <= 0:
            break
    return tuple(texts)


def reference_of(change: SkillChange, own: Config, without: str | None) -> Reference:
    """Return what the candidate is compared with; a new skill has no baseline, but its content can be taken away."""
    if without is not None:
        return Arm.ABLATION
    if own.design.against == "sham":
        return Arm.SHAM
    return Arm.CONTROL if change.baseline is None or own.design.against == "control" else Arm.BASELINE


def _reference_tree(change: SkillChange, reference: Reference, bundles: Bundles) -> str | None:
    given = bundles.get((change.skill_id, Arm(reference)))
    return None if reference is Arm.CONTROL or given is None else given.tree_hash


def _with_confirming(whole: Estimate, confirming: Estimate | None) -> Estimate:
    """Return the estimate with what it takes on top where every task drops and is run again."""
    if confirming is None:
        return whole
    more = {"confirm_trials": confirming.trials, "confirm_cost_usd": confirming.cost_usd}
    return whole.model_copy(update=more)


def _about_reference(change: SkillChange, plan: SkillPlan) -> Iterator[str]:
    if change.baseline is None and plan.reference is Arm.CONTROL:
        yield "the skill is new, so it is compared with no skill at all (control)"


def _about_suite(change: SkillChange, own: Config, frozen: FrozenSuite) -> Iterator[str]:
    settings = own.skills.get(change.skill_id)
    name = change.candidate.name if change.candidate else change.skill_id
    if frozen.suite.skill_id not in {change.skill_id, name, settings.suite if settings else None}:
        yield f"the suite in {change.skill_id}'s folder says that it is for {frozen.suite.skill_id!r}"


def _one_task(frozen: FrozenSuite) -> FrozenSuite:
    """Return the suite with the first task that a model judges, if there is one, else the first."""
    tasks = frozen.suite.tasks
    task = next((task for task in tasks if any(judge.type == "llm-rubric" for judge in task.judges)), tasks[0])
    return frozen.model_copy(update={"suite": frozen.suite.model_copy(update={"tasks": (task,)})})


def _design(
    own: Config, frozen: FrozenSuite, known: Known | None, *, calibrate: int | None, smoke: bool
) -> tuple[Design, tuple[str, ...]]:
    """Return the design, and what is to be said of it."""
    tasks, replicates = [task.id for task in frozen.suite.tasks], own.runner.replicates
    settings = own.design
    if calibrate:
        settings = settings.model_copy(update={"rounds": calibrate, "sequential": False})
        design = design_for(settings, frozen.suite.metric, tasks, replicates=replicates)
        return design.model_copy(update={"futility": 0.0}), () if replicates else (_COPIES,)
    design = design_for(settings, frozen.suite.metric, tasks, known, replicates=replicates)
    if smoke:
        return design.model_copy(update={"rounds": 1, "min_rounds": 1, "brief": ()}), ()
    notes: tuple[str, ...] = () if replicates or settings.rounds == 1 else (_COPIES,)
    return design, (*notes, *_about_brief(design, len(tasks), own, known=known))


def _confirm_rounds(own: Config, design: Design) -> tuple[int, tuple[str, ...]]:
    """Return the fresh rounds of tasks that dropped, none where they could not name a task, and why not."""
    from ..statistics.two_sample import fewest_values

    asked, fewest = own.design.confirm_rounds, fewest_values(design.alpha)
    if asked and design.rounds == 1:
        return 0, ("confirm_rounds is not used: one trial of an arm cannot tell a task that dropped from chance",)
    if 0 < asked < fewest:
        return 0, (f"confirm_rounds {asked} is not used: with fewer than {fewest} no task could ever be named",)
    return asked, ()


def _about_brief(design: Design, tasks: int, own: Config, *, known: Known | None) -> tuple[str, ...]:
    if not design.brief:
        fewer = own.design.saturated_rounds
        if fewer is None or known is None or not known.always_alike:
            return ()
        if fewer >= design.rounds:
            return (f"saturated_rounds {fewer} is not used: no task has more than {design.rounds} rounds",)
        said = (
            f"saturated_rounds {fewer} is not used: too few pairs of the tasks that always ended alike would take most "
            "of the margin, and the run would reach no verdict; retire these tasks in the next suite version instead"
        )
        return (said,)
    rounds = counted(design.brief_rounds, "round")
    said = (
        f"{len(design.brief)} of {tasks} tasks have always ended alike in the calibration, so they have {rounds}; "
        "this was fixed before the run, and each task keeps its weight"
    )
    return (said,)


def _few_tasks(plan: SkillPlan) -> str:
    reach = plan.reach
    tasks = counted(reach.tasks, "task")
    what = "drop" if plan.design.goal is Goal.GATE else "change"
    if reach.smallest_effect is None:
        most = f"{100 * reach.discordance:.0f} points"
        return f"{tasks} and at most {plan.design.rounds} rounds show no {what} of up to {most} with 80 % power"
    few = "is" if reach.tasks == 1 else "are"
    return (
        f"{tasks} {few} few: with at most {plan.design.rounds} rounds a {what} of "
        f"{100 * reach.smallest_effect:.0f} points or more is found with 80 % power"
    )
