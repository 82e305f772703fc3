"""What `calls_to_verdict.py` prints: shares of calls, error rates and the comparison with other rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from rules import RULES
from simulated import SCENARIOS
from skilldelta.domain.comparison import Verdict
from verdict_cells import EFFECTS, PLANS, Cell, Plan, Tally, rule_cells

Tallies = Mapping[Cell, Tally]

STUDY = {
    ("gate", 10): ((0.28, 0.40, 0.63, 0.83, 0.62, 0.39, 0.27, 0.21, 0.18), 0.42),
    ("gate", 20): ((0.19, 0.27, 0.44, 0.80, 0.60, 0.33, 0.22, 0.16, 0.13), 0.35),
    ("gate_every_2", 10): ((), 0.43),
    ("gate_every_2", 20): ((), 0.38),
    ("improve", 10): ((0.29, 0.41, 0.63, 0.75, 0.62, 0.74, 0.64, 0.41, 0.29), 0.53),
    ("improve", 20): ((0.20, 0.27, 0.45, 0.73, 0.61, 0.73, 0.45, 0.27, 0.20), 0.43),
    ("detect", 10): ((0.28, 0.39, 0.62, 0.90, 0.99, 0.90, 0.62, 0.39, 0.28), 0.60),
    ("detect", 20): ((0.20, 0.27, 0.43, 0.81, 0.99, 0.81, 0.44, 0.27, 0.19), 0.49),
    ("improve_by_rule", 10): ((), None),
    ("improve_by_rule", 20): ((), None),
}
"""What the study of the method found: the share at each effect, and their mean; None where it did not look."""

_CLAIMS = (Verdict.IMPROVED, Verdict.REGRESSED)
_PASSES = (Verdict.NO_REGRESSION, Verdict.IMPROVED)


class Rate(NamedTuple):
    """One estimated probability: its kind, the design and cell it belongs to, and how many runs it rests on."""

    kind: str
    design: str
    cell: Cell
    value: float
    runs: int

    @property
    def error(self) -> float:
        """Standard error of the simulation; of an estimate of 0 or 1, as if one run had gone the other way."""
        inner = min(max(self.value, 1 / self.runs), 1 - 1 / self.runs)
        return math.sqrt(inner * (1 - inner) / self.runs)


class Row(NamedTuple):
    """One rule in the comparison; each figure for one size of suite."""

    calls: float
    false_alarm: float
    false_improvement: float
    missed: float
    found: float


FALSE_PASS = "passes a drop of the margin"  # noqa: S105 - a label, not a password
FALSE_CLAIM = "claims a change of no task"
FALSE_CLAIM_ON_MEAN = "claims a change of an equal mean"
FALLS_SHORT = "interval misses the truth"
FINDS_DROP = "finds a drop of the margin"
FINDS_RISE = "finds a rise of the margin"
PASSES_NULL = "passes no change"
_AT_MARGIN = (FALSE_PASS, FINDS_DROP)
LIMITS = {FALSE_PASS: 0.025, FALSE_CLAIM: 0.05, FALSE_CLAIM_ON_MEAN: 0.05, FALLS_SHORT: 0.05}


def prices(tallies: Tallies, design: str, plan: Plan) -> list[tuple[float, float]]:
    """Return the share of the fixed design's calls, and its standard error, at each effect of the grid."""
    return [tallies[Cell(plan.tasks, "main", effect)].designs[design].cost(plan.fixed) for effect in EFFECTS]


def mean_price(tallies: Tallies, design: str, plan: Plan) -> tuple[float, float]:
    """Return the mean share over the effects, and its standard error."""
    found = prices(tallies, design, plan)
    return (
        math.fsum(share for share, _ in found) / len(found),
        math.sqrt(math.fsum(error**2 for _, error in found)) / len(found),
    )


def rates(tallies: Tallies) -> list[Rate]:
    """Return every error rate and power, for each design and cell in which it is defined."""
    return [
        Rate(kind, design, cell, value, outcomes.runs)
        for cell, tally in tallies.items()
        for design, outcomes in tally.designs.items()
        for kind, value in (
            *((kind, outcomes.share(*verdicts)) for kind, verdicts in _read_in(cell)),
            (FALLS_SHORT, 1 - outcomes.covered / outcomes.runs),
        )
    ]


def _read_in(cell: Cell) -> Iterator[tuple[str, tuple[Verdict, ...]]]:
    """Yield the kinds of rate that the cell's truth defines, and the verdicts that count."""
    if cell.effect == -PLANS[cell.tasks].margin:
        yield FALSE_PASS, _PASSES
        yield FINDS_DROP, (Verdict.REGRESSED,)
    if cell.effect == PLANS[cell.tasks].margin:
        yield FINDS_RISE, (Verdict.IMPROVED,)
    if cell.effect == 0:
        yield FALSE_CLAIM if cell.scenario == "sharp" else FALSE_CLAIM_ON_MEAN, _CLAIMS
        yield PASSES_NULL, _PASSES


def price_lines(tallies: Tallies) -> Iterator[str]:
    """Yield the table of shares of calls, the study's figures below ours."""
    yield "Rounds used, as a share of the fixed design's, by the true change of the mean pass rate"
    yield f"{'':28}" + "".join(f"{effect:+6.1f}" for effect in EFFECTS) + "   mean"
    for (design, tasks), (study, study_mean) in STUDY.items():
        plan = PLANS[tasks]
        found, (mean, error) = prices(tallies, design, plan), mean_price(tallies, design, plan)
        yield f"{design + f', {tasks} tasks':28}" + "".join(f"{share:6.2f}" for share, _ in found) + f"{mean:7.3f}"
        yield f"{'  standard error':28}" + "".join(f"{of:6.3f}" for _, of in found) + f"{error:7.4f}"
        told = "".join(f"{share:6.2f}" for share in study) or " " * 54
        if study_mean is not None:
            yield f"{'  the study':28}{told}{study_mean:7.2f}"


def rate_lines(tallies: Tallies) -> Iterator[str]:
    """Yield the error rates and powers with their standard errors, the kinds of suite beside each other."""
    found = rates(tallies)
    yield "Rates and their standard errors, by how the tasks vary"
    yield f"{'':54}{'at most':>8}" + "".join(f"{scenario:>15}" for scenario in SCENARIOS)
    for (kind, design, tasks), group in groupby(sorted(found), key=lambda rate: (*rate[:2], rate.cell.tasks)):
        if kind == FALLS_SHORT:
            continue
        by_scenario = {rate.cell.scenario: f"{rate.value:.4f} ±{rate.error:.4f}" for rate in group}
        limit = f"{LIMITS[kind]:.3f}" if kind in LIMITS else ""
        told = "".join(f"{by_scenario.get(scenario, ''):>15}" for scenario in SCENARIOS)
        yield f"{kind:34}{design:16}{tasks:4}{limit:>8}{told}".rstrip()


def coverage_lines(tallies: Tallies) -> Iterator[str]:
    """Yield how often the interval holds the truth when it is read at the stop."""
    yield "Coverage of the interval at the stop (at least .950)"
    for plan in PLANS.values():
        cells = sorted(cell for cell in tallies if cell.tasks == plan.tasks)
        yield f"{f'{plan.tasks} tasks':16}" + "".join(f"{cell.scenario:>7}" for cell in cells)
        yield f"{'':16}" + "".join(f"{cell.effect:+7.2f}" for cell in cells)
        for design in plan.designs():
            held = (tallies[cell].designs[design] for cell in cells)
            yield f"{design:16}" + "".join(f"{of.covered / of.runs:7.3f}" for of in held)


def compared(tallies: Tallies, plan: Plan) -> dict[str, Row]:
    """Return how our designs and the other rules do on the same trials, for one size of suite."""
    none, drop, rise = (tallies[cell] for cell in rule_cells(plan))
    rows = {}
    for name in ("gate", "improve", "improve_by_rule"):
        at_none, at_drop, at_rise = (tally.designs[name] for tally in (none, drop, rise))
        rows[name] = Row(
            calls=mean_price(tallies, name, plan)[0],
            false_alarm=at_none.share(Verdict.REGRESSED),
            false_improvement=at_none.share(Verdict.IMPROVED),
            missed=1 - at_drop.share(Verdict.REGRESSED),
            found=at_rise.share(Verdict.IMPROVED),
        )
    for name in RULES:
        rows[name] = Row(
            calls=1.0,
            false_alarm=_share(none.rules[name], -1),
            false_improvement=_share(none.rules[name], 1),
            missed=1 - _share(drop.rules[name], -1),
            found=_share(rise.rules[name], 1),
        )
    return rows


def _share(calls: Counter[int], call: int) -> float:
    return calls[call] / calls.total()


def comparison_lines(summed: Mapping[str, Any]) -> Iterator[str]:
    """Yield the comparison of the rules as Markdown, both sizes of suite in one cell; `summed` is a `summary`."""
    small, large = ({name: Row(**row) for name, row in summed["compared"][f"{tasks}_tasks"].items()} for tasks in PLANS)
    most = " / ".join(str(plan.improve) for plan in PLANS.values())
    words = {
        "gate": "**skilldelta, goal `gate`**",
        "improve_by_rule": "**skilldelta, goal `improve`**",
        "improve": f"the same with at most {most} rounds",
    }
    words |= {name: rule.words for name, rule in RULES.items()}
    yield "| rule | calls | no change: regressed | no change: improved | drop of the margin missed | rise found |"
    yield "|---|---|---|---|---|---|"
    for name, said in words.items():
        pairs = zip(small[name], large[name], strict=True)
        calls, *others = (f"{_short(a, 2)} / {_short(b, 2)}" if i == 0 else f"{_short(a)} / {_short(b)}"
                          for i, (a, b) in enumerate(pairs))  # fmt: skip
        yield f"| {said} | {calls} | {' | '.join(others)} |"
    yield ""
    yield _note(summed["rates"])


def _short(share: float, digits: int = 3) -> str:
    return f"{share:.{digits}f}".removeprefix("0") if share < 1 else f"{share:.{digits}f}"


def _note(told: Mapping[str, Any]) -> str:
    """Return what the table's figures are, and what the gate says of the drops that it does not call regressed."""
    sizes = " / ".join(f"{plan.tasks} tasks (margin {_short(plan.margin, 2)})" for plan in PLANS.values())
    passed, unsure = [], []
    for plan in PLANS.values():
        at_margin = {kind: told[kind][f"gate_{plan.tasks}"][f"main {-plan.margin:+.2f}"] for kind in _AT_MARGIN}
        passed.append(_short(at_margin[FALSE_PASS]))
        unsure.append(_short(1 - sum(at_margin.values())))
    return (
        f"Simulated suites of {sizes}. Calls: mean share of the fixed design's over nine true changes from −.4 to +.4. "
        "No change: on any task. Missed: not called a regression. The gate stops at `no-regression`, which a rise "
        f"reaches first; of drops of the margin it passes {' / '.join(passed)} and leaves "
        f"{' / '.join(unsure)} undecided."
    )


def summary(tallies: Tallies) -> dict[str, object]:
    """Return what was found, for JSON: the headline first, and the rows that it comes from."""
    found = rates(tallies)
    names = {f"{design}_{tasks}": (design, PLANS[tasks]) for design, tasks in STUDY}
    means = {name: mean_price(tallies, *place) for name, place in names.items()}
    worst = {
        name: max((rate for rate in found if rate.kind == kind), key=lambda rate: rate.value)
        for name, kind in (
            ("false_pass_max", FALSE_PASS),
            ("false_claim_max", FALSE_CLAIM),
            ("false_claim_on_mean_max", FALSE_CLAIM_ON_MEAN),
            ("coverage_min", FALLS_SHORT),
        )
    }
    figures = {name: rate.value for name, rate in worst.items()}
    figures["coverage_min"] = 1 - figures["coverage_min"]
    errors = {name: error for name, (_, error) in means.items()} | {name: rate.error for name, rate in worst.items()}
    told = zip(names, STUDY.values(), strict=True)
    off = {name: means[name][0] - mean for name, (_, mean) in told if mean is not None}
    return {
        **_rounded({name: mean for name, (mean, _) in means.items()} | figures),
        "standard_errors": _rounded(errors),
        "minus_study": _rounded(off),
        "aims_met": _aims_met(means, figures),
        "rows": {name: _by_effect(prices(tallies, *place)) for name, place in names.items()},
        "rates": _by_place(found),
        "compared": {
            f"{tasks}_tasks": {name: _rounded(row._asdict()) for name, row in compared(tallies, plan).items()}
            for tasks, plan in PLANS.items()
        },
    }


def _aims_met(means: Mapping[str, tuple[float, float]], figures: Mapping[str, float]) -> dict[str, bool]:
    """Say whether the means are the study's within a hundredth, and the rates within what is promised."""
    study = {f"{design}_{tasks}": mean for (design, tasks), (_, mean) in STUDY.items() if design in ("gate", "improve")}
    return {
        **{name: mean is not None and abs(means[name][0] - mean) < 0.01 for name, mean in study.items()},
        "false_pass_max": figures["false_pass_max"] <= LIMITS[FALSE_PASS],
        "false_claim_max": figures["false_claim_max"] <= LIMITS[FALSE_CLAIM],
        "coverage_min": figures["coverage_min"] >= 1 - LIMITS[FALLS_SHORT],
    }


def _by_effect(found: list[tuple[float, float]]) -> dict[str, list[float]]:
    """Return [share, standard error] for each effect."""
    return {f"{effect:+.1f}": [round(a, 4), round(b, 4)] for effect, (a, b) in zip(EFFECTS, found, strict=True)}


def _by_place(found: list[Rate]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the rates by kind, design and size, and truth."""
    sorted_out: dict[str, dict[str, dict[str, float]]] = {}
    for kind, design, cell, value, _ in sorted(found):
        place = sorted_out.setdefault(kind, {}).setdefault(f"{design}_{cell.tasks}", {})
        place[f"{cell.scenario} {cell.effect:+.2f}"] = round(value, 4)
    return sorted_out


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(figure, 4) for name, figure in figures.items()}
