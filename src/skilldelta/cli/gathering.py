"""What a comparison needs from the repository: changes, configuration, suites, and what each arm is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..domain.config import CONFIG_FILE, USUAL_SUITES, Config
from ..domain.plan import Flag, Gate, LeftOut
from ..domain.skill import ChangeKind, Changes, SkillBundle, TreeEntry
from ..domain.trial import Arm
from ..errors import BadSuite, BadUsage

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.law import Ruling, SuitePair
    from ..reading.frozen_suite import FoundSuite

SUITE_BYTES = 64 * 1024 * 1024


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
    from ..plan.adoption import adopted
    from ..plan.law import flags_of, rule
    from ..reading.config import resolve
    from .repository import look_at_changes

    repository, changes, law = look_at_changes(repo, base, head)
    config = resolve(law.config, environment=environment, flags=flags)
    changes = _only(changes, only)
    suites = _Suites(repository, changes, (config.suites, USUAL_SUITES) if law.source == "head" else (config.suites,))
    pairs = {change.skill_id: suites.pair(suite_place(config, change.skill_id)) for change in changes.changes}
    looked_at = {pair.folder for pair in pairs.values()}
    set_aside: tuple[Flag, ...] = ()
    if law.source == "head":
        held = _held_by_the_base(suites, changes)
        config, set_aside = adopted(config, held=held, named=pairs, discovery=law.discovery)
        pairs |= held
    used = {pair.folder for pair in pairs.values()}
    others = [suites.pair(folder) for folder in suites.changed_folders() - used]
    rulings = {skill_id: rule(pair) for skill_id, pair in pairs.items()}
    flagged = [*pairs.values(), *(pair for pair in others if not only and pair.folder not in looked_at)]
    return Gathered(
        repository=repository,
        changes=changes,
        config=config,
        config_from=law.source,
        rulings=rulings,
        bundles=_bundles(repository, changes, rulings),
        flags=flags_of(suites.changed_files(), flagged, config_from=law.source, set_aside=set_aside),
        tampered=() if only else tuple(_tampered(others)),
    )


def _only(changes: Changes, only: Sequence[str]) -> Changes:
    if not only:
        return changes
    from ..reading.nearest import nearest

    known = {change.skill_id: change for change in changes.changes}
    for name in only:
        if name not in known:
            near = nearest(name, known)
            raise BadUsage(
                f"no changed skill is called {name!r}",
                where="--skill",
                fix=f"did you mean {near!r}?" if near else "see skilldelta changes for what changed",
            )
    return changes.model_copy(update={"changes": tuple(known[name] for name in dict.fromkeys(only))})


def suite_place(config: Config, skill_id: str) -> str:
    """Return the folder of a skill's suite, from the repository's root."""
    own = config.skills.get(skill_id)
    return f"{config.suites}/{own.suite if own and own.suite else skill_id}"


def _held_by_the_base(suites: _Suites, changes: Changes) -> dict[str, SuitePair]:
    """Return the suites in the usual place that the base has frozen: no configuration that comes later moves them."""
    from ..reading.frozen_suite import SuiteState

    usual = {change.skill_id: suites.pair(f"{USUAL_SUITES}/{change.skill_id}") for change in changes.changes}
    frozen = (SuiteState.FROZEN, SuiteState.TAMPERED)
    return {skill_id: pair for skill_id, pair in usual.items() if pair.base.state in frozen}


class _Suites:
    """The suites' folders at the base's tip, at the fork point and at the head; equal folders are read once."""

    def __init__(self, repository: GitRepository, changes: Changes, roots: Sequence[str]) -> None:
        from ..plan.law import WORKFLOWS

        self._repository = repository
        self._roots = tuple(dict.fromkeys(roots))
        self._trees: dict[str, dict[str, TreeEntry]] = {}
        self._commits = (changes.base_commit, changes.baseline_commit, changes.candidate_commit)
        for commit in dict.fromkeys(self._commits):
            places = [*self._roots, CONFIG_FILE, WORKFLOWS.rstrip("/")]
            self._trees[commit] = {entry.path: entry for entry in repository.tree(commit, places)}
        self._found: dict[tuple[tuple[str, str, str], ...], FoundSuite] = {}

    def pair(self, folder: str) -> SuitePair:
        from ..plan.law import SuitePair

        base, fork_point, head = (self._at(commit, folder) for commit in self._commits)
        return SuitePair(
            folder=folder,
            base=self._read(folder, base),
            fork_point=self._read(folder, fork_point),
            head=self._read(folder, head),
            changed=_signature(fork_point) != _signature(head),
        )

    def changed_files(self) -> dict[str, str]:
        """Return what this change does to each file of the law: adds, removes or edits it."""
        before, after = self._trees[self._commits[1]], self._trees[self._commits[2]]
        changed = {}
        for path in before.keys() | after.keys():
            old, new = before.get(path), after.get(path)
            if old is None or new is None:
                changed[path] = "adds" if old is None else "removes"
            elif (old.oid, old.mode) != (new.oid, new.mode):
                changed[path] = "edits"
        return changed

    def changed_folders(self) -> set[str]:
        from ..reading.frozen_suite import suite_folders

        changed, everything = self.changed_files(), {path for tree in self._trees.values() for path in tree}
        folders = set()
        for root in self._roots:
            known = suite_folders(path.removeprefix(f"{root}/") for path in everything if path.startswith(f"{root}/"))
            folders |= {f"{root}/{folder}" for folder in known}
        return {folder for folder in folders if any(path.startswith(f"{folder}/") for path in changed)}

    def _at(self, commit: str, folder: str) -> dict[str, TreeEntry]:
        """Return the entries below `folder`; under "" the link, submodule or file that stands in its way."""
        for place in (*(root for root in self._roots if folder.startswith(f"{root}/")), folder):
            if place in self._trees[commit]:
                return {"": self._trees[commit][place]}
        below = f"{folder}/"
        return {
            path.removeprefix(below): entry for path, entry in self._trees[commit].items() if path.startswith(below)
        }

    def _read(self, folder: str, entries: Mapping[str, TreeEntry]) -> FoundSuite:
        from ..reading.frozen_suite import find_frozen, no_folder

        if "" in entries:
            return no_folder(folder)
        signature = (("", folder, ""), *_signature(entries))
        if signature not in self._found:
            oids = [entry.oid for entry in entries.values() if entry.is_file]
            blobs = self._repository.blobs(oids, limit=SUITE_BYTES)

            def read(path: str) -> bytes:
                data = blobs[entries[path].oid]
                if data is None:
                    raise BadSuite(
                        f"has more than {SUITE_BYTES:,} bytes",
                        where=f"{folder}/{path}",
                        fix="leave it out of the suite",
                    )
                return data

            modes = {path: entry.mode for path, entry in entries.items()}
            self._found[signature] = find_frozen(modes, read, where=folder)
        return self._found[signature]


def _signature(entries: Mapping[str, TreeEntry]) -> tuple[tuple[str, str, str], ...]:
    return tuple(sorted((path, entry.mode, entry.oid) for path, entry in entries.items()))


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
