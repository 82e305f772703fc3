"""`skilldelta schema` prints what is shipped."""

from __future__ import annotations

import json

import pytest

from skilldelta.cli.door import run


@pytest.mark.parametrize("name", ["config", "suite", "freeze"])
def test_a_schema_is_printed_as_it_is_shipped(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output holds the schema and nothing else."""
    assert run(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out)["type"] == "object"


def test_an_unknown_name_brings_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped format is bad usage, with the one that was probably meant."""
    assert run(["schema", "sute"]) == 2
    assert "There is no schema 'sute': did you mean 'suite'?" in capsys.readouterr().err


def test_without_a_name_the_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """One name a line, for people and for loops."""
    assert run(["schema"]) == 0
    assert {"config", "suite", "freeze", "report"} <= set(capsys.readouterr().out.split())
