"""Headings, links and size of a skill's body."""

from __future__ import annotations

import time

import pytest

from skilldelta.diff.body import analysed
from skilldelta.domain.skill import Finding, Severity, Skill

PATHS = ("SKILL.md", "references/a b.md", "scripts/run.py", "assets/x.png")


def _analysed(body: str, path: str = "skills/a") -> Skill:
    prefix = "" if path == "." else f"{path}/"
    entries = [{"path": prefix + name, "mode": "100644", "oid": "0" * 40, "size": 1} for name in PATHS]
    fields = {"skill_id": "a", "path": path, "skill_file": f"{prefix}SKILL.md", "name": "a", "description": "d"}
    skill = Skill.model_validate({**fields, "body": body, "body_line": 5, "tree_hash": "0", "entries": entries})
    return analysed(skill)


def test_headings_come_in_order_as_plain_text() -> None:
    """Every level and style of heading, without its marks; not those in code."""
    body = "# One *two*\n\nText\n\nThree `x`\n===\n\n```\n# no\n```\n\n> ### Four [l](a)\n"
    assert _analysed(body).headings == ("One two", "Three x", "Four l")


@pytest.mark.parametrize("path", ["skills/a", "."])
def test_relative_links_know_their_line_and_whether_they_lead_anywhere(path: str) -> None:
    """Links and images with their line in the file; fragments, titles, escapes and folders count as existing."""
    body = (
        "\n[a](references/a%20b.md#part) and\n![x](./assets/x.png 'X')\n\n"
        "- [dead](references/none.md)\n- [dir](scripts/)\n- <references/q.md>\n\n[r]: scripts/run.py?x=1\n\nsee [r]\n"
    )
    skill = _analysed(body, path)
    assert [(link.target, link.line, link.exists) for link in skill.links] == [
        ("references/a b.md#part", 6, True),
        ("./assets/x.png", 7, True),
        ("references/none.md", 9, False),
        ("scripts/", 10, True),
        ("scripts/run.py?x=1", 15, True),
    ]
    assert [(finding.line, finding.severity) for finding in skill.findings] == [(9, Severity.WARNING)]


@pytest.mark.parametrize("target", ["https://x.org/a", "mailto:a@b", "#part", "/etc/passwd", "//x.org", "?q", "c:\\x"])
def test_links_to_elsewhere_are_not_looked_at(target: str) -> None:
    """Addresses, anchors and absolute paths are not relative links."""
    assert _analysed(f"[x]({target})").links == ()


@pytest.mark.parametrize("target", ["../b/SKILL.md", "references/../../b.md", ".."])
def test_a_link_out_of_the_skill_is_told_so(target: str) -> None:
    """What is not in the bundle does not exist for an agent."""
    skill = _analysed(f"[x]({target})")
    assert not skill.links[0].exists
    assert "leads out of the skill" in skill.findings[0].message


def test_links_in_code_are_no_links() -> None:
    """Examples in fences and backticks are left alone."""
    assert _analysed("`[x](a.md)`\n\n```\n[x](b.md)\n```\n\n    [x](c.md)\n").links == ()


def test_a_long_body_is_warned_of() -> None:
    """More than 500 lines, or more than about 5,000 tokens, is one warning with both numbers."""
    assert _analysed("x\n" * 499).findings == ()
    for body in ("x\n" * 500, "x" * 20_004):
        (finding,) = _analysed(body).findings
        assert "recommended are at most 500 and 5,000" in finding.message


def test_dead_links_are_told_up_to_a_number() -> None:
    """Beyond twenty the rest is counted."""
    findings = _analysed("".join(f"[x](n{number}.md)\n" for number in range(30))).findings
    assert len(findings) == 21
    assert findings[-1].message == "and 10 more dead links"


@pytest.mark.parametrize(
    "body", ["[" * 300_000, "![" * 60_000, "[a](" * 4_000, "> " * 60_000, "a\n" * 60_000, "*a_" * 40_000, "`" * 120_000]
)
def test_a_hostile_body_costs_little(body: str) -> None:
    """No body takes the parser more than a few seconds; what is not taken apart is said so."""
    start = time.process_time()
    skill = _analysed(body)
    assert time.process_time() - start < 4
    if len(body) > 128 * 1024:
        assert any("too long for its links" in finding.message for finding in skill.findings)


def test_an_unreadable_skill_is_not_taken_apart() -> None:
    """With an error among its findings nothing is added."""
    error = Finding(severity=Severity.ERROR, path="x", message="m")
    skill = _analysed("# A").model_copy(update={"findings": (error,), "headings": ()})
    assert analysed(skill) is skill
