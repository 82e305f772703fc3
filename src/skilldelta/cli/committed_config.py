"""The configuration as it is committed, and which commit's is the law of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..domain.config import CONFIG_FILE, MISSPELT_CONFIG_FILE, USUAL_SUITES, Config, DiscoverySettings
from ..errors import BadConfig

if TYPE_CHECKING:
    from ..edges.git import GitRepository

_MOST_BYTES = 4 * 1024 * 1024
Named = tuple[str, str]
"""A commit, and the ref as it was typed."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """The configuration that decides, and where it comes from."""

    config: Config
    source: Literal["base", "head", "defaults"]
    usual_places: bool = False
    """Skills are looked for in the usual places: the base has frozen suites, and only the head has a configuration."""
    broken: BadConfig | None = None
    """What is wrong with the base's configuration, where the head mends it: no law for a skill that changes as well."""

    @property
    def discovery(self) -> DiscoverySettings:
        """Where skills are looked for, on both sides."""
        return DiscoverySettings() if self.usual_places else self.config.discovery


def law_between(repository: GitRepository, *, base: Named, head: Named) -> Law:
    """Return the base's configuration, else the head's (first adoption), else the defaults; BadConfig for a bad one.

    A head that adopts a configuration could hide skills by it; where the base has frozen suites, it cannot.
    """
    try:
        config = committed_config(repository, *base)
    except BadConfig as broken:
        return _mended(repository, base, head, broken)
    if config is not None:
        return Law(config=config, source="base")
    config = committed_config(repository, *head)
    if config is not None:
        return Law(config=config, source="head", usual_places=_has_frozen_suites(repository, base[0]))
    return Law(config=Config(), source="defaults")


def _mended(repository: GitRepository, base: Named, head: Named, broken: BadConfig) -> Law:
    """Return the head's configuration and what is wrong with the base's, which is raised if the head's is no better."""
    try:
        config = committed_config(repository, *head)
    except BadConfig:
        raise broken from None
    usual_places = _has_frozen_suites(repository, base[0])
    return Law(config=config or Config(), source="head", usual_places=usual_places, broken=broken)


def committed_config(repository: GitRepository, commit: str, ref: str) -> Config | None:
    """Return the configuration of a commit, or None; raises BadConfig for what is wrong in it, or in its name."""
    from ..reading.config import holds_config, read_config

    names = {entry.path for entry in repository.tree(commit, [CONFIG_FILE, MISSPELT_CONFIG_FILE])}
    if not holds_config(names, at=f" at {ref}"):
        return None
    raw = repository.read(commit, CONFIG_FILE, limit=_MOST_BYTES)
    return read_config(raw or b"", where=f"{CONFIG_FILE} at {ref}")


def _has_frozen_suites(repository: GitRepository, commit: str) -> bool:
    """Return whether anything frozen is in the suites' usual place; a link there may stand for it."""
    from ..reading.frozen_suite import holds_versions

    paths = [entry.path for entry in repository.tree(commit, [USUAL_SUITES])]
    return USUAL_SUITES in paths or holds_versions(paths)
