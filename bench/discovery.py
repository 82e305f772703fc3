"""How long it takes to find and diff the skills of a repository: `python bench/discovery.py`.

Builds repositories of 1, 30 and 300 skills (each a SKILL.md of 4 kB with three files beside it, a tenth of them changed
on a branch, among as many other files again), and times `skilldelta changes` as a user starts it: the median of five
runs, start-up of git and Python included. The last line is one JSON object.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

COUNTS = (1, 30, 300)
RUNS = 5


def main() -> None:
    """Measure every size and print one line for each, then all of it as JSON."""
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            repository = Path(folder) / f"skills-{count}"
            build(repository, count)
            measured[count] = measure(repository, count)
            seconds, cpu, peak = measured[count].values()
            print(f"{count:>4} skills: {seconds:.3f} s, {cpu:.3f} s CPU, {peak:.0f} MB")
    largest = COUNTS[-1]
    others = {str(count): figures for count, figures in measured.items() if count != largest}
    print(json.dumps({"skills": largest, **measured[largest], "runs": RUNS, "others": others}))


def build(repository: Path, count: int) -> None:
    """Write a repository with `count` skills on `main`, and a branch `topic` that edits a tenth of them."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(repository)], check=True)
    prose = "Follow the steps below, one after the other, and say what was done.\n" * 8
    body = "".join(f"\n## Step {step}\n\n{prose}\nSee [more](references/more.md).\n" for step in range(6))
    files = {}
    for number in range(count):
        skill = f"skills/group-{number // 25}/skill-{number}"
        front = f"---\nname: skill-{number}\ndescription: Does thing {number}. Use when asked.\n---\n"
        files[f"{skill}/SKILL.md"] = f"{front}\n# Skill {number}\n{body}"
        files[f"{skill}/references/more.md"] = f"# More on {number}\n"
        files[f"{skill}/scripts/run.py"] = f"print({number})\n"
        files[f"{skill}/evals/evals.json"] = "[]\n"
        files.update({f"src/package-{number}/module_{part}.py": f"x = {number}\n" for part in range(4)})
    edits = {path: text + "\nOne line more.\n" for path, text in list(files.items())[:: 80 if count > 1 else 8]}
    stream = _commit("main", 1, files) + _commit("topic", 2, edits, parent=1)
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=repository, input=stream.encode(), check=True)


def measure(repository: Path, count: int) -> dict[str, float]:
    """Return the median seconds of a run, by the clock and of CPU (git's too), and the peak memory of any (MB)."""
    argv = [sys.executable, "-m", "skilldelta", "changes", "--base", "main", "--head", "topic", "--json"]
    seconds, cpu = [], []
    for _ in range(RUNS):
        start, used = time.perf_counter(), _cpu_of_children()
        done = subprocess.run(argv, cwd=repository, capture_output=True, check=True, env=dict(os.environ))
        seconds.append(time.perf_counter() - start)
        cpu.append(_cpu_of_children() - used)
        found = json.loads(done.stdout)
        assert len(found["changes"]) + found["unchanged"] == count, found
        assert len(found["changes"]) == max(1, count // 10), found
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": round(median(seconds), 4), "cpu_seconds": round(median(cpu), 4), "peak_mb": round(peak, 1)}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _commit(branch: str, mark: int, files: dict[str, str], parent: int | None = None) -> str:
    lines = [f"commit refs/heads/{branch}", f"mark :{mark}", "committer bench <bench@example.org> 1700000000 +0000"]
    lines += ["data 1", "x"] + ([f"from :{parent}"] if parent else [])
    for path, text in files.items():
        lines += [f"M 100644 inline {path}", f"data {len(text.encode())}", text]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
