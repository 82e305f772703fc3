"""Where a skill quotes its own suite: then the suite tests a good memory, and not the skill."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ..domain.skill import SkillBundle
from ..domain.suite import ContainsJudge, LlmRubricJudge, RegexJudge, Suite, Task
from ..reading.quotes import Words

IN_A_ROW = 8
"""Words in a row of a prompt or a rubric that no skill has by chance."""
WHOLE_PROMPT = 5
"""A shorter prompt counts when the skill has all of it, and it has at least so many words."""
EXPECTED_WORDS, EXPECTED_LETTERS = 3, 12
"""Shorter expected strings are formats and names, which a skill may well state."""
_MOST_READ = 2_000_000_000
"""Letters of the skill that are gone through for expected strings, all of them together."""
_MOST_SAID = 20
_SHOWN = 120
_LITERAL = re.compile(r"(?:[^\\^$*+?{}\[\]|()]|\\\W)+")
"""A pattern that is one string; a dot stands for itself too."""
_ENDS = re.compile(r"\A(?:\^|\\A|\\b|\(\?i\))+|(?<!\\)(?:\$|\\Z|\\b)\Z")


def leaks(bundle: SkillBundle, suite: Suite, *, before: SkillBundle | None) -> tuple[str, ...]:
    """Return a sentence for each passage of the suite that the skill quotes; with `before`, that it did not quote then.

    Looked at are prompts, rubrics, and expected strings and plain patterns that do not stand in their prompt.
    """
    text, old = _text(bundle), _text(before) if before else ""
    found = dict.fromkeys((*_quoted(Words(text), Words(old), suite), *_expected(_folded(text), _folded(old), suite)))
    said = [f"the skill quotes {place} of its suite: “{_one_line(passage)}”" for place, passage in found]
    more = (f"and {len(said) - _MOST_SAID} more passages of the suite stand in the skill",)
    return (*said[:_MOST_SAID], *(more if len(said) > _MOST_SAID else ()))


def _text(bundle: SkillBundle) -> str:
    return "\n".join((bundle.description, bundle.body, *(file.text for file in bundle.files if file.text)))


def _quoted(skill: Words, old: Words, suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield the place of each prompt and rubric with its longest passage that the skill has and the old one has not."""
    for task in suite.tasks:
        prompt = Words(task.prompt)
        least = prompt.in_a_row(IN_A_ROW)
        if len(prompt) >= least:
            if passage := prompt.passage_from(skill, least, beside=old):
                yield f"the prompt of task {task.id}", passage
        elif len(prompt) >= prompt.in_a_row(WHOLE_PROMPT) and skill.holds(prompt) and not old.holds(prompt):
            yield f"the prompt of task {task.id}", task.prompt.strip()
        for judge in task.judges:
            if isinstance(judge, LlmRubricJudge):
                rubric = Words(judge.rubric)
                if passage := rubric.passage_from(skill, rubric.in_a_row(IN_A_ROW), beside=old):
                    yield f"a rubric of task {task.id}", passage


def _expected(skill: str, old: str, suite: Suite) -> Iterator[tuple[str, str]]:
    """Yield the place of each string that a judge looks for and that stands in the skill, and in no other place."""
    every = ((task, what, string) for task in suite.tasks for what, string in _looked_for(task))
    for task, what, string in islice(every, max(_MOST_READ // (len(skill) + 1), 1)):
        folded = _folded(string)
        if folded in skill and folded not in old and folded not in _folded(task.prompt):
            yield f"{what} of task {task.id}", string


def _looked_for(task: Task) -> Iterator[tuple[str, str]]:
    for judge in task.judges:
        if isinstance(judge, ContainsJudge):
            yield from (("an expected string", string) for string in judge.expected if _says_much(string))
        elif isinstance(judge, RegexJudge) and not judge.absent and "x" not in judge.flags:
            core = _ENDS.sub("", judge.pattern)
            string = re.sub(r"\\(\W)", r"\1", core) if _LITERAL.fullmatch(core) else ""
            if _says_much(string):
                yield "a pattern", string


def _says_much(string: str) -> bool:
    return len(string.split()) >= EXPECTED_WORDS or len(string.strip()) >= EXPECTED_LETTERS


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
