"""The weights of the embedded model: what they are, where they are kept, how they are checked."""

from __future__ import annotations

import hashlib
import os
import pwd
import sys
from pathlib import Path

from ..errors import LocalModelProblem

MODEL_NAME = "SmolLM2-135M-Instruct.Q4_1"
FILE_NAME = f"{MODEL_NAME}.gguf"
FILE_SIZE = 98_362_432
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LICENCE = "Apache-2.0"
INSTALL_HINT = "skilldelta local-model install"


def data_folders() -> tuple[Path, ...]:
    """Return the folders where the weights may be, the preferred one first; absolute paths, not all of them exist.

    `SKILLDELTA_MODEL_DIR` alone when it is set; else the interpreter's prefix, then the user's own data folder.
    """
    chosen = os.environ.get("SKILLDELTA_MODEL_DIR")
    if chosen:
        return (Path(chosen).absolute(),)
    shared = Path(sys.prefix) / "share" / "skilldelta"
    return (shared, *(folder / "skilldelta" for folder in _user_data()))


def _user_data() -> tuple[Path, ...]:
    data_home = Path(os.environ.get("XDG_DATA_HOME") or "")
    if data_home.is_absolute():
        return (data_home,)
    home = Path(os.environ.get("HOME") or "")
    if not home.is_absolute():
        try:
            home = Path(pwd.getpwuid(os.getuid()).pw_dir)
        except KeyError:  # a container's user without an entry has no home at all
            return ()
    return (home / ".local" / "share",)


def weights_paths() -> tuple[Path, ...]:
    """Return where the weights' file may be, the preferred place first."""
    return tuple(folder / "models" / FILE_NAME for folder in data_folders())


def find_weights() -> Path:
    """Return the path of the weights; only their size is checked, which is cheap.

    Raises LocalModelProblem when no place holds a file of the right size.
    """
    damaged: LocalModelProblem | None = None
    for path in weights_paths():
        try:
            size = path.stat().st_size
        except OSError:
            continue
        if size == FILE_SIZE:
            return path
        damaged = damaged or LocalModelProblem(
            f"the embedded model's weights are damaged: {size} bytes instead of {FILE_SIZE}",
            where=str(path),
            fix=INSTALL_HINT,
        )
    if damaged:
        raise damaged
    raise LocalModelProblem("the embedded model's weights are not installed", fix=INSTALL_HINT)


def weights_are_right(path: Path) -> bool:
    """Return whether the file has the right size and SHA-256; reads all of it (about 94 MiB)."""
    try:
        if path.stat().st_size != FILE_SIZE:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == FILE_SHA256
    except OSError:
        return False


def verified_weights() -> Path:
    """Return the path of the weights after reading all of them; raises LocalModelProblem like `find_weights`."""
    path = find_weights()
    if not weights_are_right(path):
        raise LocalModelProblem(
            "the embedded model's weights are damaged: the checksum differs", where=str(path), fix=INSTALL_HINT
        )
    return path
