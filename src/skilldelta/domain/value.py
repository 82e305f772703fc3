"""The one idiom of data: frozen pydantic values, and the digest that names their content."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


def canonical_json(data: Any) -> str:
    """Return `data` as JSON with sorted keys and no white space: equal data, equal text."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(*parts: Any) -> str:
    """Return the SHA-256 (64 hex digits) of the parts' canonical JSON; the same parts give the same digest everywhere.

    >>> digest("a", 1) == digest("a", 1) != digest("a", 2)
    True
    """
    return hashlib.sha256(canonical_json(list(parts)).encode()).hexdigest()
