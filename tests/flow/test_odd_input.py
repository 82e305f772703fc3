"""What nobody should hand in and somebody will: each case ends in words, soon, in little memory, with its exit code."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import small_parent
from comparing import CONFIG, KEY, NEW, OLD, SUITES, Server, frozen, skill, suite_text, version_of
from golden_text import golden
from odd_files import CONFIGS
from odd_files import SUITES as ODD_SUITES
from repositories import Commit, Content, Submodule, Symlink, Zeros, build, environment, git, skill_text

SECONDS = 5.0
MEGABYTES = 300
LAW: Mapping[str, Content] = frozen(suite_text(tasks=2))
V1 = f"{SUITES}/a/{version_of(LAW)}"
BEFORE: Mapping[str, Content] = {**skill(OLD), ".skilldelta.yml": CONFIG, **LAW}
NOWHERE = "http://127.0.0.1:9"
NOBODY = ("--max-calls", "0")
"""Goes through everything and asks nobody."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a case plays."""

    folder: Path
    repo: Path
    out: Path
    server: Server
    recorded: Path
    """A finished run of the usual repository."""


Setup = Callable[[Place], None]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One odd input: a repository, what happens to it, what is typed, and the exit code."""

    code: int
    before: Mapping[Any, Content] = field(default_factory=lambda: dict(BEFORE))
    after: Mapping[Any, Content] = field(default_factory=lambda: skill(NEW))
    checkout: bool = False
    setup: Setup | None = None
    arguments: Sequence[str] | None = None
    """After the folders; None: NOBODY, for the verb that knows it."""
    base: str = "main~1"
    head: str = "main"
    verb: str = "compare"
    environment: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 3 * SECONDS


def _config(text: str | bytes, code: int = 2) -> Case:
    return Case(code=code, before={**BEFORE, ".skilldelta.yml": text})


def _draft(text: str | bytes) -> Case:
    plain = {path: content for path, content in BEFORE.items() if not path.startswith(SUITES)}
    return Case(code=2, before={**plain, f"{SUITES}/a/suite.yaml": text})


def _head(text: str | bytes, code: int = 2) -> Case:
    return Case(code=code, after={"skills/a/SKILL.md": text})


def _suite(text: str, code: int = 0, arguments: Sequence[str] = NOBODY) -> Case:
    plain = {path: content for path, content in BEFORE.items() if not path.startswith(SUITES)}
    files = frozen(text, fixtures={"fixtures/t.py": "def test(): pass\n"})
    return Case(code=code, before={**plain, **files}, arguments=arguments)


def _typed(*arguments: str, code: int = 2, **more: Any) -> Case:
    return Case(code=code, arguments=arguments, **more)


HOSTILE = (
    "![x](https://e.org/a.png) @octocat #1 <script>alert(1)</script> </details> `|` \u202egnp.exe \x1b[31mred\x1b[0m"
)
LAUGHS = CONFIGS["aliases that expand without end"].decode()


# --- what is done to a repository or a run's folder ------------------------------------------------------------------


def _shallow(place: Place) -> None:
    git(place.folder, "clone", "--quiet", "--depth=1", "--no-local", f"file://{place.repo}", "shallow")
    git(place.folder, "-C", "shallow", "remote", "set-branches", "origin", "*")
    place.repo.rename(place.folder / "whole")
    (place.folder / "shallow").rename(place.repo)


def _detached(place: Place) -> None:
    git(place.repo, "checkout", "--quiet", "--detach", "main")


def _unborn(place: Place) -> None:
    git(place.repo, "symbolic-ref", "HEAD", "refs/heads/newborn")


def _merging(place: Place) -> None:
    git(place.repo, "checkout", "--quiet", "-b", "other", "main~1")
    (place.repo / "skills/a/SKILL.md").write_text(skill_text("a", body="Another text.\n"))
    git(place.repo, "commit", "--quiet", "-am", "other")
    subprocess.run(["git", "merge", "main"], cwd=place.repo, env=environment(), capture_output=True, check=False)


def _a_file(place: Place) -> None:
    place.out.write_text("mine")


def _foreign(place: Place) -> None:
    place.out.mkdir()
    (place.out / "thesis.tex").write_text("mine")


def _link(place: Place) -> None:
    place.out.mkdir()
    (place.out / "journal.jsonl").symlink_to(place.folder / "elsewhere")


def _a_folder_as_journal(place: Place) -> None:
    (place.out / "journal.jsonl").mkdir(parents=True)


def _below_a_file(place: Place) -> None:
    place.out.parent.mkdir(exist_ok=True)
    (place.folder / "file").write_text("mine")


def _read_only(place: Place) -> None:
    place.out.mkdir()
    place.out.chmod(stat.S_IRUSR | stat.S_IXUSR)


def _recorded(place: Place) -> None:
    """Put a finished run into the folder, of nothing asked."""
    shutil.copytree(place.recorded, place.out)


def _changed(name: str, change: Callable[[bytes], bytes]) -> Setup:
    def setup(place: Place) -> None:
        _recorded(place)
        path = place.out / name
        path.write_bytes(change(path.read_bytes()))

    return setup


TRIAL = b'{"t":"trial","key":{"key":"%s"},"outcome":{"status":"answered","text":7}}\n'


def _trial_of_another_shape(place: Place) -> None:
    """Put a line into the journal that is an event by its looks, under the key of the run's first trial."""
    keys = _smoked(place)
    journal = place.out / "journal.jsonl"
    kept = [line for line in journal.read_bytes().splitlines(keepends=True) if b'"t":"trial"' not in line]
    journal.write_bytes(b"".join(kept) + b"".join(TRIAL % key.encode() for key in keys))


def _smoked(place: Place) -> list[str]:
    done = _child(["compare", *_named(place, "main~1", "main"), "--smoke", "--base-url", place.server.url], place)
    assert done.code == 0, done.said
    text = (place.out / "journal.jsonl").read_text()
    return re.findall(r'"attempt":1,"key":"([0-9a-f]{64})"', text)


CASES: dict[str, Case] = {
    # refs and git states
    "missing base": _typed(base="nowhere"),
    "empty base": _typed(base=""),
    "base that is an option": _typed(base="--upload-pack=x"),
    "base of 10,000 characters": _typed(base="a" * 10_000),
    "base with a line break": _typed(base="main\nx"),
    "base that is a tree": _typed(base="main^{tree}"),
    "base that is a range": _typed(base="main~1..main"),
    "base equals head": _typed(*NOBODY, code=0, base="main"),
    "no such folder": _typed("--repo", "nowhere"),
    "folder that is no repository": _typed("--repo", "/"),
    "path traversal in --repo": _typed(*NOBODY, "--repo", "../../../../../../../../etc"),
    "shallow clone": Case(code=2, setup=_shallow, base="main~1"),
    "detached head": Case(code=0, checkout=True, setup=_detached, head="HEAD"),
    "unborn branch": Case(code=2, checkout=True, setup=_unborn, head="HEAD"),
    "merge in progress": Case(code=0, checkout=True, setup=_merging, base="main~1", head="HEAD"),
    "bare repository": Case(code=0),
    "unrelated histories": Case(code=2, base="lonely"),
    "skills of an unborn branch": Case(code=2, checkout=True, setup=_unborn, verb="skills", arguments=()),
    # configuration
    "config with aliases without end": _config(LAUGHS),
    "config in latin-1": _config(b"runner: {system: \xe9}\n"),
    "config with NUL": _config(b"runner: {model: 'a\0b'}\n"),
    "config of 5 MB": _config("#" * 5_000_000),
    "config with absurd values": _config(CONFIGS["values out of range"]),
    "config with unknown keys": _config(CONFIGS["mistyped keys at every level"]),
    "config that is a list": _config("[1, 2]\n"),
    "config that leads outside": _config(f"{CONFIG}suites: ../../etc\n"),
    "config that is a link": Case(code=2, before={**BEFORE, ".skilldelta.yml": Symlink("/etc/passwd")}),
    "config under another name": Case(code=2, before={**skill(OLD), ".skilldelta.yaml": CONFIG}),
    "config without a model": _config("{}\n"),
    # suites
    "suite with aliases without end": _draft(LAUGHS),
    "suite in latin-1": _draft(ODD_SUITES["latin-1"]),
    "suite with NUL": _draft(ODD_SUITES["a NUL byte"]),
    "suite that is a link": Case(code=2, before={**skill(OLD), ".skilldelta.yml": CONFIG, f"{SUITES}/a": Symlink("/")}),
    "draft that is a link": Case(
        code=2, before={**skill(OLD), ".skilldelta.yml": CONFIG, f"{SUITES}/a/suite.yaml": Symlink("/etc/passwd")}
    ),
    "frozen suite that is a link": Case(code=2, before={**BEFORE, f"{V1}/suite.yaml": Symlink("../suite.yaml")}),
    "suite for another skill": _suite(suite_text("b", tasks=2)),
    "suite that asks for a workspace": _suite(
        suite_text(tasks=1, judge="{type: pytest, test_file: fixtures/t.py}"), code=2
    ),
    "prompt of a megabyte": _suite(suite_text(tasks=1).replace("Question 0", "q" * 990_000)),
    "pattern that backtracks for ever": _suite(
        suite_text(tasks=1, judge='{type: regex, pattern: "(x+x+)+y"}'),
        code=1,
        arguments=("--smoke", "--base-url", "SERVER"),
    ),
    "task with a hostile name": _suite(
        suite_text(tasks=1).replace("task-0", "'@octocat #1 <img src=x> | `a` ](http://e.org)'")
    ),
    # skills
    "skill of 100 MB": Case(code=0, after={**skill(NEW), "skills/a/data.bin": Zeros(100 * 1024 * 1024)}),
    "SKILL.md of 20 MB": Case(code=2, after={"skills/a/SKILL.md": Zeros(20 * 1024 * 1024)}),
    "frontmatter with aliases without end": _head(f"---\nname: a\ndescription: d\n{LAUGHS}---\n{NEW}\n", code=0),
    "skill in latin-1": _head(b"---\nname: a\ndescription: caf\xe9\n---\nx\n"),
    "skill with NUL": _head(b"---\nname: a\ndescription: d\n---\nx\0y\n"),
    "empty SKILL.md": _head(""),
    "skill with hostile words": _head(
        f"---\nname: a\ndescription: {HOSTILE!r}\n---\n{NEW} {HOSTILE}\n".replace("\\x1b", "\x1b"), code=0
    ),
    "files with hostile names": Case(code=0, after={**skill(NEW), f"skills/a/{HOSTILE.replace('/', '')}": "x"}),
    "file that is not UTF-8": Case(code=2, after={**skill(NEW), b"skills/a/caf\xe9": "y"}),
    "folder that is not UTF-8": Case(
        code=2, after={b"skills/caf\xe9/SKILL.md": skill_text("cafe", body=NEW), **skill(NEW)}
    ),
    "skill with a submodule": Case(code=2, after={**skill(NEW), "skills/a/lib": Submodule()}),
    "skill with a link": Case(code=2, after={**skill(NEW), "skills/a/passwords": Symlink("/etc/passwd")}),
    # options
    "negative calls": _typed("--max-calls", "-1"),
    "zero rounds": _typed("--rounds", "0"),
    "margin that is no number": _typed("--margin", "nan"),
    "endless money": _typed("--max-cost-usd", "inf"),
    "minutes that are no number": _typed("--max-minutes", "nan"),
    "a seed beyond measure": _typed("--seed", str(10**30)),
    "empty model": _typed(*NOBODY, "--model", "", code=0),
    "model of 10,000 characters": _typed("--model", "m" * 10_000),
    "empty skill": _typed("--skill", ""),
    "hostile skill": _typed("--skill", HOSTILE),
    "unknown option": _typed("--frce"),
    "environment that is no number": Case(code=2, environment={"SKILLDELTA_ROUNDS": "many"}),
    # the run's folder
    "out that is a file": Case(code=2, setup=_a_file),
    "out below a file": Case(code=2, setup=_below_a_file, arguments=(*NOBODY, "--out", "file/x")),
    "out that cannot be made": _typed(*NOBODY, "--out", "/proc/nowhere/x"),
    "out with a name too long": _typed(*NOBODY, "--out", "x" * 300),
    "out that holds something else": Case(code=2, setup=_foreign),
    "out with a journal that is a link": Case(code=2, setup=_link),
    "out with a folder as journal": Case(code=2, setup=_a_folder_as_journal),
    "journal of other bytes": Case(code=2, setup=_changed("journal.jsonl", lambda raw: raw + b"\xff\xfe\n")),
    "journal of a later format": Case(
        code=2,
        setup=_changed(
            "journal.jsonl",
            lambda raw: raw.replace(b'"format": 1', b'"format":1').replace(b'"format":1', b'"format":7'),
        ),
    ),
    "journal that was cut off": Case(code=0, setup=_changed("journal.jsonl", lambda raw: raw + b'{"t":"tri')),
    "journal with a trial of another shape": Case(
        code=2, setup=_trial_of_another_shape, arguments=("--smoke", "--base-url", "SERVER")
    ),
    "replay of other bytes as plan": Case(code=2, verb="replay", setup=_changed("plan.json", lambda _: b"\xff{")),
    "replay of an edited plan": Case(
        code=2, verb="replay", setup=_changed("plan.json", lambda raw: raw.replace(b'"seed": 0', b'"seed": 1'))
    ),
    "replay of a plan of a later format": Case(
        code=2, verb="replay", setup=_changed("plan.json", lambda raw: raw.replace(b'"format": 1', b'"format": 9'))
    ),
    "replay of an edited report": Case(code=0, verb="replay", setup=_changed("report.json", lambda _: b"{}")),
    "replay of nothing": Case(code=2, verb="replay"),
    "report of nothing": Case(code=2, verb="report"),
    "report of other bytes": Case(code=2, verb="report", setup=_changed("report.json", lambda _: b"nonsense")),
    "report of a later format": Case(
        code=2, verb="report", setup=_changed("report.json", lambda raw: raw.replace(b"report/1", b"report/2"))
    ),
    # servers
    "no key": Case(code=2, arguments=(), environment={"ANTHROPIC_API_KEY": ""}),
    "address that is none": _typed("--base-url", "not a url"),
    "server that is not there": _typed(seconds=30),
}


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a child process ended, and what it took."""

    code: int
    said: str
    seconds: float
    """By the clock on the wall, which a busy machine stretches."""
    computed: float
    """Seconds of computing, git's among them."""
    megabytes: float


def _child(arguments: Sequence[str], place: Place, more: Mapping[str, str] | None = None) -> Done:
    """Run the real program; memory is that of the largest process, git among them."""
    unwanted = ("ANTHROPIC_", "SKILLDELTA_", "PYTHONDONTWRITEBYTECODE")  # compiled anew each time, it takes longer
    ours = {name: text for name, text in environment().items() if not name.startswith(unwanted)}
    ours |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": NOWHERE, "NO_COLOR": "1", "COLUMNS": "100", **(more or {})}
    started = time.monotonic()
    took = place.folder / "took.json"
    with (place.folder / "said").open("w+b") as said:
        process = subprocess.Popen(
            [sys.executable, small_parent.__file__, str(took), sys.executable, "-m", "skilldelta", *arguments],
            cwd=place.folder, env=ours, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
        )  # fmt: skip
        timer = threading.Timer(90, lambda: os.killpg(process.pid, signal.SIGKILL))
        timer.start()
        process.wait()
        timer.cancel()
        seconds = time.monotonic() - started
        said.seek(0)
        text = said.read().decode("utf-8", "backslashreplace")
    return Done(said=text, seconds=seconds, **json.loads(took.read_text()))


def _named(place: Place, base: str, head: str) -> list[str]:
    return [f"--base={base}", f"--head={head}", "--repo", str(place.repo), "--out", str(place.out)]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server()
    made.script = lambda _: "x" * 4000
    yield made
    made.close()


SLOW = {"server that is not there"}
"""Waits as long as a server that comes back may need."""


@pytest.fixture(scope="module")
def recorded(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    place = _place(folder, Case(code=0), server, folder / "out")
    done = _child(["compare", *_named(place, "main~1", "main"), *NOBODY], place)
    assert done.code == 0, done.said
    return place.out


def _place(folder: Path, case: Case, server: Server, recorded: Path) -> Place:
    place = Place(folder=folder, repo=folder / "repo", out=folder / "out", server=server, recorded=recorded)
    lonely = Commit(files={"x": "y"}, branch="lonely", parents=())
    commits = [Commit(files=case.before), Commit(files=case.after), lonely]
    build(place.repo, commits, checkout=case.checkout, bare=not case.checkout)
    return place


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES])
def test_odd_input(name: str, tmp_path: Path, server: Server, recorded: Path) -> None:
    """The case ends with its words and exit code, in bounded time and memory, and never as a bug of ours."""
    case = CASES[name]
    place = _place(tmp_path, case, server, recorded)
    if case.setup is not None:
        case.setup(place)
    given = case.arguments if case.arguments is not None else NOBODY if case.verb == "compare" else ()
    arguments = [argument.replace("SERVER", server.url) for argument in given]
    if case.verb == "compare":
        arguments = [*_named(place, case.base, case.head), *arguments]
    elif case.verb == "skills":
        arguments = ["--repo", str(place.repo), *arguments]
    else:
        arguments = [str(place.out), *arguments]
    done = _child([case.verb, *arguments], place, case.environment)
    assert "Traceback" not in done.said
    assert done.code == case.code, done.said
    assert done.computed < SECONDS
    assert done.seconds < case.seconds
    assert done.megabytes < MEGABYTES
    golden(f"odd_input/{re.sub('[^a-zA-Z0-9-]+', '_', name)}.txt", _steady(done.said, place, case.code))


def _steady(said: str, place: Place, code: int) -> str:
    """Return what was said without what differs from run to run."""
    text = said.replace(place.server.url, "SERVER").replace(str(place.folder.resolve()), "FOLDER")
    text = re.sub(r"connection lost: .*", "connection lost: …", text.replace(str(place.folder), "FOLDER"))
    return f"exit code {code}\n{text}"
