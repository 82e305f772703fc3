"""The first draft of a suite: placeholders that can be read, and that say that they are placeholders."""

from __future__ import annotations

import json

from .first_config import SCHEMAS

PLACEHOLDER = "placeholder"
"""The tag of a task that nobody has edited yet."""
_MOST_SHOWN = 600


def first_suite(*, skill_id: str, name: str, description: str, folder: str) -> str:
    """Return the text of a draft for a skill; `folder` is where the draft will stand, as messages name it."""
    about = " ".join(description.split())
    about = about if len(about) <= _MOST_SHOWN else about[: _MOST_SHOWN - 1].rstrip() + "…"
    purpose = f"It says of itself: {about}" if about else "It does not say what it is for."
    return f"""\
# yaml-language-server: $schema={SCHEMAS}/suite.schema.json
#
# A first draft, made by `skilldelta init` from the skill's name and description alone. ITS TASKS ARE PLACEHOLDERS:
# edit them before you freeze, or the answer will be about nothing. A good suite
#   - asks what people really ask of this skill, in their words, and also what it should leave alone;
#   - says what a good answer holds before anybody has seen one, and can fail;
#   - has twelve tasks or more: fewer can only show large differences.
# Then:
#   skilldelta suite validate {_in_comment(folder)}
#   skilldelta suite freeze {_in_comment(folder)} --approved-by "YOUR NAME"
skill_id: {_quoted(skill_id)}
version: "1.0"
tasks:
  # A cheap judge: the answer must contain every one of these strings (upper and lower case alike).
  - id: "placeholder-contains"
    description: {_quoted(f"EDIT ME: a request that {name} is made for, whose good answer has words in common")}
    prompt: {_quoted(f"EDIT ME: write here what somebody would ask when {name} should help. {purpose}")}
    judge:
      type: "contains"
      expected: ["EDIT ME"]
    tags: ["{PLACEHOLDER}"]

  # A judging model scores the answer from 0 to 1 (it needs judge.model in .skilldelta.yml).
  - id: "placeholder-rubric"
    description: {_quoted(f"EDIT ME: a request that {name} is made for, whose answer takes judgement")}
    prompt: {_quoted(f"EDIT ME: write here a request whose answer {name} should make better. {purpose}")}
    judge:
      type: "llm-rubric"
      rubric: "EDIT ME: say what a good answer does, and what makes one worthless."
      pass_threshold: 0.7
    tags: ["{PLACEHOLDER}"]
"""


def _quoted(text: str) -> str:
    """Return `text` as a YAML string in double quotes, readable in any script."""
    return "".join(
        char if char.isprintable() else json.dumps(char)[1:-1] if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
        for char in json.dumps(text, ensure_ascii=False)
    )


def _in_comment(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
