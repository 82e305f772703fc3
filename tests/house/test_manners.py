"""Small manners, held so that nobody has to remember them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from house.tree import PACKAGE, ROOT, modules, short, tracked, tracked_python

LONGEST = 330
NAMES_THAT_SAY_NOTHING = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
_SWITCH = re.compile(r"#.*\b(noqa|type: ignore|pragma: no)\b")
_REASON = re.compile(r"\b(noqa|type: ignore|pragma: no)\b.*(?: [-\u2013] |  # )\S")
# Written in pieces, so that this file holds none of them.
_HOSTS = ("pypi" + ".org", "python" + "hosted.org", "npmjs" + ".org", "deb.deb" + "ian.org", "hugging" + "face.co")
_PLACES = re.compile(
    r"(?<![\w.~}])/(?:" + "|".join(("ro" + "ot", "wo" + "rk", "ho" + "me/[a-z]", "Us" + "ers/[a-z]")) + r")/"
)


def switches_without_reason(source: str) -> list[int]:
    """Return the lines whose comment switches a check off and does not say why."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
    return [line for line, text in comments if _SWITCH.search(text) and not _REASON.search(text)]


def test_no_module_is_long() -> None:
    """A module fits a reader's patience."""
    long = {short(path): count for path in PACKAGE.rglob("*.py") if (count := _lines(path)) > LONGEST}
    assert long == {}


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_names_say_something() -> None:
    """No module is named after nothing in particular."""
    named = {(*module.parts, "")[-2] for module in modules() if module.parts}
    assert named & NAMES_THAT_SAY_NOTHING == set()


def test_every_switched_off_check_has_its_reason() -> None:
    """Each `noqa` and `type: ignore` says why behind a dash."""
    bare = [
        f"{short(path)}:{line}"
        for path in tracked_python()
        for line in switches_without_reason(path.read_text(encoding="utf-8"))
    ]
    assert bare == [], "\n".join(bare)


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("# noqa: S311", True),
        ("# type: ignore[arg-type]", True),
        ("# ruff: noqa: S603", True),
        ("# noqa: S311 - spreads retries, guards nothing", False),
        ("# type: ignore[arg-type]  # the stub knows no modules", False),
        ("# type: ignore[arg-type] - the stub knows no modules", False),
        ("# nothing is switched off here", False),
    ],
)
def test_a_missing_reason_is_seen(comment: str, found: bool) -> None:
    """A bare switch is found, one with its reason is not."""
    assert bool(switches_without_reason(f"x = 1  {comment}\n")) == found


def test_every_test_says_what_it_promises() -> None:
    """Every test function has a docstring."""
    silent = [
        f"{short(path)}:{node.lineno} {node.name}"
        for path in tracked_python()
        if path.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_no_file_names_a_machine_or_a_registry() -> None:
    """What is here works anywhere: no host of a package registry, no folder of somebody's machine."""
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{short(path)} names {host}" for host in _HOSTS if host in text]
        found += [f"{short(path)} names {match.group()}" for match in _PLACES.finditer(text)]
    assert found == []


@pytest.mark.parametrize("file", sorted(short(path) for path in ROOT.glob("requirements/*.txt")))
def test_every_locked_package_has_its_hash(file: str) -> None:
    """A lock file holds nothing but exact versions with hashes, and no option of pip's."""
    text = (ROOT / file).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert lines
    assert [line for line in lines if not re.match(r"[a-z0-9._-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []
