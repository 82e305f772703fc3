"""Pages, verbs and links fit the code."""

from __future__ import annotations

import importlib
import re

import click
import pytest

from house.tree import ROOT, short, tracked
from skilldelta.cli.verbs import VERBS

PAGES = sorted(short(path) for path in tracked() if path.suffix == ".md" and "skills" not in path.parts)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_its_module(verb: str) -> None:
    """Each row of the table of verbs is a command, and its module's help says something."""
    module = importlib.import_module(f"skilldelta.cli.{VERBS[verb][0]}")
    assert isinstance(module.command, click.Command)
    assert module.command.help


def test_every_decision_is_linked_from_the_architecture() -> None:
    """Whoever reads docs/architecture.md finds every decision."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    decisions = sorted(path.name for path in (ROOT / "docs/decisions").glob("*.md"))
    assert decisions
    assert [name for name in decisions if f"(decisions/{name})" not in text] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    """Every relative link of a page names a file or folder that is there."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    relative = [link for link in links if link and "://" not in link and not link.startswith("mailto:")]
    assert [link for link in relative if not ((ROOT / page).parent / link).exists()] == []
