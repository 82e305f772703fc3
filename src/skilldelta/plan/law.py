"""The base's law: which suite decides, and what in the head touches configuration, suites or workflows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..domain.calibration import CALIBRATION_FILE
from ..domain.config import CONFIG_FILE
from ..domain.plan import Flag
from ..domain.suite import FrozenSuite
from ..reading.frozen_suite import FoundSuite, SuiteState
from ..reading.weakening import weakening

_WHOSE_RECORD = "where the base has the suite, its own record counts until this is merged"
WORKFLOWS = (".github/workflows", ".github/actions")


@dataclass(frozen=True, kw_only=True)
class SuitePair:
    """One skill's suite folder at the base's tip, where the branch left it, and at the head."""

    folder: str
    base: FoundSuite
    fork_point: FoundSuite
    head: FoundSuite
    changed: bool
    """The head's folder differs from the fork point's."""


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """The suite that decides, or why there is none."""

    suite: FrozenSuite | None
    source: Literal["base", "head"]
    beside: FrozenSuite | None = None
    """The version that the change brings, where the base's decides: measured too, and reported beside it."""
    trouble: Literal["none", "draft", "tampered"] | None = None
    reason: str = ""
    fix: str | None = None
    by_this_change: bool = False
    """The change itself leaves a frozen version behind that is not what was frozen."""


def rule(pair: SuitePair) -> Ruling:
    """Return the suite that decides: the base's newest frozen version; the head's where the base has none.

    A tampered version on either side blocks: on the base there is no law, and the head would leave none behind.
    """
    for source, found in (("base", pair.base), ("head", pair.head)):
        if found.state is SuiteState.TAMPERED and (source == "base" or pair.changed):
            return Ruling(
                suite=None,
                source="base" if source == "base" else "head",
                trouble="tampered",
                reason=f"the suite is not what was frozen (in the {source}): "
                + "; ".join(line for one in found.tampering for line in one.what.splitlines()),
                fix=_how_to_mend(pair, source, found),
                by_this_change=pair.changed and pair.head.state is SuiteState.TAMPERED,
            )
    if pair.base.newest is not None:
        return Ruling(suite=pair.base.newest, source="base", beside=_brought(pair))
    if pair.head.newest is not None:
        return Ruling(suite=pair.head.newest, source="head")
    draft = pair.head.draft or pair.base.draft
    if draft is not None:
        problems = f": {draft.problems[0]}" if draft.problems else ""
        return Ruling(
            suite=None,
            source="head",
            trouble="draft",
            reason=f"the suite is a draft that was never frozen{problems}",
            fix=f"skilldelta suite freeze {pair.folder} --approved-by NAME, and commit the result",
        )
    return Ruling(
        suite=None,
        source="head",
        trouble="none",
        reason="there is no suite",
        fix=f"skilldelta init writes a draft to {pair.folder}/suite.yaml; edit and freeze it",
    )


def _brought(pair: SuitePair) -> FrozenSuite | None:
    """Return the head's newest version, where it is this change that brings it."""
    newest = pair.head.newest
    known = {version.version for found in (pair.base, pair.fork_point) for version in found.versions}
    return newest if pair.changed and newest is not None and newest.version not in known else None


def _how_to_mend(pair: SuitePair, source: str, found: FoundSuite) -> str:
    if source == "base":
        return f"mend {pair.folder} on the base first, by a change of its own; this one can be measured after that"
    own = found.tampering[0].fix if len(found.tampering) == 1 else None
    return own or f"restore it, edit {pair.folder}/suite.yaml instead, and run: skilldelta suite freeze"


def repairs(pair: SuitePair) -> bool:
    """Return True when the base's frozen versions were edited in place and this change puts that right."""
    broken = pair.base.state is SuiteState.TAMPERED
    return broken and pair.changed and pair.head.state is not SuiteState.TAMPERED


def flags_of(
    changed_files: Mapping[str, str],
    pairs: Iterable[SuitePair],
    *,
    config_from: Literal["base", "head", "defaults", "broken"],
    set_aside: Iterable[Flag] = (),
) -> tuple[Flag, ...]:
    """Return what the head does to its own law; `changed_files` maps each path to `adds`, `removes` or `edits`.

    `set_aside` says what of the head's configuration did not hold; "broken": the base's cannot be read, the head's can.
    """
    flags: list[Flag] = []
    if config_from == "head":
        message = "the base has no configuration: the one that this change brings was used"
        flags.append(Flag(kind="first-adoption", path=CONFIG_FILE, message=message))
    elif CONFIG_FILE in changed_files:
        message = f"this change {changed_files[CONFIG_FILE]} the configuration; the base's was used"
        if config_from == "broken":
            message = "this change mends the configuration, which cannot be read on the base: check by eye what it says"
        flags.append(Flag(kind="config", path=CONFIG_FILE, message=message))
    flags.extend(set_aside)
    for pair in pairs:
        flags.extend(_suite_flags(pair))
    flags.extend(
        Flag(kind="workflow", path=path, message=f"this change {how} a workflow; check it by eye")
        for path, how in sorted(changed_files.items())
        if any(path == place or path.startswith(f"{place}/") for place in WORKFLOWS)
    )
    flags.extend(
        Flag(kind="suite", path=path, message=f"this change {how} a calibration on record; {_WHOSE_RECORD}")
        for path, how in sorted(changed_files.items())
        if path.endswith(f"/{CALIBRATION_FILE}") and "/fixtures/" not in path
    )
    return tuple(flags)


def _suite_flags(pair: SuitePair) -> Iterable[Flag]:
    if pair.base.newest is None and pair.head.newest is not None and not pair.base.tampering:
        yield Flag(
            kind="first-adoption",
            path=pair.folder,
            message=f"the base has no frozen suite for this skill: version {pair.head.newest.version}, "
            "which this change brings, was used",
        )
        return
    if not pair.changed:
        return
    if repairs(pair):
        mended = f"version {pair.head.newest.version} becomes" if pair.head.newest else "no frozen suite is"
        yield Flag(
            kind="suite",
            path=pair.folder,
            message="this change mends a frozen suite that was edited in place on the base: "
            f"{mended} the law on merge; check it by eye",
        )
        return
    before = {version.version for version in pair.fork_point.versions}
    after = {version.version for version in pair.head.versions}
    for version in sorted(before - after):
        yield Flag(
            kind="suite",
            path=f"{pair.folder}/{version}",
            message=f"this change removes or edits the frozen version {version}; the base's was used",
        )
    newest = pair.head.newest
    law = pair.base.newest
    if newest is not None and law is not None and newest.version not in before:
        yield Flag(
            kind="suite",
            path=f"{pair.folder}/{newest.version}",
            message=f"this change brings the suite version {newest.version}; the gate was decided on {law.version}, "
            "and the new version becomes the law on merge",
            weakening=weakening(law.suite, newest.suite, law.record.fixtures, newest.record.fixtures),
        )
    elif not before - after:
        stays = "the base's frozen version is the law" if law is not None else "nothing is frozen yet"
        what = "brings another frozen version" if after - before else "edits the suite's draft or fixtures"
        yield Flag(
            kind="suite",
            path=pair.folder,
            message=f"this change {what}; {stays}",
        )
