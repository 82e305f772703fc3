"""What must hold of the servers before the first trial."""

from __future__ import annotations

from typing import Any, cast

import pytest

from fakes import skill_plan, task
from skilldelta.cli.servers import require_all
from skilldelta.domain.plan import Plan, SkillPlan
from skilldelta.errors import BadUsage, MissingKey

RUBRIC = ({"type": "llm-rubric", "rubric": "Says yes.", "pass_threshold": 0.8},)


def _plan(*skills: SkillPlan) -> Plan:
    refs = dict.fromkeys(("base_ref", "head_ref", "base_commit", "baseline_commit", "candidate_commit"), "main")
    return Plan(tool_version="1", config_from="base", identity="0" * 64, skills=skills, **cast("Any", refs))


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


def test_a_judge_that_is_not_needed_needs_nothing() -> None:
    """The judge's provider matters only where a suite has judges that ask a model."""
    judge, environment = {"provider": "vertex"}, {"ANTHROPIC_API_KEY": "k"}
    require_all(_plan(skill_plan(judge=judge)), environment=environment, base_url="http://127.0.0.1:9")
    with pytest.raises(MissingKey, match="Vertex needs a region"):
        require_all(_plan(skill_plan(task(judges=RUBRIC), judge=judge)), environment=environment, base_url=None)
