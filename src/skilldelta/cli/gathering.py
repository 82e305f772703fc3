"""What a comparison needs from the repository: changes, configuration, suites, and what each arm is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..domain.config import Config
from ..domain.plan import Flag, Gate, LeftOut
from ..domain.skill import ChangeKind, Changes, SkillBundle, SkillChange, TreeEntry
from ..domain.trial import Arm
from ..errors import BadSuite, BadUsage

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.law import Ruling, SuitePair
    from ..reading.frozen_suite import FoundSuite

CONFIG_BYTES = 4 * 1024 * 1024
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
    from ..plan.law import flags_of, rule
    from ..reading.config import resolve
    from .repository import look_at_changes

    repository, changes = look_at_changes(repo, base, head)
    config, config_from = _law(repository, changes)
    config = resolve(config, environment=environment, flags=flags)
    changes = _only(changes, only)
    suites = _Suites(repository, changes, config)
    pairs = {change.skill_id: suites.pair(_folder(config, change)) for change in changes.changes}
    others = [suites.pair(folder) for folder in suites.changed_folders() - {pair.folder for pair in pairs.values()}]
    rulings = {skill_id: rule(pair) for skill_id, pair in pairs.items()}
    return Gathered(
        repository=repository,
        changes=changes,
        config=config,
        config_from=config_from,
        rulings=rulings,
        bundles=_bundles(repository, changes, rulings),
        flags=flags_of(
            suites.changed_files(), [*pairs.values(), *others] if not only else pairs.values(), config_from=config_from
        ),
        tampered=() if only else tuple(_tampered(others)),
    )


def _law(repository: GitRepository, changes: Changes) -> tuple[Config, Literal["base", "head", "defaults"]]:
    """Return the base's configuration, else the head's (first adoption), else the defaults."""
    from ..reading.config import read_config
    from .repository import CONFIG_FILE

    places: tuple[tuple[Literal["base", "head"], str, str], ...] = (
        ("base", changes.base_commit, changes.base_ref),
        ("head", changes.candidate_commit, changes.head_ref),
    )
    for source, commit, ref in places:
        raw = repository.read(commit, CONFIG_FILE, limit=CONFIG_BYTES)
        if raw is not None:
            return read_config(raw, where=f"{CONFIG_FILE} at {ref}"), source
    return Config(), "defaults"


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


def _folder(config: Config, change: SkillChange) -> str:
    own = config.skills.get(change.skill_id)
    return f"{config.suites}/{own.suite if own and own.suite else change.skill_id}"


class _Suites:
    """The suites' folders at the base's tip, at the fork point and at the head; equal folders are read once."""

    def __init__(self, repository: GitRepository, changes: Changes, config: Config) -> None:
        from ..plan.law import CONFIG_FILE, WORKFLOWS

        self._repository = repository
        self._root = config.suites
        self._trees: dict[str, dict[str, TreeEntry]] = {}
        self._commits = (changes.base_commit, changes.baseline_commit, changes.candidate_commit)
        for commit in dict.fromkeys(self._commits):
            places = [config.suites, CONFIG_FILE, WORKFLOWS.rstrip("/")]
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

        inside = [
            path.removeprefix(f"{self._root}/") for path in self.changed_files() if path.startswith(f"{self._root}/")
        ]
        known = suite_folders(
            path.removeprefix(f"{self._root}/")
            for tree in self._trees.values()
            for path in tree
            if path.startswith(f"{self._root}/")
        )
        return {f"{self._root}/{folder}" for folder in known if any(path.startswith(f"{folder}/") for path in inside)}

    def _at(self, commit: str, folder: str) -> dict[str, TreeEntry]:
        """Return the entries below `folder`; under "" the link, submodule or file that stands in its way."""
        for place in (self._root, folder):
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
