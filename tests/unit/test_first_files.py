"""The first configuration and the first suite say what the models say, and can be read as they are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_text import golden
from skilldelta.cli.first_config import first_config
from skilldelta.cli.first_suite import PLACEHOLDER, first_suite
from skilldelta.domain.config import Config
from skilldelta.errors import BadConfig
from skilldelta.reading.config import model_at, read_config
from skilldelta.reading.suite import read_suite


def uncommented(text: str) -> str:
    """Take the "#" away from every setting, and leave the prose."""
    return "".join(re.sub(r"^#(?! \S)", "", line) for line in text.splitlines(keepends=True))


def test_the_first_configuration_is_all_defaults_as_it_stands() -> None:
    """Nothing in it changes anything until somebody takes a # away."""
    assert read_config(first_config().encode(), where="c") == Config()


def test_every_setting_stands_in_it_with_its_default() -> None:
    """Taking all # away writes out every field of every section, and still is the defaults."""
    text = uncommented(first_config())
    assert read_config(text.encode(), where="c") == Config()
    for section in Config.model_fields:
        assert re.search(rf"^{section}:", text, re.MULTILINE), section
        model = model_at((section,))
        for field in model.model_fields if model else ():
            assert re.search(rf"^  {field}:", text, re.MULTILINE), field


@pytest.mark.parametrize("section", [name for name in Config.model_fields if model_at((name,)) and name != "discovery"])
def test_one_setting_is_changed_by_two_characters(section: str) -> None:
    """Taking the # from a section and from one of its settings is enough to set it."""
    before, line, after = first_config().partition(f"#{section}:\n")
    setting = re.search(r"^#(  (?!include|exclude|sampling)\w+:.*)$", after, re.MULTILINE)
    assert setting is not None
    one = f"{before}{line[1:]}{after.replace(setting.group(), setting.group(1), 1)}"
    assert read_config(one.encode(), where="c") == Config()
    with pytest.raises(BadConfig, match=rf"{section}\.\w+ is a list"):
        read_config(one.replace(setting.group(1), setting.group(1).split(":")[0] + ": [1]").encode(), where="c")


def test_the_examples_in_the_prose_are_right() -> None:
    """The tables without entries are shown with one that can be read."""
    text = re.sub(r"^# For example: ", "", first_config(), flags=re.MULTILINE)
    config = read_config(text.encode(), where="c")
    assert config.prices["the-model"].output == 15
    assert config.for_skill("my-skill").design.rounds == 5


def test_the_texts_are_held() -> None:
    """What `skilldelta init` writes is read by people: it changes only on purpose."""
    golden("first_config.yml", re.sub(r"/v\d[^/]*/", "/v<version>/", first_config()))
    suite = first_suite(
        skill_id="pdf-report",
        name="pdf-report",
        description="Turns tables into a PDF report.\nUse it when somebody asks for a printable summary.",
        folder=".skilldelta/suites/pdf-report",
    )
    golden("first_suite.yaml", re.sub(r"/v\d[^/]*/", "/v<version>/", suite))


ODD = st.text(max_size=60) | st.sampled_from(
    ['"', "\\", "a: b", "# no", "{x}", "*a", "\u2028", "\x00", "名前", "\U000e0001"]
)


@given(
    name=ODD,
    description=ODD | st.text(min_size=590, max_size=700),
    skill_id=st.from_regex(r"[a-z]{1,9}", fullmatch=True),
)
def test_a_draft_can_be_read_whatever_the_skill_says_of_itself(name: str, description: str, skill_id: str) -> None:
    """No name or description breaks the file: it passes validation without a warning, and every task is marked."""
    text = first_suite(skill_id=skill_id, name=name, description=description, folder=f"suites/{name}")
    reading = read_suite(text.encode(), where="s")
    assert reading.warnings == ()
    assert reading.suite.skill_id == skill_id
    assert all(PLACEHOLDER in task.tags for task in reading.suite.tasks)
    assert name in reading.suite.tasks[0].prompt
