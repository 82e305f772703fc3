"""A skill without one of its parts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize("body", ["", "text only\n", "```\n# One\n"])
def test_a_body_without_sections(body: str) -> None:
    """There is nothing to leave out: that is what is said."""
    with pytest.raises(BadUsage) as caught:
        without(bundle(body=body), "#One")
    assert caught.value.fix == "the skill has neither sections nor files"


@pytest.mark.parametrize("body", ["x\n" * 30_000, "[" * 6_000, "x" * 1_000_000])
@pytest.mark.parametrize("files", [{}, {"a.md": "x"}])
def test_a_body_that_is_too_long_is_said_to_be(body: str, files: dict[str, str | None]) -> None:
    """It has sections, but none that can be named; its files can be left out all the same."""
    skill = bundle(body=f"# One\n{body}", files=files)
    assert parts(skill) == tuple(files)
    with pytest.raises(BadUsage) as caught:
        without(skill, "#One")
    assert "too long to be taken apart" in (caught.value.fix or "")


PIECES = (
    "# ",
    "## ",
    "#",
    "Deep",
    "Deep:1",
    "Deep:2",
    "a",
    " ",
    ":1",
    "\n",
    "\n\n",
    "\r\n",
    "===",
    "---",
    "```",
    "> ",
    "- ",
    "字",
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sets(st.sampled_from(["#Deep", "a", "#", "x/#a"]))
)
def test_every_part_that_is_listed_can_be_left_out(body: str, files: set[str]) -> None:
    """Each name is one part, and without it another skill is left: a shorter body, or a file less."""
    skill = bundle(body=body, files=dict.fromkeys(files, "x"))
    names = parts(skill)
    left = [without(skill, name) for name in names]
    assert len(set(names)) == len(names)
    assert len({one.tree_hash for one in left}) == len(names)
    for one in left:
        assert len(one.body) + len(one.files) < len(body) + len(files)
        assert one.body == body or one.files == skill.files


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("# #foo\n", "##foo"),
        ("# C#\n", "#C#"),
        ("#\n", "#"),
        ("two\nlines\n===\n", "#two lines"),
        ("# a   b ##\n", "#a b"),
        ("# Time: 10\n", "#Time: 10"),
    ],
)
def test_headings_of_every_kind_have_a_name(body: str, name: str) -> None:
    """Signs are part of it, line ends and runs of spaces are one space."""
    assert parts(bundle(body=body)) == (name,)
    assert without(bundle(body=body), name).body == ""


def test_names_that_a_number_would_make_alike_are_told_apart() -> None:
    """A heading that is written like a numbered one never goes in its place."""
    skill = bundle(body="# Deep\n\na\n\n# Deep\n\nb\n\n# Deep:2\n\nc\n")
    assert parts(skill) == ("#Deep:1", "#Deep:2:1", "#Deep:2:2")
    assert without(skill, "#Deep:2:2").body == "# Deep\n\na\n\n# Deep\n\nb\n\n"
    with pytest.raises(BadUsage, match="more than one part"):
        without(skill, "#Deep")


def test_a_heading_with_a_colon_is_no_number() -> None:
    """`#Time` is near `#Time: 10`, and not one of several."""
    with pytest.raises(BadUsage) as caught:
        without(bundle(body="# Time: 10\n"), "#Time")
    assert "is no part" in caught.value.what
    assert "#Time: 10" in (caught.value.fix or "")


def test_a_file_that_is_called_like_a_section() -> None:
    """The section has the plain name, and the file another."""
    skill = bundle(body="# One\nx", files={"#One": "a"})
    assert parts(skill) == ("#One", "./#One")
    assert without(skill, "#One").body == ""
    assert without(skill, "./#One").files == ()


@pytest.mark.parametrize(
    "body", ["# " + "y" * 100_000, "".join(f"# {'ab' * 45}{n}\n" for n in range(1_300)), "# a\n" * 15_000]
)
def test_an_error_is_short_and_soon_there(body: str) -> None:
    """However long or many the headings are."""
    started = time.process_time()
    with pytest.raises(BadUsage) as caught:
        without(bundle(body=body), "#" + "ba" * 45)
    assert len(str(caught.value)) < 1_500
    assert time.process_time() - started < 5
