"""The room itself."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import skilldelta.statistics

MODULES = [module.name for module in pkgutil.iter_modules(skilldelta.statistics.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_worked_examples(name: str) -> None:
    """Each module's worked examples give what they say, and each module has one."""
    results = doctest.testmod(importlib.import_module(f"skilldelta.statistics.{name}"))
    assert results.attempted > 0
    assert results.failed == 0


def test_importing_the_package_loads_nothing_heavy() -> None:
    """`import skilldelta.statistics` loads neither numpy nor scipy."""
    program = "import sys, skilldelta.statistics; print({'numpy', 'scipy'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_nothing_loads_the_slow_part_of_scipy() -> None:
    """No module of the room loads scipy.stats, which takes most of a second."""
    imports = ", ".join(f"skilldelta.statistics.{name}" for name in MODULES)
    program = f"import sys, {imports}; print('scipy.stats' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
