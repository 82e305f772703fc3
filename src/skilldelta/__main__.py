"""The program's door: words in, exit code out."""

from __future__ import annotations

import gc
import sys

GARBAGE = (50_000, 20, 50)
"""Python's own thresholds look for cycles in whatever is being imported, over and over: a quarter of the start-up."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    from .cli.door import run

    gc.set_threshold(*GARBAGE)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
