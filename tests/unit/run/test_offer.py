"""A skill is offered to one arm and not to the other, and in nothing else do they differ."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import bundle, skill_plan, task
from skilldelta.domain.messages import MessagesRequest
from skilldelta.domain.skill import SkillBundle
from skilldelta.run import offer
from skilldelta.run.messages_runner import first_request
from skilldelta.run.offer import LOAD, READ, answer_tool, inline, listed, skill_text

FILES = {"reference/a.md": "The text of a.", "logo.png": None}


def asked(offered: str, given: SkillBundle | None, key: str = "k", **runner: Any) -> MessagesRequest:
    """Return the request that starts a trial."""
    return first_request(skill_plan(runner={"offer": offered, **runner}), task(), key, given)


@pytest.mark.parametrize("offered", ["listed", "inline"])
def test_arms_differ_in_the_skill_alone(offered: str) -> None:
    """With the one word that differs between the skills replaced, both arms' requests are byte for byte the same."""
    old = asked(offered, bundle("old"), "key of old").model_dump_json()
    new = asked(offered, bundle("new"), "key of new").model_dump_json()
    assert old != new
    assert old.replace("old", "new") == new


@pytest.mark.parametrize("offered", ["listed", "inline"])
@pytest.mark.parametrize("arm", ["candidate", "baseline", "control"])
def test_no_request_names_an_arm(offered: str, arm: str) -> None:
    """Nothing in a request says which arm it is, or that anything is measured."""
    text = asked(offered, bundle()).model_dump_json()
    assert not [word for word in (arm, "eval", "compar", "suite", "judge", "skilldelta") if word in text.lower()]


@pytest.mark.parametrize("offered", ["listed", "inline"])
def test_control_is_given_nothing_of_the_skill(offered: str) -> None:
    """The control arm has the system prompt and the task: no tool, no name, no word about skills."""
    with_skill, control = asked(offered, bundle("new")), asked(offered, None)
    assert (control.system, control.tools) == (("You are a helpful assistant.",), ())
    assert control.messages == with_skill.messages
    assert not [word for word in ("skill", "demo", "new way") if word in control.model_dump_json()]
    same = {"system": (), "tools": ()}
    assert with_skill.model_copy(update=same) == control.model_copy(update=same)


@pytest.mark.parametrize("system", ["", "   \n"])
def test_an_empty_system_prompt_is_left_out(system: str) -> None:
    """A text block without text is refused by the API, so none is sent."""
    assert inline(system, None) == ()
    assert listed(system, None) == ((), ())
    assert len(inline(system, bundle())) == len(listed(system, bundle())[0]) == 1


def test_listed_shows_name_and_description_only() -> None:
    """The body and the files are behind the tools; a description of several lines stands on one."""
    system, tools = listed("Be kind.", bundle("new", files=FILES, description="Does {things}\n\n  the new way."))
    assert system[0] == "Be kind."
    assert system[1].endswith("Available skills:\n- demo: Does {things} the new way.")
    assert [tool["name"] for tool in tools] == [LOAD, READ]
    assert not [word for word in ("# How", "reference/a.md") if word in f"{system}{tools}"]


def test_inline_shows_the_whole_body() -> None:
    """The whole SKILL.md stands in the system prompt, and there are no tools."""
    system = inline("Be kind.", bundle("new"))
    assert system[0] == "Be kind."
    assert system[1].strip() == skill_text(bundle("new")).strip()
    assert "---\nname: demo\ndescription: Does things the new way.\n---\n\n# How\n\nDo it the new way." in system[1]


@pytest.mark.parametrize(
    ("name", "arguments", "says", "found", "argument"),
    [
        (LOAD, {"name": "demo"}, "Do it the new way.", True, "demo"),
        (LOAD, {"name": " demo "}, "- reference/a.md\n- logo.png", True, " demo "),
        (LOAD, {"name": "other"}, "There is no skill 'other'. The skill is called 'demo'.", False, "other"),
        (LOAD, {}, "There is no skill ''.", False, ""),
        (LOAD, None, "There is no skill ''.", False, ""),
        (LOAD, ["demo"], "There is no skill ''.", False, ""),
        (LOAD, {"name": 5}, "There is no skill '5'.", False, "5"),
        (READ, {"name": "demo", "path": "reference/a.md"}, "The text of a.", True, "demo: reference/a.md"),
        (READ, {"name": "demo", "path": "./reference/a.md"}, "The text of a.", True, "demo: ./reference/a.md"),
        (READ, {"name": "demo", "path": "logo.png"}, "is not a text file", False, "demo: logo.png"),
        (READ, {"name": "demo", "path": "../../etc/passwd"}, "has no file '../../etc/passwd'", False, None),
        (READ, {"name": "demo", "path": "/etc/passwd"}, "has no file", False, None),
        (READ, {"name": "demo"}, "has no file ''", False, "demo: "),
        (READ, {"name": "other", "path": "reference/a.md"}, "There is no skill 'other'", False, "other"),
        ("bash", {"command": "ls"}, "There is no tool 'bash'.", False, ""),
        ("", {}, "There is no tool ''.", False, ""),
    ],
)
def test_what_the_tools_say(name: str, arguments: object, says: str, found: bool, argument: str | None) -> None:
    """A tool gives what belongs to the skill, and says in words what there is not; it reaches no other file."""
    text, was_found, recorded = answer_tool(bundle("new", files=FILES), name, arguments)
    assert says in text
    assert was_found is found
    if argument is not None:
        assert recorded == argument


def test_what_is_recorded_of_a_tool_is_short() -> None:
    """However long an argument is, the record of it is not."""
    for arguments in ({"name": "x" * 9999}, {"name": "demo", "path": "y" * 9999}):
        text, _, argument = answer_tool(bundle(), READ, arguments)
        assert len(argument) <= 200
        assert len(text) < 400


def test_without_a_skill_there_is_no_tool() -> None:
    """An arm that was offered nothing cannot load anything."""
    assert answer_tool(None, LOAD, {"name": "demo"}) == (f"There is no tool {LOAD!r}.", False, "demo")


def test_the_tools_are_the_same_for_every_skill() -> None:
    """A tool's definition holds nothing of a skill, so that the arms offer the same bytes."""
    assert listed("", bundle("new", files=FILES))[1] == listed("", bundle("old", name="other"))[1]
    assert "demo" not in str(offer.listed("", bundle())[1])
