"""YAML read safely: bounds on size, depth, nodes and aliases, and the line of every value kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from ..errors import SkilldeltaError

Place = tuple[str | int, ...]
"""Keys and indices from the document's root to a value."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAGS = ("null", "bool", "int", "float", "str")
_KEPT_AS_TEXT = "tag:yaml.org,2002:timestamp"


class BadYaml(SkilldeltaError):
    """A text is not YAML that can be read within the bounds."""

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None, line: int | None = None) -> None:
        super().__init__(what, where=where, fix=fix)
        self.line = line


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The most that is read of one document."""

    size: int = 2 * 1024 * 1024
    depth: int = 32
    nodes: int = 200_000
    """Nodes after aliases are expanded."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """Plain data, and the (line, column) of every value, both counted from 1."""

    data: Any
    positions: dict[Place, tuple[int, int]]

    def line(self, place: Place) -> int:
        """Return the line of the value at `place`, or of the nearest value around it."""
        while place not in self.positions and place:
            place = place[:-1]
        return self.positions.get(place, (1, 1))[0]


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
    """Return the one document of `raw` (UTF-8) as dicts, lists and scalars; keys are strings, a date stays text.

    Raises BadYaml, naming `where` and the line: not UTF-8, not YAML, a key twice, more than one document, or beyond
    the bounds on size, depth, nodes (aliases expanded).
    """
    bounds = bounds or Bounds()
    if len(raw) > bounds.size:
        raise BadYaml(f"the file has {len(raw):,} bytes; at most {bounds.size:,} are read", where=where)
    text = decode(raw, where=where)
    try:
        loader = _LOADER(text)
    except yaml.YAMLError as error:
        raise _from_yaml(error, where) from None
    try:
        return _Composer(loader, where, bounds).document()
    except yaml.YAMLError as error:
        raise _from_yaml(error, where) from None
    finally:
        loader.dispose()


def _from_yaml(error: yaml.YAMLError, where: str) -> BadYaml:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "the text is not YAML"
    line = mark.line + 1 if mark is not None else None
    at = f" (line {line}, column {mark.column + 1})" if mark is not None else ""
    fix = None
    if "mapping values are not allowed" in problem:
        fix = "put the value in quotes: it holds a colon followed by a space"
    elif "\\t" in problem or "'\t'" in problem or "cannot start any token" in problem:
        fix = "put the value in quotes, and indent with spaces"
    return BadYaml(f"not YAML: {problem}{at}", where=where, fix=fix, line=line)


@dataclass
class _Open:
    """A mapping or sequence whose end has not been met."""

    place: Place
    value: Any
    is_map: bool
    anchor: str | None
    key: str | None = None
    nodes: int = 1


class _Composer:
    """Turns parse events into data without recursion, so that no depth of nesting can exhaust the stack."""

    def __init__(self, loader: Any, where: str, bounds: Bounds) -> None:
        self._loader = loader
        self._where = where
        self._bounds = bounds
        self._positions: dict[Place, tuple[int, int]] = {}
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._stack: list[_Open] = []
        self._total = 0
        self._documents = 0
        self._root: Any = None

    def _events(self) -> Iterator[Any]:
        while self._loader.check_event():
            yield self._loader.get_event()

    def _fail(self, what: str, event: Any, fix: str | None = None) -> BadYaml:
        line = event.start_mark.line + 1
        return BadYaml(f"line {line}: {what}", where=self._where, fix=fix, line=line)

    def document(self) -> Document:
        for event in self._events():
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise self._fail("a second document starts here", event, "keep one document in a file")
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._start(event)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                done = self._stack.pop()
                if done.anchor is not None:
                    self._anchors[done.anchor] = (done.value, done.nodes)
                self._put(done.value, event, done.nodes)
            elif isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
        return Document(data=self._root, positions=self._positions)

    def _place(self) -> Place:
        if not self._stack:
            return ()
        top = self._stack[-1]
        return (*top.place, top.key if top.is_map and top.key is not None else len(top.value))

    def _count(self, nodes: int, event: Any) -> None:
        self._total += nodes
        if self._total > self._bounds.nodes:
            raise self._fail(f"more than {self._bounds.nodes:,} values (aliases expanded)", event)

    def _start(self, event: Any) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        if len(self._stack) >= self._bounds.depth:
            raise self._fail(f"nested deeper than {self._bounds.depth} levels", event)
        if self._stack and self._stack[-1].is_map and self._stack[-1].key is None:
            raise self._fail("a key must be plain text", event)
        if event.tag not in (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            raise self._fail(f"the tag {event.tag} is not allowed", event, "remove the tag")
        self._count(1, event)
        place = self._place()
        self._positions.setdefault(place, (event.start_mark.line + 1, event.start_mark.column + 1))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(place=place, value={} if is_map else [], is_map=is_map, anchor=event.anchor))

    def _scalar(self, event: Any) -> None:
        top = self._stack[-1] if self._stack else None
        if top is not None and top.is_map and top.key is None:
            if event.value in top.value:
                raise self._fail(f"the key {event.value!r} stands here a second time", event, "keep one of them")
            top.key = event.value
            self._positions[(*top.place, event.value)] = (event.start_mark.line + 1, event.start_mark.column + 1)
            if event.anchor is not None:
                self._anchors[event.anchor] = (event.value, 1)
            return
        self._count(1, event)
        value = self._resolve(event)
        if top is None or not top.is_map:
            self._positions.setdefault(self._place(), (event.start_mark.line + 1, event.start_mark.column + 1))
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, event, 1)

    def _alias(self, event: Any) -> None:
        known = self._anchors.get(event.anchor)
        if known is None:
            raise self._fail(f"the alias *{event.anchor} refers to nothing finished before it", event)
        value, nodes = known
        self._count(nodes, event)
        if self._stack and self._stack[-1].is_map and self._stack[-1].key is None:
            if not isinstance(value, str):
                raise self._fail("a key must be plain text", event)
            self._stack[-1].key = value
            return
        self._put(value, event, nodes)

    def _resolve(self, event: Any) -> Any:
        tag = event.tag
        if tag in (None, "!"):
            if not event.implicit[0]:
                return event.value
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag in (_KEPT_AS_TEXT, "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value"):
            return event.value
        if tag not in {f"tag:yaml.org,2002:{name}" for name in _TAGS}:
            raise self._fail(f"the tag {tag} is not allowed", event, "remove the tag")
        node = yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark)
        try:
            return self._loader.construct_object(node)
        except (ValueError, OverflowError):
            raise self._fail(f"{event.value[:40]!r} is not a {tag.rsplit(':', 1)[1]}", event, "put it in quotes") from None

    def _put(self, value: Any, event: Any, nodes: int) -> None:
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        top.nodes += nodes
        if top.is_map:
            if top.key is None:
                raise self._fail("a key must be plain text", event)
            top.value[top.key] = value
            top.key = None
        else:
            top.value.append(value)
