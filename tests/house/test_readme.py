"""The README's tables are made from the models; `make golden` renews them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, get_args

import pytest
from pydantic.fields import FieldInfo

from golden_text import RENEW
from house.tree import ROOT, modules
from skilldelta import errors
from skilldelta.cli.compare import command as compare
from skilldelta.cli.verbs import VERBS
from skilldelta.domain.comparison import Verdict
from skilldelta.domain.config import Config
from skilldelta.domain.suite import JudgeSettings
from skilldelta.reading.config import model_at
from skilldelta.reading.precedence import SETTINGS

README = ROOT / "README.md"
MEANING_OF_EXITS = {
    errors.EXIT_PASS: "the gate is pass, warn or neutral",
    errors.EXIT_FAIL: "the gate is fail: regressed, or an arm that keeps failing",
    errors.EXIT_BLOCKED: "blocked: bad input or usage, an edited frozen suite, a missing key, a provider that refuses",
    errors.EXIT_CONFLICTED: "judges in conflict (kept for later: no judge of this version can be)",
    errors.EXIT_BUG: "a bug of ours; the message says what to report",
    errors.EXIT_INTERRUPTED: "interrupted (Ctrl-C); the same command continues the run",
    errors.EXIT_TERMINATED: "terminated; the same command continues the run",
}


def verbs_table() -> str:
    """Return the verbs with what they do."""
    return _table(("command", "what it does"), [(f"`skilldelta {verb}`", line) for verb, (_, line) in VERBS.items()])


def exits_table() -> str:
    """Return the exit codes with what they mean."""
    return _table(("code", "meaning"), [(str(code), meaning) for code, meaning in MEANING_OF_EXITS.items()])


def config_table() -> str:
    """Return every setting with its default, its flag and its variable, and its meaning."""
    others = {setting.field: setting for setting in SETTINGS}
    options = {option for parameter in compare.params for option in parameter.opts}
    rows = []
    for name, info in Config.model_fields.items():
        model = model_at((name,))
        fields = {name: info} if model is None else {f"{name}.{key}": one for key, one in model.model_fields.items()}
        for field, one in fields.items():
            setting = others.get(field)
            words = [setting.option] * (setting.option in options) + [setting.variable] if setting else []
            elsewhere = ", ".join(f"`{word}`" for word in words)
            rows.append((f"`{field}`", _default(one), elsewhere, one.description or ""))
    return _table(("setting", "default", "option, variable", "meaning"), rows)


def _default(info: FieldInfo) -> str:
    default: Any = info.get_default(call_default_factory=True, validated_data={})
    if default is None:
        return "not set"
    value = default.value if isinstance(default, Enum) else default
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


TABLES: dict[str, Callable[[], str]] = {"verbs": verbs_table, "exit codes": exits_table, "settings": config_table}


def renewed(text: str, name: str, table: str) -> str:
    """Return the page with the table between its two marks set anew."""
    begin, end = f"<!-- table: {name} -->\n", "<!-- end of table -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    page, found = pattern.subn(lambda _: f"{begin}{table}\n{end}", text)
    assert found == 1, f"the README holds {found} tables of {name}"
    return page


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_table_says_what_the_code_does(name: str) -> None:
    """Verbs, exit codes and settings in the README are those of the code, with their defaults and words."""
    text = README.read_text(encoding="utf-8")
    page = renewed(text, name, TABLES[name]())
    if os.environ.get(RENEW) == "1":
        README.write_text(page, encoding="utf-8")
        return
    assert text == page, f"the table of {name} is out of date: {RENEW}=1 (make golden) renews it"


def test_every_exit_code_has_its_meaning() -> None:
    """Each exit code of the catalogue of errors is explained, and no other."""
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    assert codes == set(MEANING_OF_EXITS)


def test_every_verdict_and_judge_is_named() -> None:
    """The README names every verdict that a report may give and every judge that a suite may use."""
    text = README.read_text(encoding="utf-8")
    union, _ = get_args(JudgeSettings)
    judges = [get_args(judge.model_fields["type"].annotation)[0] for judge in get_args(union)]
    assert "contains" in judges
    assert [word for word in [*Verdict, *judges] if f"`{word}`" not in text] == []


def test_the_commands_of_the_readme_exist() -> None:
    """Every `skilldelta VERB` and every `make WORD` that the README shows is there."""
    text = README.read_text(encoding="utf-8")
    words = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^ {4}|`)make ([a-z-]+)", text, re.MULTILINE)) - words == set()
    assert set(re.findall(r"(?:^ {4}|`)skilldelta ([a-z][a-z-]*)", text, re.MULTILINE)) - set(VERBS) == set()


def test_the_messages_of_the_readme_are_those_of_the_program() -> None:
    """Whoever searches the README for an error finds it: its fixed words stand in the program."""
    program = re.sub(r'"\s*\n\s*f?"', "", "".join(module.source for module in modules()))
    section = README.read_text(encoding="utf-8").split("## When something goes wrong")[1].split("\n## ")[0]
    messages = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert len(messages) > 20
    assert [message for message in messages if not any(run in program for run in _runs(message))] == []


def _runs(message: str) -> list[str]:
    """Return every four neighbouring words (fewer when there are fewer): one of them has nothing filled in."""
    words = message.strip(" `").split()
    return [" ".join(words[at : at + 4]) for at in range(max(1, len(words) - 3))]


def test_a_stale_table_is_seen() -> None:
    """A table that differs in one cell makes another page than the one that is there."""
    page = "<!-- table: verbs -->\n| old |\n<!-- end of table -->\nrest"
    assert renewed(page, "verbs", "| new |") == "<!-- table: verbs -->\n| new |\n<!-- end of table -->\nrest"
    two = "<!-- table: a -->\n<!-- end of table -->\nrest\n<!-- table: b -->\n<!-- end of table -->\n"
    assert renewed(two, "a", "| new |") == two.replace("a -->\n", "a -->\n| new |\n", 1)
    assert _table(("a", "b"), [("x|y", "z")]).endswith("| x\\|y | z |")
