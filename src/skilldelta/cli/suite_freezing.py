"""`skilldelta suite freeze`: decide for every suite first, then write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from ..domain.counted import counted
from ..domain.suite import FreezeRecord
from ..edges.folder import Folder
from ..edges.suite_folder import write_version
from ..errors import BadSuite, BadUsage, TamperedSuite
from ..reading.frozen_suite import FoundSuite, next_version
from ..reading.weakening import differences, weakening
from .work_tree import read_suite_folder


@dataclass(frozen=True, kw_only=True)
class Step:
    """One suite, and the version it is to become; None: the newest one stays, for the same content or no draft."""

    folder: Folder
    found: FoundSuite
    record: FreezeRecord | None


def plan(folders: Iterable[Folder], *, approved_by: str | None) -> list[Step]:
    """Return what would be frozen; raises BadSuite with the problems of all drafts, BadUsage without an approver."""
    steps: list[Step] = []
    wrong: list[BadSuite] = []
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    for folder in folders:
        found = read_suite_folder(folder)
        if found.newest is not None and found.draft is None:
            steps.append(Step(folder=folder, found=found, record=None))
            continue
        try:
            record = next_version(found, approved_by=approved_by or "", frozen_at=now)
        except BadSuite as error:
            wrong.append(error)
            continue
        same = found.newest is not None and not found.draft_differs
        steps.append(Step(folder=folder, found=found, record=None if same else record))
    if wrong:
        kind = TamperedSuite if all(isinstance(error, TamperedSuite) for error in wrong) else BadSuite
        raise kind("\n".join(str(error) for error in wrong))
    if approved_by is None and any(step.record for step in steps):
        names = ", ".join(step.folder.name for step in steps if step.record)
        raise BadUsage(
            f"a new version is approved by somebody before it is run: {names}", fix='add --approved-by "NAME"'
        )
    return steps


def carry_out(step: Step) -> list[str]:
    """Freeze what is to be frozen, and return what was done, in lines."""
    newest = step.found.newest
    if step.record is None:
        assert newest is not None  # noqa: S101 - `plan` leaves the record out only where there is a version
        record = newest.record
        if step.found.draft is None:
            return [f"{step.folder.name}: there is no draft; {record.name} stays"]
        return [
            f"{step.folder.name}: {record.name} holds this content already (approved by {record.approved_by}); reused"
        ]
    draft = step.found.draft
    assert draft is not None  # noqa: S101 - `next_version` refuses a folder without a draft
    suite = draft.suite
    assert suite is not None  # noqa: S101 - and one whose draft cannot be read
    path = write_version(step.folder, step.record, draft.raw)
    fixtures = f", {counted(len(step.record.fixtures), 'fixture file')}" if step.record.fixtures else ""
    content = f"{counted(len(suite.tasks), 'task')}{fixtures}"
    lines = [f"{step.folder.name}: frozen as {step.record.name} ({content}), approved by {step.record.approved_by}"]
    if newest is not None:
        changes = differences(newest.suite, suite, newest.record.fixtures, step.record.fixtures)
        lines += [f"  changed since {newest.version}: {line}" for line in changes]
        weaker = weakening(newest.suite, suite, newest.record.fixtures, step.record.fixtures)
        lines += [f"  weaker than {newest.version}: {line}" for line in weaker]
    lines.append(f"  commit {path} (scores of different versions are never compared)")
    return lines
