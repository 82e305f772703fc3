"""What of a skill can reach an agent at all."""

from __future__ import annotations

from typing import Literal

from ..domain.skill import BundledFile, SkillBundle


def given_of(bundle: SkillBundle, offer: Literal["listed", "inline"]) -> object:
    """Return everything of a skill that an agent can see when it is offered like this; equal: no trial can differ.

    `inline` gives name, description and body; `listed` gives the files beside them too, as they can be read.
    """
    text = (bundle.name, " ".join(bundle.description.split()))
    if offer == "inline":
        return (*text, bundle.body.strip())
    return (*text, bundle.body, tuple(map(_readable, bundle.files)))


def _readable(file: BundledFile) -> tuple[str, str | int]:
    """Return a file's path and text; of one that is not text an agent is told the size."""
    return file.path, file.size if file.text is None else file.text
