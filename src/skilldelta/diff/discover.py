"""One tree → the skills in it, each read, hashed and found fault with."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from ..domain.config import CONFIG_FILE, DiscoverySettings
from ..domain.skill import Finding, Skill, TreeEntry
from ..reading.frontmatter import MOST_BYTES, SkillFile, read_skill_file, too_large
from .faults import faults
from .identity import distinct, preferred_id
from .places import DEEPEST, Place, leaves_alone, links_to_skills, name_of, parent, places_passed_over, skill_places
from .tree_hash import tree_hash, within
from .tree_reader import TreeReader

_NOT_THE_ROOT_SKILL = (".github", ".skilldelta", CONFIG_FILE, ".gitignore", ".gitattributes")

ReadFiles = dict[tuple[str, str], SkillFile]
"""(blob id, path) → what the SKILL.md says: a file that two trees share is read once."""


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """The skills of one tree."""

    folders: tuple[Skill, ...]
    """One for each folder, with the id it would have alone, sorted by path."""
    findings: tuple[Finding, ...]
    """What was found beside them."""
    elsewhere: tuple[str, ...] = ()
    """Files called SKILL.md where skills are not looked for."""
    links: tuple[TreeEntry, ...] = ()
    """Every symlink and submodule of the tree."""

    @property
    def skills(self) -> tuple[Skill, ...]:
        """Each skill once, with unique ids; identical copies are named in `copies`."""
        return distinct(self.folders)


def discover(
    reader: TreeReader, commit: str, settings: DiscoverySettings, *, read: ReadFiles | None = None
) -> Discovery:
    """Return the skills of a commit; one that cannot be read is there too, with an error among its findings.

    `read` remembers SKILL.md files between calls. `headings` and `links` stay empty: see `body.analysed`.
    """
    read = {} if read is None else read
    landmarks = reader.landmarks(commit)
    places = skill_places(landmarks, settings)
    folders: tuple[Skill, ...] = ()
    if places:
        entries = _by_place(reader.tree(commit, [place.folder for place in places]), places)
        _read_files(reader, places, entries, read)
        folders = tuple(_skill(place, tuple(entries[place.folder]), read) for place in places)
    return Discovery(
        folders=folders,
        findings=links_to_skills(landmarks, places),
        elsewhere=places_passed_over(landmarks, places),
        links=tuple(entry for entry in landmarks if not entry.is_file),
    )


def _by_place(entries: Iterable[TreeEntry], places: Iterable[Place]) -> dict[str, list[TreeEntry]]:
    """Sort entries into the skills that hold them; a skill's `evals/` and what is git's or ours are left out."""
    found: dict[str, list[TreeEntry]] = {place.folder: [] for place in places}
    homes: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        stands_in = parent(entry.path)
        if stands_in not in homes:
            homes[stands_in] = _homes(stands_in, found)
        for folder in homes[stands_in]:
            first, *rest = within(entry.path, folder).split("/", 1)
            if (first == "evals" and rest) or (folder == "." and first in _NOT_THE_ROOT_SKILL):
                continue
            found[folder].append(entry)
    for place in places:
        if not found[place.folder]:  # git cannot be asked for a folder whose name is not UTF-8
            found[place.folder].append(place.skill_file)
    return found


def _homes(folder: str, skills: Container[str]) -> tuple[str, ...]:
    """Return the innermost of `skills` that `folder` is or is in, and those around it that it is a part of."""
    parts = folder.split("/", DEEPEST)[:DEEPEST]
    above = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
    found: list[str] = []
    for path in (*above, "."):
        if path not in skills or path in found:
            continue
        if found and leaves_alone(path, found[-1]):
            break
        found.append(path)
    return tuple(found)


def _read_files(
    reader: TreeReader, places: Iterable[Place], entries: dict[str, list[TreeEntry]], read: ReadFiles
) -> None:
    """Read, in one go, every SKILL.md that `read` does not hold yet."""
    files = [place.skill_file for place in places if place.skill_file.is_file and place.skill_file.utf8]
    wanted = [file for file in files if (file.oid, file.path) not in read]
    contents = reader.blobs([file.oid for file in wanted], limit=MOST_BYTES)
    for file in wanted:
        raw = contents[file.oid]
        if raw is None:
            size = next(entry.size for entry in entries[parent(file.path)] if entry.path == file.path)
            read[file.oid, file.path] = too_large(size, path=file.path)
        else:
            read[file.oid, file.path] = read_skill_file(raw, path=file.path)


def _skill(place: Place, entries: tuple[TreeEntry, ...], read: ReadFiles) -> Skill:
    file = read.get((place.skill_file.oid, place.skill_file.path))
    skill = Skill(
        skill_id="",
        path=place.folder,
        skill_file=place.skill_file.path,
        name=file.name if file else name_of(place.folder).lstrip(".") or "skill",
        description=file.description if file else "",
        body=file.body if file else "",
        body_line=file.body_line if file else 1,
        tree_hash=tree_hash(place.folder, entries),
        entries=entries,
        findings=(*faults(place, entries), *(file.findings if file else ())),
    )
    return skill.model_copy(update={"skill_id": preferred_id(skill)})
