"""The suites as they are committed, at base, fork point and head, and which of them a comparison uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..domain.calibration import CALIBRATION_FILE
from ..domain.config import CONFIG_FILE, USUAL_SUITES, Config
from ..domain.plan import Flag
from ..domain.skill import TreeEntry
from ..errors import BadSuite

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.law import SuitePair
    from ..reading.frozen_suite import FoundSuite
    from .committed_config import Law

_MOST_BYTES = 64 * 1024 * 1024
_MOST_RECORD = 8 * 1024 * 1024


def suite_place(config: Config, skill_id: str) -> str:
    """Return the folder of a skill's suite, from the repository's root."""
    own = config.skills.get(skill_id)
    return f"{config.suites}/{own.suite if own and own.suite else skill_id}"


@dataclass(frozen=True, kw_only=True)
class InForce:
    """The suites of some skills, and the configuration without what it may not say of them."""

    config: Config
    pairs: Mapping[str, SuitePair]
    named: frozenset[str]
    """The folders that the configuration names, in force or not."""
    set_aside: tuple[Flag, ...] = ()


def roots_of(law: Law, config: Config) -> tuple[str, ...]:
    """Return where suites may be: a configuration that only the head has does not take the usual place away."""
    return (config.suites, USUAL_SUITES) if law.source == "head" else (config.suites,)


def in_force(law: Law, config: Config, suites: CommittedSuites, skill_ids: Mapping[str, str]) -> InForce:
    """Return each skill's suite; what the base has frozen in the usual place is not moved by a first configuration.

    `skill_ids`: each skill → the skill that it was a copy of in the baseline, else itself. A copy that goes its own way
    is held to the suite of what it was, as long as the base has none of its own.
    """
    from ..plan.adoption import adopted
    from ..reading.frozen_suite import SuiteState

    frozen = (SuiteState.FROZEN, SuiteState.TAMPERED)
    pairs = {skill_id: suites.pair(suite_place(config, skill_id)) for skill_id in skill_ids}
    for skill_id, original in skill_ids.items():
        of_original = suites.pair(suite_place(config, original))
        if pairs[skill_id].base.state not in frozen and of_original.base.state in frozen:
            pairs[skill_id] = of_original
    named = frozenset(pair.folder for pair in pairs.values())
    if law.source != "head":
        return InForce(config=config, pairs=pairs, named=named)
    usual = {skill_id: suites.pair(f"{USUAL_SUITES}/{skill_id}") for skill_id in pairs}
    held = {skill_id: pair for skill_id, pair in usual.items() if pair.base.state in frozen}
    config, set_aside = adopted(config, held=held, named=pairs, discovery=law.discovery)
    return InForce(config=config, pairs=pairs | held, named=named, set_aside=set_aside)


class CommittedSuites:
    """The suites' folders at the base's tip, at the fork point and at the head; equal folders are read once."""

    def __init__(
        self, repository: GitRepository, *, base: str, fork_point: str, head: str, roots: Sequence[str]
    ) -> None:
        from ..plan.law import WORKFLOWS

        self._repository = repository
        self._roots = tuple(dict.fromkeys(roots))
        self._trees: dict[str, dict[str, TreeEntry]] = {}
        self._commits = (base, fork_point, head)
        for commit in dict.fromkeys(self._commits):
            places = [*self._roots, CONFIG_FILE, *WORKFLOWS]
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

    def calibration(self, folder: str, *, of_head: bool) -> bytes | None:
        """Return the calibration on record for a suite, at the base's tip or at the head; None where there is none.

        What is no ordinary file, or too large to be one of ours, is returned as empty: it cannot be read, and that is
        said.
        """
        entry = self._at(self._commits[2 if of_head else 0], folder).get(CALIBRATION_FILE)
        if entry is None:
            return None
        if not entry.is_file:
            return b""
        return self._repository.blobs([entry.oid], limit=_MOST_RECORD)[entry.oid] or b""

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
            blobs = self._repository.blobs(oids, limit=_MOST_BYTES)

            def read(path: str) -> bytes:
                data = blobs[entries[path].oid]
                if data is None:
                    raise BadSuite(
                        f"has more than {_MOST_BYTES:,} bytes",
                        where=f"{folder}/{path}",
                        fix="leave it out of the suite",
                    )
                return data

            modes = {path: entry.mode for path, entry in entries.items()}
            self._found[signature] = find_frozen(modes, read, where=folder)
        return self._found[signature]


def _signature(entries: Mapping[str, TreeEntry]) -> tuple[tuple[str, str, str], ...]:
    """Return what tells two suite folders apart; the record of a calibration is no part of a suite."""
    return tuple(sorted((path, entry.mode, entry.oid) for path, entry in entries.items() if path != CALIBRATION_FILE))
