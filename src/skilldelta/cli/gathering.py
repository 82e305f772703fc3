"""What a comparison needs from the repository: changes, configuration, suites, and what each arm is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..domain.config import Config, DiscoverySettings
from ..domain.plan import Flag, Gate, LeftOut, Plan
from ..domain.skill import ChangeKind, Changes, SkillBundle
from ..domain.trial import Arm
from ..errors import BadConfig, BadUsage

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.known import OnRecord
    from ..plan.law import Ruling, SuitePair
    from .committed_suites import CommittedSuites

MOST_EARLIER = 20
"""Earlier runs that are looked at for what to expect."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """Everything of the repository that a plan is made from."""

    repository: GitRepository
    changes: Changes
    config: Config
    config_from: Literal["base", "head", "defaults"]
    rulings: Mapping[str, Ruling]
    bundles: Mapping[tuple[str, Arm], SkillBundle]
    flags: tuple[Flag, ...]
    tampered: tuple[LeftOut, ...]
    records: Mapping[str, OnRecord]
    """What is on record of each skill's suite."""
    notes: Mapping[str, tuple[str, ...]]
    """Skill → where it quotes its suite and did not before."""
    leaks: Mapping[str, tuple[str, ...]]
    """Skill → where it quotes its suite; looked for where skills are taken as they are."""
    suite_folders: Mapping[str, str]
    """Skill → the folder of its suite, from the repository's root."""


def gather(
    repo: Path,
    base: str,
    head: str,
    *,
    only: Sequence[str],
    environment: Mapping[str, str],
    flags: Mapping[str, object],
    without: str | None = None,
    as_they_are: bool = False,
) -> Gathered:
    """Return all of it; raises GitProblem, BadConfig, BadUsage for what no comparison can begin with.

    `without`: the file or section that is taken from the reference. `as_they_are`: the skills named in `only` (all
    where none is), as they stand at the head, changed or not.
    """
    if without is not None and flags.get("against") is not None:
        raise BadUsage(
            "names another reference than --against does, and a comparison has one",
            where="--without",
            fix="leave one of the two out",
        )
    from ..plan.law import flags_of, rule
    from ..reading.precedence import resolve
    from .arms import given
    from .committed_suites import CommittedSuites, in_force, roots_of
    from .repository import look_at_changes

    repository, changes, law = look_at_changes(repo, base, head)
    if law.broken is not None and changes.changes:
        raise BadConfig(
            f"the base has no law that can be read: {law.broken}",
            fix="mend the configuration first, by a change that touches no skill",
        )
    config = resolve(law.config, environment=environment, flags=flags)
    changes = _chosen(repository, changes, only, config, law.discovery, without, as_they_are=as_they_are)
    suites = CommittedSuites(
        repository, base=changes.base_commit, fork_point=changes.baseline_commit, head=changes.candidate_commit,
        roots=roots_of(law, config),
    )  # fmt: skip
    originals = {
        change.skill_id: change.baseline.skill_id if change.baseline else change.skill_id for change in changes.changes
    }
    force = in_force(law, config, suites, originals)
    used = {pair.folder for pair in force.pairs.values()}
    others = [suites.pair(folder) for folder in suites.changed_folders() - used]
    rulings = {skill_id: rule(pair) for skill_id, pair in force.pairs.items()}
    flagged = [*force.pairs.values(), *(pair for pair in others if not only and pair.folder not in force.named)]
    bundles = given(repository, changes, rulings, force.config, without)
    return Gathered(
        repository=repository,
        changes=changes,
        config=force.config,
        config_from=law.source,
        rulings=rulings,
        bundles=bundles,
        flags=flags_of(
            suites.changed_files(),
            flagged,
            config_from="broken" if law.broken else law.source,
            set_aside=force.set_aside,
        ),
        tampered=() if only else tuple(_tampered(others)),
        records=_records(suites, force.pairs, rulings, force.config, originals),
        notes={} if as_they_are else _quoted(bundles, rulings, new=True),
        leaks=_quoted(bundles, rulings, new=False) if as_they_are else {},
        suite_folders={skill_id: pair.folder for skill_id, pair in force.pairs.items()},
    )


def plan_of(
    gathered: Gathered,
    *,
    without: str | None = None,
    calibrate: int | None = None,
    smoke: bool = False,
) -> Plan:
    """Return the plan that is made of it, with what earlier runs in the work tree let it expect.

    `calibrate`: the rounds of a calibration; None for comparisons.
    """
    from .. import __version__
    from ..edges.run_folder import RUNS, earlier_reports
    from ..plan.history import with_history
    from ..plan.make import make_plan

    plan = make_plan(
        gathered.changes,
        config=gathered.config,
        config_from=gathered.config_from,
        rulings=gathered.rulings,
        bundles=gathered.bundles,
        flags=gathered.flags,
        tampered=gathered.tampered,
        tool_version=__version__,
        records=gathered.records,
        without=without,
        notes=gathered.notes,
        quotes=gathered.leaks,
        calibrate=calibrate,
        smoke=smoke,
    )
    repository = gathered.repository
    if repository.root is None:
        return plan
    # What a commit brought is no history.
    below = f"{RUNS}/"
    committed = {path.removeprefix(below).split("/")[0] for path in repository.tracked(RUNS) if path.startswith(below)}
    return with_history(plan, earlier_reports(repository.root / RUNS, most=MOST_EARLIER, passed_over=committed))


def _chosen(
    repository: GitRepository,
    changes: Changes,
    only: Sequence[str],
    config: Config,
    discovery: DiscoverySettings,
    without: str | None,
    *,
    as_they_are: bool,
) -> Changes:
    """Return the changes that are asked for; skills that are named count as they stand where no change is needed."""
    elsewhere = without is not None or any(config.for_skill(name).design.against != "base-ref" for name in only)
    if as_they_are or (only and elsewhere):
        from ..diff.standing import standing_skills

        standing = {one.skill_id: one for one in standing_skills(repository, changes.candidate_commit, discovery)}
        wanted = [standing[name] for name in only if name in standing] if only else list(standing.values())
        if not as_they_are and without is None:
            wanted = [one for one in wanted if config.for_skill(one.skill_id).design.against != "base-ref"]
        known = {} if as_they_are else {change.skill_id: change for change in changes.changes}
        if as_they_are:
            changes = changes.model_copy(update={"changes": (), "same": tuple(standing), "led_away": ()})
        more = tuple(one for one in wanted if one.skill_id not in known)
        same = tuple(sorted({*changes.same, *standing}))
        changes = changes.model_copy(update={"changes": (*changes.changes, *more), "same": same})
    changes = _only(changes, only)
    if without is not None and len(changes.changes) != 1:
        raise BadUsage(
            f"leaves a part out of one skill, and {len(changes.changes)} are to be measured",
            where="--without",
            fix="name the skill with --skill NAME",
        )
    return changes


def _records(
    suites: CommittedSuites,
    pairs: Mapping[str, SuitePair],
    rulings: Mapping[str, Ruling],
    config: Config,
    originals: Mapping[str, str],
) -> dict[str, OnRecord]:
    """Return what is on record of each skill's suite, from the commit that the suite is from.

    `originals`: what each skill was called before the change.
    """
    from ..plan.known import on_record

    return {
        skill_id: on_record(
            suites.calibration(pairs[skill_id].folder, of_head=ruling.source == "head"),
            ruling.suite,
            config.for_skill(skill_id),
            skill_ids=(skill_id, originals[skill_id]),
        )
        for skill_id, ruling in rulings.items()
        if ruling.suite is not None
    }


def _quoted(
    bundles: Mapping[tuple[str, Arm], SkillBundle], rulings: Mapping[str, Ruling], *, new: bool
) -> dict[str, tuple[str, ...]]:
    """Return for each skill where it quotes its own suite, in words; `new`: where the baseline does not."""
    from ..plan.leaks import leaks

    return {
        skill_id: leaks(
            bundles[skill_id, Arm.CANDIDATE],
            ruling.suite.suite,
            before=bundles.get((skill_id, Arm.BASELINE)) if new else None,
        )
        for skill_id, ruling in rulings.items()
        if ruling.suite is not None and (skill_id, Arm.CANDIDATE) in bundles
    }


def _only(changes: Changes, only: Sequence[str]) -> Changes:
    if not only:
        return changes
    from ..reading.nearest import nearest

    known = {change.skill_id: change for change in changes.changes}
    for name in only:
        if name not in known and name not in changes.same:
            near = nearest(name, [*known, *changes.same])
            raise BadUsage(
                f"no skill is called {name!r}",
                where="--skill",
                fix=f"did you mean {near!r}?" if near else "skilldelta skills lists them",
            )
    chosen = tuple(known[name] for name in dict.fromkeys(only) if name in known)
    return changes.model_copy(update={"changes": chosen})


def _tampered(others: Sequence[SuitePair]) -> list[LeftOut]:
    """Return what counts though its skill did not change: a frozen suite that this change edits in place, or mends."""
    from ..plan.law import repairs, rule

    left_out = []
    for pair in sorted(others, key=lambda pair: pair.folder):
        ruling = rule(pair)
        if ruling.trouble != "tampered":
            continue
        mends = repairs(pair)
        left_out.append(
            LeftOut(
                skill_id=pair.folder.rpartition("/")[2],
                path=pair.folder,
                kind=ChangeKind.UNCHANGED,
                gate=Gate.WARN if mends else Gate.BLOCKED,
                reason="this change mends a frozen suite that was edited in place" if mends else ruling.reason,
                fix="check by eye what becomes the law on merge" if mends else ruling.fix,
            )
        )
    return left_out
