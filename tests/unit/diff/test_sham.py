"""A sham keeps a skill's shape and nothing of what it says."""

from __future__ import annotations

import doctest
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ABC.\n", max_size=300))
def test_no_word_stays(text: str) -> None:
    """Not one word of a text stands in its place afterwards."""
    changed = neutral(text)
    for found in re.finditer(r"[A-Za-z]+", text):
        assert changed[found.start() : found.end()].lower() != found[0].lower()


def test_words_that_are_neutral_themselves_do_not_stay() -> None:
    """A skill about weather and furniture becomes another one."""
    text = "The table by the window: evening weather, afternoon sunlight, driftwood."
    assert not set(re.findall(r"\w{4,}", text.lower())) & set(re.findall(r"\w{4,}", neutral(text).lower()))


@pytest.mark.parametrize("word", ["天地山水", "そらやま", "ソラヤマ", "하늘나무", "вода", "ΝΕΡΌ", "سماء", "שמים"])
def test_other_scripts_stay_in_their_script(word: str) -> None:
    """A text in another script becomes one in the same script, letter for letter another."""
    changed = neutral(word)
    assert len(changed) == len(word)
    assert all(old != new for old, new in zip(word, changed, strict=True))
    assert not changed.isascii()


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


def test_a_megabyte_takes_no_time() -> None:
    """A huge body, with as many files as there may be, is done in linear time."""
    real = bundle(body="word references/a1.md " * 50_000, files={f"references/a{n}.md": "x" for n in range(2_000)})
    started = time.process_time()
    made = sham(real)
    assert time.process_time() - started < 10
    assert made.body.count("references/a1.md") == 50_000
