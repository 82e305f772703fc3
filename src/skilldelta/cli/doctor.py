"""`skilldelta doctor`: what is missing for a comparison here, and how to mend it.

With `--json` one object: `ready` (nothing is missing) and `checks`, each `state` (ok, note, missing), `what` and `fix`
(null where there is nothing to do).
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import click

from ..errors import EXIT_BLOCKED
from .door import printable

_SIGNS = {"ok": "ok  ", "note": "note", "missing": "MISS"}


@click.command()
@click.option("--repo", default=".", type=click.Path(), metavar="DIR", help="A folder of the repository.")
@click.option("--base", metavar="REF", help="Look as a comparison with this ref would: at its history and its law.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def command(repo: str, base: str | None, as_json: bool) -> int:
    """Say what is missing for a comparison here, and how to mend it; exit code 2 when something is."""
    from .readiness import look

    checks = look(Path(repo), base, environment=os.environ)
    missing = any(check.state == "missing" for check in checks)
    if as_json:
        click.echo(json.dumps({"ready": not missing, "checks": [asdict(check) for check in checks]}, indent=2))
        return EXIT_BLOCKED if missing else 0
    for check in checks:
        click.echo(printable(f"{_SIGNS[check.state]}  {check.what}"))
        if check.fix:
            click.echo(printable(f"      fix: {check.fix}"))
    click.echo("Something is missing." if missing else "Ready.")
    return EXIT_BLOCKED if missing else 0
