"""Skills as they stand in a git tree, what is wrong with them, and what changed between two trees."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from .value import Value


class TreeEntry(Value):
    """One entry of a git tree, by its path from the repository's root (bytes that are not UTF-8 stand as \\xNN)."""

    path: str
    mode: Literal["100644", "100755", "120000", "160000"]
    oid: str
    size: int
    """Bytes; 0 for submodules."""
    utf8: bool = True
    """False when the path's bytes are not UTF-8."""

    @property
    def is_file(self) -> bool:
        """True for an ordinary file, executable or not."""
        return self.mode in ("100644", "100755")


class Severity(StrEnum):
    """How much a finding matters: an error makes the skill unreadable."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(Value):
    """Something to say about one file: what, where, and what to do."""

    severity: Severity
    path: str
    line: int | None = None
    message: str
    fix: str | None = None


class Link(Value):
    """A relative link in the body of a SKILL.md, and whether the file it names is in the bundle."""

    target: str
    line: int
    exists: bool


class Skill(Value):
    """A folder with a SKILL.md at one commit; `tree_hash` is its identity."""

    skill_id: str
    """The name under which suites and settings are found; unique within a tree."""
    path: str
    """The folder from the repository's root; "." when the repository is itself the skill."""
    skill_file: str
    """Path of the SKILL.md from the repository's root."""
    name: str
    description: str
    body: str
    body_line: int = 1
    """Line of the SKILL.md on which the body starts."""
    tree_hash: str
    """SHA-256 over the sorted (path within the skill, mode, blob id) of its entries, `evals/` left out."""
    entries: tuple[TreeEntry, ...]
    headings: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    findings: tuple[Finding, ...] = ()
    copies: tuple[str, ...] = ()
    """Other folders of the same tree that hold exactly this skill."""

    @property
    def readable(self) -> bool:
        """False when a finding of severity error stands against it."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)


class BundledFile(Value):
    """A file of a skill beside its SKILL.md, as an agent may read it."""

    path: str
    """From the skill's folder."""
    size: int
    text: str | None
    """None when the file is not text or too large to be read here."""


class SkillBundle(Value):
    """What one arm is given of a skill."""

    name: str
    description: str
    body: str
    files: tuple[BundledFile, ...] = ()
    tree_hash: str


class ChangeKind(StrEnum):
    """How a skill differs between two trees."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    MOVED = "moved"
    """Another path, the same content: nothing to measure."""
    UNCHANGED = "unchanged"


class FileChange(Value):
    """One file of a skill that differs, by its path within the skill."""

    path: str
    kind: Literal["added", "deleted", "modified", "mode"]


class SkillChange(Value):
    """One skill that differs between baseline and candidate."""

    skill_id: str
    kind: ChangeKind
    baseline: Skill | None
    candidate: Skill | None
    files: tuple[FileChange, ...] = ()
    replaced_by: str | None = None
    """Of a deletion: the kind of link that stands in the skill's place now."""

    @property
    def path(self) -> str:
        """The skill's folder now, or where it was before it was deleted."""
        skill = self.candidate or self.baseline
        return skill.path if skill else "."

    @property
    def renamed_from(self) -> str | None:
        """The folder it had in the baseline, when that differs."""
        if self.baseline and self.candidate and self.baseline.path != self.candidate.path:
            return self.baseline.path
        return None


class Changes(Value):
    """The skills that differ between two commits."""

    base_ref: str
    head_ref: str
    base_commit: str
    """The tip of the base: its configuration and suites are the law."""
    baseline_commit: str
    """The commit whose skills are the baseline arm: the merge base, or the tested merge's base-side parent."""
    candidate_commit: str
    changes: tuple[SkillChange, ...]
    unchanged: int
    same: tuple[str, ...] = ()
    """Ids of the skills that did not change."""
    led_away: tuple[str, ...] = ()
    """Symlinks and submodules where skills live that are new or point elsewhere, and lead to no skill found here."""
    passed_over: tuple[str, ...] = ()
    """Files called SKILL.md that the candidate adds where skills are not looked for."""
    findings: tuple[Finding, ...] = ()
    """What was found wrong with skills that did not change, and with the work tree."""
