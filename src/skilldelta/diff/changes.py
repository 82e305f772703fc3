"""Two commits → the skills that differ between them, each once, under the id that the baseline knows it by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..domain.config import DiscoverySettings
from ..domain.skill import ChangeKind, Changes, FileChange, Finding, Severity, Skill, SkillChange, TreeEntry
from .body import analysed
from .discover import Discovery, ReadFiles, discover
from .identity import Ids, preferred_id
from .links import led_elsewhere, replaced_by
from .matching import Match, match_folders
from .places import precedence
from .tree_hash import within
from .tree_reader import TreeReader


def find_changes(
    reader: TreeReader,
    base_commit: str,
    baseline_commit: str,
    candidate_commit: str,
    settings: DiscoverySettings,
    *,
    base_ref: str = "",
    head_ref: str = "",
) -> Changes:
    """Return what differs between the skills of the baseline's and of the candidate's commit, sorted by path.

    `base_commit` is only passed on. A ref that is left empty is shown as its commit.
    """
    read: ReadFiles = {}
    candidate = discover(reader, candidate_commit, settings, read=read)
    baseline = candidate
    if baseline_commit != candidate_commit:
        baseline = discover(reader, baseline_commit, settings, read=read)

    def renames(paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
        return reader.renamed_files(baseline_commit, candidate_commit, paths)

    led_away = led_elsewhere(reader, baseline.links, candidate.links, [skill.path for skill in candidate.folders])
    matches = match_folders(_with_unique_ids(baseline), candidate.folders, renames)
    sorted_out = _sort_out(matches)
    return Changes(
        base_ref=base_ref or base_commit,
        head_ref=head_ref or candidate_commit,
        base_commit=base_commit,
        baseline_commit=baseline_commit,
        candidate_commit=candidate_commit,
        changes=tuple(_with_replacement(change, candidate.links, led_away) for change in _name_and_compare(sorted_out)),
        led_away=led_away,
        unchanged=len({match.contents for match in sorted_out.unchanged}),
        same=tuple(sorted({match.baseline.skill_id for match in sorted_out.unchanged if match.baseline})),
        passed_over=tuple(path for path in candidate.elsewhere if path not in set(baseline.elsewhere)),
        findings=(*_findings(sorted_out.unchanged), *sorted_out.notes, *candidate.findings),
    )


def _with_replacement(change: SkillChange, links: Sequence[TreeEntry], led_away: Sequence[str]) -> SkillChange:
    if change.kind is not ChangeKind.DELETED:
        return change
    return change.model_copy(update={"replaced_by": replaced_by(change.path, links, led_away)})


def _with_unique_ids(discovery: Discovery) -> list[Skill]:
    """Return one skill for each folder, copies under the id of their original."""
    ids = {skill.tree_hash: skill.skill_id for skill in discovery.skills}
    return [folder.model_copy(update={"skill_id": ids[folder.tree_hash]}) for folder in discovery.folders]


@dataclass
class _SortedOut:
    changed: list[Match] = field(default_factory=list)
    """One of each group of copies that changed alike, the original."""
    unchanged: list[Match] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)


def _sort_out(matches: Iterable[Match]) -> _SortedOut:
    """Tell changes from mere copies that came or went."""
    result = _SortedOut()
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    ordered = sorted(matches, key=lambda match: precedence(_path(match)))
    for match in ordered:
        if match.baseline and match.candidate:
            before.setdefault(match.baseline.tree_hash, match.baseline.path)
            after.setdefault(match.candidate.tree_hash, match.candidate.path)
    groups: dict[tuple[str | None, str | None], list[Match]] = {}
    for match in ordered:
        old, new = match.contents
        if match.unchanged:
            result.unchanged.append(match)
        elif match.baseline is None and new in after | before:
            result.notes.append(_note(_path(match), f"a new copy of the skill in {(after | before)[new or '']}"))
        elif match.candidate is None and old in before:
            result.notes.append(_note(_path(match), f"a copy of the skill in {before[old or '']}, and no longer there"))
        else:
            groups.setdefault((old, new), []).append(match)
    result.changed = [_with_copies(first, rest) for first, *rest in groups.values()]
    return result


def _with_copies(match: Match, copies: Sequence[Match]) -> Match:
    if not copies:
        return match
    paths = {"copies": tuple(_path(copy) for copy in copies)}
    if match.candidate is None:
        return Match(baseline=match.baseline and match.baseline.model_copy(update=paths), candidate=None)
    return Match(baseline=match.baseline, candidate=match.candidate.model_copy(update=paths))


def _name_and_compare(sorted_out: _SortedOut) -> tuple[SkillChange, ...]:
    """Give every change its id: the baseline's for what was there, then what is free for what is new."""
    ids = Ids()
    named: list[SkillChange] = []
    known = [match for match in sorted_out.changed if match.baseline]
    for match in known:
        assert match.baseline is not None  # noqa: S101 - just selected
        if match.candidate is None:
            ids.reserve(match.baseline.skill_id, match.baseline.path)
            named.append(_change(match.baseline.skill_id, match.baseline, None))
        else:
            candidate = ids.give(match.candidate, match.baseline.skill_id)
            warnings = [*_new_id(match.candidate, match.baseline), *_copies_left_behind(match, sorted_out.unchanged)]
            candidate = candidate.model_copy(update={"findings": (*candidate.findings, *warnings)})
            named.append(_change(candidate.skill_id, match.baseline, candidate))
    for match in sorted_out.unchanged:
        if match.baseline and match.candidate:
            ids.reserve(match.baseline.skill_id, match.candidate.path)
    for match in sorted_out.changed:
        if match.baseline is None and match.candidate is not None:
            candidate = ids.give(match.candidate, preferred_id(match.candidate))
            named.append(_change(candidate.skill_id, None, candidate))
    return tuple(sorted(named, key=lambda change: change.path))


def _new_id(candidate: Skill, baseline: Skill) -> Iterable[Finding]:
    before, after = preferred_id(baseline), preferred_id(candidate)
    if before != after:
        message = f"the skill's id becomes {after!r} by this change; its suite and settings are found under {before!r}"
        fix = f"rename the suite's folder and the settings to {after!r} as well"
        yield Finding(severity=Severity.WARNING, path=candidate.skill_file, line=1, message=message, fix=fix)


def _copies_left_behind(match: Match, unchanged: Iterable[Match]) -> Iterable[Finding]:
    """Warn of the copies that were the same and were not changed along."""
    if match.baseline is None or match.candidate is None or match.contents[0] == match.contents[1]:
        return
    left = [_path(other) for other in unchanged if other.contents[0] == match.contents[0]]
    if left:
        message = f"the copies of this skill in {', '.join(left[:5])} were not changed along, and now differ from it"
        fix = "copy the skill there again, or give it another name"
        yield Finding(severity=Severity.WARNING, path=match.candidate.skill_file, message=message, fix=fix)


def _change(skill_id: str, baseline: Skill | None, candidate: Skill | None) -> SkillChange:
    return SkillChange(
        skill_id=skill_id,
        kind=_kind(baseline, candidate),
        baseline=analysed(baseline) if baseline else None,
        candidate=analysed(candidate) if candidate else None,
        files=file_changes(baseline, candidate),
    )


def _kind(baseline: Skill | None, candidate: Skill | None) -> ChangeKind:
    if baseline is None:
        return ChangeKind.ADDED
    if candidate is None:
        return ChangeKind.DELETED
    return ChangeKind.MOVED if baseline.tree_hash == candidate.tree_hash else ChangeKind.MODIFIED


def file_changes(baseline: Skill | None, candidate: Skill | None) -> tuple[FileChange, ...]:
    """Return the files that differ, by their paths within the skill, sorted."""
    before = {within(entry.path, baseline.path): entry for entry in baseline.entries} if baseline else {}
    after = {within(entry.path, candidate.path): entry for entry in candidate.entries} if candidate else {}
    changes = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old is None:
            changes.append(FileChange(path=path, kind="added"))
        elif new is None:
            changes.append(FileChange(path=path, kind="deleted"))
        elif old.oid != new.oid:
            changes.append(FileChange(path=path, kind="modified"))
        elif old.mode != new.mode:
            changes.append(FileChange(path=path, kind="mode"))
    return tuple(changes)


def _findings(unchanged: Iterable[Match]) -> Iterable[Finding]:
    """Return what is wrong with skills that did not change: never more than a warning, for it blocks nobody here."""
    seen = set()
    for match in unchanged:
        if match.candidate is None or match.candidate.tree_hash in seen:
            continue
        seen.add(match.candidate.tree_hash)
        for finding in match.candidate.findings:
            softer = Severity.WARNING if finding.severity is Severity.ERROR else finding.severity
            yield finding.model_copy(update={"severity": softer})


def _path(match: Match) -> str:
    skill = match.candidate or match.baseline
    return skill.path if skill else "."


def _note(path: str, message: str) -> Finding:
    return Finding(severity=Severity.NOTE, path=path, message=message, fix="nothing to measure")
