"""From the bytes of a suite file to a suite, or to every problem found in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError

from ..domain.suite import FixtureFile, Suite
from ..domain.value import digest
from ..errors import BadSuite
from .plain_data import not_numbers
from .problems import Problem, in_words, line_of_words
from .suite_checks import judge_problems, without_effect
from .suite_shape import Shape, meaning, shape_of
from .validation import Guide, problems_of
from .yaml_document import BadYaml, Bounds, Document
from .yaml_text import read_yaml

BOUNDS = Bounds(size=4 * 1024 * 1024)


@dataclass(frozen=True, kw_only=True)
class SuiteReading:
    """A suite, and what was odd about its file (one line each, naming file, line, task and field)."""

    suite: Suite
    warnings: tuple[str, ...] = ()


def read_suite(raw: bytes, *, where: str) -> SuiteReading:
    """Return the suite that `raw` (YAML, UTF-8, at most 4 MiB) holds; `where` names the file in messages.

    Raises BadSuite with every problem found, one a line: file, line, task, field, what is wrong, what would be right.
    """
    try:
        document = read_yaml(raw, where=where, bounds=BOUNDS)
    except BadYaml as error:
        raise BadSuite(error.what, where=error.where, fix=error.fix) from None
    shape = shape_of(document)
    shape.problems.extend(not_numbers(document))
    suite = _validated(shape, document)
    if suite is None or shape.problems:
        # An unknown key often is the reason why another is missing: both are told together.
        raise BadSuite(in_words([*shape.problems, *shape.warnings], document, where))
    odd = sorted([*shape.warnings, *without_effect(shape)], key=lambda problem: document.line(problem.place))
    return SuiteReading(suite=suite, warnings=tuple(line_of_words(problem, document, where) for problem in odd))


def suite_digest(suite: Suite, fixtures: Iterable[FixtureFile] = ()) -> str:
    """Return the SHA-256 (64 hex digits) of what a suite and its fixtures say, whatever their formatting.

    A field that holds its default counts as left out, so that a field added later changes no digest.
    """
    content = suite.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    files = sorted((file.path, file.mode, file.sha256) for file in fixtures)
    return digest("suite", content, files)


def _validated(shape: Shape, document: Document) -> Suite | None:
    """Return the suite, adding to the shape's problems what the model and the checks of the judges find."""
    if shape.data is None:
        return None
    found: list[Problem] = list(judge_problems(shape))
    suite = None
    try:
        suite = Suite.model_validate_json(json.dumps(shape.data), strict=True)
    except ValidationError as error:
        found += problems_of(error, document, Guide(place_of=shape.place_of, keys=lambda _: (), meaning=meaning))
    shape.problems.extend([problem for problem in found if not shape.settled(problem.place)])
    return suite
