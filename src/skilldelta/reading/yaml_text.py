"""YAML read safely: bounds on size, depth, nodes and aliases, and the line of every value kept."""

from __future__ import annotations

from typing import Any

import yaml

from .yaml_composer import Composer
from .yaml_document import BadYaml, Bounds, Document

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def decode(raw: bytes, *, where: str) -> str:
    """Return the text of a UTF-8 file without its byte-order mark; other bytes are an error that names the line."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        byte = raw[error.start]
        raise BadYaml(
            f"line {line} holds the byte 0x{byte:02x}, which is not UTF-8",
            where=where,
            line=line,
            fix="save the file as UTF-8",
        ) from None


def read_yaml(raw: bytes, *, where: str, bounds: Bounds | None = None) -> Document:
    """Return the one document of `raw` (UTF-8) as dicts, lists and scalars; keys are text, dates too, and `<<` merges.

    Raises BadYaml, naming `where` and the line: not UTF-8, not YAML, a key twice, more than one document, or beyond
    the bounds on size, depth, nodes and characters (aliases expanded). An empty file is None.
    """
    bounds = bounds or Bounds()
    if len(raw) > bounds.size:
        raise BadYaml(f"the file has more than {bounds.size:,} bytes, the most that is read", where=where)
    text = decode(raw, where=where)
    try:
        loader = _LOADER(text)
    except yaml.YAMLError as error:
        raise _from_yaml(error, text, where) from None
    try:
        return Composer(loader, where, bounds).document()
    except yaml.YAMLError as error:
        raise _from_yaml(error, text, where) from None
    finally:
        loader.dispose()


def _from_yaml(error: yaml.YAMLError, text: str, where: str) -> BadYaml:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "the text is not YAML"
    line, at, fix = None, "", None
    if mark is not None:
        line, at = mark.line + 1, f" (line {mark.line + 1}, column {mark.column + 1})"
    elif isinstance(error, yaml.reader.ReaderError):
        line = _line_of_control(text)
        at, fix = f" (line {line})", "remove the control character"
    if "mapping values are not allowed" in problem:
        fix = "put the value in quotes: it holds a colon followed by a space"
    elif "cannot start any token" in problem:
        fix = "put the value in quotes, and indent with spaces"
    return BadYaml(f"not YAML: {problem}{at}", where=where, fix=fix, line=line)


def _line_of_control(text: str) -> int:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    return text.count("\n", 0, found.start() if found else 0) + 1
