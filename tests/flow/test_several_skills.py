"""Several skills in one change: claims share their error, passing needs no correction."""

from __future__ import annotations

from typing import Any

from comparing import CONFIG, NEW, OLD, Asked, Bench, frozen, skill, suite_text

LAW = {".skilldelta.yml": CONFIG, **frozen(suite_text("a"), "a"), **frozen(suite_text("b"), "b")}
DESIGN = ("--rounds", "4", "--margin", "0.05")


def _ready(bench: Bench) -> None:
    bench.two({**skill(OLD, "a"), **skill(OLD, "b"), **LAW}, {**skill(NEW, "a"), **skill(NEW, "b")})


def _weakly_worse(asked: Asked) -> str:
    """The candidate of `a` fails two tasks in each of the first three rounds: six losses, p = 1/32."""
    number = int(asked.prompt.split()[1])
    return "no" if asked.arm == "candidate" and " of a" in asked.prompt and number < 2 and asked.time <= 3 else "yes"


def _by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["skill_id"]: one for one in report["skills"]}


def test_a_claim_that_holds_alone_is_not_made_beside_others(bench: Bench) -> None:
    """Beside an unchanged skill the claim would have to hold at half the error; what it would be alone is said."""
    _ready(bench)
    bench.server.script = _weakly_worse
    one = _by_name(bench.compare(*DESIGN))["a"]
    assert (one["verdict"], one["unadjusted"], one["claim_alpha"]) == ("inconclusive", "regressed", 0.025)
    assert any(warning.startswith("Alone it would be regressed") for warning in one["warnings"])
    bench.server.forget()
    alone = bench.compare(*DESIGN, "--skill", "a", code=1, out=bench.folder / "alone")
    (one,) = alone["skills"]
    assert (one["verdict"], one["unadjusted"], one["claim_alpha"]) == ("regressed", None, 0.05)


def test_a_claim_about_one_skill_leaves_the_error_to_the_other(bench: Bench) -> None:
    """Once the other skill has regressed at half the error, this one may at the whole: Holm's second step."""
    _ready(bench)
    bench.server.script = lambda asked: (
        "no" if asked.arm == "candidate" and " of b" in asked.prompt else _weakly_worse(asked)
    )
    found = _by_name(bench.compare(*DESIGN, code=1))
    assert {name: (one["verdict"], one["claim_alpha"]) for name, one in found.items()} == {
        "a": ("regressed", 0.05), "b": ("regressed", 0.025),
    }  # fmt: skip
    assert found["a"]["statistics"]["p_value"] > 0.025


def test_the_plan_says_what_claims_beside_others_can_find(bench: Bench) -> None:
    """Power is that of a claim at half the error, where two skills share it; alone at the whole."""
    _ready(bench)
    both = _by_name(bench.compare(*DESIGN))
    assert {name: one["reach"]["skills"] for name, one in both.items()} == {"a": 2, "b": 2}
    assert "; its claims share their error with 1 other skill)" in bench.said
    alone = _by_name(bench.compare(*DESIGN, "--skill", "a", out=bench.folder / "alone"))["a"]
    assert alone["reach"]["skills"] == 1
    assert alone["reach"]["power_at_margin"] > both["a"]["reach"]["power_at_margin"]
    assert alone["reach"]["smallest_effect"] < both["a"]["reach"]["smallest_effect"]


def test_passing_is_not_made_harder(bench: Bench) -> None:
    """Two unchanged skills pass after as many rounds as one alone, with the same interval."""
    _ready(bench)
    both = _by_name(bench.compare())
    alone = _by_name(bench.compare("--skill", "a", out=bench.folder / "alone"))["a"]
    assert {one["verdict"] for one in both.values()} == {"no-regression"}
    for field in ("rounds", "trials"):
        assert both["a"][field] == alone[field]
    assert both["a"]["statistics"]["interval"] == alone["statistics"]["interval"]
