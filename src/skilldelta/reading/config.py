"""From the bytes of `.skilldelta.yml` to a configuration, or to every problem found in it."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from pydantic import BaseModel, ValidationError

from ..domain.config import CONFIG_FILE, LOCAL, MISSPELT_CONFIG_FILE, OVERRIDABLE, Config, Price, SkillSettings
from ..errors import BadConfig
from .plain_data import not_numbers, without_nothing
from .problems import Problem, in_words
from .validation import Guide, problems_of, shown
from .yaml_document import BadYaml, Document, Place
from .yaml_text import read_yaml


def holds_config(names: Collection[str], *, at: str = "") -> bool:
    """Return whether the configuration is among the `names` in the top folder; `at` says of which commit.

    Raises BadConfig where only the file with the other ending is there, which nothing would read.
    """
    if CONFIG_FILE in names:
        return True
    if MISSPELT_CONFIG_FILE in names:
        raise BadConfig("is never read", where=MISSPELT_CONFIG_FILE + at, fix=f"name it {CONFIG_FILE}")
    return False


def read_config(raw: bytes, *, where: str) -> Config:
    """Return the configuration that `raw` (YAML, UTF-8) holds; an empty file is all defaults.

    Raises BadConfig with every problem found, one a line: file, line, field, what is wrong, what would be right.
    """
    try:
        document = read_yaml(raw, where=where)
    except BadYaml as error:
        raise BadConfig(error.what, where=error.where, fix=error.fix) from None
    if document.data is None:
        return Config()
    if not isinstance(document.data, dict):
        problem = Problem(
            place=(), wrong=f"the file holds {shown(document.data)}", right="write keys: runner, design, …"
        )
        raise BadConfig(in_words([problem], document, where))
    problems = list(not_numbers(document))
    data = without_nothing(document.data)
    problems += [*_local_inline(data), *_overrides(data, document)]
    config = None
    try:
        config = Config.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        told = {problem.place for problem in problems}
        found = problems_of(error, document, GUIDE)
        problems += [problem for problem in found if problem.place not in told]
    if config is None or problems:
        raise BadConfig(in_words(problems, document, where))
    return config


def model_at(place: Place) -> type[BaseModel] | None:
    """Return the model of the mapping at a place of the file; None where its keys are free."""
    if place == ():
        return Config
    if len(place) == 2 and place[0] in ("prices", "skills"):
        return Price if place[0] == "prices" else SkillSettings
    if len(place) == 3 and place[0] == "skills" and place[2] in OVERRIDABLE:
        return model_at(place[2:])
    info = Config.model_fields.get(str(place[0])) if len(place) == 1 else None
    annotation: Any = info.annotation if info else None
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _keys(place: Place) -> tuple[str, ...]:
    model = model_at(place)
    return tuple(model.model_fields) if model else ()


def _meaning(place: Place) -> str:
    model = model_at(place[:-1]) if place else None
    info = model.model_fields.get(str(place[-1])) if model else None
    return (info.description or "") if info else ""


GUIDE = Guide(place_of=lambda place: place, keys=_keys, meaning=_meaning)


def _overrides(data: dict[str, Any], document: Document) -> list[Problem]:
    """Return what is wrong in the sections of single skills, and take those sections out of the data."""
    problems: list[Problem] = []
    skills = data.get("skills")
    for skill_id, own in skills.items() if isinstance(skills, dict) else ():
        for section in OVERRIDABLE if isinstance(own, dict) else ():
            changes = own.get(section)
            model = model_at((section,))
            if not isinstance(changes, dict) or model is None:
                continue
            general = data.get(section)
            both = {**(general if isinstance(general, dict) else {}), **changes}
            found = _wrong_in(model, both, changes, document, ("skills", skill_id, section))
            if found:
                own[section] = {}
                problems += found
    return problems


def _wrong_in(
    model: type[BaseModel], both: dict[str, Any], changes: dict[str, Any], document: Document, place: Place
) -> list[Problem]:
    """Return the problems of a section as one skill sees it, those of the general section left out."""
    try:
        model.model_validate_json(json.dumps(both), strict=True)
    except ValidationError as error:
        guide = Guide(place_of=lambda inner: (*place, *inner), keys=_keys, meaning=_meaning)
        found = problems_of(error, document, guide)
        return [each for each in found if len(each.place) == len(place) or each.place[len(place)] in changes]
    return []


def _local_inline(data: dict[str, Any]) -> list[Problem]:
    places: list[tuple[Place, Any]] = [(("runner",), data.get("runner"))]
    skills = data.get("skills")
    for skill_id, own in skills.items() if isinstance(skills, dict) else ():
        places.append((("skills", skill_id, "runner"), own.get("runner") if isinstance(own, dict) else None))
    return [
        Problem(
            place=(*place, "offer"),
            wrong="is 'listed', and the embedded model can only take a skill inline",
            right="leave offer out",
        )
        for place, runner in places
        if isinstance(runner, dict)
        and LOCAL in (runner.get("provider"), runner.get("model"))
        and runner.get("offer") == "listed"
    ]
