"""Claims about several skills of one change share their error; passing does not."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from played import played
from skilldelta.compare import several_skills
from skilldelta.compare.decision import CLAIMS, decide, decide_at
from skilldelta.compare.several_skills import Decided, claim_level, stepped_down
from skilldelta.domain.comparison import StopReason, Verdict
from skilldelta.domain.design import Design, Goal

SHORT = Design(rounds=4, margin=0.05)
WEAK = ["LLTTTTTTTTTT"] * 3 + ["TTTTTTTTTTTT"]
"""Six losses of thirty-six pairs: p = 1/32, which alpha = 0.05 reaches at the third look and 0.025 never."""


def alone(letters: list[str], design: Design = SHORT, claim_alpha: float | None = None) -> Decided:
    """One skill's rounds and what they say by themselves."""
    rounds = played(*letters)
    return Decided(rounds, design, decide(rounds, design, claim_alpha=claim_alpha))


def test_worked_examples() -> None:
    """The module's worked example gives what it says."""
    results = doctest.testmod(several_skills)
    assert (results.attempted, results.failed) == (1, 0)


@pytest.mark.parametrize(("claimed", "expected"), [(0, 0.01), (3, 0.025), (4, 0.05), (9, 0.05)])
def test_each_claim_leaves_more_to_the_others(claimed: int, expected: float) -> None:
    """alpha / (skills − claims), and never more than alpha."""
    assert claim_level(Design(rounds=2), skills=5, claimed=claimed) == expected


def test_what_crosses_at_alpha_may_not_cross_at_a_share_of_it() -> None:
    """The same rounds are a regression alone, and go on or end without a claim beside four other skills."""
    letters = WEAK
    one = alone(letters)
    assert (one.decision.verdict, one.decision.looks[-1].rounds) == (Verdict.REGRESSED, 3)
    shared = alone(letters, claim_alpha=0.01)
    assert shared.decision.verdict not in CLAIMS
    assert shared.decision.claim_alpha == 0.01
    assert shared.decision.p_value is not None
    assert shared.decision.p_value > 0.01


def test_a_claim_has_a_p_value_within_its_share() -> None:
    """The repeated p-value is at most the error at which the claim was made."""
    decision = alone(["L" * 8 + "TTTT"] * 2, claim_alpha=0.01).decision
    assert decision.verdict is Verdict.REGRESSED
    assert decision.p_value is not None
    assert decision.p_value <= 0.01


def test_the_interval_is_not_narrowed_or_widened_by_other_skills() -> None:
    """Passing needs no correction: the interval keeps the design's level, whatever claims have to share."""
    letters = ["TTTTTTTTTTTT"] * 4
    one, shared = alone(letters).decision, alone(letters, claim_alpha=0.001).decision
    assert one.looks[0].interval == shared.looks[0].interval
    wins = [alone(["W" * 12] * 4, claim_alpha=level).decision.looks[0].boundary for level in (0.05, 0.001)]
    assert wins[0] != wins[1]


def test_stepping_down_gives_a_skill_what_the_others_left() -> None:
    """Two skills: one claims at alpha/2, so the other may claim at alpha, over the very rounds that were run."""
    strong = alone(["L" * 12] * 2, claim_alpha=0.025)
    weak = alone(WEAK, claim_alpha=0.025)
    assert strong.decision.verdict is Verdict.REGRESSED
    assert weak.decision.verdict not in CLAIMS
    first, second = stepped_down([strong, weak])
    assert first == strong.decision
    assert (second.verdict, second.claim_alpha, second.reason) == (Verdict.REGRESSED, 0.05, StopReason.ROUNDS)
    assert second.looks[-1].rounds == weak.decision.looks[-1].rounds
    assert second.p_value is not None
    assert 0.025 < second.p_value <= 0.05
    quiet = alone(["TTTTTTTTTTTT"] * 4, claim_alpha=0.025)
    assert stepped_down([quiet, weak]) == [quiet.decision, weak.decision]


def test_a_claim_of_the_second_step_did_not_end_for_futility() -> None:
    """A run that gave up at a share of alpha and claims at the whole of it was decided."""
    rounds = played("LLLLLLTTTTTT", "TTTTTTTTTTTT", "TTTTTTTTTTTT")
    gave_up = decide(rounds, SHORT, claim_alpha=0.025).model_copy(update={"reason": StopReason.FUTILE})
    again = decide_at(gave_up, rounds, SHORT, claim_alpha=0.05)
    assert gave_up.verdict not in CLAIMS
    assert (again.verdict, again.reason) == (Verdict.REGRESSED, StopReason.DECIDED)


def test_a_run_that_the_budget_ended_claims_nothing_later() -> None:
    """What was not decided at a look of the schedule is not decided by the claims of others."""
    rounds = played(*WEAK[:3])
    cut = decide(rounds, SHORT, claim_alpha=0.025, out_of_budget=True)
    assert (cut.verdict, cut.reason) == (Verdict.INCONCLUSIVE, StopReason.BUDGET)
    strong = alone(["L" * 12] * 2, claim_alpha=0.025)
    assert stepped_down([strong, Decided(rounds, SHORT, cut)])[1] == cut


def test_deciding_at_the_same_error_changes_nothing() -> None:
    """A claim judged again at its own error is the same claim."""
    one = alone(WEAK)
    assert decide_at(one.decision, one.rounds, one.design, claim_alpha=0.05) == one.decision


def test_what_ended_with_copies_is_judged_again_with_all_its_information() -> None:
    """A run that a cache ended has spent its whole error at the last look, at whatever share of alpha."""
    rounds = played("LLLLLLTTTTTT", "TTTTTTTTTTTT")
    copies = [[pair.model_copy(update={"copied": True}) for pair in rounds[1]]]
    one = decide([rounds[0], *copies], SHORT, claim_alpha=0.02)
    assert (one.reason, one.looks[-1].information, one.verdict in CLAIMS) == (StopReason.COPIES, 1.0, False)
    again = decide_at(one, [rounds[0], *copies], SHORT, claim_alpha=0.05)
    assert (again.verdict, again.reason) == (Verdict.REGRESSED, StopReason.COPIES)
    assert decide_at(one, [rounds[0], *copies], SHORT, claim_alpha=0.02) == one


def test_the_p_value_is_sought_from_the_error_of_the_claim() -> None:
    """Sums are discrete, so that alphas that cross can have gaps: the search sets out from the claim's own alpha."""
    rounds, design = played("LLLLW", "LLLWL", "LWLLL", "LWWWL"), Design(rounds=4, margin=0.3)
    found = [decide(rounds, design, claim_alpha=level).p_value for level in (0.02, 0.05)]
    assert found == pytest.approx([0.05469, 0.06973], abs=1e-5)


def test_giving_up_is_judged_at_the_error_that_a_claim_may_have() -> None:
    """What could still be claimed at alpha, and not at a share of it, is given up beside other skills."""
    design = Design(rounds=4, goal=Goal.IMPROVE)
    rounds = played(*["WWWWLTTTTTTT", "WLTTTTTTTTTT", "WTTTTTTTTTTT"])
    alone, shared = (decide(rounds, design, claim_alpha=level) for level in (0.05, 0.0005))
    assert not alone.finished
    assert (shared.finished, shared.reason) == (True, StopReason.FUTILE)


def _family(generator: np.random.Generator, changed: int, design: Design) -> tuple[bool, bool]:
    """Simulate five skills of ten tasks, `changed` of them worse: any false claim shared, and any unshared."""
    done: list[Decided] = []
    false, naive = False, False
    for number in range(5):
        rate = 0.5
        other = 0.2 if number < changed else rate
        letters = []
        for _ in range(design.rounds):
            candidate, baseline = generator.random(10) < other, generator.random(10) < rate
            letters.append(
                "".join(
                    "TLW"[int(b) * (not c) + 2 * int(c and not b)] for c, b in zip(candidate, baseline, strict=True)
                )
            )
        claimed = sum(one.decision.verdict in CLAIMS for one in done)
        done.append(alone(letters, design, claim_alpha=claim_level(design, skills=5, claimed=claimed)))
        if number >= changed:
            naive |= alone(letters, design).decision.verdict in CLAIMS
    for number, decision in enumerate(stepped_down(done)):
        false |= number >= changed and decision.verdict in CLAIMS
    return false, naive


@pytest.mark.slow
@pytest.mark.parametrize("changed", [0, 2])
def test_the_error_of_the_whole_family_is_kept(changed: int) -> None:
    """Five skills, none or two of them changed: any false claim in at most 5 % of 300 changes, and more without it."""
    generator = np.random.default_rng(5)
    design = Design(rounds=13, margin=0.2, goal=Goal.IMPROVE)
    results = [_family(generator, changed, design) for _ in range(300)]
    shared, naive = (sum(column) / 300 for column in zip(*results, strict=True))
    assert shared <= 0.05 + 2 * (0.05 * 0.95 / 300) ** 0.5
    assert naive > shared + 0.03
