"""YAML is read safely: plain data with the line of every value, or one error that names the line."""

from __future__ import annotations

import contextlib
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.reading import yaml_text
from skilldelta.reading.yaml_document import BadYaml, Bounds, Document
from skilldelta.reading.yaml_text import read_yaml


def read(text: str | bytes, bounds: Bounds | None = None) -> Document:
    raw = text.encode() if isinstance(text, str) else text
    return read_yaml(raw, where="a.yaml", bounds=bounds)


@pytest.fixture(params=["compiled", "pure"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both of PyYAML's parsers: the compiled one, and the one that is there without libyaml."""
    if request.param == "pure":
        monkeypatch.setattr(yaml_text, "_LOADER", yaml.SafeLoader)
    return str(request.param)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("a: 1\nb: [x, 2.5, true, null, ~]\n", {"a": 1, "b": ["x", 2.5, True, None, None]}),
        ("\ufeffa: b\r\nc: d\r\n", {"a": "b", "c": "d"}),
        ("when: 2026-01-02\n", {"when": "2026-01-02"}),
        ("yes: on\n1: 2\n", {"yes": True, "1": 2}),
        ('a: "yes"\nb: !!str 12\n', {"a": "yes", "b": "12"}),
        ("a: &x {k: v}\nb: *x\n", {"a": {"k": "v"}, "b": {"k": "v"}}),
        ("a: |\n  one\n  two\nb: >\n  one\n  two\n", {"a": "one\ntwo\n", "b": "one two\n"}),
        ("? a\n: b\n", {"a": "b"}),
        ("'<<': {a: 1}\n", {"<<": {"a": 1}}),
    ],
)
@pytest.mark.usefixtures("loader")
def test_data_is_plain(text: str, data: object) -> None:
    """A document becomes dicts, lists and scalars; keys stay text, dates stay text."""
    assert read(text).data == data


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n", {"x": 1, "y": 3}),
        ("a: &a {x: 1, y: 2}\nb: {y: 3, <<: *a}\n", {"y": 3, "x": 1}),
        ("a: [&a {x: 1}, &c {x: 2, z: 3}]\nb: {<<: [*a, *c]}\n", {"x": 1, "z": 3}),
    ],
)
def test_a_merge_key_fills_in_what_the_mapping_does_not_say(text: str, merged: object) -> None:
    """`<<` works as YAML 1.1 says: own keys win, and of several mappings the earlier."""
    assert read(text).data["b"] == merged == yaml.safe_load(text)["b"]


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a: 1\na: 2\n", "the key 'a' stands here a second time", 2),
        ("a: &k b\n*k : 1\nb: 2\n", "the key 'b' stands here a second time", 3),
        ("a: &a {}\nb: {<<: *a, <<: *a}\n", "the key '<<' stands here a second time", 2),
        ("a: 1\n---\nb: 2\n", "a second document", 2),
        ("[a]: b\n", "a key must be plain text", 1),
        ("a: &x [b]\n*x : c\n", "a key must be plain text", 2),
        ("a: &x [*x]\n", "refers to nothing finished before it", 1),
        ("a: *nobody\n", "refers to nothing finished before it", 1),
        (
            "a:\n  b: !!python/object:os.system x\n",
            "the tag tag:yaml.org,2002:python/object:os.system is not allowed",
            2,
        ),
        ("a: !!set {x}\n", "the tag tag:yaml.org,2002:set is not allowed", 1),
        ("a: !mine x\n", "the tag !mine is not allowed", 1),
        ("a: !!int x\n", "'x' is not a int", 1),
        ("a: !!int ''\n", "'' is not a int", 1),
        ("a: !!bool perhaps\n", "'perhaps' is not a bool", 1),
        ("a: 0x" + "f" * 40 + "\n", "too large", 1),
        ("a:\n  b: {<<: 3}\n", "<< merges a mapping", 2),
        ("a: b: c\n", "mapping values are not allowed", 1),
        ("a:\n\tb: c\n", "cannot start any token", 2),
        ("a: [1, 2\n", "not YAML", 2),
        ("a: 'b\n", "not YAML", 2),
        ("a: \x01\n", "control character", 1),
        ("a: 1\nb: \0\n", "control character", 2),
        (b"a: 1\nb: caf\xe9\n", "0xe9, which is not UTF-8", 2),
        (b"\xff\xfea\0:\0", "0xff, which is not UTF-8", 1),
    ],
)
def test_what_cannot_be_read_is_one_error_that_names_the_line(text: str | bytes, words: str, line: int) -> None:
    """Every refusal is a BadYaml with the file, the line and the reason."""
    with pytest.raises(BadYaml) as caught:
        read(text)
    assert words in f"{caught.value}"
    assert caught.value.where == "a.yaml"
    assert caught.value.line == line


def test_half_of_a_surrogate_pair_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that cannot be written as UTF-8 again never gets in, whichever parser is there."""
    for loader in (yaml.CSafeLoader, yaml.SafeLoader):
        monkeypatch.setattr(yaml_text, "_LOADER", loader)
        with pytest.raises(BadYaml):
            read('a: "\\ud800"\n')


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(BOMB, "more than 200,000 values", id="billion laughs"),
        pytest.param(
            f"a: &a {'x' * 100_000}\nb: [{'*a, ' * 1000}]\n", "16,777,216 characters", id="one long string, often"
        ),
        pytest.param("[" * 100_000, "maximum nesting depth", id="brackets"),
        pytest.param("{a: " * 100_000, "nested deeper than 32", id="braces"),
        pytest.param("".join(f"{' ' * n}a:\n" for n in range(1000)), "nested deeper than 32", id="indentation"),
        pytest.param("- " * 100_000 + "x", "nested deeper than 32", id="dashes on one line"),
        pytest.param("x" * (2 * 1024 * 1024 + 1), "more than 2,097,152 bytes", id="large"),
    ],
)
def test_nothing_can_exhaust_time_memory_or_the_stack(text: str, words: str) -> None:
    """Size, depth, number and length are bounded, aliases counted as what they expand to, before they are expanded."""
    started = time.perf_counter()
    with pytest.raises(BadYaml, match=words):
        read(text)
    assert time.perf_counter() - started < 20


def test_bounds_are_reached_exactly() -> None:
    """What is just within the bounds is read, what is just beyond is not."""
    bounds = Bounds(size=30, depth=2, nodes=4, characters=6)
    assert read("[aa, bb, cc]", bounds).data == ["aa", "bb", "cc"]
    for text in ("[aa, bb, ccc]", "[a, b, c, d]", "[[[a]]]", " " * 31):
        with pytest.raises(BadYaml):
            read(text, bounds)


def test_every_value_knows_its_line_and_what_stood_there() -> None:
    """Lines and columns count from 1; what YAML read as something else than text can be shown as it was written."""
    document = read("a: yes\nb:\n  - 010\n  - text\n  - {c: 1e5, d: 2.50}\n")
    assert [document.line(place) for place in [("a",), ("b",), ("b", 0), ("b", 2, "d"), ("b", 2, "z"), ("q",)]] == [
        1, 2, 3, 5, 5, 1,
    ]  # fmt: skip
    assert document.positions["b", 1] == (4, 5)
    assert document.source(("a",)) == "yes"
    assert document.source(("b", 0)) == "010"
    assert document.source(("b", 1)) is None
    assert document.source(("b", 2, "d")) == "2.50"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_what_pyyaml_writes_is_read_back(data: object) -> None:
    """Whatever plain data a YAML writer writes, the same data comes back."""
    assert read(yaml.safe_dump(data)).data == data


@given(st.text(alphabet="ab:[]{}-&*!<>|'\"#%@ \n\t,?0.\ufeff", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the reader fail in any other way than with a BadYaml."""
    with contextlib.suppress(BadYaml):
        assert isinstance(read(text), Document)
