"""What must hold of the servers before the first trial."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from fakes import bundle, skill_plan, task
from skilldelta.cli.servers import Servers, check_context, require_all
from skilldelta.domain.messages import MessagesRequest
from skilldelta.domain.plan import Plan, SkillPlan
from skilldelta.domain.trial import Arm
from skilldelta.edges.local_model import CONTEXT_TOKENS
from skilldelta.errors import BadUsage, ContextExceeded, MissingKey

RUBRIC = ({"type": "llm-rubric", "rubric": "Says yes.", "pass_threshold": 0.8},)


class Counting:
    """Stands for a server that counts tokens as it is told, and keeps what it was asked."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens
        self.asked: list[MessagesRequest] = []

    async def count_tokens(self, request: MessagesRequest) -> int | None:
        """Return the number that was given."""
        self.asked.append(request)
        return self.tokens


def _plan(*skills: SkillPlan) -> Plan:
    refs = dict.fromkeys(("base_ref", "head_ref", "base_commit", "baseline_commit", "candidate_commit"), "main")
    return Plan(tool_version="1", config_from="base", identity="0" * 64, skills=skills, **cast("Any", refs))


async def _checked(api: Counting, *skills: SkillPlan) -> None:
    """Check a plan whose embedded model counts as `api` does, with the real context."""
    local = SimpleNamespace(context_tokens=CONTEXT_TOKENS, model_name="tiny")
    servers = Servers(environment={}, base_url=None, local=cast("Any", local), clients={"local": cast("Any", api)})
    bundles = {("demo", arm): bundle(arm.value) for arm in (Arm.CANDIDATE, Arm.BASELINE)}
    await check_context(_plan(*skills), bundles, servers)


def _local(**runner: Any) -> SkillPlan:
    return skill_plan(task("one"), task("two"), runner={"model": "local", **runner})


async def test_every_prompt_of_both_arms_is_counted() -> None:
    """Each task is counted with each arm's skill, and with the defaults a prompt of 3,584 tokens just fits."""
    api = Counting(CONTEXT_TOKENS - 512)
    await _checked(api, _local())
    asked = [(request.system[1].split()[-2], request.messages[0]["content"]) for request in api.asked]
    assert asked == [(arm, f"Do {name}.") for arm in ("candidate", "baseline") for name in ("one", "two")]
    assert {(request.model, request.max_tokens) for request in api.asked} == {("tiny", 512)}


async def test_a_prompt_that_is_too_long_is_refused_with_the_numbers() -> None:
    """One token more than fits is refused before anything runs: prompt, answer, sum and context are said."""
    with pytest.raises(ContextExceeded) as caught:
        await _checked(Counting(CONTEXT_TOKENS - 511), _local())
    assert str(caught.value).splitlines()[0] == (
        "demo, task one: the prompt of candidate has 3,585 tokens and the answer may have 512: "
        "4,097 do not fit the embedded model's context of 4,096"
    )
    assert "lower max_tokens" in (caught.value.fix or "")


async def test_a_prompt_that_cannot_be_counted() -> None:
    """Where the server cannot count, only an answer that fills the context by itself is refused, in words."""
    await _checked(Counting(None), _local())
    await _checked(Counting(None), _local(max_tokens=CONTEXT_TOKENS - 1))
    for most in (CONTEXT_TOKENS, 9000):
        with pytest.raises(ContextExceeded, match=r"could not be counted.*alone may have (4,096|9,000) tokens"):
            await _checked(Counting(None), _local(max_tokens=most))


async def test_only_the_embedded_model_is_asked() -> None:
    """A skill that another model answers is not counted."""
    api = Counting(1_000_000)
    await _checked(api, skill_plan(runner={"model": "big"}))
    assert api.asked == []


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clients of Bedrock and Vertex be installed."""
    monkeypatch.setattr("skilldelta.edges.anthropic_access._installed", lambda _: True)


@pytest.mark.usefixtures("clients")
@pytest.mark.parametrize("provider", ["bedrock", "vertex"])
@pytest.mark.parametrize("part", ["runner", "judge"])
def test_an_address_for_a_provider_that_has_its_own(provider: str, part: str) -> None:
    """An address that would never be asked is refused in words; in the environment it is for the other provider."""
    skill = skill_plan(task(judges=RUBRIC), **cast("Any", {part: {"provider": provider}}))
    environment = {"CLOUD_ML_REGION": "europe-west1", "ANTHROPIC_API_KEY": "k"}
    with pytest.raises(BadUsage, match=f"--base-url does not hold for the provider {provider}") as caught:
        require_all(_plan(skill), environment=environment, base_url="http://127.0.0.1:9")
    assert "leave it out" in (caught.value.fix or "")
    require_all(_plan(skill), environment=environment | {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, base_url=None)


@pytest.mark.usefixtures("clients")
def test_a_judge_that_is_not_needed_needs_nothing() -> None:
    """The judge's provider matters only where a suite has judges that ask a model."""
    judge, environment = {"provider": "vertex"}, {"ANTHROPIC_API_KEY": "k"}
    require_all(_plan(skill_plan(judge=judge)), environment=environment, base_url="http://127.0.0.1:9")
    with pytest.raises(MissingKey, match="Vertex needs a region"):
        require_all(_plan(skill_plan(task(judges=RUBRIC), judge=judge)), environment=environment, base_url=None)
