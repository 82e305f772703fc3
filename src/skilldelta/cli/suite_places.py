"""From what was typed (a skill's id, a folder, a draft file) to a suite's folder in the work tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..domain.config import Config
from ..edges.folder import Folder
from ..edges.suite_folder import work_tree_top
from ..errors import BadUsage
from ..reading.frozen_suite import suite_folders
from ..reading.validation import hint
from .work_tree import work_tree_config


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """A work tree and its configuration."""

    top: Path
    config: Config

    @classmethod
    def at(cls, start: Path) -> Workplace:
        """Return the work tree around a folder; raises BadUsage when there is no such folder."""
        if not start.is_dir():
            raise BadUsage("there is no such folder", where=str(start), fix="name the repository's folder with --repo")
        top = work_tree_top(start)
        return cls(top=top, config=work_tree_config(top))

    def names(self) -> tuple[str, ...]:
        """Return the suites' folders under the configured place."""
        return suite_folders(Folder(self.top, self.config.suites).entries())

    def folder(self, typed: str) -> Folder:
        """Return the folder of the suite that was typed; raises BadUsage, naming the nearest one that exists."""
        settings = self.config.skills.get(typed)
        name = settings.suite if settings is not None and settings.suite else typed
        names = self.names()
        if name in names:
            return Folder(self.top, f"{self.config.suites}/{name}")
        path = Path(typed)
        if path.is_file():
            return self._at(path.resolve().parent)
        if path.is_dir():
            return self._at(path.resolve())
        known = hint(typed, names) if names else "there is none yet: skilldelta init drafts one for every skill"
        raise BadUsage(f"there is no suite {typed!r} under {self.config.suites}", fix=known)

    def skill_ids(self, folder: Folder) -> set[str]:
        """Return the ids of the skills that a suite's folder is for."""
        name = folder.relative.removeprefix(f"{self.config.suites}/")
        return {name.rsplit("/", 1)[-1], *(key for key, own in self.config.skills.items() if own.suite == name)}

    def is_ours(self, folder: Folder) -> bool:
        """Return True for a folder under the configured place."""
        return folder.root == self.top and folder.relative.startswith(f"{self.config.suites}/")

    def _at(self, path: Path) -> Folder:
        if path != self.top and path.is_relative_to(self.top):
            return Folder(self.top, path.relative_to(self.top).as_posix())
        return Folder(path.parent, path.name)
