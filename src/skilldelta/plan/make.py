"""Changes, suites and configuration become a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from ..domain.config import Config
from ..domain.plan import Flag, Gate, LeftOut, Plan, SkillPlan
from ..domain.skill import ChangeKind, Changes, SkillChange
from ..domain.trial import Arm
from ..domain.value import digest
from ..errors import BadConfig
from .given import given_of
from .known import OnRecord
from .law import Ruling
from .leaks import leaks
from .obstacles import obstacles
from .skill_plan import Bundles, Reference, reference_of, skill_plan


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
    records: Mapping[str, OnRecord] | None = None,
    without: str | None = None,
    notes: Mapping[str, tuple[str, ...]] | None = None,
    quotes: Mapping[str, tuple[str, ...]] | None = None,
    calibrate: int | None = None,
    smoke: bool = False,
) -> Plan:
    """Return the plan of one run: the changed skills that the base has a suite for, then the others.

    Among themselves they go in the configuration's order, then by name. `records`: what is on record of a skill's
    suite. `without`: the file or section that the reference leaves out. `notes`: more to say about a skill.
    `quotes`: where a skill quotes its suite. `calibrate`: the rounds of a calibration, None for comparisons.

    Raises BadConfig when the configuration keeps every skill from being run (no model is named, no judge model).
    """
    as_they_are = without is not None or calibrate is not None
    chosen, left_out = _chosen(changes, config, rulings, as_they_are=as_they_are)
    if not calibrate:
        chosen, alike = _differing(chosen, bundles, without)
        left_out += alike
    claiming = 1 if smoke or calibrate else len(chosen)
    skills = [
        skill_plan(
            one.change, one.own, one.ruling, bundles, record=(records or {}).get(one.change.skill_id, OnRecord()),
            without=without, notes=(notes or {}).get(one.change.skill_id, ()), calibrate=calibrate,
            leaks=(quotes or {}).get(one.change.skill_id, ()), smoke=smoke, skills=claiming,
        )
        for one in chosen
    ]  # fmt: skip
    brought = [] if smoke else [one for one in chosen if _brings_a_suite(one)]
    beside = [_on_new_suite(one, bundles, skills=len(brought)) for one in brought]
    left_out = [*tampered, *map(_led_away, changes.led_away), *left_out]
    skills = [*_told_apart(skills), *beside]
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
        purpose="calibrate" if calibrate else "compare",
        smoke=smoke,
        identity="",
    )
    return plan.model_copy(update={"identity": identity_of(plan)})


class _Chosen(NamedTuple):
    """A changed skill that is measured."""

    change: SkillChange
    own: Config
    ruling: Ruling
    as_it_is: bool
    """It is not measured against what it was, so that it need not have changed."""


def _chosen(
    changes: Changes, config: Config, rulings: Mapping[str, Ruling], *, as_they_are: bool
) -> tuple[list[_Chosen], list[LeftOut]]:
    """Return the skills that are measured in the order in which they go, and those that are not."""
    chosen: list[_Chosen] = []
    left_out: list[LeftOut] = []
    hindered: list[BadConfig] = []
    came = [*(change.skill_id for change in changes.changes if change.baseline is None), *changes.passed_over]
    order = {skill_id: place for place, skill_id in enumerate(config.skills)}

    def turn(change: SkillChange) -> tuple[bool, int, str]:
        """What the base has a suite for goes first: what a change brings anew cannot use up its budget."""
        skill_id = change.skill_id
        return rulings[skill_id].source != "base", order.get(skill_id, len(order)), skill_id

    for change in sorted(changes.changes, key=turn):
        own, ruling = config.for_skill(change.skill_id), rulings[change.skill_id]
        as_it_is = as_they_are or own.design.against != "base-ref"
        reason = _why_left_out(change, own, ruling, came, as_it_is=as_it_is)
        obstacle = None if reason or ruling.suite is None else next(obstacles(ruling.suite, own, change.skill_id), None)
        if reason is not None:
            left_out.append(reason)
        elif obstacle is not None:
            hindered += [obstacle] if isinstance(obstacle, BadConfig) else []
            left_out.append(_left_out(change, Gate.BLOCKED, obstacle.problem, obstacle.fix))
        else:
            chosen.append(_Chosen(change, own, ruling, as_it_is))
    if hindered and not chosen:
        raise hindered[0]
    return chosen, left_out


def _differing(chosen: Sequence[_Chosen], bundles: Bundles, without: str | None) -> tuple[list[_Chosen], list[LeftOut]]:
    """Return the skills whose two arms are given different things, and the others: every trial of these is a copy."""
    differing, alike = [], []
    for one in chosen:
        reference = reference_of(one.change, one.own, without)
        offer, skill_id = one.own.runner.offer, one.change.skill_id
        given = bundles[skill_id, Arm.CANDIDATE], bundles.get((skill_id, reference))
        if given[1] is not None and given_of(given[0], offer) == given_of(given[1], offer):
            alike.append(_left_out(one.change, Gate.WARN, *_why_alike(reference, offer, without)))
        else:
            differing.append(one)
    return differing, alike


def _why_alike(reference: Reference, offer: str, without: str | None) -> tuple[str, str]:
    """Return why nothing can be measured where both arms are given the same, and what to do."""
    inline = offer == "inline"
    fix = (
        "offer: listed lets the agent read the skill's files"
        if inline
        else "look at the change by eye: it is in the frontmatter, or in files that are not text or too large"
    )
    if reference is Arm.SHAM:
        return (
            "its sham is given to the agent exactly like the skill, so there is nothing to measure",
            "there are no words to replace: compare it with no skill at all (--against control)",
        )
    what = "the change" if reference is Arm.BASELINE else f"leaving out {without}"
    shown = "name, description and body are all that offer: inline gives" if inline else "no text of it differs"
    return f"{what} alters nothing that the agent is given ({shown}), so there is nothing to measure", fix


def _brings_a_suite(one: _Chosen) -> bool:
    """Say whether the change brings a suite version that can run, beside the one that decides."""
    new = one.ruling.beside
    if new is None or one.as_it_is or one.change.baseline is None:
        return False
    return next(obstacles(new, one.own, one.change.skill_id), None) is None


def _on_new_suite(one: _Chosen, bundles: Bundles, *, skills: int) -> SkillPlan:
    """Return the same comparison on the suite version that the change brings."""
    new = one.ruling.beside
    if new is None:
        raise AssertionError("left out before")
    own = one.own.model_copy(update={"design": one.own.design.model_copy(update={"confirm_rounds": 0})})
    quoted = leaks(bundles[one.change.skill_id, Arm.CANDIDATE], new.suite, before=None)
    return skill_plan(one.change, own, one.ruling, bundles, beside=new, notes=quoted, skills=skills)


def _told_apart(skills: Sequence[SkillPlan]) -> list[SkillPlan]:
    """Return the same plans; of skills with one name each is shown with its id."""
    names = Counter(skill.name for skill in skills)
    return [
        skill.model_copy(update={"name": f"{skill.name} ({skill.skill_id})"}) if names[skill.name] > 1 else skill
        for skill in skills
    ]


def identity_of(plan: Plan) -> str:
    """Return the hash of everything that determines the run: trees, suites, configuration, seed.

    What is only said beside it (what is expected, how the baseline fared earlier) has no part in it.
    """
    return digest(
        "run",
        1,
        plan.smoke,
        plan.purpose,
        [
            skill.model_dump(
                mode="json",
                include={
                    "skill_id", "name", "candidate_tree", "reference_tree", "reference", "design", "seed", "pass_k",
                    "pass_threshold", "task_timeout_seconds", "runner", "judge", "gate", "confirm_rounds", "without",
                    "role", "usual",
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


def _why_left_out(
    change: SkillChange, own: Config, ruling: Ruling, came: Sequence[str], *, as_it_is: bool
) -> LeftOut | None:
    """Return why a changed skill is not measured, if it is not; `came`: what the same change adds.

    `as_it_is`: the skill is not measured against what it was, so that it need not have changed.
    """
    settings = own.skills.get(change.skill_id)
    if ruling.by_this_change:  # before anything else: no deletion, move or skip is an excuse to edit a frozen suite
        return _left_out(change, Gate.BLOCKED, ruling.reason, ruling.fix)
    if change.candidate is None:
        return _deleted(change, ruling, came)
    if not change.candidate.readable:
        return _left_out(change, Gate.BLOCKED, "the skill cannot be read", "mend what the findings name")
    if settings is not None and settings.skip:
        return _left_out(change, Gate.NEUTRAL, "the configuration skips this skill")
    if change.kind in (ChangeKind.MOVED, ChangeKind.UNCHANGED) and not as_it_is:
        reason = "only the place changed, not the content: nothing to measure"
        return _beside_new(change, ruling, came, reason) or _left_out(change, Gate.NEUTRAL, reason)
    if ruling.trouble == "none":
        return _left_out(change, Gate.FAIL if own.gate.require_suite else Gate.WARN, ruling.reason, ruling.fix)
    if ruling.trouble is not None:
        return _left_out(change, Gate.BLOCKED, ruling.reason, ruling.fix)
    if change.baseline is not None and not change.baseline.readable and not as_it_is:
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
