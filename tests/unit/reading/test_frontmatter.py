"""A SKILL.md in every shape it is met in: what is read, and what is said about it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilldelta.domain.skill import Severity
from skilldelta.reading.file_findings import FileFindings
from skilldelta.reading.frontmatter import SkillFile, read_skill_file
from skilldelta.reading.frontmatter_values import frontmatter_values

GOOD = b"---\nname: review\ndescription: Reviews code. Use when asked.\n---\n\n# Review\n"


def _read(raw: bytes, path: str = "skills/review/SKILL.md") -> SkillFile:
    return read_skill_file(raw, path=path)


def _errors(read: SkillFile) -> list[str]:
    return [finding.message for finding in read.findings if finding.severity is Severity.ERROR]


def _warnings(read: SkillFile) -> list[str]:
    return [finding.message for finding in read.findings if finding.severity is Severity.WARNING]


def _of(*lines: str, body: str = "Do it.\n") -> bytes:
    return ("\n".join(["---", *lines, "---", body])).encode()


def _others(*lines: str) -> dict[str, Any]:
    """Return what the keys but name and description hold."""
    values = frontmatter_values("\n".join(lines), 2, FileFindings("skills/review/SKILL.md"))
    return {key: value for key, (value, _) in values.items() if key not in ("name", "description")}


def test_a_skill_without_fault_is_read_without_a_word() -> None:
    """Name, description, body and the body's line come out; nothing is found."""
    read = _read(GOOD)
    assert (read.name, read.description) == ("review", "Reviews code. Use when asked.")
    assert (read.body, read.body_line) == ("\n# Review\n", 5)
    assert read.findings == ()


# --- the shapes that other loaders were tried with

WILD: list[tuple[str, bytes, str, str]] = [
    ("byte-order mark", b"\xef\xbb\xbf" + GOOD, "Reviews code. Use when asked.", ""),
    ("two byte-order marks", b"\xef\xbb\xbf" * 2 + GOOD, "Reviews code. Use when asked.", ""),
    ("CRLF", GOOD.replace(b"\n", b"\r\n"), "Reviews code. Use when asked.", ""),
    ("CR alone", GOOD.replace(b"\n", b"\r"), "Reviews code. Use when asked.", ""),
    ("blanks after the fences", GOOD.replace(b"---\n", b"--- \t\n"), "Reviews code. Use when asked.", ""),
    ("unquoted colon", _of("name: review", "description: Use when: x"), "Use when: x", "not valid YAML"),
    ("fence inside a value", _of("name: review", "description: a --- b"), "a --- b", ""),
    ("fence inside a block", _of("name: review", "description: |", "  a", "  ---", "  b"), "a\n---\nb", ""),
    ("folded block", _of("name: review", "description: >", "  a", "  b", "", "  c"), "a b\nc", ""),
    ("folded, chomped", _of("name: review", "description: >-", "  a", "  b"), "a b", ""),
    ("literal block", _of("name: review", "description: |", "  a", "    b"), "a\n  b", ""),
    ("plain over two lines", _of("name: review", "description: a", "  b"), "a b", ""),
    ("quoted over two lines", _of("name: review", 'description: "a', '  b: c"'), "a b: c", ""),
    ("extra keys", _of("name: review", "user-invocable: true", "license: MIT", "description: a"), "a", ""),
    ("version as number", _of("name: review", "version: 1.20", "description: a"), "a", ""),
    ("key twice", _of("name: review", "description: a", "description: b"), "b", "2 times, first on line 3; the last"),
    ("no name", _of("description: a"), "a", "there is no name; the folder's name 'review' is used"),
    ("empty name", _of("name:", "description: a"), "a", "there is no name"),
    ("another name", _of("name: other", "description: a"), "a", "is not the folder's name 'review'"),
    ("upper case", _of("name: Review", "description: a"), "a", "not made of lower-case"),
    ("long name", _of(f"name: {'a' * 65}", "description: a"), "a", "has 65 characters; the specification allows 64"),
    ("long description", _of("name: review", "description: " + "a" * 1025), "a" * 1025, "has 1,025 characters"),
    ("empty lines first", b"\n\n" + GOOD, "Reviews code. Use when asked.", "empty lines before"),
    ("tab after the colon", _of("name:\treview", "description:\ta"), "a", ""),
    ("tab before a line", _of("name: review", "description: |", "\ta", "\tb"), "a\nb", "not valid YAML"),
    ("tab before a plain line", _of("name: review", "description: a:", "\tb"), "a: b", "not valid YAML"),
    ("line not indented", _of("name: review", "description: a", "b and c"), "a b and c", "not valid YAML"),
    ("no blank after the colon", _of("name:review", "description:a"), "a", "no blank after the colon"),
    ("starts with a star", _of("name: review", "description: *bold* words"), "*bold* words", "not valid YAML"),
    ("starts with a bracket", _of("name: review", "description: [Beta] reviews"), "[Beta] reviews", "not valid YAML"),
    ("starts with a percent", _of("name: review", "description: %a"), "%a", "not valid YAML"),
    ("starts with a backtick", _of("name: review", "description: `a`"), "`a`", "not valid YAML"),
    ("quote not closed", _of("name: review", 'description: "a" or b'), '"a" or b', "not valid YAML"),
    ("folded block spoilt", _of("name: review", "description: >-", "  a", " b", "  c"), "a b c", "not valid YAML"),
    (
        "a nested value spoilt",
        _of("name: review", "description: a", "metadata:", "  x: y: z"),
        "a",
        "plain text: `metadata`",
    ),
    ("description as a number", _of("name: review", "description: 1.20"), "1.20", ""),
    ("description as a truth value", _of("name: review", "description: no"), "no", ""),
    ("description as a date", _of("name: review", "description: 2024-01-01"), "2024-01-01", ""),
    ("JSON for YAML", _of('{"name": "review", "description": "a"}'), "a", ""),
    ("comments", _of("# first", "name: review # it", "description: a # b"), "a", ""),
    ("document start in the middle", _of("name: review", "description: a", "--- x"), "a --- x", "not valid YAML"),
    ("list of tools not indented", _of("allowed-tools:", "- Read", "name: review", "description: a"), "a", ""),
    ("non-ASCII", _of("name: review", "description: Prüft 代码 🙂"), "Prüft 代码 🙂", ""),
    ("control characters", _of("name: review", "description: a\x07b"), "a\x07b", "not valid YAML"),
    ("empty body", b"---\nname: review\ndescription: a\n---", "a", "no text after its frontmatter"),
]


@pytest.mark.parametrize(("raw", "description", "warning"), [case[1:] for case in WILD], ids=[case[0] for case in WILD])
def test_a_wild_skill_is_read_and_its_fault_is_told(raw: bytes, description: str, warning: str) -> None:
    """The description is what a person reads in the file; there is no error, and the expected warning."""
    read = _read(raw)
    assert read.description == description
    assert _errors(read) == []
    assert len(_warnings(read)) <= 2
    assert warning in "\n".join(_warnings(read))
    assert bool(warning) == bool(_warnings(read))


UNREADABLE: list[tuple[str, bytes, str, int | None]] = [
    ("empty", b"", "the file is empty", None),
    ("blank", b" \n\t\n", "the file is empty", None),
    ("no frontmatter", b"# Review\n\nDo it.\n", "there is no frontmatter", 1),
    ("four dashes", GOOD.replace(b"---\nname", b"----\nname"), "there is no frontmatter", 1),
    ("fence indented", b" " + GOOD, "there is no frontmatter", 1),
    ("not closed", b"---\nname: review\ndescription: a\n\n# Review\n", "the frontmatter is not closed", 1),
    ("not closed at the end", b"---\nname: review\n ---\n", "the frontmatter is not closed", 1),
    ("one latin-1 byte", GOOD.replace(b"code", b"caf\xe9"), "line 3 holds the byte 0xe9", 3),
    ("NUL", GOOD.replace(b"code", b"co\0de"), "line 3 holds a NUL byte", 3),
    ("UTF-16", GOOD.decode().encode("utf-16"), "the file is UTF-16", None),
    ("too large", GOOD + b"x" * 1024 * 1024, "at most 1,048,576 are read", None),
    ("a list", _of("- name: review", "- description: a"), "the frontmatter is a list", 2),
    ("plain text", _of("Reviews code."), "the frontmatter is plain text", 2),
    ("nothing between the fences", _of(), "there is no description", 1),
    ("no description", _of("name: review"), "there is no description", 1),
    ("empty description", _of("name: review", "description:"), "there is no description", 3),
    ("blank description", _of("name: review", 'description: "  "'), "there is no description", 3),
    ("null description", _of("name: review", "description: null"), "there is no description", 3),
    ("list for description", _of("name: review", "description: [a, b]"), "there is no description", 3),
    ("no key in spoilt YAML", _of("{a: [}"), "not YAML", 2),
    ("Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer", None),
]


@pytest.mark.parametrize(("raw", "message", "line"), [case[1:] for case in UNREADABLE], ids=[c[0] for c in UNREADABLE])
def test_what_cannot_be_read_is_one_error_with_its_line(raw: bytes, message: str, line: int | None) -> None:
    """A skill without a description an agent could be told of is exactly one error, never an empty success."""
    read = _read(raw)
    assert len(_errors(read)) == 1
    assert message in _errors(read)[0]
    (error,) = (finding for finding in read.findings if finding.severity is Severity.ERROR)
    assert (error.path, error.line) == ("skills/review/SKILL.md", line)
    assert error.fix
    assert read.name == "review"


def test_numbers_are_kept_as_they_are_written() -> None:
    """`version: 1.20` is the text 1.20 at every depth, a truth value stays one, and lists stay lists."""
    lines = (
        "name: review",
        "description: a",
        "version: 1.20",
        "flag: true",
        "tools: [1.0, x]",
        "metadata:",
        "  v: 1e3",
    )
    assert _others(*lines) == {"version": "1.20", "flag": True, "tools": ["1.0", "x"], "metadata": {"v": "1e3"}}
    assert _read(_of("name: 1.20", "description: a"), "1.20/SKILL.md").name == "1.20"


@pytest.mark.parametrize("name", ["überprüfung", "代码审查", "проверка-кода", "a1-b2"])
def test_a_name_in_any_script_is_a_good_name(name: str) -> None:
    """Lower-case letters of any script, digits and single hyphens are what the specification allows."""
    assert _read(_of(f"name: {name}", "description: a"), f"skills/{name}/SKILL.md").findings == ()


@pytest.mark.parametrize("name", ["-a", "a-", "a--b", "a_b", "a b", "A", "Ü", "a.b", "a/b"])
def test_a_name_against_the_specification_is_a_warning(name: str) -> None:
    """Everything else is read, used and warned about."""
    read = _read(_of(f'name: "{name}"', "description: a"))
    assert read.name == name
    assert any("not made of lower-case" in message for message in _warnings(read))


def test_composed_and_decomposed_letters_are_the_same_name() -> None:
    """A folder written by a file system that splits accents still has its skill's name."""
    assert _read(_of("name: café", "description: a"), "skills/cafe\u0301/SKILL.md").findings == ()


def test_the_root_of_a_repository_has_no_folder_name_to_compare_with() -> None:
    """A skill that is the whole repository may have any name, and is called "skill" when it has none."""
    assert _read(GOOD, "SKILL.md").findings == ()
    assert _read(_of("description: a"), "SKILL.md").name == "skill"


def test_lines_of_findings_are_lines_of_the_file() -> None:
    """A fault deep in the frontmatter is named by the line an editor shows, also after empty lines."""
    read = _read(b"\r\n\r\n" + _of("name: review", "license: MIT", "description: Use when: x").replace(b"\n", b"\r\n"))
    assert [finding.line for finding in read.findings] == [1, 6]
    assert read.body_line == 8


def test_one_spoilt_key_leaves_the_others_to_yaml() -> None:
    """Only the key that is not YAML is read as text; the nested values of the others survive."""
    lines = ("name: review", "description: Use when: x", "metadata:", "  a: [1, 2]", "  b: >", "    c", "    d")
    assert _others(*lines) == {"metadata": {"a": ["1", "2"], "b": "c d"}}
    read = _read(_of(*lines))
    assert len(read.findings) == 1
    assert read.findings[0].fix
    assert "quotes" in read.findings[0].fix


def test_aliases_are_read_and_a_bomb_of_them_is_a_finding() -> None:
    """Anchors work as in YAML; ten levels of ten aliases cost no memory and are told."""
    assert _others("name: &n review", "description: a", "title: *n") == {"title": "review"}
    bomb = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))]
    start = time.process_time()
    read = _read(_of("name: review", "description: a", *bomb))
    assert time.process_time() - start < 1
    assert (read.name, read.description) == ("review", "a")
    assert any("not valid YAML" in message or "values" in message for message in _warnings(read))


@pytest.mark.parametrize(
    "front",
    [
        "a:\n" * 100_000 + "description: b: c",
        "[" * 200_000,
        "- " * 200_000,
        "description: " + "x: " * 100_000,
        "description: |\n" + "\tx\n" * 100_000,
        "description: >\n" + "\n" * 400_000 + "\t: :",
        "".join(f"key{number}: [\n" for number in range(50_000)),
        "'" * 300_000,
    ],
    ids=["keys", "brackets", "dashes", "colons", "tabs", "blank lines", "open brackets", "quotes"],
)
def test_a_hostile_frontmatter_costs_no_time(front: str) -> None:
    """Hundreds of thousands of keys, brackets or lines cost at most ten seconds of CPU and few words."""
    start = time.process_time()
    read = _read(_of(front))
    assert time.process_time() - start < 10
    assert 1 <= len(read.findings) < 20
    assert all(len(finding.message) < 1000 for finding in read.findings)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
@settings(max_examples=300, deadline=None)
def test_no_bytes_at_all_raise_and_no_description_vanishes_silently(raw: bytes) -> None:
    """Whatever the file holds, the answer is a value; an empty description comes with an error."""
    for content in (raw, b"---\n" + raw + b"\n---\nx", b"---\nname: a\ndescription: b\n" + raw + b"\n---\nx"):
        read = _read(content)
        assert read.description or _errors(read)
        assert read.name


def test_a_description_is_never_lost_to_a_neighbour() -> None:
    """Whatever single line stands beside it, a plain description is read or an error is given."""
    for line in ("x: y: z", "@", "\t", "- a", "x: [", '"', "'", "|", ">", "%", "? ", ": ", "x: |", "&a", "*a", "!t"):
        for lines in ((line, "description: good"), ("description: good", line)):
            read = _read(_of("name: review", *lines))
            assert read.description.startswith("good") or _errors(read), line
