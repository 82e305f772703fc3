"""What a comparison needs from the repository: changes, configuration, suites, and what each arm is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..domain.config import Config
from ..domain.plan import Flag, Gate, LeftOut
from ..domain.skill import ChangeKind, Changes, SkillBundle
from ..domain.trial import Arm
from ..errors import BadConfig, BadUsage

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.law import Ruling, SuitePair


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


def gather(
    repo: Path,
    base: str,
    head: str,
    *,
    only: Sequence[str],
    environment: Mapping[str, str],
    flags: Mapping[str, object],
) -> Gathered:
    """Return all of it; raises GitProblem, BadConfig, BadUsage for what no comparison can begin with."""
    from ..plan.law import flags_of, rule
    from ..reading.precedence import resolve
    from .committed_suites import CommittedSuites, in_force, roots_of
    from .repository import look_at_changes

    repository, changes, law = look_at_changes(repo, base, head)
    if law.broken is not None and changes.changes:
        raise BadConfig(
            f"the base has no law that can be read: {law.broken}",
            fix="mend the configuration first, by a change that touches no skill",
        )
    config = resolve(law.config, environment=environment, flags=flags)
    changes = _only(changes, only)
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
    return Gathered(
        repository=repository,
        changes=changes,
        config=force.config,
        config_from=law.source,
        rulings=rulings,
        bundles=_bundles(repository, changes, rulings),
        flags=flags_of(
            suites.changed_files(),
            flagged,
            config_from="broken" if law.broken else law.source,
            set_aside=force.set_aside,
        ),
        tampered=() if only else tuple(_tampered(others)),
    )


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


def _bundles(
    repository: GitRepository, changes: Changes, rulings: Mapping[str, Ruling]
) -> dict[tuple[str, Arm], SkillBundle]:
    from ..diff.bundle import bundle

    bundles = {}
    for change in changes.changes:
        if rulings[change.skill_id].suite is None or change.kind is ChangeKind.MOVED:
            continue
        for arm, skill in ((Arm.CANDIDATE, change.candidate), (Arm.BASELINE, change.baseline)):
            if skill is not None and skill.readable:
                bundles[change.skill_id, arm] = bundle(repository, skill)
    return bundles


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
