"""The shipped JSON Schemas are those of the models, and agree with the readers on what people write."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from odd_files import CONFIGS, MAY_BE, SUITES
from skilldelta.cli.schema import names
from skilldelta.domain.suite import FreezeRecord
from skilldelta.errors import BadConfig, BadSuite
from skilldelta.reading.config import read_config
from skilldelta.reading.schema import schemas
from skilldelta.reading.suite import read_suite

ROOT = Path(__file__).parents[3]


def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schemas()[name])


def data(raw: bytes) -> Any:
    """Return what an editor sees of a file, or None when it is no YAML of one document."""
    try:
        return yaml.safe_load(raw)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return None


def test_the_shipped_files_are_up_to_date() -> None:
    """Every generated file holds what the models say now; `python dev/renew.py` renews them."""
    specification = importlib.util.spec_from_file_location("renew", ROOT / "dev/renew.py")
    assert specification is not None
    assert specification.loader is not None
    renew = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(renew)
    stale = [path for path, text in renew.renewed() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert stale == []
    assert set(schemas()) <= set(names())


@pytest.mark.parametrize("name", ["config", "suite", "freeze"])
def test_each_schema_is_a_schema(name: str) -> None:
    """A shipped schema is valid JSON Schema of the draft it names, and every field in it is described."""
    schema = schemas()[name]
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]
    for model in (schema, *schema["$defs"].values()):
        for field, about in model.get("properties", {}).items():
            described = "description" in about or "const" in about or "$ref" in about
            assert described, f"{model['title']}.{field}"


WITH_JUDGES = """
skill_id: s
version: "1.0"
metric: score
tasks:
  - id: a
    prompt: p
    fixture: fixtures/x
    judges:
      - {type: regex, pattern: x}
      - {type: json-schema, schema: {type: object}}
      - {type: pytest, test_file: fixtures/t.py}
"""


@pytest.mark.parametrize("name", [name for name in SUITES if name.endswith(MAY_BE)])
def test_a_suite_without_warnings_is_valid(name: str) -> None:
    """What the reader takes without a word, the schema takes as well."""
    reading = read_suite(SUITES[name], where="s")
    if not reading.warnings:
        validator("suite").validate(data(SUITES[name]))
    validator("suite").validate(yaml.safe_load(WITH_JUDGES))


@pytest.mark.parametrize("name", [name for name in CONFIGS if name.endswith(MAY_BE)])
def test_a_configuration_that_is_read_is_valid(name: str) -> None:
    """What the reader takes as a configuration is valid, sections that hold nothing aside."""
    read = {key: value for key, value in (data(CONFIGS[name]) or {}).items() if value is not None}
    validator("config").validate(read)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("suite", 'skill_id: s\nversion: "1.0"\ntasks: []\n'),
        ("suite", 'skill_id: s\nversion: "1.0"\ntasks: [{id: a, prompt: p}]\n'),
        (
            "suite",
            'skill_id: s\nversion: "1.0"\ntasks: [{id: a, prompt: p, judge: {type: contains, expected: [yes]}}]\n',
        ),
        ("suite", 'skill_id: s\nversion: "1.0"\ntasks: [{id: a, prompt: p, judge: {type: pairwise}}]\n'),
        (
            "suite",
            'skill_id: s\nversion: "1.0"\ntasks: [{id: a, prompt: p, judge: {type: pytest, test_file: ../t.py}}]\n',
        ),
        ("suite", WITH_JUDGES.replace("judges:", "judge: {type: regex, pattern: x}\n    judges:")),
        ("suite", WITH_JUDGES.replace("metric", "kind: activation\nmetric")),
        ("suite", WITH_JUDGES.replace("prompt", "promt")),
        ("config", "design: {margin: 2}\n"),
        ("config", "design: {margn: 0.2}\n"),
        ("config", "skills: {a: {design: {margn: 0.2}}}\n"),
        ("config", "prices: {m: {input: 1}}\n"),
    ],
)
def test_what_the_reader_refuses_an_editor_marks(kind: str, text: str) -> None:
    """Missing, mistyped and impossible fields are invalid for the schema and an error for the reader."""
    assert not validator(kind).is_valid(yaml.safe_load(text))
    with pytest.raises((BadSuite, BadConfig)):
        (read_suite if kind == "suite" else read_config)(text.encode(), where="f")


def test_a_record_of_freezing_is_valid() -> None:
    """freeze.json as it is written validates."""
    record = FreezeRecord(
        skill_id="s",
        number=1,
        content_sha256="0" * 64,
        suite_sha256="1" * 64,
        approved_by="A",
        frozen_at="t",
        name="v1-0",
    )
    validator("freeze").validate(json.loads(record.model_dump_json()))
