"""Writes anew what is made from the models: `python dev/renew.py`. A test holds that it is up to date.

Golden texts of tests are renewed by `SKILLDELTA_RENEW_GOLDEN=1 pytest`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skilldelta.reading.schema import schema_text, schemas

ROOT = Path(__file__).parent.parent


def renewed() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with the text it should hold."""
    for name, schema in schemas().items():
        yield ROOT / "src/skilldelta/schemas" / f"{name}.schema.json", schema_text(schema)


def main() -> None:
    """Write what differs."""
    for path, text in renewed():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
