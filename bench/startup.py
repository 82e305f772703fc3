"""What a user waits for before the first word: `python bench/startup.py`.

CPU seconds (user and system, as the kernel counts them for the child) of `skilldelta --help` and `--version`, beside an
interpreter that does nothing: the median of the runs, after one that warms the caches. The last line is JSON.
"""

from __future__ import annotations

import json
import os
import sys
from statistics import median

RUNS = 15
AIM_CPU_S = 0.15
PROGRAM = (sys.executable, "-P", "-m", "skilldelta")
COMMANDS = {
    "floor": (sys.executable, "-c", "pass"),
    "version": (*PROGRAM, "--version"),
    "help": (*PROGRAM, "--help"),
    "compare_help": (*PROGRAM, "compare", "--help"),
}


def main() -> None:
    """Measure every command, print a line for each, then all of it as JSON."""
    measured = {f"{name}_cpu_s": round(median(cpu_seconds(command)), 4) for name, command in COMMANDS.items()}
    for name, seconds in measured.items():
        print(f"{name:20} {seconds:.3f}")
    slowest = max(measured.values())
    print(json.dumps({**measured, "runs": RUNS, "aim_cpu_s": AIM_CPU_S, "aim_met": slowest < AIM_CPU_S}))


def cpu_seconds(command: tuple[str, ...]) -> list[float]:
    """Return the CPU seconds of each run; the first, which compiles and fills caches, is not among them."""
    return [_once(command) for _ in range(RUNS + 1)][1:]


def _once(command: tuple[str, ...]) -> float:
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, command
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
