"""Changes, suites and configuration become a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from ..domain.config import Config
from ..domain.design import Design
from ..domain.money import price_for
from ..domain.plan import Flag, Gate, LeftOut, Plan, SkillPlan
from ..domain.skill import ChangeKind, Changes, SkillBundle, SkillChange
from ..domain.suite import FrozenSuite
from ..domain.trial import Arm
from ..domain.value import digest
from ..errors import BadConfig
from .law import Ruling
from .obstacles import obstacles
from .price import estimate
from .reach import FEW_TASKS, design_for, reach_of

Bundles = Mapping[tuple[str, Arm], SkillBundle]
"""What each arm of each skill is given; control has no entry."""


def make_plan(
    changes: Changes,
    *,
    config: Config,
    config_from: Literal["base", "head", "defaults"],
    rulings: Mapping[str, Ruling],
    bundles: Bundles,
    flags: tuple[Flag, ...],
    tampered: tuple[LeftOut, ...],
    tool_version: str,
    smoke: bool = False,
) -> Plan:
    """Return the plan of one run: the changed skills that the base has a suite for, then the others.

    Among themselves they go in the configuration's order, then by name.

    Raises BadConfig when the configuration keeps every skill from being run (no model is named, no judge model).
    """
    skills: list[SkillPlan] = []
    left_out: list[LeftOut] = [*tampered, *map(_led_away, changes.led_away)]
    hindered: list[BadConfig] = []
    came = [*(change.skill_id for change in changes.changes if change.baseline is None), *changes.passed_over]
    order = {skill_id: place for place, skill_id in enumerate(config.skills)}

    def turn(change: SkillChange) -> tuple[bool, int, str]:
        """What the base has a suite for goes first: what a change brings anew cannot use up its budget."""
        skill_id = change.skill_id
        return rulings[skill_id].source != "base", order.get(skill_id, len(order)), skill_id

    for change in sorted(changes.changes, key=turn):
        own, ruling = config.for_skill(change.skill_id), rulings[change.skill_id]
        reason = _why_left_out(change, own, ruling, came)
        obstacle = None if reason or ruling.suite is None else next(obstacles(ruling.suite, own, change.skill_id), None)
        if reason is not None:
            left_out.append(reason)
        elif obstacle is not None:
            hindered += [obstacle] if isinstance(obstacle, BadConfig) else []
            left_out.append(_left_out(change, Gate.BLOCKED, obstacle.problem, obstacle.fix))
        else:
            skills.append(_skill_plan(change, own, ruling, bundles, smoke=smoke))
    if hindered and not skills:
        raise hindered[0]
    skills = _told_apart(skills)
    plan = Plan(
        tool_version=tool_version,
        base_ref=changes.base_ref,
        head_ref=changes.head_ref,
        base_commit=changes.base_commit,
        baseline_commit=changes.baseline_commit,
        candidate_commit=changes.candidate_commit,
        config_from=config_from,
        skills=tuple(skills),
        left_out=tuple(left_out),
        unchanged=changes.unchanged,
        flags=flags,
        findings=changes.findings,
        budget=config.budget,
        prices=config.prices,
        concurrency=config.design.concurrency,
        smoke=smoke,
        identity="",
    )
    return plan.model_copy(update={"identity": identity_of(plan)})


def _told_apart(skills: Sequence[SkillPlan]) -> list[SkillPlan]:
    """Return the same plans; of skills with one name each is shown with its id."""
    names = Counter(skill.name for skill in skills)
    return [
        skill.model_copy(update={"name": f"{skill.name} ({skill.skill_id})"}) if names[skill.name] > 1 else skill
        for skill in skills
    ]


def identity_of(plan: Plan) -> str:
    """Return the hash of everything that determines the run: trees, suites, configuration, seed."""
    return digest(
        "run",
        1,
        plan.smoke,
        [
            skill.model_dump(
                mode="json",
                include={
                    "skill_id", "name", "candidate_tree", "reference_tree", "reference", "design", "seed", "pass_k",
                    "pass_threshold", "task_timeout_seconds", "runner", "judge", "gate",
                },
            )
            | {"suite": skill.suite.version, "content": skill.suite.record.content_sha256}
            for skill in plan.skills
        ],
        [(one.skill_id, one.path, one.kind.value, one.gate.value, one.reason) for one in plan.left_out],
    )  # fmt: skip


def _left_out(change: SkillChange, gate: Gate, reason: str, fix: str | None = None) -> LeftOut:
    skill = change.candidate or change.baseline
    return LeftOut(
        skill_id=change.skill_id,
        name=skill.name if skill else change.skill_id,
        path=change.path,
        kind=change.kind,
        gate=gate,
        reason=reason,
        fix=fix,
        findings=change.candidate.findings if change.candidate else (),
    )


def _why_left_out(change: SkillChange, own: Config, ruling: Ruling, came: Sequence[str]) -> LeftOut | None:
    """Return why a changed skill is not measured, if it is not; `came`: what the same change adds."""
    settings = own.skills.get(change.skill_id)
    if ruling.by_this_change:  # before anything else: no deletion, move or skip is an excuse to edit a frozen suite
        return _left_out(change, Gate.BLOCKED, ruling.reason, ruling.fix)
    if change.candidate is None:
        return _deleted(change, ruling, came)
    if not change.candidate.readable:
        return _left_out(change, Gate.BLOCKED, "the skill cannot be read", "mend what the findings name")
    if settings is not None and settings.skip:
        return _left_out(change, Gate.NEUTRAL, "the configuration skips this skill")
    if change.kind in (ChangeKind.MOVED, ChangeKind.UNCHANGED):
        reason = "only the place changed, not the content: nothing to measure"
        return _beside_new(change, ruling, came, reason) or _left_out(change, Gate.NEUTRAL, reason)
    if ruling.trouble == "none":
        return _left_out(change, Gate.FAIL if own.gate.require_suite else Gate.WARN, ruling.reason, ruling.fix)
    if ruling.trouble is not None:
        return _left_out(change, Gate.BLOCKED, ruling.reason, ruling.fix)
    if change.baseline is not None and not change.baseline.readable and own.design.against == "base-ref":
        return _left_out(
            change,
            Gate.WARN,
            "the baseline cannot be read, so there is nothing to compare with",
            "once this change is merged the next one can be compared",
        )
    return None


def _deleted(change: SkillChange, ruling: Ruling, came: Sequence[str]) -> LeftOut:
    """Return a deletion: neutral, unless what the skill was may go on under another name, place or link."""
    if change.replaced_by is not None:
        reason = (
            f"the skill was replaced by {change.replaced_by}, which is not followed: what it leads to is not measured"
        )
        return _left_out(change, Gate.BLOCKED, reason, "commit the skill's files where it stands")
    reason = "the skill was deleted: there is nothing to run"
    return _beside_new(change, ruling, came, reason) or _left_out(change, Gate.NEUTRAL, reason)


def _beside_new(change: SkillChange, ruling: Ruling, came: Sequence[str], reason: str) -> LeftOut | None:
    """Return a warning where a skill that the base has a suite for went away or aside, and something new came."""
    if ruling.suite is None or ruling.source != "base" or not came:
        return None
    others = ", ".join(came[:5]) + (f" and {len(came) - 5} more" if len(came) > 5 else "")
    return _left_out(
        change,
        Gate.WARN,
        f"{reason}; but the same change adds {others}, which its suite {ruling.suite.version} does not measure",
        "look whether something new takes the skill's place; git mv, within the places of skills, keeps its suite",
    )


def _led_away(path: str) -> LeftOut:
    return LeftOut(
        skill_id=path,
        path=path,
        kind=ChangeKind.MODIFIED,
        gate=Gate.WARN,
        reason="a link or submodule where skills live is new or points elsewhere, and what it leads to is not measured",
        fix="commit the skills themselves, or check by eye where it leads",
    )


def _skill_plan(change: SkillChange, own: Config, ruling: Ruling, bundles: Bundles, *, smoke: bool) -> SkillPlan:
    candidate, frozen = change.candidate, ruling.suite
    if candidate is None or frozen is None:
        raise AssertionError("left out before")
    alone = change.baseline is None or own.design.against == "control"
    reference: Literal[Arm.BASELINE, Arm.CONTROL] = Arm.CONTROL if alone else Arm.BASELINE
    if smoke:
        frozen = _one_task(frozen)
    tasks = frozen.suite.tasks
    design, notes = _design(own, frozen, smoke=smoke)
    plan = SkillPlan(
        skill_id=change.skill_id,
        name=candidate.name,
        path=candidate.path,
        skill_file=candidate.skill_file,
        kind=change.kind,
        renamed_from=change.renamed_from,
        files=change.files,
        findings=candidate.findings,
        candidate_tree=candidate.tree_hash,
        reference_tree=None if alone or change.baseline is None else change.baseline.tree_hash,
        reference=reference,
        suite=frozen,
        suite_from=ruling.source,
        design=design,
        seed=own.design.seed,
        pass_k=own.design.pass_k,
        pass_threshold=own.design.pass_threshold,
        task_timeout_seconds=own.design.task_timeout_seconds,
        runner=own.runner,
        judge=own.judge,
        gate=own.gate,
        reach=reach_of(design, len(tasks)),
        estimate=estimate(
            tasks=[(task, task.max_tokens or own.runner.max_tokens) for task in tasks],
            rounds=design.rounds,
            pass_k=own.design.pass_k,
            listed=own.runner.offer == "listed",
            bundles=(bundles[change.skill_id, Arm.CANDIDATE], bundles.get((change.skill_id, reference))),
            system=own.runner.system,
            judge_max_tokens=own.judge.max_tokens,
            runner_price=price_for(own.prices, own.runner.provider, own.runner.model),
            judge_price=price_for(own.prices, own.judge.provider, own.judge.model),
        ),
    )
    settings = own.skills.get(change.skill_id)
    meant = {change.skill_id, candidate.name, settings.suite if settings else None}
    if frozen.suite.skill_id not in meant:
        notes += (f"the suite in {change.skill_id}'s folder says that it is for {frozen.suite.skill_id!r}",)
    if change.baseline is None:
        notes += ("the skill is new, so it is compared with no skill at all (control)",)
    if len(tasks) < FEW_TASKS and not smoke:
        notes += (_few_tasks(plan),)
    return plan.model_copy(update={"notes": notes})


def _one_task(frozen: FrozenSuite) -> FrozenSuite:
    """Return the suite with the first task that a model judges, if there is one, else the first."""
    tasks = frozen.suite.tasks
    task = next((task for task in tasks if any(judge.type == "llm-rubric" for judge in task.judges)), tasks[0])
    return frozen.model_copy(update={"suite": frozen.suite.model_copy(update={"tasks": (task,)})})


def _design(own: Config, frozen: FrozenSuite, *, smoke: bool) -> tuple[Design, tuple[str, ...]]:
    design = design_for(own.design, frozen.suite.metric, len(frozen.suite.tasks))
    if smoke:
        return design.model_copy(update={"rounds": 1, "min_rounds": 1}), ()
    if own.runner.sampling.get("temperature") == 0 and design.rounds > 1:
        return design.model_copy(update={"rounds": 1, "min_rounds": 1}), (
            "the temperature is 0, so further rounds would be copies and not replicates: one round is run",
        )
    return design, ()


def _few_tasks(plan: SkillPlan) -> str:
    reach = plan.reach
    tasks = "1 task" if reach.tasks == 1 else f"{reach.tasks} tasks"
    if reach.smallest_effect is None:
        most = f"{100 * reach.discordance:.0f} points"
        return f"{tasks} and at most {plan.design.rounds} rounds show no effect of up to {most} with 80 % power"
    few = "is" if reach.tasks == 1 else "are"
    return (
        f"{tasks} {few} few: with at most {plan.design.rounds} rounds an effect of "
        f"{100 * reach.smallest_effect:.0f} points or more is found with 80 % power"
    )
