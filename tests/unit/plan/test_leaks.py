"""A skill that quotes its own suite is told."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import bundle, task
from skilldelta.domain.suite import Suite
from skilldelta.plan.leaks import leaks

PROMPT = "Write release notes for version two: the option --fast is gone; a typo was corrected."
RUBRIC = "The removed option is named before anything else and nothing is invented."


def suite(*tasks: Any) -> Suite:
    """A suite of the given tasks."""
    return Suite.model_validate({"skill_id": "demo", "version": "1.0", "tasks": tasks})


def said(body: str, *tasks: Any, before: str | None = None, **files: str) -> tuple[str, ...]:
    """What is said of a skill with this body."""
    old = None if before is None else bundle(body=before)
    return leaks(bundle(body=body, files=files), suite(*tasks), before=old)


def test_prompts_rubrics_and_expected_strings() -> None:
    """Each is named with its task and the passage, in the body and in files alike."""
    expected = {"type": "contains", "expected": ["BREAKING: --fast was removed", "yes"]}
    one = task("a", prompt=PROMPT, judges=[{"type": "llm-rubric", "rubric": RUBRIC}, expected])
    found = said(f"Example: {PROMPT} Good: BREAKING: --fast  was removed", one, **{"references/x.md": RUBRIC.upper()})
    assert [line.split(": “")[0] for line in found] == [
        "the skill quotes the prompt of task a of its suite",
        "the skill quotes a rubric of task a of its suite",
        "the skill quotes an expected string of task a of its suite",
    ]
    assert "--fast is gone" in found[0]


@pytest.mark.parametrize(
    "body",
    [
        "Write release notes: what broke, then what is new.",
        "Say yes.",
        "The option is named first; write for version two of anything.",
        "",
    ],
)
def test_what_a_skill_may_say(body: str) -> None:
    """Words of the same subject, and short formats that a judge asks for, are no leak."""
    assert said(body, task("a", prompt=PROMPT, judges=[{"type": "contains", "expected": ["yes"]}])) == ()


def test_a_short_prompt_counts_when_all_of_it_is_there() -> None:
    """Five words or more; of four or fewer nothing is said."""
    assert len(said("As in: What is seven times six?", task("a", prompt="What is seven times six?"))) == 1
    assert said("What is seven times?", task("a", prompt="What is seven times six?")) == ()
    assert said("Say hello to me.", task("a", prompt="Say hello to me.")) == ()


def test_an_expected_string_that_the_prompt_says_is_no_leak() -> None:
    """The model has it from the prompt."""
    one = task(
        "a",
        prompt="Repeat: correct horse battery staple",
        judges=[{"type": "contains", "expected": ["correct horse battery"]}],
    )
    assert said("Never say correct horse battery.", one) == ()


def test_only_what_the_change_brings() -> None:
    """Beside a baseline only new quotations are said."""
    tasks = [task("a", prompt=PROMPT), task("b", prompt=RUBRIC)]
    assert len(said(f"{PROMPT} {RUBRIC}", *tasks)) == 2
    (found,) = said(f"{PROMPT} {RUBRIC}", *tasks, before=PROMPT)
    assert "task b" in found
    assert said(PROMPT, *tasks, before=PROMPT) == ()


def test_many_quotations_are_counted() -> None:
    """A skill that holds the whole suite gets twenty lines and a number."""
    tasks = [task(str(n), prompt=f"{PROMPT} And case number {n} as well.") for n in range(30)]
    found = said(PROMPT, *tasks)
    assert len(found) == 21
    assert found[-1] == "and 10 more passages of the suite stand in the skill"
