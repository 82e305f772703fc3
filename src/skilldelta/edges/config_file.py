"""`.skilldelta.yml` in a work tree."""

from __future__ import annotations

from pathlib import Path

from ..domain.config import Config
from ..errors import BadConfig
from ..reading.config import read_config
from .folder import Folder

CONFIG_FILE = ".skilldelta.yml"
_MISSPELT = ".skilldelta.yaml"
_MOST_BYTES = 4 * 1024 * 1024


def work_tree_config(top: Path) -> Config:
    """Return the configuration in a work tree's top folder; all defaults when there is none.

    Raises BadConfig with everything wrong in it, and for a file with the other ending, which nothing would read.
    """
    present = {path.name for path in top.iterdir() if path.name in (CONFIG_FILE, _MISSPELT)}
    if CONFIG_FILE not in present:
        if _MISSPELT in present:
            raise BadConfig("is never read", where=_MISSPELT, fix=f"name it {CONFIG_FILE}")
        return Config()
    return read_config(Folder(top).read(CONFIG_FILE, limit=_MOST_BYTES, cut=True), where=CONFIG_FILE)
