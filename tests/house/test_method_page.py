"""docs/method.md says what the code gives."""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from house.tree import ROOT
from skilldelta.compare.tasks import SCREEN
from skilldelta.statistics.sign_flip import SignFlipTest
from skilldelta.statistics.two_sample import drop_p_value

PAGE = (ROOT / "docs/method.md").read_text(encoding="utf-8")
SNIPPETS = list(re.finditer(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE))
CONFIRMING = 10


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_table_holds_what_its_snippet_prints(number: int) -> None:
    """Each snippet runs, and each block that it prints is a whole table's body below it, in the same order."""
    snippet, printed = SNIPPETS[number], io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(snippet[1], "docs/method.md", "exec"), {})  # noqa: S102 - the page's own code
    below = PAGE[snippet.end() :].split("```python")[0]
    bodies = re.findall(r"^\|---.*\n((?:\|.*\n)+)", below, flags=re.MULTILINE)
    blocks = [f"{block.strip()}\n" for block in printed.getvalue().split("\n\n")]
    assert blocks == bodies[: len(blocks)]


def test_there_are_snippets_to_run() -> None:
    """The page works out the boundary, the planning tables and one example."""
    assert len(SNIPPETS) == 3


def test_the_place_for_measured_rates_is_marked_once() -> None:
    """The table of the benchmark has one place on the page."""
    assert len(re.findall(r"<!-- table: calls_to_verdict -->\n.*?<!-- end of table -->", PAGE, flags=re.DOTALL)) == 1


def test_what_single_tasks_can_show_is_as_the_page_says() -> None:
    """The example's tasks have the p-values of the page, and a fallen task is screened and confirmed as often."""
    assert [_drop(6, 6, 0), _drop(6, 6, 1), _drop(6, 5, 3)] == pytest.approx([1 / 1848, 7 / 1848, 5 / 33])
    said = []
    for before, after in ((0.9, 0.1), (0.75, 0.25)):
        screened = [_found(rounds, before, after, at=SCREEN, mid=True) for rounds in (3, 5, 10)]
        confirmed = [_found(CONFIRMING, before, after, at=0.05 / tasks, mid=False) for tasks in (1, 3)]
        said.append([f"{share:.2f}".removeprefix("0") for share in (*screened, *confirmed)])
    assert said == [[".89", ".93", "1.00", ".99", ".96"], [".53", ".53", ".79", ".62", ".42"]]
    for share in said[0] + said[1]:
        assert share in PAGE


def _drop(rounds: int, before: int, after: int, *, mid: bool = True) -> float:
    """Return the p-value of a drop in passes, so many rounds in each arm."""
    return drop_p_value(*([100] * passes + [0] * (rounds - passes) for passes in (after, before)), mid=mid)


def _found(rounds: int, before: float, after: float, *, at: float, mid: bool) -> float:
    """Return how often a task with these pass rates has a drop with a p-value of at most `at`."""
    return math.fsum(
        _chance(rounds, old, before) * _chance(rounds, new, after)
        for old in range(rounds + 1)
        for new in range(old)
        if _drop(rounds, old, new, mid=mid) <= at
    )


def _chance(rounds: int, passes: int, rate: float) -> float:
    return math.comb(rounds, passes) * rate**passes * (1 - rate) ** (rounds - passes)


def test_steps_of_holm_spend_no_more_than_the_last_of_them() -> None:
    """A skill that is tried at alpha/K, … alpha/k crosses at any of these with a probability of at most alpha/k.

    Not a matter of course: with discrete sums the boundary at a higher level can lie outside one at a lower level.
    """
    generator, interleaved = np.random.default_rng(0), 0
    for _ in range(400):
        most, tasks = int(generator.integers(2, 21)), int(generator.integers(3, 21))
        looks = int(generator.integers(1, most + 1))
        differing = [int(count) for count in generator.binomial(tasks, generator.uniform(0.1, 0.7), size=looks)]
        skills = int(generator.integers(2, 6))
        unchanged = int(generator.integers(1, skills))
        levels = [0.05 / left for left in range(skills, unchanged - 1, -1)]
        boundaries = [_boundaries(differing, most, level) for level in levels]
        lowest = [min(of_look) for of_look in zip(*boundaries, strict=True)]
        interleaved += lowest != boundaries[-1]
        assert _crosses(differing, lowest) <= levels[-1]
    assert interleaved > 20


def _boundaries(differing: Sequence[int], most: int, level: float) -> list[float]:
    test, found = SignFlipTest(), []
    for look, count in enumerate(differing, start=1):
        boundary, test = test.advance([100] * count, level * (look / most) ** 1.5)
        found.append(math.inf if boundary is None else boundary / 100)
    return found


def _crosses(differing: Sequence[int], boundaries: Sequence[float]) -> float:
    """Return the chance that the sum of so many fair signs a look reaches a boundary; counted path by path."""
    going, crossed = Counter({0: 1.0}), 0.0
    for count, boundary in zip(differing, boundaries, strict=True):
        after: Counter[int] = Counter()
        for total, chance in going.items():
            for heads in range(count + 1):
                after[total + 2 * heads - count] += chance * math.comb(count, heads) / 2**count
        crossed += math.fsum(chance for total, chance in after.items() if abs(total) >= boundary)
        going = Counter({total: chance for total, chance in after.items() if abs(total) < boundary})
    return crossed


def test_the_measured_table_is_the_same_in_both_places() -> None:
    """The README and this page hold one and the same table of the benchmark."""
    tables = [
        re.findall(r"<!-- table: calls_to_verdict -->\n(.+?)<!-- end of table -->", page, flags=re.DOTALL)
        for page in (PAGE, (ROOT / "README.md").read_text(encoding="utf-8"))
    ]
    assert tables[0] == tables[1] != []
