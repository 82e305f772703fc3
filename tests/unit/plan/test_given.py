"""What of a skill can reach an agent is what the runner hands over, and nothing else."""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest

from skilldelta.domain.skill import BundledFile, SkillBundle
from skilldelta.plan.given import given_of
from skilldelta.run import offer

_SKILLS = tuple(
    SkillBundle(name=name, description=description, body=body, files=files, tree_hash=str(number))
    for number, (name, description, body, files) in enumerate(
        product(
            ("a", "b"),
            ("Says how.", "Says   how.", "Says what."),
            ("Do it.\n", "Do it.\n\n", "Leave it.\n"),
            (
                (),
                (BundledFile(path="x.md", size=1, text="x"),),
                (BundledFile(path="x.md", size=1, text="y"),),
                (BundledFile(path="x.md", size=1, text=None),),
                (BundledFile(path="x.md", size=2, text=None),),
            ),
        )
    )
)


def _handed_over(bundle: SkillBundle, how: Literal["listed", "inline"]) -> object:
    """Return everything that the runner can say of a skill, by asking it."""
    if how == "inline":
        return offer.inline("Help.", bundle)
    loaded = offer.answer_tool(bundle, offer.LOAD, {"name": bundle.name})
    files = [offer.answer_tool(bundle, offer.READ, {"name": bundle.name, "path": path}) for path in ("x.md", "y.md")]
    return offer.listed("Help.", bundle), loaded, files, offer.skill_text(bundle)


@pytest.mark.parametrize("how", ["listed", "inline"])
def test_it_is_what_the_runner_hands_over(how: Literal["listed", "inline"]) -> None:
    """Two skills are alike for the plan exactly where the runner makes no difference between them."""
    handed = [_handed_over(bundle, how) for bundle in _SKILLS]
    given = [given_of(bundle, how) for bundle in _SKILLS]
    for one, other in product(range(len(_SKILLS)), repeat=2):
        assert (given[one] == given[other]) == (handed[one] == handed[other])
