"""What makes two runs the same run."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import skill_plan, task
from skilldelta.domain.config import DesignSettings
from skilldelta.domain.design import Design
from skilldelta.domain.plan import Plan, Reach, RecordedBaseline, SkillPlan
from skilldelta.domain.trial import Arm
from skilldelta.plan.make import identity_of


def identity(**fields: Any) -> str:
    """Return the identity of a run of one skill with these fields."""
    skill: SkillPlan = skill_plan(task("one"), **fields)
    plan = Plan(
        tool_version="0", base_ref="main", head_ref="change", base_commit="a" * 40, baseline_commit="a" * 40,
        candidate_commit="b" * 40, config_from="base", skills=(skill,), identity="",
    )  # fmt: skip
    return identity_of(plan)


@pytest.mark.parametrize(
    "fields",
    [
        {"skill_id": "other"},
        {"candidate_tree": "d" * 64},
        {"reference_tree": "d" * 64},
        {"reference": Arm.SHAM},
        {"design": Design(rounds=4)},
        {"seed": 8},
        {"pass_k": 2},
        {"pass_threshold": 0.5},
        {"task_timeout_seconds": 10},
        {"runner": {"model": "other"}},
        {"judge": {"model": "other"}},
        {"confirm_rounds": 3},
        {"without": "#Part"},
        {"role": "beside"},
        {"usual": DesignSettings(margin=0.3)},
    ],
    ids=lambda fields: str(next(iter(fields))),
)
def test_what_determines_a_run_is_part_of_it(fields: dict[str, Any]) -> None:
    """Whatever could change a trial, a verdict or a gate makes another run."""
    assert identity(**fields) != identity()


def test_what_is_only_said_beside_it_is_none() -> None:
    """The same comparison stays the same run, whatever is expected of it or known of earlier ones."""
    recorded = RecordedBaseline(
        tree="b", configuration="c", setup="s", models=(), tool_version="1", measured_at="", tasks=()
    )
    reach = Reach(tasks=1, discordance=0.1, rounds_needed=None, power_at_margin=0.9, smallest_effect=None)
    assert identity(recorded=recorded, reach=reach, notes=("so",)) == identity()
