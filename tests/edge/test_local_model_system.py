"""The parts of the machine that the embedded model stands on."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from pathlib import Path

import pytest

from skilldelta.edges import local_model_system
from skilldelta.edges.local_model import LocalModelServer
from skilldelta.errors import LocalModelProblem


def test_missing_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing engine is a problem whose fix is the lock file that brings it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(LocalModelProblem, match="engine") as caught, LocalModelServer():
        pass
    assert "requirements/local.txt" in (caught.value.fix or "")


def without_library(monkeypatch: pytest.MonkeyPatch, until: Path) -> None:
    """Make the system library missing until a file exists."""

    def load(_name: str) -> None:
        if not until.exists():
            raise OSError("cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", load)


def test_missing_library_without_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing system library that we may not install is a problem with the exact line to run."""
    without_library(monkeypatch, tmp_path / "never")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for attempt in (local_model_system.require_library, lambda: local_model_system.install_library(print)):
        with pytest.raises(LocalModelProblem, match=r"libgomp\.so\.1") as caught:
            attempt()
        assert str(caught.value.fix).endswith("apt-get install -y --no-install-recommends libgomp1")


@pytest.mark.parametrize(("lists", "steps"), [(True, ["install"]), (False, ["install", "update", "install"])])
def test_library_is_installed_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lists: bool, steps: list[str]
) -> None:
    """As root the library is installed, with the package lists fetched first only when they are needed."""
    marker, log = tmp_path / "installed", tmp_path / "log"
    program = tmp_path / "bin" / "apt-get"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\necho $1 >>{log}\n[ $1 = update ] && exit 0\n"
        f'if [ {int(lists)} = 1 ] || grep -q update {log}; then : >{marker}; else exit 100; fi\n[ -z "$SECRET_KEY" ]\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SECRET_KEY", "hidden")
    without_library(monkeypatch, marker)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    local_model_system.install_library(lambda _line: None)
    assert log.read_text().split() == steps
