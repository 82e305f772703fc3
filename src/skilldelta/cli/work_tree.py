"""What a work tree holds for us: the configuration, and the suites."""

from __future__ import annotations

from pathlib import Path

from ..domain.config import CONFIG_FILE, Config
from ..edges.folder import Folder
from ..reading.config import holds_config, read_config
from ..reading.fixtures import MOST_BYTES
from ..reading.frozen_suite import FoundSuite, find_frozen
from ..reading.yaml_document import Bounds


def work_tree_config(top: Path) -> Config:
    """Return the configuration in a work tree's top folder; all defaults when there is none.

    Raises BadConfig with everything wrong in it, and for a file with the other ending, which nothing would read.
    """
    if not holds_config({path.name for path in top.iterdir()}):
        return Config()
    # One byte more than is read of a configuration, so that the reader is the one to say that it is too large.
    return read_config(Folder(top).read(CONFIG_FILE, limit=Bounds().size + 1, cut=True), where=CONFIG_FILE)


def read_suite_folder(folder: Folder) -> FoundSuite:
    """Return what a suite's folder in the work tree holds; raises Unreadable for what the system refuses to give."""
    return find_frozen(folder.entries(), lambda path: folder.read(path, limit=MOST_BYTES), where=folder.name)
