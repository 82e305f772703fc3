"""A skill without one of its parts."""

from __future__ import annotations

import pytest

from fakes import bundle
from skilldelta.diff.ablation import parts, without
from skilldelta.errors import BadUsage

BODY = """Intro.

# One

First.

## Deep

Nested.

```md
# Not a heading
```

Two
===

Second.

## Deep

> # Quoted

Again.
"""
SKILL = bundle(body=BODY, files={"references/api.md": "api", "scripts/run.py": "run"})


def test_the_parts_of_a_skill() -> None:
    """Headings outside fences and quotations, those that come again with a number, then the files."""
    assert parts(SKILL) == ("#One", "#Deep:1", "#Two", "#Deep:2", "references/api.md", "scripts/run.py")


def test_a_section_goes_with_what_is_below_it() -> None:
    """From its heading to the next one of the same or a higher level; the rest stays letter for letter."""
    left = without(SKILL, "#One").body
    assert left == "Intro.\n\n" + BODY[BODY.index("Two\n===") :]
    assert without(SKILL, "# One").body == without(SKILL, "## One").body == left
    assert without(SKILL, "#Deep:1").body == BODY[: BODY.index("## Deep")] + BODY[BODY.index("Two\n===") :]
    assert without(SKILL, "#Deep:2").body == BODY[: BODY.rindex("## Deep")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_counted_as_the_parser_counts_them(end: str) -> None:
    """Other characters that some tools take for line ends do not shift the cut."""
    body = "a\x0b\x0cb\u2028c\n\n# One\n\nx\u2029y\n\n# Two\n\nz\n".replace("\n", end)
    assert without(bundle(body=body), "#One").body == "a\x0b\x0cb\u2028c\n\n# Two\n\nz\n".replace("\n", end)


@pytest.mark.parametrize("path", ["references/api.md", "./references/api.md"])
def test_a_file_goes_and_the_body_stays(path: str) -> None:
    """What refers to the file is left as it is."""
    left = without(SKILL, path)
    assert [file.path for file in left.files] == ["scripts/run.py"]
    assert left.body == BODY


def test_another_skill_has_another_hash() -> None:
    """Every part that is left out makes a skill of its own."""
    hashes = {SKILL.tree_hash, *(without(SKILL, part).tree_hash for part in parts(SKILL))}
    assert len(hashes) == 1 + len(parts(SKILL))


def test_all_of_the_body_may_go() -> None:
    """An agent that is offered a skill with nothing in it is a fair comparison."""
    assert without(bundle(body="# All\n\nof it\n"), "#All").body == ""


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("#Deep", "say which: #Deep:1, #Deep:2"),
        ("#Ome", "did you mean '#One'?"),
        ("references/apy.md", "did you mean 'references/api.md'?"),
        ("#zzzzzzzz", "there are 6 parts: #One, #Deep:1"),
        ("", "there are 6 parts"),
    ],
)
def test_an_unknown_part_names_what_there_is(part: str, said: str) -> None:
    """A part that is not there, or is there twice, is an error with what to write instead."""
    with pytest.raises(BadUsage) as caught:
        without(SKILL, part)
    assert said in (caught.value.fix or "")


@pytest.mark.parametrize("body", ["", "text only\n", "[" * 6_000 + "\n# One\n"])
def test_a_body_without_sections(body: str) -> None:
    """Nothing to leave out, or too much to take apart: that is what is said."""
    with pytest.raises(BadUsage) as caught:
        without(bundle(body=body), "#One")
    assert caught.value.fix == "the skill has neither sections nor files"
