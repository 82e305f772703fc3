"""`skilldelta report`: what a run found, rendered again, and nothing else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from bounded_child import bounded
from comparing import CONFIG, NEW, OLD, Bench, frozen, passing, skill, suite_text
from hostile import PIECES
from reported import reported
from repositories import Commit, Content
from skilldelta.edges.run_folder import write_reports
from skilldelta.report.markdown import markdown

LAW: Mapping[str, Content] = {".skilldelta.yml": CONFIG, **frozen(suite_text(tasks=2))}
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
NONE = "is not a report of this version: "


@pytest.fixture
def run(bench: Bench) -> Bench:
    """A finished run whose gate is fail; what it printed is in `printed`."""
    bench.two({**skill(OLD), **LAW}, skill(NEW))
    bench.server.script = passing(candidate=False)
    bench.compare(code=1)
    return bench


def _held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_format_is_what_the_comparison_wrote(run: Bench) -> None:
    """Terminal, Markdown and JSON are the same bytes as compare's, nothing is written or asked, and the code is 0."""
    printed, held, asked = run.printed, _held(run.out), len(run.server.asked)
    run.run("report", run.out)
    assert f"{run.printed}\n{run.out}\n" == printed
    run.run("report", run.out, "--format", "terminal")
    assert f"{run.printed}\n{run.out}\n" == printed
    run.run("report", run.out, "--format", "markdown")
    assert run.printed.encode() == held["report.md"]
    run.run("report", run.out, "--format", "json")
    assert run.printed.encode() == held["report.json"]
    assert run.said == ""
    assert _held(run.out) == held
    assert len(run.server.asked) == asked


def test_write_renews_the_markdown(run: Bench) -> None:
    """`--write` puts report.md back as it was, whatever stood there, and leaves everything else alone."""
    held, place = _held(run.out), run.out / "report.md"
    for spoil in (lambda: place.write_text("edited"), place.unlink):
        spoil()
        run.run("report", run.out, "--write", "--format", "json")
        assert _held(run.out) == held


def test_write_follows_no_link(run: Bench, tmp_path: Path) -> None:
    """A link in the place of report.md is replaced by the report; what it led to stays."""
    held, place, other = _held(run.out), run.out / "report.md", tmp_path / "other"
    other.write_text("mine")
    place.unlink()
    place.symlink_to(other)
    run.run("report", run.out, "--write")
    assert other.read_text() == "mine"
    assert not place.is_symlink()
    assert _held(run.out) == held


def test_write_into_a_folder_that_cannot_be_written(run: Bench) -> None:
    """A report.md that cannot be replaced is said to be that, and no half of a file is left behind."""
    (run.out / "report.md").unlink()
    (run.out / "report.md").mkdir()
    (run.out / "report.md/x").touch()
    run.run("report", run.out, "--write", code=2)
    assert "report.md: cannot be written" in run.said
    assert {path.name for path in run.out.iterdir()} == {"journal.jsonl", "plan.json", "report.json", "report.md"}


Spoil = Callable[[Path], object]


def _edited(**fields: object) -> Spoil:
    return lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(5 << 30)


def _instead(make: Callable[[Path], object]) -> Spoil:
    def spoil(path: Path) -> None:
        path.unlink()
        make(path)

    return spoil


ODD_FILES: dict[str, tuple[Spoil, str]] = {
    "a FIFO": (_instead(os.mkfifo), "is not a regular file"),
    "a link to a device": (_instead(lambda path: path.symlink_to("/dev/zero")), "is not a regular file"),
    "huge": (_huge, "has 5,368,709,120 bytes: too large to be ours"),
    "nested without end": (lambda path: path.write_text("[" * 1_000_000), NONE),
    "a number without end": (lambda path: path.write_text("9" * 1_000_000), NONE),
}
"""What could hang or fill the memory; the rest need no process of their own."""
ODD_TEXTS: dict[str, tuple[Spoil, str]] = {
    "missing": (Path.unlink, "cannot be read: No such file or directory"),
    "a folder": (_instead(Path.mkdir), "is not a regular file"),
    "empty": (lambda path: path.write_bytes(b""), NONE),
    "not UTF-8": (lambda path: path.write_bytes(b'{"format": "\xff"}'), NONE),
    "a list": (lambda path: path.write_text("[1, 2]"), NONE),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-9]), NONE),
    "an older format": (_edited(format="skilldelta-report/0"), f"{NONE}format: Input should be 'skilldelta-report/1'"),
    "an unknown field": (_edited(extra=1), f"{NONE}extra: Extra inputs are not permitted"),
    "a gate that is none": (_edited(gate="\x1b[31m"), f"{NONE}gate: Input should be "),
    "a count that is text": (_edited(exit_code="many"), f"{NONE}exit_code: Input should be "),
}


@pytest.fixture(scope="module")
def one_report(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a run's report.json holds."""
    folder = tmp_path_factory.mktemp("report")
    write_reports(folder, reported("harmless"), "")
    return (folder / "report.json").read_bytes()


def _refused(folder: Path, words: str, said: str) -> None:
    assert f"error: {folder / 'report.json'}: {words}" in said
    assert "\n  fix: " in said
    assert len(said) < 1000
    assert not CONTROLS.search(said)
    assert not (folder / "report.md").exists()


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_a_report_that_is_none(name: str, bench: Bench, one_report: bytes) -> None:
    """What is no report of ours is refused in a few words, with its place and what to do, and nothing is written."""
    spoil, words = ODD_TEXTS[name]
    bench.out.mkdir()
    (bench.out / "report.json").write_bytes(one_report)
    spoil(bench.out / "report.json")
    bench.run("report", bench.out, "--write", code=2)
    assert bench.printed == ""
    _refused(bench.out, words, bench.said)


@pytest.mark.parametrize("name", ODD_FILES)
def test_a_file_that_would_never_end(name: str, tmp_path: Path, one_report: bytes) -> None:
    """What cannot be read to its end, or only at a price, is refused soon and in little memory."""
    spoil, words = ODD_FILES[name]
    (tmp_path / "report.json").write_bytes(one_report)
    spoil(tmp_path / "report.json")
    code, printed, said = bounded("report", tmp_path, "--write")
    assert (code, printed) == (2, "")
    _refused(tmp_path, words, said)


@pytest.mark.parametrize("folder", ["nowhere", "repo", "repo/HEAD", "a\nb", "x" * 300])
def test_a_folder_that_is_none(folder: str, bench: Bench) -> None:
    """A path that leads to no run is refused in words."""
    bench.build(Commit(files=skill(OLD)))
    bench.run("report", bench.folder / folder, code=2)
    assert "report.json: cannot be read: " in bench.said


def test_hostile_words_stay_in_their_place(tmp_path: Path) -> None:
    """What skills, prompts, models and judges wrote is as harmless here as in the report that was first written."""
    report = reported("".join(PIECES))
    write_reports(tmp_path, report, "")
    _, shown, _ = bounded("report", tmp_path, "--write", "--format", "terminal")
    assert not CONTROLS.search(shown)
    _, shown, _ = bounded("report", tmp_path, "--format", "markdown")
    assert shown == markdown(report) == (tmp_path / "report.md").read_text()
    tokens = MarkdownIt("commonmark").enable("table").parse(shown)
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "softbreak", "hardbreak", "strong_open", "strong_close"}
    assert all(re.match("</?details>", token.content) for token in tokens if token.type == "html_block")
    _, shown, _ = bounded("report", tmp_path, "--format", "json")
    assert json.loads(shown) == json.loads(report.model_dump_json(by_alias=True))
