"""Starts a program from a small process and writes down what it took: `python small_parent.py FILE PROGRAM [WORD …]`.

On Linux the peak memory that is reported of a child begins at that of the process it was forked from. A test runner
that has grown would be measured in place of its child, so the child is started from here.
"""

from __future__ import annotations

import json
import os
import resource
import sys


def main() -> None:
    """Run the program, and write its exit code, CPU seconds and peak megabytes, its own children's among them."""
    place, program = sys.argv[1], sys.argv[2:]
    child = os.posix_spawn(program[0], program, os.environ)
    _, status = os.waitpid(child, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = {"computed": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1024}
    with open(place, "w", encoding="utf-8") as file:  # noqa: PTH123 - nothing but what is needed is imported
        json.dump({"code": os.waitstatus_to_exitcode(status), **took}, file)


if __name__ == "__main__":
    main()
