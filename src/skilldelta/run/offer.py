"""How a skill is offered to an agent that is reached through the Messages API."""

from __future__ import annotations

from typing import Any

from ..domain.skill import SkillBundle

LOAD = "load_skill"
READ = "read_skill_file"
_LISTED = """You have skills: instructions for particular kinds of work. When one fits what you are asked, load it \
with the tool load_skill before you answer, and follow it.

Available skills:
- {name}: {description}"""
_TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": LOAD,
        "description": "Load a skill's instructions and the list of its files.",
        "input_schema": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "The skill's name."}},
            "required": ["name"],
        },
    },
    {
        "name": READ,
        "description": "Read a text file that belongs to a skill.",
        "input_schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The skill's name."},
                "path": {"type": "string", "description": "The file's path as the skill lists it."},
            },
            "required": ["name", "path"],
        },
    },
)


def inline(system: str, bundle: SkillBundle | None) -> tuple[str, ...]:
    """Return the system blocks with the whole skill in them; without a skill only the system text."""
    if bundle is None:
        return _blocks(system)
    return _blocks(system, f"\n\n{skill_text(bundle)}")


def listed(system: str, bundle: SkillBundle | None) -> tuple[tuple[str, ...], tuple[dict[str, Any], ...]]:
    """Return the system blocks with name and description, and the tools that load the rest; neither for no skill."""
    if bundle is None:
        return _blocks(system), ()
    line = _LISTED.format(name=bundle.name, description=" ".join(bundle.description.split()))
    return _blocks(system, f"\n\n{line}"), _TOOLS


def _blocks(*texts: str) -> tuple[str, ...]:
    """Return the texts that say something; the API refuses the others."""
    return tuple(text for text in texts if text.strip())


def skill_text(bundle: SkillBundle) -> str:
    """Return name, description and body as one text, the way a SKILL.md is laid out."""
    description = " ".join(bundle.description.split())
    return f"---\nname: {bundle.name}\ndescription: {description}\n---\n\n{bundle.body.strip()}\n"


def answer_tool(bundle: SkillBundle | None, name: str, arguments: object) -> tuple[str, bool, str]:
    """Return what a tool says, whether it found what was asked for, and the argument as it goes into the record."""
    given = arguments if isinstance(arguments, dict) else {}
    wanted, path = str(given.get("name", "")), str(given.get("path", ""))
    if bundle is None or name not in (LOAD, READ):
        return f"There is no tool {name[:60]!r}.", False, wanted[:200]
    if wanted.strip() != bundle.name:
        return f"There is no skill {wanted[:60]!r}. The skill is called {bundle.name!r}.", False, wanted[:200]
    if name == LOAD:
        return _loaded(bundle), True, wanted[:200]
    argument = f"{wanted}: {path}"[:200]
    for file in bundle.files:
        if file.path == path.removeprefix("./"):
            if file.text is None:
                return f"{path} ({file.size:,} bytes) is not a text file that can be read here.", False, argument
            return file.text, True, argument
    return f"The skill has no file {path[:200]!r}.", False, argument


def _loaded(bundle: SkillBundle) -> str:
    if not bundle.files:
        return bundle.body
    names = "\n".join(f"- {file.path}" for file in bundle.files)
    return f"{bundle.body}\n\nFiles of this skill ({READ} reads them):\n{names}"
