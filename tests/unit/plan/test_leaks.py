"""A skill that quotes its own suite is told."""

from __future__ import annotations

import time
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


def test_all_that_is_quoted_of_one_task_is_said() -> None:
    """Several expected strings, and several rubrics, are several passages."""
    expected = {"type": "contains", "expected": ["alpha beta gamma", "delta epsilon zeta"]}
    rubrics = [{"type": "llm-rubric", "rubric": text} for text in (PROMPT, RUBRIC)]
    one = task("a", prompt="Go on.", judges=[expected, *rubrics])
    assert len(said(f"alpha beta gamma, delta epsilon zeta, {PROMPT} {RUBRIC}", one)) == 4
    (found,) = said("alpha beta gamma, delta epsilon zeta", one, before="delta epsilon zeta")
    assert "alpha" in found


def test_more_of_the_same_prompt_is_new() -> None:
    """A skill that quoted the beginning, and quotes all of it now, quotes the rest anew."""
    one = task("a", prompt=f"{PROMPT} {RUBRIC}")
    (found,) = said(f"{PROMPT} {RUBRIC}", one, before=PROMPT)
    assert "nothing is invented" in found
    assert said(PROMPT, one, before=f"{PROMPT} {RUBRIC}") == ()


@pytest.mark.parametrize(
    ("pattern", "quoted"),
    [
        ("BREAKING CHANGE: removed", True),
        (r"^BREAKING\ CHANGE: removed$", True),
        (r"(?i)\bbreaking change: removed\b", True),
        ("BREAKING CHANGE: (removed|gone)", False),
        (r"BREAKING\s+CHANGE", False),
        (r"\w+ CHANGE: removed", False),
        ("removed", False),
        ("", False),
    ],
)
def test_a_pattern_that_is_a_plain_string(pattern: str, quoted: bool) -> None:
    """It is an expected string by another name; one with choices in it is none."""
    one = task("a", prompt="Go on.", judges=[{"type": "regex", "pattern": pattern or "x"}])
    assert bool(said("Write BREAKING CHANGE: removed.", one)) == quoted


def test_a_pattern_that_must_not_be_there_is_no_answer() -> None:
    """A skill may well say what is never to be written."""
    judge = {"type": "regex", "pattern": "Certainly, here is the file", "absent": True}
    assert said("Never write: Certainly, here is the file", task("a", prompt="Go on.", judges=[judge])) == ()


@pytest.mark.parametrize(
    ("body", "prompt", "quoted"),
    [
        ("プルリクエストの説明を書く。", "このプルリクエストの説明を直してください。", False),
        (
            "例：次の変更について日本語で短いリリースノートを書いてください。",
            "次の変更について日本語で短いリリースノートを書いてください。",
            True,
        ),
        ("हर रिलीज़ नोट में पहले बदलाव लिखो", "इस रिलीज़ नोट में सुधार करो और फिर भेज दो", False),
    ],
)
def test_other_scripts(body: str, prompt: str, quoted: bool) -> None:
    """A term that both have is no quotation, a whole sentence is."""
    assert bool(said(body, task("a", prompt=prompt))) == quoted


def test_five_thousand_tasks_and_a_large_skill() -> None:
    """The largest suite beside half a megabyte that quotes all of it, and with strings that are nowhere."""
    judge = {"type": "contains", "expected": ["a string that is nowhere", "another string that is nowhere"]}
    tasks = [task(str(n), prompt=f"{PROMPT} And case number {n} as well.", judges=[judge]) for n in range(5_000)]
    body = "".join(f"{each.prompt}\n" for each in tasks)
    started = time.process_time()
    found = said(body, *tasks, before="")
    assert time.process_time() - started < 30
    assert found[-1] == "and 4980 more passages of the suite stand in the skill"
