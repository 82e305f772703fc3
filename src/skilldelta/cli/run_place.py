"""Where a run lies, and that no commit has been there before it."""

from __future__ import annotations

import os
from pathlib import Path

from ..edges.git import GitRepository
from ..edges.run_folder import default_folder, refuse_foreign
from ..errors import CannotWrite, NoRepository, RunMismatch


def place_of_run(root: Path | None, identity: str, out: str | None) -> Path:
    """Return the run's folder, resolved: the one named with --out, else one in the work tree `root`.

    Raises CannotWrite for a folder that holds something else or is git's own, RunMismatch for one that a commit may
    have brought.
    """
    typed = os.path.abspath(out) if out else None  # noqa: PTH100 - links are looked at below, so they stay here
    named = Path(typed) if typed else default_folder(root, identity)
    folder = named.resolve()
    refuse_foreign(folder)
    _refuse_committed(folder, next(place for place in (folder, *folder.parents) if place.is_dir()))
    for link in (place for place in (named, *named.parents) if place.is_symlink()):
        _refuse_committed(named, link.parent)
    return folder


def _refuse_committed(folder: Path, there: Path) -> None:
    """Raise RunMismatch when a commit may have brought the run's folder: its answers would be whatever that says.

    The work tree around `there` is asked, whichever repository is compared: what git tracks, in its index or at HEAD,
    came or goes by a commit; a link or a submodule on the way may lead anywhere.
    """
    try:
        around = GitRepository.open(there)
    except NoRepository:
        return
    if folder.resolve().is_relative_to(around.git_dir.resolve()):
        raise CannotWrite("is git's own folder", where=str(folder), fix="name another with --out DIR")
    roots = (around.root, around.root.resolve()) if around.root else ()
    root = next((one for one in roots if folder.is_relative_to(one)), None)
    if root is None or folder == root:
        return
    place = folder.relative_to(root)
    for path in around.tracked(place.parts[0]):
        if place.is_relative_to(path) or path.startswith(f"{place}/"):
            raise RunMismatch(
                "the run's folder is committed to the repository, so nobody knows who answered there",
                where=path,
                fix="take it out with git rm -r, or name another with --out DIR",
            )
