"""First adoption: what the head's configuration cannot say about skills whose suite the base has frozen already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..domain.config import CONFIG_FILE, Config, DiscoverySettings, SkillSettings
from ..domain.plan import Flag
from ..reading.weakening import weakening
from .law import SuitePair


def adopted(
    config: Config, *, held: Mapping[str, SuitePair], named: Mapping[str, SuitePair], discovery: DiscoverySettings
) -> tuple[Config, tuple[Flag, ...]]:
    """Return the head's configuration without its say on the skills in `held`, and a flag for each thing it said.

    `held`: skill → the suite that the base has frozen for it, which is the law: the skill is neither skipped nor given
    another suite. `named`: skill → the suite that the configuration names. `discovery`: where skills were looked for.
    """
    flags = []
    if config.discovery != discovery:
        message = "says where skills are; as the base has frozen suites, they were looked for in the usual places"
        flags.append(_flag(message))
    skills = dict(config.skills)
    for skill_id, pair in sorted(held.items()):
        own = config.skills.get(skill_id, SkillSettings())
        flags += _set_aside(skill_id, own, pair, named[skill_id])
        if skill_id in skills:
            skills[skill_id] = own.model_copy(update={"skip": False, "suite": None})
    return config.model_copy(update={"skills": skills, "discovery": discovery}), tuple(flags)


def _set_aside(skill_id: str, own: SkillSettings, held: SuitePair, named: SuitePair) -> Iterator[Flag]:
    if own.skip:
        yield _flag(f"skips {skill_id}; as the base has a frozen suite for it in {held.folder}, that does not hold")
    if named.folder == held.folder:
        return
    law, other = held.base.newest, named.head.newest
    yield _flag(
        f"names {named.folder} for the suite of {skill_id}; the one that the base has in {held.folder} was used",
        weakening(law.suite, other.suite, law.record.fixtures, other.record.fixtures) if law and other else (),
    )


def _flag(message: str, weaker: tuple[str, ...] = ()) -> Flag:
    words = f"the configuration that this change brings {message}"
    return Flag(kind="config", path=CONFIG_FILE, message=words, weakening=weaker)
