"""JSON Schemas of the files that people write and read, from the models behind them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..domain.calibration import Calibration
from ..domain.config import OVERRIDABLE, Config
from ..domain.report import Report
from ..domain.suite import FreezeRecord, Suite
from .suite_checks import DRAFT

Schema = dict[str, Any]


def suite_schema() -> Schema:
    """Return the schema of a suite as it is written: `judge` or `judges`, and what this version can run."""
    schema = Suite.model_json_schema(by_alias=True)
    schema["properties"]["kind"] = {**schema["properties"]["kind"], "enum": ["impact"]}
    task = schema["$defs"]["Task"]
    judges = task["properties"]["judges"]
    judge = {**judges["items"], "title": "Judge", "description": judges["description"]}
    task["properties"] = {"judge": judge, **task["properties"]}
    task["required"] = [name for name in task["required"] if name != "judges"]
    task["oneOf"] = [{"required": ["judge"]}, {"required": ["judges"]}]
    return schema


def config_schema() -> Schema:
    """Return the schema of `.skilldelta.yml`; what one skill sets differently is completed like the general section."""
    schema = Config.model_json_schema(by_alias=True)
    own = schema["$defs"]["SkillSettings"]["properties"]
    for section in OVERRIDABLE:
        own[section] = {
            "$ref": schema["properties"][section]["$ref"],
            "title": own[section]["title"],
            "description": own[section]["description"],
        }
    return schema


def freeze_schema() -> Schema:
    """Return the schema of `freeze.json`."""
    return FreezeRecord.model_json_schema(by_alias=True)


def report_schema() -> Schema:
    """Return the schema of `report.json`."""
    return Report.model_json_schema(by_alias=True, mode="serialization")


def calibration_schema() -> Schema:
    """Return the schema of `calibration.json` beside a suite."""
    return Calibration.model_json_schema(by_alias=True, mode="serialization")


FORMATS: dict[str, tuple[str, Callable[[], Schema]]] = {
    "config": (".skilldelta.yml", config_schema),
    "suite": ("A suite of skilldelta (suite.yaml)", suite_schema),
    "report": ("The report of a run (report.json)", report_schema),
    "calibration": ("The calibration on record of a suite (calibration.json)", calibration_schema),
    "freeze": ("The record of a frozen suite (freeze.json)", freeze_schema),
}
"""Name → (title, schema); a new format is one line."""


def schemas() -> dict[str, Schema]:
    """Return every format's JSON Schema (draft 2020-12) by its name."""
    return {name: {"$schema": DRAFT, **_plain(build()), "title": title} for name, (title, build) in FORMATS.items()}


def schema_text(schema: Schema) -> str:
    """Return a schema as the text of its shipped file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _plain(schema: Any) -> Any:
    """Leave out what is OpenAPI's and not JSON Schema's."""
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key != "discriminator"}
    return [_plain(value) for value in schema] if isinstance(schema, list) else schema
