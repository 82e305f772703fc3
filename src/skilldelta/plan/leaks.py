"""Where a skill quotes its own suite: then the suite tests a good memory, and not the skill."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..domain.skill import SkillBundle
from ..domain.suite import ContainsJudge, LlmRubricJudge, Suite, Task
from ..reading.quotes import Words

IN_A_ROW = 8
"""Words in a row of a prompt or a rubric that no skill has by chance."""
WHOLE_PROMPT = 5
"""A shorter prompt counts when the skill has all of it, and it has at least so many words."""
EXPECTED_WORDS, EXPECTED_LETTERS = 3, 12
"""Shorter expected strings are formats and names, which a skill may well state."""
_MOST_EXPECTED = 2_000
_MOST_SAID = 20
_SHOWN = 120


def leaks(bundle: SkillBundle, suite: Suite, *, before: SkillBundle | None) -> tuple[str, ...]:
    """Return a sentence for each passage of the suite that the skill quotes; with `before`, that it did not quote then.

    Looked at are prompts, rubrics, and expected strings that do not stand in their prompt.
    """
    found = dict(_quoted(bundle, suite))
    if before is not None:
        known = dict(_quoted(before, suite))
        found = {place: passage for place, passage in found.items() if place not in known}
    said = [f"the skill quotes {place} of its suite: “{_one_line(passage)}”" for place, passage in found.items()]
    more = (f"and {len(said) - _MOST_SAID} more passages of the suite stand in the skill",)
    return (*said[:_MOST_SAID], *(more if len(said) > _MOST_SAID else ()))


def _quoted(bundle: SkillBundle, suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield the place in the suite and the passage that stands in the skill."""
    text = "\n".join((bundle.description, bundle.body, *(file.text for file in bundle.files if file.text)))
    skill, plain = Words(text), " ".join(text.casefold().split())
    expected = islice(((task, string) for task in suite.tasks for string in _expected(task)), _MOST_EXPECTED)
    for task in suite.tasks:
        prompt = Words(task.prompt)
        least = IN_A_ROW if len(prompt) >= IN_A_ROW else max(len(prompt), WHOLE_PROMPT)
        if passage := prompt.passage_from(skill, least):
            yield f"the prompt of task {task.id}", passage
        for judge in task.judges:
            if isinstance(judge, LlmRubricJudge) and (passage := Words(judge.rubric).passage_from(skill, IN_A_ROW)):
                yield f"a rubric of task {task.id}", passage
    for task, string in expected:
        folded = " ".join(string.casefold().split())
        if folded in plain and folded not in " ".join(task.prompt.casefold().split()):
            yield f"an expected string of task {task.id}", string


def _expected(task: Task) -> Iterator[str]:
    for judge in task.judges:
        if isinstance(judge, ContainsJudge):
            for string in judge.expected:
                if len(string.split()) >= EXPECTED_WORDS or len(string.strip()) >= EXPECTED_LETTERS:
                    yield string


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
