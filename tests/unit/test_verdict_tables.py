"""The arithmetic and the tables of the benchmark of verdicts, and that what is written down is what it found."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from skilldelta.domain.comparison import Verdict
from verdict_cells import EFFECTS, PLANS, Cell, Outcomes, Tally
from verdict_tables import FALSE_CLAIM, FALSE_PASS, STUDY, comparison_lines, mean_price, prices, rates

ROOT = Path(__file__).parents[2]
RECORDED = json.loads((ROOT / "bench/recorded/calls_to_verdict.json").read_text(encoding="utf-8"))


def outcomes(*ended: tuple[Verdict, int, bool]) -> Outcomes:
    """Return the outcomes of runs, each given as its verdict, its rounds, and whether its interval held the truth."""
    found = Outcomes()
    for verdict, rounds, held in ended:
        found.add(Outcomes(1, Counter([verdict]), rounds, rounds**2, int(held)))
    return found


def test_the_price_is_the_mean_of_the_effects_prices() -> None:
    """By hand: runs of 3 and 9 rounds are half of 12 on average; effects count alike, however many runs they have."""
    plan = PLANS[10]
    tallies = {
        Cell(10, "main", effect): Tally(
            designs={"gate": outcomes(*[(Verdict.REGRESSED, 3, True), (Verdict.IMPROVED, 9, True)] * (number + 1))}
        )
        for number, effect in enumerate(EFFECTS)
    }
    tallies[Cell(10, "main", 0.4)] = Tally(designs={"gate": outcomes((Verdict.IMPROVED, 12, True))})
    assert [price for price, _ in prices(tallies, "gate", plan)] == [0.5] * 8 + [1.0]
    assert mean_price(tallies, "gate", plan)[0] == pytest.approx((8 * 0.5 + 1.0) / 9)
    assert prices(tallies, "gate", plan)[0][1] == pytest.approx(3 / 2**0.5 / 12)


def test_what_is_false_is_counted_where_it_is_false() -> None:
    """A pass counts where the drop is the margin, a claim where no task has changed, and a miss in every cell."""
    ended = outcomes((Verdict.NO_REGRESSION, 2, True), (Verdict.IMPROVED, 2, False), (Verdict.REGRESSED, 2, False),
                     (Verdict.INCONCLUSIVE, 2, True))  # fmt: skip
    tallies = {cell: Tally(designs={"gate": ended}) for cell in (Cell(10, "main", -0.2), Cell(20, "sharp", 0.0))}
    found = {(rate.kind, rate.cell): rate.value for rate in rates(tallies)}
    assert found[FALSE_PASS, Cell(10, "main", -0.2)] == 0.5
    assert found[FALSE_CLAIM, Cell(20, "sharp", 0.0)] == 0.5
    assert (FALSE_PASS, Cell(20, "sharp", 0.0)) not in found
    assert (FALSE_CLAIM, Cell(10, "main", -0.2)) not in found
    assert [value for (kind, _), value in found.items() if kind.startswith("interval")] == [0.5, 0.5]


def test_the_recorded_run_found_what_the_study_says() -> None:
    """The headline within a hundredth of the study's means, and the error rates and coverage that are promised."""
    for (design, tasks), (by_effect, mean) in STUDY.items():
        if mean is not None and design != "gate_every_2":
            assert RECORDED[f"{design}_{tasks}"] == pytest.approx(mean, abs=0.01)
            ours = [share for share, _ in RECORDED["rows"][f"{design}_{tasks}"].values()]
            assert ours == pytest.approx(list(by_effect), abs=0.02)
    assert RECORDED["false_pass_max"] <= 0.025
    assert RECORDED["false_claim_max"] <= 0.05
    assert RECORDED["coverage_min"] >= 0.95
    assert all(RECORDED["aims_met"].values())


@pytest.mark.parametrize("page", ["README.md", "docs/method.md"])
def test_the_table_is_that_of_the_recorded_run(page: str) -> None:
    """What README and method page show is what the benchmark prints of the run on record, to the last digit."""
    (table,) = re.findall(
        r"<!-- table: calls_to_verdict -->\n(.+?)<!-- end of table -->", (ROOT / page).read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )  # fmt: skip
    assert "".join(table.split()) == "".join("\n".join(comparison_lines(RECORDED)).split())
