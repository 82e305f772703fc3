"""A SKILL.md's bytes → name, description and body; every fault met on the way is a finding on that file."""

from __future__ import annotations

import posixpath
import re
import unicodedata

from ..domain.skill import Finding
from ..domain.value import Value
from .file_findings import FileFindings
from .frontmatter_values import Values, frontmatter_values
from .yaml_document import BadYaml
from .yaml_text import decode

MOST_BYTES = 1024 * 1024
"""A SKILL.md beyond this is not read."""

_FENCE = re.compile(r"---[ \t]*")
_LFS = b"version https://git-lfs.github.com/spec/"
_LIMITS = {"name": 64, "description": 1024, "compatibility": 500}
"""Characters, after the Agent Skills specification."""


class SkillFile(Value):
    """What a SKILL.md says; a fault that makes the skill unreadable is a finding of severity error."""

    name: str
    """The frontmatter's name; without one the folder's, or "skill" at the repository's root."""
    description: str
    """Empty only together with an error."""
    body: str
    """Everything after the frontmatter, with its line ends made `\\n`."""
    body_line: int
    """Line of the file on which `body` starts."""
    findings: tuple[Finding, ...]


def read_skill_file(raw: bytes, *, path: str) -> SkillFile:
    """Return what the SKILL.md at `path` (from the repository's root) says, however it is written.

    Never raises: what cannot be read is a finding, and the name falls back to the folder's.
    """
    findings = FileFindings(path)
    text = _text(raw, findings)
    if text is None:
        return _file({}, "", 1, findings)
    lines = text.split("\n")
    start, end = _fences(lines, findings)
    if end is None:
        return _file({}, text, 1, findings)
    values = frontmatter_values("\n".join(lines[start + 1 : end]), start + 2, findings)
    body = "\n".join(lines[end + 1 :])
    if not body.strip():
        findings.warning("the skill has no text after its frontmatter", "write what the agent should do", end + 1)
    return _file(values, body, end + 2, findings)


def too_large(size: int, *, path: str) -> SkillFile:
    """Return what stands for a SKILL.md of `size` bytes, which nobody should read: one error."""
    findings = FileFindings(path)
    _too_large(size, findings)
    return _file({}, "", 1, findings)


def _too_large(size: int, findings: FileFindings) -> None:
    findings.error(
        f"the file has {size:,} bytes; at most {MOST_BYTES:,} are read",
        "keep the SKILL.md under 500 lines and move the rest into files beside it",
    )


def _text(raw: bytes, findings: FileFindings) -> str | None:
    """Return the file as text with `\\n` line ends, or None after saying why it has none."""
    if len(raw) > MOST_BYTES:
        _too_large(len(raw), findings)
    elif not raw.strip():
        findings.error("the file is empty", "start it with `---`, name and description")
    elif raw.startswith(_LFS):
        findings.error(
            "the file is a Git LFS pointer: its text is not in the repository", "take SKILL.md out of Git LFS"
        )
    elif raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        findings.error("the file is UTF-16", "save the file as UTF-8")
    elif b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        findings.error(f"line {line} holds a NUL byte: this is not a text file", "save the file as UTF-8", line)
    else:
        try:
            text = decode(raw, where=findings.path).lstrip("\ufeff")
        except BadYaml as error:
            findings.error(error.what, error.fix or "save the file as UTF-8", error.line)
        else:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    return None


def _fences(lines: list[str], findings: FileFindings) -> tuple[int, int | None]:
    """Return the indices of the two lines that enclose the frontmatter; the second is None when there is none."""
    start = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if not _FENCE.fullmatch(lines[start]):
        findings.error(
            "there is no frontmatter: an agent is never told what this skill is for",
            "start the file with `---`, name, description and `---`",
            start + 1,
        )
        return start, None
    if start > 0:
        findings.warning("there are empty lines before the frontmatter", "start the file with `---`", 1)
    end = next((index for index in range(start + 1, len(lines)) if _FENCE.fullmatch(lines[index])), None)
    if end is None:
        findings.error("the frontmatter is not closed", "end it with a line that is exactly `---`", start + 1)
    return start, end


def _file(values: Values, body: str, body_line: int, findings: FileFindings) -> SkillFile:
    """Judge name and description by the specification, and put the file together."""
    unread = findings.unreadable
    name = _plain("name", values, findings)
    description = _plain("description", values, findings)
    folder = posixpath.basename(posixpath.dirname(findings.path))
    if not unread:
        _check_name(name, folder, values.get("name", ("", 1))[1], findings)
        _check_lengths(name, description, values, findings)
    return SkillFile(
        name=name or folder or "skill",
        description=description,
        body=body,
        body_line=body_line,
        findings=findings.all(),
    )


def _plain(key: str, values: Values, findings: FileFindings) -> str:
    """Return a value that has to be text, without the blanks around it; "" when there is none."""
    value, line = values.get(key, (None, 1))
    if isinstance(value, list | dict):
        kind = "a list" if isinstance(value, list) else "a mapping"
        findings.warning(f"`{key}` is {kind}, not text", f"write `{key}: …` on one line", line)
        return ""
    return value.strip() if isinstance(value, str) else ""


def _check_name(name: str, folder: str, line: int, findings: FileFindings) -> None:
    name = unicodedata.normalize("NFKC", name)
    folder = unicodedata.normalize("NFKC", folder)
    if not name:
        instead = f"the folder's name {folder!r} is used" if folder else "'skill' is used"
        findings.warning(f"there is no name; {instead}", f"add `name: {folder or 'my-skill'}`", line)
        return
    if not all(part.isalnum() for part in name.split("-")) or name != name.lower():
        findings.warning(
            f"the name {name[:80]!r} is not made of lower-case letters, digits and single hyphens",
            "write it like `pdf-forms`",
            line,
        )
    if folder and name != folder:
        findings.warning(f"the name {name[:80]!r} is not the folder's name {folder[:80]!r}", "make them the same", line)


def _check_lengths(name: str, description: str, values: Values, findings: FileFindings) -> None:
    if not description:
        line = values["description"][1] if "description" in values else 1
        findings.error(
            "there is no description: an agent is never told what this skill is for",
            "add `description: …` that says what the skill does and when to use it",
            line,
        )
    compatibility, _ = values.get("compatibility", ("", 1))
    written = {"name": name, "description": description, "compatibility": str(compatibility)}
    for key, limit in _LIMITS.items():
        if len(written[key]) > limit:
            message = f"the {key} has {len(written[key]):,} characters; the specification allows {limit:,}"
            findings.warning(message, "shorten it", values[key][1])
