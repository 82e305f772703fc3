"""`skilldelta suite`: what is typed, what is said, and with which exit code the program leaves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from golden_text import golden
from odd_files import CONFIGS, MAY_BE, SUITES
from skilldelta.cli.door import run

GOOD = """\
skill_id: report
version: "1.0"
tasks:
  - id: keywords
    prompt: Which tier?
    judge: {type: contains, expected: [POWERFUL, tier]}
  - id: quality
    prompt: Accept?
    fixture: fixtures/repo
    judge: {type: llm-rubric, rubric: Names the trade-off., pass_threshold: 0.8}
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work tree with one draft suite and its fixture, which is the current folder."""
    (tmp_path / ".git").mkdir()
    suite = tmp_path / ".skilldelta/suites/report"
    (suite / "fixtures/repo").mkdir(parents=True)
    (suite / "fixtures/repo/data.txt").write_text("1,2\n")
    (suite / "suite.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Said:
    """Runs commands and gives back what they said: exit code, stdout, stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = run(["suite", *arguments])
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(capsys)


def versions(repo: Path) -> list[Path]:
    return sorted((repo / ".skilldelta/suites/report").glob("v*"))


def without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>", text)


def test_odd_suites_are_each_answered_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    """Every odd suite ends in exit code 2 with all its problems, or in 0 with warnings: never in a traceback."""
    monkeypatch.chdir(tmp_path)
    text = ""
    for name, raw in SUITES.items():
        Path("suite.yaml").write_bytes(raw)
        code, out, err = said("validate", "suite.yaml")
        assert code == (0 if name.endswith(MAY_BE) else 2), name
        assert err == "" or "suite.yaml:" in err
        assert "Traceback" not in err
        text += f"== {name} ==\nexit {code}\n{out}{err}\n"
    golden("suite_validate.txt", text)


def test_odd_configurations_are_each_answered_in_words(repo: Path, said: Said) -> None:
    """Every odd or hostile configuration stops the command that reads it with exit code 2 and all its problems."""
    text = ""
    for name, raw in CONFIGS.items():
        (repo / ".skilldelta.yml").write_bytes(raw)
        code, _, err = said("list")
        assert code == (0 if name.endswith(MAY_BE) else 2), name
        text += f"== {name} ==\nexit {code}\n{err}\n"
    golden("config_messages.txt", text)


@pytest.mark.parametrize("typed", ["report", ".skilldelta/suites/report", ".skilldelta/suites/report/suite.yaml"])
@pytest.mark.usefixtures("repo")
def test_a_suite_is_named_by_skill_folder_or_file(typed: str, said: Said) -> None:
    """The skill's id, the suite's folder and the draft's path mean the same suite."""
    code, out, err = said("validate", typed)
    assert (code, out, err) == (
        0,
        ".skilldelta/suites/report/suite.yaml: ok: 2 tasks (1 contains, 1 llm-rubric)\n",
        "",
    )


@pytest.mark.usefixtures("repo")
def test_a_name_that_is_nobodys_brings_the_nearest_one(said: Said) -> None:
    """An unknown suite is exit code 2, with the one that was probably meant."""
    code, out, err = said("freeze", "reprot")
    assert (code, out) == (2, "")
    assert err == "error: there is no suite 'reprot' under .skilldelta/suites\n  fix: did you mean 'report'?\n"


def test_several_files_are_all_checked(repo: Path, said: Said) -> None:
    """The good ones are told on stdout even when another has problems, and the exit code is 2."""
    (repo / "bad.yaml").write_text("skill_id: s\n")
    code, out, err = said("validate", "bad.yaml", "report")
    assert code == 2
    assert "report/suite.yaml: ok" in out
    assert "bad.yaml:1: tasks is missing" in err


def test_freezing_mints_a_version_only_when_the_content_changed(repo: Path, said: Said) -> None:
    """Formatting, comments and key order change nothing; a changed task, fixture or mode mints the next number."""
    draft = repo / ".skilldelta/suites/report/suite.yaml"
    code, out, _ = said("freeze", "--approved-by", "Ada")
    first = versions(repo)
    assert code == 0
    assert len(first) == 1
    assert f"frozen as {first[0].name} (2 tasks, 1 fixture file)" in out

    draft.write_text("# a comment\n" + GOOD.replace("[POWERFUL, tier]", '["POWERFUL",   tier]').replace("\n", "\r\n"))
    code, out, _ = said("freeze")
    assert code == 0
    assert "holds this content already (approved by Ada); reused" in out
    assert versions(repo) == first

    (repo / ".skilldelta/suites/report/fixtures/repo/data.txt").chmod(0o755)
    assert said("freeze", "--approved-by", "Ada")[0] == 0
    draft.write_text(GOOD.replace("Which tier?", "What tier?"))
    assert said("freeze", "report", "--approved-by", "Bo")[0] == 0
    assert [path.name.split("-")[0] for path in versions(repo)] == ["v1", "v2", "v3"]


def test_what_changed_and_what_asks_less_is_said_before_any_run(repo: Path, said: Said) -> None:
    """The new version is compared with the one before it, and weakening is called weakening."""
    said("freeze", "--approved-by", "Ada")
    weaker = GOOD.replace("[POWERFUL, tier]", "[tier]").replace("0.8", "0.5")
    (repo / ".skilldelta/suites/report/suite.yaml").write_text(weaker)
    code, out, _ = said("freeze", "--approved-by", "Bo")
    assert code == 0
    golden("suite_freeze_weaker.txt", out)


def test_a_new_version_needs_somebody_who_approved_it(repo: Path, said: Said) -> None:
    """Nothing is written without --approved-by, and an empty name is none."""
    code, out, err = said("freeze")
    assert (code, out) == (2, "")
    assert 'add --approved-by "NAME"' in err
    assert said("freeze", "--approved-by", " ")[0] == 2
    assert said("freeze", "--approved-by", "a\nb")[0] == 2
    assert versions(repo) == []


def test_one_bad_draft_keeps_all_from_being_frozen(repo: Path, said: Said) -> None:
    """Freezing decides for every suite before it writes for any."""
    other = repo / ".skilldelta/suites/other"
    other.mkdir()
    (other / "suite.yaml").write_text("skill_id: other\n")
    code, out, err = said("freeze", "--approved-by", "Ada")
    assert (code, out) == (2, "")
    assert "other/suite.yaml" in err
    assert versions(repo) == []


def test_a_named_file_that_is_missing_warns_when_checked_and_stops_the_freeze(repo: Path, said: Said) -> None:
    """A suite may be checked before its fixtures are there, but not frozen."""
    (repo / ".skilldelta/suites/report/fixtures/repo/data.txt").unlink()
    code, _, err = said("validate", "report")
    words = "task 'quality', fixture: the folder fixtures/repo is not there, or is empty"
    assert code == 0
    assert words in err
    code, _, err = said("freeze", "--approved-by", "Ada")
    assert code == 2
    assert words in err


def test_a_suite_without_a_draft_keeps_its_version(repo: Path, said: Said) -> None:
    """Freezing all suites passes over one whose draft was removed; a named suite with neither is bad usage."""
    said("freeze", "--approved-by", "Ada")
    (repo / ".skilldelta/suites/report/suite.yaml").unlink()
    code, out, _ = said("freeze")
    assert (code, out) == (0, f".skilldelta/suites/report: there is no draft; {versions(repo)[0].name} stays\n")
    assert said("list")[1].startswith("report: ok\n")
    (repo / "empty").mkdir()
    assert said("freeze", "empty", "--approved-by", "Ada")[0] == 2


def test_links_in_fixtures_are_refused(repo: Path, said: Said) -> None:
    """A symbolic link never becomes part of a frozen version, wherever it points."""
    (repo / ".skilldelta/suites/report/fixtures/repo/link").symlink_to("/etc/passwd")
    code, _, err = said("freeze", "--approved-by", "Ada")
    assert code == 2
    assert "fixtures/repo/link is a symbolic link, which is refused" in err
    assert versions(repo) == []


def test_a_suites_folder_behind_a_link_is_not_followed(repo: Path, said: Said, tmp_path: Path) -> None:
    """Nothing is read or written through a link that leads out of the repository."""
    outside = tmp_path / "outside"
    (repo / ".skilldelta").rename(outside)
    (repo / ".skilldelta").symlink_to(outside)
    code, _, err = said("freeze", "--approved-by", "Ada")
    assert code == 2
    assert "links are not followed" in err


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda version: (version / "suite.yaml").write_text(GOOD + "#"), "suite.yaml: was edited after it was frozen"),
        (lambda version: (version / "freeze.json").write_text("{}"), "freeze.json: cannot be read as a record"),
        (lambda version: (version / "freeze.json").unlink(), "freeze.json: is missing from a frozen version"),
        (lambda version: (version / "fixtures/repo/data.txt").unlink(), "data.txt: is missing (does git ignore it?"),
        (lambda version: (version / "fixtures/new.txt").write_text(""), "fixtures/new.txt: was added after the freeze"),
        (lambda version: (version / "fixtures/repo/data.txt").chmod(0o755), "data.txt: its mode was changed"),
        (lambda version: version.rename(version.with_name("v9-000000000000")), "names the version 'v1-"),
        (lambda version: version.rename(version.with_name("v1-old")), "is not the name of a frozen version"),
        (lambda version: version.rename(version.with_name("old")), "is not the name of a frozen version"),
    ],
)
def test_a_version_that_was_tampered_with_blocks(harm: object, words: str, repo: Path, said: Said) -> None:
    """Any edit, addition, loss or renaming in a version is named with its file, and nothing is frozen over it."""
    said("freeze", "--approved-by", "Ada")
    harm(versions(repo)[0])  # type: ignore[operator]  # a table of callables
    code, out, err = said("list")
    assert code == 2
    assert out.startswith("report: tampered\n")
    assert words in err
    code, _, err = said("freeze", "--approved-by", "Ada")
    assert code == 2
    assert words in err


def test_traces_of_programs_in_a_version_are_no_tampering(repo: Path, said: Said) -> None:
    """Python's caches beside a test file neither change a version nor become part of one."""
    cache = ".skilldelta/suites/report/fixtures/__pycache__"
    (repo / cache).mkdir()
    (repo / cache / "a.pyc").write_bytes(b"1")
    said("freeze", "--approved-by", "Ada")
    (versions(repo)[0] / "fixtures/__pycache__").mkdir()
    (versions(repo)[0] / "fixtures/__pycache__/b.pyc").write_bytes(b"2")
    assert said("list")[1].startswith("report: ok\n")


def test_the_list_says_how_every_suite_stands(repo: Path, said: Said) -> None:
    """Drafts, versions, approvers and times, newest first; the same as JSON."""
    said("freeze", "--approved-by", "Ada")
    (repo / ".skilldelta/suites/report/suite.yaml").write_text(GOOD.replace("Accept?", "Accept it?"))
    bare = repo / ".skilldelta/suites/bare"
    bare.mkdir()
    (bare / "task_suite.yaml").write_text(GOOD.replace("    fixture: fixtures/repo\n", ""))
    code, out, err = said("list")
    code_json, as_json, _ = said("list", "--json")
    assert (code, code_json, err) == (0, 0, "")
    assert [(each["suite"], each["state"]) for each in json.loads(as_json)] == [
        ("bare", "draft"),
        ("report", "draft ahead"),
    ]
    golden("suite_list.txt", without_times(out))
    golden("suite_list.json", without_times(as_json))


def test_a_suite_in_the_wrong_folder_is_told(repo: Path, said: Said) -> None:
    """A suite for another skill than its folder's brings a warning, unless the configuration says so."""
    suite = repo / ".skilldelta/suites/report/suite.yaml"
    suite.write_text(GOOD.replace("skill_id: report", "skill_id: summary"))
    assert "skill_id is 'summary', but the folder is that of report" in said("validate", "report")[2]
    (repo / ".skilldelta.yml").write_text("skills: {summary: {suite: report}}\n")
    assert said("validate", "summary")[2] == ""


def test_no_suites_at_all_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    """An empty repository gets words, and freezing nothing is bad usage."""
    monkeypatch.chdir(tmp_path)
    assert said("list") == (0, "", "no suites under .skilldelta/suites\n")
    assert said("list", "--json")[1] == "[]\n"
    assert said("freeze", "--approved-by", "Ada")[0] == 2
    assert said("list", "--repo", "nowhere")[0] == 2


def test_a_configuration_under_the_other_name_is_not_passed_over(repo: Path, said: Said) -> None:
    """`.skilldelta.yaml` would silently do nothing, so it is an error that says how to name it."""
    (repo / ".skilldelta.yaml").write_text("version: 1\n")
    code, _, err = said("list")
    assert code == 2
    assert "name it .skilldelta.yml" in err


def test_from_below_the_top_the_same_suites_are_found(repo: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work tree's top is found from any folder in it."""
    (repo / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(repo / "deep/er")
    assert said("list")[1].startswith("report: draft\n")


@pytest.mark.usefixtures("repo")
def test_the_program_itself_leaves_with_the_code() -> None:
    """What the door returns is the exit code of the process, results on stdout, messages on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "skilldelta", "suite", "validate", "reprot"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no suite 'reprot'")
