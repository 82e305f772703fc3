"""What a plan costs when all its rounds are run, said before the first call."""

from __future__ import annotations

from collections.abc import Iterable

from ..domain.config import Price
from ..domain.money import price_of
from ..domain.plan import Estimate
from ..domain.skill import SkillBundle
from ..domain.suite import LlmRubricJudge, Task
from ..domain.trial import Usage

BYTES_PER_TOKEN = 3
"""Rough: English has about four bytes a token, other scripts two to three."""
JUDGE_WORDS = 700
"""Tokens of our own words in a judge's prompt."""
TOOL_WORDS = 300
"""Tokens of a listed skill's tools, and of the turn that loads it."""


def tokens_of(*texts: str) -> int:
    """Return a rough count of the tokens of the texts.

    >>> tokens_of("abcdef")
    3
    """
    return sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN + 1


def estimate(
    *,
    tasks: Iterable[tuple[Task, int, int]],
    pass_k: int,
    listed: bool,
    bundles: tuple[SkillBundle | None, SkillBundle | None],
    system: str,
    judge_max_tokens: int,
    runner_price: Price | None,
    judge_price: Price | None,
) -> Estimate:
    """Return the estimate for the tasks, each given with its answer limit in tokens and its number of rounds.

    A listed skill is taken to be loaded in every trial; files that it makes the model read are not foreseen.
    """
    trials = trial_calls = judge_calls = 0
    asked, judged = Usage(), Usage()
    for task, max_tokens, rounds in tasks:
        for bundle in bundles:
            times = rounds * pass_k
            loads = times if listed and bundle else 0
            skill = tokens_of(bundle.body, bundle.description) if bundle else 0
            prompt = tokens_of(system, task.prompt)
            trials += times
            trial_calls += times + loads
            asked = asked.plus(
                Usage(
                    input_tokens=times * (skill + prompt) + loads * (prompt + 2 * TOOL_WORDS),
                    output_tokens=times * max_tokens + loads * TOOL_WORDS,
                )
            )
            rubrics = [judge for judge in task.judges if isinstance(judge, LlmRubricJudge)]
            judge_calls += times * len(rubrics)
            for judge in rubrics:
                words = tokens_of(task.prompt, judge.rubric) + JUDGE_WORDS + max_tokens
                judged = judged.plus(Usage(input_tokens=times * words, output_tokens=times * judge_max_tokens))
    cost = price_of(asked, runner_price)
    judge_cost = price_of(judged, judge_price) if judge_calls else 0.0
    total = asked.plus(judged)
    return Estimate(
        trials=trials,
        trial_calls=trial_calls,
        judge_calls=judge_calls,
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cost_usd=None if cost is None or judge_cost is None else round(cost + judge_cost, 4),
    )
