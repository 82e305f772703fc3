"""What one arm is given of a skill: its text, and the files beside it that are small enough to hand over."""

from __future__ import annotations

from ..domain.skill import BundledFile, Skill, SkillBundle
from .tree_hash import within
from .tree_reader import TreeReader

MOST_BYTES_OF_A_FILE = 256 * 1024
MOST_BYTES_IN_ALL = 4 * 1024 * 1024


def bundle(reader: TreeReader, skill: Skill) -> SkillBundle:
    """Return name, description, body and files of `skill`, sorted by path; the SKILL.md itself is not among the files.

    A file has its text when it is UTF-8 without NUL, of at most 256 KiB, and while at most 4 MiB were taken in all.
    """
    files = sorted(
        (entry for entry in skill.entries if entry.is_file and entry.path != skill.skill_file),
        key=lambda entry: entry.path,
    )
    chosen: set[str] = set()
    taken = 0
    for entry in files:
        if entry.size <= MOST_BYTES_OF_A_FILE and taken + entry.size <= MOST_BYTES_IN_ALL:
            chosen.add(entry.path)
            taken += entry.size
    contents = reader.blobs([entry.oid for entry in files if entry.path in chosen], limit=MOST_BYTES_OF_A_FILE)
    return SkillBundle(
        name=skill.name,
        description=skill.description,
        body=skill.body,
        files=tuple(
            BundledFile(
                path=within(entry.path, skill.path),
                size=entry.size,
                text=_text(contents.get(entry.oid)) if entry.path in chosen else None,
            )
            for entry in files
        ),
        tree_hash=skill.tree_hash,
    )


def _text(raw: bytes | None) -> str | None:
    if raw is None or b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
