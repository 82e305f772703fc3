"""Run the whole demonstration: install the embedded model, build the repository, compare its two pull requests.

`python run.py [DIR]`. Needs no key. The first run downloads the model's weights once (about 89 MiB); everything after
that is local. What it makes is kept under DIR, or `demo-output/` when none is named. Ends with 0 when the improvement
came out as `improved` and the sabotage as `regressed`, else with 1 and a word about what came out instead.
"""
# ruff: noqa: S603, T201 - a program for the terminal that starts our own command line with fixed arguments

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parents[1] / "demo-output"
MARKER = "made-by-the-skilldelta-demo"
SKILLDELTA = (sys.executable, "-P", "-m", "skilldelta")

IN_THE_END = """\
What this showed: a real language model answered every task, several times, with both versions of each skill; the
answers were judged and the statistics decided. Nothing was recorded beforehand.
What it did not show: the model has 135 million parameters, and the skills and tasks were shaped until it could do
them. How a skill fares with a large model, only a comparison with that model can tell."""


@dataclass(frozen=True)
class PullRequest:
    """One comparison, and how it has to come out."""

    head: str
    skill: str
    goal: str
    verdict: str
    exit_code: int


PULL_REQUESTS = (
    PullRequest("improve-commit-message", "commit-message", "improve", "improved", 0),
    PullRequest("sabotage-snake-case", "snake-case", "gate", "regressed", 1),
)


def main(arguments: list[str]) -> int:
    """Run the demonstration and return its exit code; 2 for words that cannot be understood."""
    if len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        print("usage: python run.py [DIR]", file=sys.stderr)
        return 2
    output = Path(arguments[0]).absolute() if arguments else OUTPUT
    title("The embedded model: 135 million parameters, on this machine's processor")
    if subprocess.run([*SKILLDELTA, "local-model", "install"], check=False).returncode != 0:
        return 1
    if not fresh_output(output):
        return 1
    title("A repository with two skills and two pull requests")
    repository = output / "repository"
    if subprocess.run([sys.executable, str(HERE / "build.py"), str(repository)], check=False).returncode != 0:
        return 1
    surprises = [surprise for each in PULL_REQUESTS for surprise in compare(output, each)]
    title("In the end")
    print(IN_THE_END)
    for surprise in surprises:
        print(f"error: {surprise}", file=sys.stderr)
    print(
        f"\n{'It did not come out as it should.' if surprises else 'Both came out as they should.'} All is in {output}"
    )
    return 1 if surprises else 0


def fresh_output(output: Path) -> bool:
    """Make an empty folder for what the demo writes; an earlier one goes only when the demo made it."""
    if output.is_symlink() or (output.exists() and not (output / MARKER).is_file()):
        print(f"error: {output} was not made by the demo; move it away first", file=sys.stderr)
        return False
    if output.exists():
        shutil.rmtree(output)
    output.mkdir(parents=True)
    (output / MARKER).write_text("This folder is replaced by every run of the demo.\n", encoding="utf-8")
    return True


def compare(output: Path, request: PullRequest) -> list[str]:
    """Run one comparison, print its report, and return in words what came out otherwise than it should."""
    repository = output / "repository"
    title(f"Pull request {request.head}: must come out as {request.verdict!r}")
    command = [*SKILLDELTA, "compare", "--repo", str(repository), "--base", "main", "--head", request.head]
    command += ["--goal", request.goal, "--yes", "--out", str(output / request.head)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    lines = done.stdout.strip().splitlines()
    folder = Path(lines[-1]) if lines else None
    if folder is None or not (folder / "report.json").is_file():
        return [f"{request.head}: no report was written (exit code {done.returncode})"]
    print((folder / "report.md").read_text(encoding="utf-8"))
    print(f"The report: {folder / 'report.md'}\nThe same as data: {folder / 'report.json'}")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    verdicts = {skill["skill_id"]: skill["verdict"] for skill in report["skills"]}
    surprises = []
    if verdicts != {request.skill: request.verdict}:
        surprises.append(f"{request.head}: {request.skill} should be {request.verdict}, the report says {verdicts}")
    if done.returncode != request.exit_code:
        surprises.append(f"{request.head}: exit code {done.returncode} instead of {request.exit_code}")
    return surprises


def title(text: str) -> None:
    """Print a heading at once, so that it stands before what a child prints."""
    print(f"\n== {text}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
