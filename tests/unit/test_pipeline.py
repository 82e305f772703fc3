"""The stages in their order: what one run spends over all its starts, and that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fakes import (
    Answer,
    MemoryJournal,
    ScriptedApi,
    SilentProgress,
    StoppedClock,
    bundle,
    ended,
    said,
    skill_plan,
    task,
)
from skilldelta.domain.config import BudgetSettings, Price
from skilldelta.domain.design import Design
from skilldelta.domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from skilldelta.domain.plan import Plan, SkillPlan
from skilldelta.domain.report import Report
from skilldelta.domain.trial import Arm
from skilldelta.errors import ModelRefused
from skilldelta.pipeline import Edges, decide_again, measure
from skilldelta.report.build import Told

PRICES = {"test": Price(input=0, output=1000), "judge": Price(input=0, output=1000)}
"""A whole answer of 4,096 tokens may cost $4.096, a judge's of 1,024 $1.024; five tokens cost $0.005."""
LOST = ended(ReplyStatus.TIMEOUT)
RUBRIC = {"type": "llm-rubric", "rubric": "Says yes."}


def plan(*skills: SkillPlan, **fields: object) -> Plan:
    """Return the plan of a run of these skills."""
    known: dict[str, object] = {
        "tool_version": "0",
        "base_ref": "main",
        "head_ref": "change",
        "base_commit": "a" * 40,
        "baseline_commit": "a" * 40,
        "candidate_commit": "b" * 40,
        "config_from": "base",
        "skills": skills,
        "prices": PRICES,
        "identity": "1" * 64,
    }
    return Plan.model_validate(known | fields)


async def run(
    planned: Plan, journal: MemoryJournal, answer: object, *, clock: StoppedClock | None = None
) -> tuple[Report, list[MessagesRequest]]:
    """Measure the plan; `answer` is what every request gets, or a function of the request."""
    api = ScriptedApi(answer if callable(answer) else lambda _: answer)  # type: ignore[arg-type,return-value]  # tests' answers
    edges = Edges(
        runner_api=lambda _: api,
        judge_api=lambda _: api,
        model_names={},
        slots={},
        journal=journal,
        clock=clock or StoppedClock(),
        progress=SilentProgress(),
    )
    bundles = {
        (skill.skill_id, arm): bundle(arm.value) for skill in planned.skills for arm in (Arm.CANDIDATE, Arm.BASELINE)
    }
    report = await measure(planned, bundles, edges, Told(run_id="r", started_at="2026-01-02T03:04:05Z"))
    return report, api.requests


def _worse_on(tasks: str) -> Callable[[MessagesRequest], Answer]:
    """The candidate fails these tasks, and everything else passes."""

    def answer(request: MessagesRequest) -> Answer:
        one = any(f"Do {name}." in str(request.messages) for name in tasks)
        return said("no" if one and any("candidate" in text for text in request.system) else "yes")

    return answer


@pytest.mark.parametrize("slow", [LOST, said("yes")])
async def test_a_cap_in_dollars_is_the_runs_however_often_it_is_started(slow: MessagesReply) -> None:
    """Started again, a run that its cap has ended asks nobody: a recorded timeout costs what it was charged."""
    capped = plan(skill_plan(*map(task, "abcd")), budget=BudgetSettings(max_cost_usd=9), concurrency=1)
    journal = MemoryJournal()
    first, asked = await run(capped, journal, slow)
    assert (len(asked), first.spending.reached) == ((2, "max_cost_usd (9)") if slow is LOST else (16, None))
    again, nobody = await run(capped, journal, slow)
    assert nobody == []
    assert again.model_copy(update={"invocation": first.invocation}) == first


async def test_a_judges_timeout_is_charged_again_as_well() -> None:
    """The same of a judge that did not answer in time: each cost its ceiling, then and on a second start."""
    capped = plan(
        skill_plan(*(task(name, judges=[RUBRIC]) for name in "abcd")),
        budget=BudgetSettings(max_cost_usd=5.2),
        concurrency=1,
    )
    journal = MemoryJournal()

    def answer(request: MessagesRequest) -> Answer:
        return said("yes") if request.model == "test" else LOST

    first, asked = await run(capped, journal, answer)
    assert first.spending.reached == "max_cost_usd (5.2)"
    assert sum(request.model == "judge" for request in asked) == 2
    assert (await run(capped, journal, answer))[1] == []


async def test_a_price_that_was_unknown_then_counts_now() -> None:
    """A cap that comes with a price after the run has begun counts what was recorded before it."""
    skill = skill_plan(*map(task, "abcd"))
    journal = MemoryJournal()
    expensive = said("yes").model_copy(update={"usage": said("").usage.model_copy(update={"output_tokens": 1000})})
    free, asked = await run(plan(skill, prices={}, budget=BudgetSettings(max_calls=8)), journal, expensive)
    assert (len(asked), free.spending.cost_usd) == (8, None)
    capped, more = await run(plan(skill, budget=BudgetSettings(max_cost_usd=8)), journal, expensive)
    assert (more, capped.spending.reached, capped.spending.cost_usd) == ([], "max_cost_usd (8)", 8.0)


async def test_a_server_lost_between_two_skills_fails_the_second_one() -> None:
    """What the first skill measured is reported; the second one has insufficient data, not an error of the run."""
    two = plan(skill_plan(task()), skill_plan(task(), skill_id="other", name="other"))
    gone = ended(ReplyStatus.FAILED, "connection lost").model_copy(update={"unreachable": True})
    seen: list[str] = []

    def answer(request: MessagesRequest) -> Answer:
        seen.append(request.key)
        return said("yes") if len(seen) <= 6 else gone

    report, _ = await run(two, MemoryJournal(), answer)
    assert [skill.verdict and skill.verdict.value for skill in report.skills] == ["inconclusive", "insufficient-data"]
    with pytest.raises(ModelRefused, match="cannot be reached"):
        await run(two, MemoryJournal(), gone)


async def test_single_tasks_of_the_law_go_before_what_runs_beside_it() -> None:
    """A budget that ends in between has paid for the law's rounds and its fresh ones, and not for the new suite's."""
    law = skill_plan(*map(task, "abcdef"), confirm_rounds=2)
    beside = skill_plan(*map(task, "gh"), role="beside", confirm_rounds=2)
    _, asked = await run(plan(law, beside), MemoryJournal(), _worse_on("ag"))
    tasks = [next(name for name in "abcdefgh" if f"Do {name}." in str(request.messages)) for request in asked]
    assert tasks[36:40] == ["a"] * 4
    assert tasks[40:].count("g") == tasks[40:].count("h") == 6


async def test_a_claim_leaves_its_error_to_the_next_skill_while_it_runs() -> None:
    """After the first skill has claimed, the second may claim at the whole of alpha, and so ends a round earlier."""
    design = Design(rounds=4, margin=0.05)
    names = {"one": "abcdefghijkl", "two": "mnopqrstuvwx"}
    two = plan(*(skill_plan(*map(task, own), design=design, skill_id=name, name=name) for name, own in names.items()))
    both, _ = await run(two, MemoryJournal(), _worse_on("abcdefghijklmn"))
    second, _ = await run(two, MemoryJournal(), _worse_on("mn"))
    assert [(skill.rounds, skill.claim_alpha) for skill in both.skills] == [(2, 0.025), (3, 0.05)]
    assert [(skill.rounds, skill.claim_alpha) for skill in second.skills] == [(4, 0.05), (4, 0.025)]


async def test_a_run_is_decided_again_from_its_journal_alone() -> None:
    """Replay gives the same report but for `invocation`, which says so."""
    planned, journal = plan(skill_plan(*map(task, "abcdef"))), MemoryJournal()

    def answer(request: MessagesRequest) -> Answer:
        return said("yes" if any("candidate" in text for text in request.system) else "no")

    report, _ = await run(planned, journal, answer)
    told = Told(run_id="replay", started_at="2026-01-02T03:04:05Z", replay=True)
    again = await decide_again(planned, journal, StoppedClock(), SilentProgress(), told)
    assert again.invocation.replay
    assert again.model_copy(update={"invocation": report.invocation}) == report
