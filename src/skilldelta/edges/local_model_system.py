"""The parts of the machine that the embedded model stands on: the engine's package and one system library."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from ..errors import LocalModelProblem
from .local_model_environment import package_manager_environment

ENGINE = "xllamacpp"
LIBRARY = "libgomp.so.1"
ENGINE_HINT = "pip install --require-hashes -r requirements/local.txt (in a clone of skilldelta)"
LIBRARY_HINT = "apt-get update && apt-get install -y --no-install-recommends libgomp1"
PACKAGE_MANAGER_SECONDS = 300.0


def engine_is_installed() -> bool:
    """Return whether the engine's package can be found; it is not imported."""
    return importlib.util.find_spec(ENGINE) is not None


def library_is_installed() -> bool:
    """Return whether the OpenMP library that the engine is linked against can be loaded (always true off Linux)."""
    if sys.platform != "linux":
        return True
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return True


def require_engine() -> str:
    """Return the engine's package name; raises LocalModelProblem with the line that installs it."""
    if not engine_is_installed():
        raise LocalModelProblem(f"the embedded model's engine ({ENGINE}) is not installed", fix=ENGINE_HINT)
    return ENGINE


def require_library() -> str:
    """Return the library's name; raises LocalModelProblem with the line that installs it."""
    if not library_is_installed():
        raise LocalModelProblem(f"the embedded model's engine needs the system library {LIBRARY}", fix=LIBRARY_HINT)
    return LIBRARY


def install_library(progress: Callable[[str], None]) -> None:
    """Install the missing library when we are root and apt-get is there; nothing to do when it is loaded already.

    Raises LocalModelProblem with the exact line to run when it cannot be done here.
    """
    if library_is_installed():
        return
    program = shutil.which("apt-get")
    if program is None or os.geteuid() != 0:
        require = "as root" if program else "with this system's package manager"
        raise LocalModelProblem(
            f"the system library {LIBRARY} is missing and has to be installed {require}", fix=LIBRARY_HINT
        )
    progress(f"installing the system library {LIBRARY}")
    install = [program, "install", "-y", "--no-install-recommends", "libgomp1"]
    # Slim images carry no package lists: a first attempt fails at once, then the lists are fetched.
    if not _runs(install):
        _runs([program, "update"])
        _runs(install)
    if not library_is_installed():
        raise LocalModelProblem(f"the system library {LIBRARY} could not be installed", fix=LIBRARY_HINT)


def _runs(command: list[str]) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed argv
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PACKAGE_MANAGER_SECONDS,
            env=package_manager_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
