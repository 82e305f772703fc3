"""The program's door: words in, exit code out."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from .cli.door import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
