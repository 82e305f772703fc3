"""A sham keeps a skill's shape and nothing of what it says."""

from __future__ import annotations

import doctest
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fakes import bundle
from skilldelta.diff import sham as module
from skilldelta.diff.sham import neutral, sham

TEXT = st.text(alphabet=st.sampled_from("abzXY09 _-./#*`|\n\r\t:éßЖя字あ\u0301\u202e🙂"), max_size=200)


def test_worked_examples() -> None:
    """The module's worked example gives what it says."""
    results = doctest.testmod(module)
    assert (results.attempted, results.failed) == (1, 0)


@given(TEXT)
def test_the_shape_stays(text: str) -> None:
    """Every character stays what it was: a letter a letter, a digit a digit, everything else itself."""
    changed = neutral(text)
    assert len(changed) == len(text)
    for old, new in zip(text, changed, strict=True):
        if old.isalnum():
            assert new.isalnum()
            assert old.isdigit() == new.isdigit()
            assert old.isupper() == new.isupper() or not old.isascii()
        else:
            assert old == new
    assert neutral(text) == changed


PIECES = (
    "1. ",
    "4) ",
    "10. ",
    "- ",
    "* ",
    "+ ",
    "> ",
    "# ",
    "===",
    "---",
    "```",
    "~~~",
    "    ",
    "\n",
    "\n\n",
    " ",
    "`",
)
WORDS = (
    "json",
    "Always",
    "x",
    "7",
    "2024",
    "1986.",
    "*em*",
    "_a_",
    "| a | b |",
    "|---|---|",
    "字",
    "é",
    "a.b",
    "\\",
    ":",
)


@given(st.lists(st.sampled_from(PIECES + WORDS), max_size=25).map("".join))
def test_a_reader_of_markdown_finds_the_same_blocks(text: str) -> None:
    """Lists, headings, tables, quotations, fences and emphasis begin and end where they did."""
    assert _blocks(neutral(text)) == _blocks(text)


def _blocks(text: str) -> list[tuple[str, str, object]]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    every = [one for token in tokens for one in (token, *(token.children or ()))]
    return [(token.type, token.tag, token.attrGet("start")) for token in every]


@pytest.mark.parametrize(
    "text", ["1. one\n2. two\n", "To do:\n1. one\r\n2. two", "- [x] done\r* [ ] not", "> 4)  y", "3."]
)
def test_the_marks_of_a_list_stay(text: str) -> None:
    """Its numbers belong to its shape: with another number a list is none, or begins where there was none."""
    letters = re.compile(r"[A-Za-wyz]+")
    assert letters.sub("w", neutral(text)) == letters.sub("w", text)


@pytest.mark.parametrize(("digits", "others"), [("12", "89"), ("١٢", "٨٩"), ("१२", "८९"), ("１２", "８９")])
def test_digits_become_other_digits_of_their_script(digits: str, others: str) -> None:
    """A number stays a number, wherever it is written."""
    assert neutral(digits) == others


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ABC.\n", max_size=300))
def test_no_word_stays(text: str) -> None:
    """Not one word of a text stands in its place afterwards."""
    changed = neutral(text)
    for found in re.finditer(r"[A-Za-z]+", text):
        assert changed[found.start() : found.end()].lower() != found[0].lower()


@pytest.mark.parametrize("word", [*sum((bank for bank in map(tuple, module._LATIN.values())), ()), "tablespoon"])
@pytest.mark.parametrize("tail", ["", "s", "less", "LESS"])
def test_no_long_part_of_a_word_stays(word: str, tail: str) -> None:
    """A word that begins as a neutral one does becomes another one, wherever it stands."""
    for before in range(5):
        new = neutral("x " * before + word + tail)[2 * before :].lower()
        assert sum(map(str.__eq__, new, (word + tail).lower())) <= max(len(new) // 2, 0)


def test_words_that_are_neutral_themselves_do_not_stay() -> None:
    """In a skill about weather and furniture each word becomes another one."""
    text = "The stone by the window: evening weather, afternoon sunlight, driftwood."
    for old, new in zip(text.lower().split(), neutral(text).lower().split(), strict=True):
        assert old != new


@pytest.mark.parametrize(
    "word", ["天地山水", "そらやま", "ソラヤマ", "하늘나무", "вода", "ΝΕΡΌ", "سماء", "שמים", "リーダー", "人々", "ﾘｰﾀﾞ"]
)
def test_other_scripts_stay_in_their_script(word: str) -> None:
    """A text in another script becomes one in the same script, letter for letter another."""
    changed = neutral(word)
    assert len(changed) == len(word)
    assert all(old != new for old, new in zip(word, changed, strict=True))
    assert not changed.isascii()


@pytest.mark.parametrize("script", sorted(module._LETTERS))
def test_no_letter_stands_for_itself(script: str) -> None:
    """Not even one that says nothing itself, wherever it stands."""
    text = module._LETTERS[script] * 40
    assert not any(map(str.__eq__, text, neutral(text)))


def test_the_parts_of_a_sham() -> None:
    """Name and description stay, body and files lose their content, paths of files can still be read."""
    body = "# Rules\n\n- ALWAYS answer in JSON, see `references/api.md` and ./scripts/run.py.\n"
    real = bundle(
        body=body,
        files={"references/api.md": "Use POST, never GET.\n", "scripts/run.py": "import os\n", "logo.png": None},
    )
    made = sham(real)
    assert (made.name, made.description) == (real.name, real.description)
    assert "references/api.md" in made.body
    assert "./scripts/run.py" in made.body
    for word in ("Rules", "ALWAYS", "answer", "JSON", "never", "import"):
        assert word not in made.body + "".join(file.text or "" for file in made.files)
    assert [file.path for file in made.files] == [file.path for file in real.files]
    assert [len(file.text or "") for file in made.files] == [len(file.text or "") for file in real.files]
    assert made.files[2] == real.files[2]
    assert made.tree_hash != real.tree_hash
    assert sham(real) == made


FILES = {"references/a b.md": "", "references/c.md": "", "scripts/run.py": "", "LICENSE": "", "json": "", ".env": ""}


@pytest.mark.parametrize(
    "written",
    [
        "(references/a%20b.md)", "[r]: references/a%20b.md#part", "](<references/a b.md>)", "`references/a b.md`",
        '](references/a%20b.md "T")', "{baseDir}/scripts/run.py", "~/.claude/skills/demo/scripts/run.py", "./.env",
        "../scripts/run.py.", "](json)", "](LICENSE)", "`.env`", "python scripts/run.py --x", "scripts/run.py:12",
    ],
)  # fmt: skip
def test_paths_of_its_files_stay_however_they_are_written(written: str) -> None:
    """With spaces or escapes, below a folder or a variable, with a fragment: a reader still finds the file."""
    (path,) = (path for path in (*FILES, "references/a%20b.md") if path in written)
    assert path in neutral(written, keep=FILES)


@pytest.mark.parametrize(
    "text", ["Answer in json.", "a `json` block", "yaml/json", "notreferences/c.md", "x.env", "(json)"]
)
def test_a_file_that_is_called_like_a_word_keeps_no_word(text: str) -> None:
    """Otherwise a file called `json` would let an instruction stay."""
    assert not any(path in neutral(text, keep=FILES) for path in FILES)


def test_paths_in_a_file_may_be_written_from_its_folder() -> None:
    """As links between references are."""
    real = bundle(
        body="x", files={"references/a.md": "[b](b.md), ../scripts/run.py; b.md", **FILES, "references/b.md": ""}
    )
    assert re.sub(r"\[.\]", "[]", sham(real).files[0].text or "") == "[](b.md), ../scripts/run.py; b.md"


@pytest.mark.parametrize(
    "part", ["/a", "`", "](", "(<", "1. ", "- ", " ", "a.", "a", "%20", "[x](y z ", "> ", "字", "\r", "\u202eא",
             "\U0001f469\u200d", "[ ] ", "* [x]", "../", "e\u0301", "\ufeff", "<a><b>"]
)  # fmt: skip
def test_a_long_line_of_anything_takes_linear_time(part: str) -> None:
    """Whatever it repeats, and with no line end in it."""
    text = part * (100_000 // len(part)) + "x"
    started = time.process_time()
    assert len(neutral(text, keep=FILES, folder="references")) == len(text)
    assert time.process_time() - started < 5


def test_a_megabyte_takes_no_time() -> None:
    """A huge body, with as many files as there may be, is done in linear time."""
    real = bundle(body="word references/a1.md " * 50_000, files={f"references/a{n}.md": "x" for n in range(2_000)})
    started = time.process_time()
    made = sham(real)
    assert time.process_time() - started < 10
    assert made.body.count("references/a1.md") == 50_000
