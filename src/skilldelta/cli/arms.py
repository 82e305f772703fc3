"""What each arm of each skill is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..domain.config import Config
from ..domain.skill import ChangeKind, Changes, SkillBundle
from ..domain.trial import Arm

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.law import Ruling


def given(
    repository: GitRepository,
    changes: Changes,
    rulings: Mapping[str, Ruling],
    config: Config,
    without: str | None,
) -> dict[tuple[str, Arm], SkillBundle]:
    """Return the skills as the arms are given them; control has no entry.

    `without`: the file or section that the ablation leaves out; BadUsage names the parts there are.
    """
    from ..diff.ablation import without as ablated
    from ..diff.bundle import bundle
    from ..diff.sham import sham

    bundles = {}
    for change in changes.changes:
        against = config.for_skill(change.skill_id).design.against
        nothing_new = change.kind is ChangeKind.MOVED and against == "base-ref" and without is None
        if rulings[change.skill_id].suite is None or nothing_new:
            continue
        for arm, skill in ((Arm.CANDIDATE, change.candidate), (Arm.BASELINE, change.baseline)):
            if skill is not None and skill.readable:
                bundles[change.skill_id, arm] = bundle(repository, skill)
        candidate = bundles.get((change.skill_id, Arm.CANDIDATE))
        if candidate is not None and without is not None:
            bundles[change.skill_id, Arm.ABLATION] = ablated(candidate, without)
        elif candidate is not None and against == "sham":
            bundles[change.skill_id, Arm.SHAM] = sham(candidate)
    return bundles
