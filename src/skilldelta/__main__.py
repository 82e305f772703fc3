"""The program's door: words in, exit code out."""

from __future__ import annotations

import gc
import sys

GARBAGE = (50_000, 20, 50)
"""Python's own thresholds look for cycles in whatever is being imported, over and over: a quarter of the start-up."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(*GARBAGE)
    try:
        from .cli.door import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the door stands, or behind it
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
