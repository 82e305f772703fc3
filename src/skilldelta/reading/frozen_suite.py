"""A suite's folder, read through a mapping: its draft, its frozen versions, and whether they are what was frozen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ..domain.suite import FixtureFile, FreezeRecord, FrozenSuite, Suite
from ..errors import BadSuite, TamperedSuite
from .fixtures import Entries, Read, missing_fixtures, read_fixtures
from .frozen_version import NAME, text_digest, verified
from .suite import read_suite, suite_digest

DRAFT_NAMES = ("suite.yaml", "task_suite.yaml")
"""Names of the draft; the first is preferred."""
_LIKE_A_VERSION = re.compile(r"v[0-9]+\b.*")


class SuiteState(StrEnum):
    """What a suite's folder amounts to."""

    NONE = "none"
    DRAFT = "draft"
    """A draft that was never frozen."""
    FROZEN = "frozen"
    TAMPERED = "tampered"
    """A frozen version no longer is what was frozen, or two versions claim the same number."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The suite that people edit; `suite` is None when `problems` says why it cannot be read."""

    path: str
    raw: bytes
    suite: Suite | None
    fixtures: tuple[FixtureFile, ...] = ()
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def content_sha256(self) -> str | None:
        """The digest of suite and fixtures; None while there are problems."""
        return None if self.suite is None or self.problems else suite_digest(self.suite, self.fixtures)


class Tampering(NamedTuple):
    """One way in which a frozen version no longer is what was frozen."""

    what: str
    """The place and what is wrong with it; a line for each file."""
    fix: str | None

    def __str__(self) -> str:
        return f"{self.what}\n  fix: {self.fix}" if self.fix else self.what


@dataclass(frozen=True, kw_only=True)
class FoundSuite:
    """What a suite's folder holds."""

    where: str
    state: SuiteState
    newest: FrozenSuite | None = None
    """The version that runs; None unless the state is frozen."""
    versions: tuple[FrozenSuite, ...] = ()
    """All intact versions, oldest first."""
    draft: Draft | None = None
    tampering: tuple[Tampering, ...] = ()
    """What is wrong with the frozen versions."""
    highest: int = 0
    """The highest number that any version's folder carries."""

    @property
    def draft_differs(self) -> bool:
        """True when the draft has moved on since the newest version (or cannot be read)."""
        if self.newest is None or self.draft is None:
            return False
        return self.draft.content_sha256 != self.newest.record.content_sha256


class _Named(NamedTuple):
    folder: str
    number: int | None
    """None: the folder's name is no version's."""


def find_frozen(entries: Entries, read: Read, *, where: str) -> FoundSuite:
    """Return what the suite's folder `where` holds, every frozen version verified against its record.

    `entries` maps each path under the folder (at a commit, or in the work tree) to its git mode; `read` returns a
    file's bytes and is called for the files that count only. Nothing is raised for what is in the folder.
    """
    named = _versions(entries)
    versions: list[FrozenSuite] = []
    tampering: list[Tampering] = []
    for folder, _ in named:
        try:
            versions.append(verified(folder, entries, read, where))
        except BadSuite as error:
            tampering.append(Tampering(error.problem, error.fix))
    tampering += _same_numbers(named, where)
    draft = _draft(entries, read, where)
    if tampering:
        state = SuiteState.TAMPERED
    elif versions:
        state = SuiteState.FROZEN
    else:
        state = SuiteState.DRAFT if draft else SuiteState.NONE
    versions.sort(key=lambda version: version.record.number)
    return FoundSuite(
        where=where,
        state=state,
        newest=versions[-1] if state is SuiteState.FROZEN else None,
        versions=tuple(versions),
        draft=draft,
        tampering=tuple(tampering),
        highest=max((version.number or 0 for version in named), default=0),
    )


def no_folder(where: str) -> FoundSuite:
    """Return what is found where a link, a submodule or a file stands in the place of a suite's folder."""
    wrong = Tampering(f"{where}: is no folder: a suite is not read through a link, a submodule or a file", "remove it")
    return FoundSuite(where=where, state=SuiteState.TAMPERED, tampering=(wrong,))


def suite_folders(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the folders that hold a draft or a frozen version, of all `paths` of files below the suites' place."""
    found = set()
    for path in paths:
        *folders, name = path.split("/")
        version = next((at for at, folder in enumerate(folders) if NAME.fullmatch(folder)), None)
        if version is not None:
            found.add("/".join(folders[:version]))
        elif name in DRAFT_NAMES and "fixtures" not in folders:
            found.add("/".join(folders))
    return tuple(sorted(found - {""}))


def holds_versions(paths: Iterable[str]) -> bool:
    """Return whether any of the `paths` of files is in what is, or looks like, a frozen version of a suite."""
    return any(
        _LIKE_A_VERSION.fullmatch(part) for path in paths for part in path.split("/fixtures/")[0].split("/")[:-1]
    )


def next_version(found: FoundSuite, *, approved_by: str, frozen_at: str) -> FreezeRecord:
    """Return the record under which the draft would be frozen next; `frozen_at` is RFC 3339 in UTC.

    Raises TamperedSuite when an older version no longer is what was frozen, BadSuite when the draft has problems.
    """
    if found.tampering:
        raise TamperedSuite("\n".join(map(str, found.tampering)))
    draft = found.draft
    if draft is None:
        raise BadSuite("there is no draft to freeze", where=found.where, fix="write suite.yaml there")
    content = draft.content_sha256
    if draft.suite is None or content is None:
        raise BadSuite("\n".join(draft.problems))
    number = found.highest + 1
    return FreezeRecord(
        skill_id=draft.suite.skill_id,
        number=number,
        content_sha256=content,
        suite_sha256=text_digest(draft.raw),
        fixtures=draft.fixtures,
        approved_by=approved_by,
        frozen_at=frozen_at,
        name=f"v{number}-{content[:12]}",
    )


def _versions(entries: Entries) -> list[_Named]:
    """Return the folders that are, or look like, frozen versions."""
    folders = {path.split("/", 1)[0] for path in entries if "/" in path}
    recorded = {path.split("/", 1)[0] for path in entries if path.count("/") == 1 and path.endswith("/freeze.json")}
    found = []
    for folder in sorted(folders):
        match = NAME.fullmatch(folder)
        if match or folder in recorded or _LIKE_A_VERSION.fullmatch(folder):
            found.append(_Named(folder, int(match.group(1)) if match else None))
    return found


def _same_numbers(named: list[_Named], where: str) -> list[Tampering]:
    first: dict[int, str] = {}
    lines: list[Tampering] = []
    for folder, number in named:
        if number is None:
            continue
        if number in first:
            lines.append(
                Tampering(
                    f"{where}: {first[number]} and {folder} carry the same number",
                    "remove the one that was not approved, and run: skilldelta suite freeze",
                )
            )
        first.setdefault(number, folder)
    return lines


def _draft(entries: Entries, read: Read, where: str) -> Draft | None:
    names = [name for name in DRAFT_NAMES if name in entries]
    if not names:
        return None
    path = names[0]
    place = f"{where}/{path}"
    if entries[path] not in ("100644", "100755"):
        return Draft(path=path, raw=b"", suite=None, problems=(f"{place}: is not an ordinary file",))
    raw = read(path)
    try:
        reading = read_suite(raw, where=place)
    except BadSuite as error:
        return Draft(path=path, raw=raw, suite=None, problems=(str(error),))
    fixtures = read_fixtures(entries, read)
    missing = missing_fixtures(reading.suite, entries)
    both = (f"{where}/{names[1]}: is ignored, because {path} stands beside it",) if len(names) > 1 else ()
    return Draft(
        path=path,
        raw=raw,
        suite=reading.suite,
        fixtures=fixtures.files,
        problems=(*(f"{where}/{line}" for line in fixtures.problems), *(f"{place}: {line}" for line in missing)),
        warnings=(*reading.warnings, *both),
    )
