"""The first `.skilldelta.yml`: every setting, commented out, with its default and its meaning, from the models."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from .. import __version__
from ..domain.config import Config
from ..reading.config import model_at

SCHEMAS = f"https://raw.githubusercontent.com/skilldelta/skilldelta/v{__version__}/src/skilldelta/schemas"
"""Where editors find the schemas of this version."""
_HEAD = f"""\
# yaml-language-server: $schema={SCHEMAS}/config.schema.json
# The configuration of skilldelta, with every default. Take the "#" away from a setting, and from the line of its
# section, to change it. There is no default model: the tasks need runner.model, and llm-rubric needs judge.model
# (`local` is the embedded demonstration model).
version: 1
"""
_EXAMPLES = {
    "prices": "{the-model: {input: 3, output: 15}}",
    "skills": "{my-skill: {design: {rounds: 5}}}",
}
"""What a table without entries looks like with one."""


def first_config() -> str:
    """Return the text; a line that starts with "# " is prose, any other "#" stands before a setting."""
    blocks = [_HEAD]
    for name, info in Config.model_fields.items():
        model = model_at((name,))
        if name == "version":
            continue
        lines = [f"# {info.description}"]
        if model is not None:
            lines += [f"#{name}:", *_fields(model)]
        elif name in _EXAMPLES:
            lines += [f"# For example: {name}: {_EXAMPLES[name]}", f"#{name}: {_written(info)}"]
        else:
            lines.append(f"#{name}: {_written(info)}")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _fields(model: type[BaseModel]) -> list[str]:
    lines = []
    for name, info in model.model_fields.items():
        lines += [f"#  # {info.description}", f"#  {name}: {_written(info)}".rstrip()]
    return lines


def _written(info: FieldInfo) -> str:
    """Return a field's default as YAML; nothing for one that is left out by default."""
    default: Any = info.get_default(call_default_factory=True, validated_data={})
    if default is None:
        return ""
    return json.dumps(default.value if isinstance(default, Enum) else default, ensure_ascii=False)
