"""From a suite as people write it to the shape of `domain.suite.Suite`, keeping the way back to its lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel

from ..domain.suite import JudgeSettings, Suite, Task
from .nearest import nearest
from .problems import Problem
from .validation import shown
from .yaml_document import Document, Place

JUDGES: dict[str, type[BaseModel]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(get_args(JudgeSettings)[0])
}
"""Judge type → its model."""
NOT_YET = ("pairwise", "expectations", "files")
"""Judge types that the format knows and this version cannot run."""
TASK_KEYS = ("judge", *Task.model_fields)
SUITE_KEYS = tuple(Suite.model_fields)
_MODELS: tuple[type[BaseModel], ...] = (*JUDGES.values(), Task, Suite)
_MEANINGS = {
    info.alias or name: info.description or "" for model in _MODELS for name, info in model.model_fields.items()
}


@dataclass(kw_only=True)
class Shape:
    """What a document amounts to: data for the model, and what was noticed on the way."""

    data: dict[str, Any] | None = None
    """None when nothing in the document can be looked at further."""
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    single: set[int] = field(default_factory=set)
    """Indices of the tasks that write `judge:`."""

    def place_of(self, place: Place) -> Place:
        """Return where a place of the model's data stands in the document."""
        if len(place) < 4 or place[0] != "tasks" or place[2] != "judges":
            return place if len(place) != 3 or place[2] != "judges" else self._judges(place)
        rest = place[4:]
        if rest and rest[0] in JUDGES:  # the tag of the union stands between a judge and its field
            rest = rest[1:]
        return (*place[:2], "judge", *rest) if place[1] in self.single else (*place[:4], *rest)

    def _judges(self, place: Place) -> Place:
        return (*place[:2], "judge") if place[1] in self.single else place

    def settled(self, place: Place) -> bool:
        """True when a problem is already told at `place` or around it."""
        return any(place[: len(problem.place)] == problem.place for problem in self.problems)


def shape_of(document: Document) -> Shape:
    """Return the document in the shape of the model: unknown keys dropped with a warning, `judge` as `judges`."""
    data = document.data
    shape = Shape()
    if not isinstance(data, dict):
        is_empty = "the file is empty" if data is None else f"the file holds {shown(data)} at its root"
        shape.problems.append(Problem(place=(), wrong=is_empty, right="write skill_id, version and tasks"))
        return shape
    suite = _known(data, SUITE_KEYS, (), shape)
    _not_available(suite, shape)
    if suite.get("kind") == "activation":
        return shape
    _as_text(suite, "skill_id", (), document, shape)
    _version(suite, document, shape)
    tasks = suite.get("tasks")
    if isinstance(tasks, list):
        suite["tasks"] = [_task(task, index, document, shape) for index, task in enumerate(tasks)]
        _same_ids(suite["tasks"], document, shape)
    shape.data = suite
    return shape


def meaning(place: Place) -> str:
    """Return what the field at a place of the document holds, in a sentence."""
    return _MEANINGS.get(str(place[-1]), "") if place else ""


def _known(data: dict[str, Any], known: tuple[str, ...], place: Place, shape: Shape) -> dict[str, Any]:
    for key in data:
        if key not in known:
            near = nearest(key, known)
            hint = f"did you mean {near!r}?" if near else "it is ignored"
            shape.warnings.append(Problem(place=(*place, key), wrong="is not a known key", right=hint))
    return {key: value for key, value in data.items() if key in known and value is not None}


def _not_available(suite: dict[str, Any], shape: Shape) -> None:
    if suite.get("kind") == "activation":
        shape.problems.append(
            Problem(
                place=("kind",),
                wrong="is 'activation': activation suites are not available in this version",
                right="write kind: impact, with a judge for every task",
            )
        )
    if suite.get("metric") == "preference":
        shape.problems.append(
            Problem(
                place=("metric",),
                wrong="is 'preference', which is not available in this version",
                right="write metric: pass or metric: score",
            )
        )


def _as_text(data: dict[str, Any], key: str, place: Place, document: Document, shape: Shape) -> None:
    """Take a name that YAML reads as a number or a truth value as it was written, and say so."""
    source = document.source((*place, key))
    if key in data and not isinstance(data[key], str | dict | list) and source:
        data[key] = source
        wrong = f"is {source}, which YAML does not read as text"
        shape.warnings.append(Problem(place=(*place, key), wrong=wrong, right=f'put it in quotes: "{source}"'))


def _version(suite: dict[str, Any], document: Document, shape: Shape) -> None:
    version = suite.get("version")
    right = 'write version: "1.0"'
    if version is None:
        shape.problems.append(Problem(place=("version",), wrong="is missing", right=right))
    elif isinstance(version, float) and version == 1.0:
        suite["version"] = "1.0"
        shape.warnings.append(Problem(place=("version",), wrong="is a number", right='put it in quotes: "1.0"'))
    elif version != "1.0":
        seen = shown(version, document.source(("version",)))
        shape.problems.append(Problem(place=("version",), wrong=f"is {seen}", right=right))


def _task(task: Any, index: int, document: Document, shape: Shape) -> Any:
    if not isinstance(task, dict):
        return task
    place: Place = ("tasks", index)
    result = _known(task, TASK_KEYS, place, shape)
    _as_text(result, "id", place, document, shape)
    if "judge" in result and "judges" in result:
        both = Problem(
            place=(*place, "judges"), wrong="stands beside judge", right="keep one: judge, or a list of judges"
        )
        shape.problems.append(both)
        del result["judge"]
    elif "judge" in result:
        shape.single.add(index)
        result["judges"] = [result.pop("judge")]
    elif "judges" not in result:
        right = f"write judge: with a type ({', '.join(JUDGES)})"
        shape.problems.append(Problem(place=(*place, "judge"), wrong="is missing", right=right))
        shape.single.add(index)
    if isinstance(result.get("judges"), list):
        result["judges"] = [
            _judge(judge, shape.place_of((*place, "judges", number)), shape)
            for number, judge in enumerate(result["judges"])
        ]
    return result


def _judge(judge: Any, place: Place, shape: Shape) -> Any:
    if not isinstance(judge, dict):
        wrong = f"is {shown(judge)}"
        shape.problems.append(Problem(place=place, wrong=wrong, right="write a mapping: type, and what the type needs"))
        return judge
    kind = judge.get("type")
    if isinstance(kind, str) and kind in JUDGES:
        return _known(judge, _keys(JUDGES[kind]), place, shape)
    types = ", ".join(JUDGES)
    if kind is None:
        problem = Problem(place=place, wrong="has no type", right=f"write type: with one of {types}")
    elif kind in NOT_YET:
        problem = Problem(
            place=(*place, "type"),
            wrong=f"is {kind!r}, which is not available in this version",
            right=f"use one of {types}",
        )
    else:
        near = nearest(kind, JUDGES) if isinstance(kind, str) else None
        right = f"did you mean {near!r}?" if near else f"write one of {types}"
        problem = Problem(place=(*place, "type"), wrong=f"is {shown(kind)}, which is no judge", right=right)
    shape.problems.append(problem)
    return judge


def _keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(info.alias or name for name, info in model.model_fields.items())


def _same_ids(tasks: list[Any], document: Document, shape: Shape) -> None:
    first: dict[str, int] = {}
    for index, task in enumerate(tasks):
        name = task.get("id") if isinstance(task, dict) else None
        if not isinstance(name, str):
            continue
        if name in first:
            line = document.line(("tasks", first[name], "id"))
            wrong = f"is the id of the task on line {line} too"
            shape.problems.append(
                Problem(place=("tasks", index, "id"), wrong=wrong, right="give every task an id of its own")
            )
        first.setdefault(name, index)
