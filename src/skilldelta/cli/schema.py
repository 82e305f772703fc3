"""`skilldelta schema`: the JSON Schemas that are shipped with the program."""

from __future__ import annotations

from importlib.resources import files

import click

_ENDING = ".schema.json"


def names() -> list[str]:
    """Return the names of the schemas that are there."""
    folder = files("skilldelta") / "schemas"
    return sorted(each.name.removesuffix(_ENDING) for each in folder.iterdir() if each.name.endswith(_ENDING))


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema (draft 2020-12) of a file format, for editors and other programs.

    Without NAME: print the names of the formats.
    """
    if name is None:
        click.echo("\n".join(names()))
        return
    if name not in names():
        from ..reading.validation import hint

        raise click.UsageError(f"There is no schema {name!r}: {hint(name, names())}")
    click.echo((files("skilldelta") / "schemas" / f"{name}{_ENDING}").read_text(encoding="utf-8"), nl=False)
