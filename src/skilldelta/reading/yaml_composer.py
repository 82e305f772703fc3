"""From the parser's events to plain data, counting what aliases expand to before it is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from .yaml_document import BadYaml, Bounds, Document, Place

_TAGS = ("null", "bool", "int", "float", "str")
_KEPT_AS_TEXT = "tag:yaml.org,2002:timestamp"
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class _Cost(NamedTuple):
    """What a value amounts to once its aliases are expanded."""

    nodes: int
    characters: int

    def plus(self, other: _Cost) -> _Cost:
        return _Cost(self.nodes + other.nodes, self.characters + other.characters)


_ONE = _Cost(1, 0)


@dataclass
class _Open:
    """A mapping or sequence whose end has not been met."""

    place: Place
    value: Any
    is_map: bool
    anchor: str | None
    key: str | None = None
    merged: list[Any] = field(default_factory=list)
    """The mappings that `<<` names here."""
    merging: bool = False
    """The key that was read last is a `<<`."""
    cost: _Cost = field(default=_ONE)


class Composer:
    """Turns parse events into data without recursion, so that no depth of nesting can exhaust the stack."""

    def __init__(self, loader: Any, where: str, bounds: Bounds) -> None:
        self._loader = loader
        self._where = where
        self._bounds = bounds
        self._positions: dict[Place, tuple[int, int]] = {}
        self._sources: dict[Place, str] = {}
        self._anchors: dict[str, tuple[Any, _Cost] | None] = {}
        self._stack: list[_Open] = []
        self._total = _Cost(0, 0)
        self._documents = 0
        self._root: Any = None

    def _events(self) -> Iterator[Any]:
        while self._loader.check_event():
            yield self._loader.get_event()

    def _fail(self, what: str, event: Any, fix: str | None = None) -> BadYaml:
        line = event.start_mark.line + 1
        return BadYaml(f"line {line}: {what}", where=self._where, fix=fix, line=line)

    def document(self) -> Document:
        """Return the one document; raises BadYaml beyond the bounds, and the loader's own errors."""
        for event in self._events():
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise self._fail("a second document starts here", event, "keep one document in a file")
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._start(event)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                self._end(event)
            elif isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
        return Document(data=self._root, positions=self._positions, sources=self._sources)

    def _place(self) -> Place:
        if not self._stack:
            return ()
        top = self._stack[-1]
        return (*top.place, top.key if top.is_map and top.key is not None else len(top.value))

    def _awaits_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_map and self._stack[-1].key is None

    def _count(self, cost: _Cost, event: Any) -> None:
        self._total = self._total.plus(cost)
        if self._total.nodes > self._bounds.nodes:
            raise self._fail(f"more than {self._bounds.nodes:,} values (aliases expanded)", event)
        if self._total.characters > self._bounds.characters:
            raise self._fail(f"more than {self._bounds.characters:,} characters (aliases expanded)", event)

    def _start(self, event: Any) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        if len(self._stack) >= self._bounds.depth:
            raise self._fail(f"nested deeper than {self._bounds.depth} levels", event)
        if self._awaits_key():
            raise self._fail("a key must be plain text", event)
        if event.tag not in (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            raise self._fail(f"the tag {event.tag} is not allowed", event, "remove the tag")
        self._count(_ONE, event)
        place = self._place()
        self._positions.setdefault(place, (event.start_mark.line + 1, event.start_mark.column + 1))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(place=place, value={} if is_map else [], is_map=is_map, anchor=event.anchor))

    def _end(self, event: Any) -> None:
        done = self._stack.pop()
        for mapping in done.merged:
            for key, value in mapping.items():
                done.value.setdefault(key, value)
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.value, done.cost)
        self._put(done.value, event, done.cost)

    def _scalar(self, event: Any) -> None:
        if _HALF_PAIR.search(event.value):
            raise self._fail("half of a surrogate pair is not text", event, "write the character itself")
        cost = _Cost(1, len(event.value))
        if self._awaits_key():
            self._count(cost, event)
            self._key(event.value, event, merges=event.value == "<<" and event.implicit[0])
            self._stack[-1].cost = self._stack[-1].cost.plus(cost)
            if event.anchor is not None:
                self._anchors[event.anchor] = (event.value, cost)
            return
        self._count(cost, event)
        value = self._resolve(event)
        place = self._place()
        self._positions.setdefault(place, (event.start_mark.line + 1, event.start_mark.column + 1))
        if not isinstance(value, str):
            self._sources[place] = event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, cost)
        self._put(value, event, cost)

    def _key(self, key: str, event: Any, *, merges: bool = False) -> None:
        top = self._stack[-1]
        if key in top.value or (merges and top.merged):
            raise self._fail(f"the key {key[:80]!r} stands here a second time", event, "keep one of them")
        top.key, top.merging = key, merges
        self._positions[(*top.place, key)] = (event.start_mark.line + 1, event.start_mark.column + 1)

    def _alias(self, event: Any) -> None:
        known = self._anchors.get(event.anchor)
        if known is None:
            raise self._fail(f"the alias *{event.anchor} refers to nothing finished before it", event)
        value, cost = known
        self._count(cost, event)
        if self._awaits_key():
            if not isinstance(value, str):
                raise self._fail("a key must be plain text", event)
            self._key(value, event)
            return
        self._put(value, event, cost)

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
        kind = tag.rsplit(":", 1)[1]
        try:
            value = self._loader.construct_object(node)
        except (ValueError, OverflowError, LookupError):
            raise self._fail(f"{event.value[:40]!r} is not a {kind}", event, "put it in quotes") from None
        if isinstance(value, int) and abs(value) >= 2**64:
            raise self._fail(f"the number {event.value[:40]} is too large", event, "put it in quotes, if it is text")
        return value

    def _put(self, value: Any, event: Any, cost: _Cost) -> None:
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        top.cost = top.cost.plus(cost)
        if not top.is_map:
            top.value.append(value)
            return
        if top.key is None:
            raise self._fail("a key must be plain text", event)
        if top.merging:
            top.merged = value if isinstance(value, list) else [value]
            if not top.merged or not all(isinstance(each, dict) for each in top.merged):
                raise self._fail("<< merges a mapping, or a list of mappings", event, "name an anchor of a mapping")
        else:
            top.value[top.key] = value
        top.key = None
