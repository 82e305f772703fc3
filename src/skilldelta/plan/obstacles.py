"""What a suite asks and a configuration cannot do, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator

from ..domain.config import LOCAL, Config
from ..domain.design import Metric
from ..domain.money import price_for
from ..domain.suite import FrozenSuite
from ..errors import BadConfig, BadSuite


def obstacles(frozen: FrozenSuite, own: Config, skill_id: str) -> Iterator[BadConfig | BadSuite]:
    """Yield everything that keeps this suite from being run under its skill's configuration."""
    yield from model_obstacles(own, judged=frozen.suite.needs_judge_model)
    suite = frozen.suite
    if own.design.pass_k > 1 and suite.metric is Metric.SCORE:
        yield BadConfig("pass_k above 1 has no meaning with metric: score", where="design.pass_k", fix="set it to 1")
    for task in suite.tasks:
        where = f"suite {frozen.version} of {skill_id}, task {task.id}"
        if task.fixture is not None or any(judge.type == "pytest" for judge in task.judges):
            what = "a fixture" if task.fixture is not None else "a pytest judge"
            yield BadSuite(
                f"the task has {what}, which the runner `messages` cannot run in this version",
                where=where,
                fix="use contains, not-contains, regex, json-schema or llm-rubric, and put what it needs in the prompt",
            )
        if task.describe_only:
            yield BadSuite(
                "describe_only needs a runner that can act, which this version does not have",
                where=where,
                fix="remove describe_only: with `messages` the agent has nothing to act on",
            )


def model_obstacles(own: Config, *, judged: bool) -> Iterator[BadConfig]:
    """Yield why the models named cannot do what is asked, or cannot be capped in dollars; `judged`: by a model too."""
    if own.runner.provider != LOCAL and own.runner.model is None:
        yield BadConfig(
            "no model is named that should do the tasks",
            where="runner.model",
            fix="set runner.model in .skilldelta.yml or pass --model NAME (--model local: the embedded model)",
        )
    if judged and own.judge.provider == LOCAL:
        yield BadConfig(
            "the embedded model cannot give structured output, so it cannot judge llm-rubric",
            where="judge.provider",
            fix="name another judge model, or use deterministic judges",
        )
    elif judged and own.judge.model is None:
        yield BadConfig(
            "the suite has llm-rubric judges and no judge model is named",
            where="judge.model",
            fix="set judge.model in .skilldelta.yml or pass --judge-model NAME",
        )
    cap = own.budget.max_cost_usd
    models = [(own.runner.provider, own.runner.model)] + ([(own.judge.provider, own.judge.model)] if judged else [])
    for provider, model in models:
        named = model is not None or provider == LOCAL
        if cap is not None and named and price_for(own.prices, provider, model) is None:
            yield BadConfig(
                f"is {cap:g}, but `prices` has no entry for the model {model!r}, so no cost can be counted",
                where="budget.max_cost_usd",
                fix="add its prices to .skilldelta.yml, or limit the run with max_calls (--max-calls)",
            )
