"""A suite's folder, wherever it is read from: nothing, a draft, frozen, or tampered with."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from skilldelta.domain.suite import FrozenSuite
from skilldelta.errors import BadSuite, TamperedSuite
from skilldelta.reading.fixtures import MOST_FILES
from skilldelta.reading.frozen_suite import FoundSuite, SuiteState, find_frozen, next_version

DRAFT = b"""\
skill_id: s
version: "1.0"
tasks:
  - id: a
    prompt: p
    fixture: fixtures/repo
    judge: {type: contains, expected: [x]}
"""
WITH_TEST = DRAFT.replace(b"type: contains, expected: [x]", b"type: pytest, test_file: fixtures/t.py")


class Files(dict[str, bytes]):
    """A suite's folder in memory; `modes` holds what is no ordinary file."""

    def __init__(self, *files: tuple[str, bytes]) -> None:
        super().__init__(files or (("suite.yaml", DRAFT), ("fixtures/repo/a.txt", b"1")))
        self.modes: dict[str, str] = {}

    def found(self) -> FoundSuite:
        entries = {path: self.modes.get(path, "100644") for path in self}
        return find_frozen(entries, self.__getitem__, where="suites/s")

    def freeze(self, number: int | None = None) -> str:
        """Freeze the draft as the edge would, and return the version's name."""
        record = next_version(self.found(), approved_by="Ada", frozen_at="2026-01-02T03:04:05Z")
        if number is not None:
            name = f"v{number}-{record.content_sha256[:12]}"
            record = record.model_copy(update={"number": number, "name": name})
        self[f"{record.name}/suite.yaml"] = self.get("suite.yaml") or self["task_suite.yaml"]
        self[f"{record.name}/freeze.json"] = record.model_dump_json().encode()
        for file in record.fixtures:
            self[f"{record.name}/{file.path}"] = self[file.path]
            self.modes[f"{record.name}/{file.path}"] = file.mode
        return record.name


def _newest(files: Files) -> FrozenSuite:
    found = files.found().newest
    assert found is not None
    return found


def test_nothing_is_no_suite() -> None:
    """An empty folder, or one with other files only, is no suite."""
    files = Files(("README.md", b"hello"))
    assert (files.found().state, files.found().newest) == (SuiteState.NONE, None)


@pytest.mark.parametrize("name", ["suite.yaml", "task_suite.yaml"])
def test_a_draft_alone_cannot_be_run(name: str) -> None:
    """Under either name, a draft that was never frozen is no version."""
    files = Files((name, DRAFT), ("fixtures/repo/a.txt", b"1"))
    found = files.found()
    assert (found.state, found.newest, found.versions) == (SuiteState.DRAFT, None, ())


def test_of_two_drafts_one_is_told_to_be_ignored() -> None:
    """suite.yaml is preferred, and the other one does not silently do nothing."""
    found = Files(("suite.yaml", DRAFT), ("task_suite.yaml", b"x"), ("fixtures/repo/a.txt", b"1")).found()
    assert found.draft is not None
    assert found.draft.warnings == ("suites/s/task_suite.yaml: is ignored, because suite.yaml stands beside it",)


def test_a_frozen_version_is_found_with_its_record() -> None:
    """The newest version runs, with the hashes of its fixtures."""
    files = Files()
    name = files.freeze()
    found = files.found()
    assert found.state is SuiteState.FROZEN
    version = found.newest
    assert version is not None
    assert version.version == name
    assert name == f"v1-{version.record.content_sha256[:12]}"
    assert [(file.path, file.size) for file in version.record.fixtures] == [("fixtures/repo/a.txt", 1)]
    assert version.record.approved_by == "Ada"
    assert not found.draft_differs


def test_versions_are_numbered_upwards_and_the_newest_runs() -> None:
    """Each change of the draft is the next number, also back to content that was frozen before."""
    files = Files()
    first = files.freeze()
    files["fixtures/repo/a.txt"] = b"2"
    assert files.found().draft_differs
    second = files.freeze()
    files["fixtures/repo/a.txt"] = b"1"
    third = files.freeze()
    assert [name.split("-")[0] for name in (first, second, third)] == ["v1", "v2", "v3"]
    assert first.split("-")[1] == third.split("-")[1]
    assert [version.version for version in files.found().versions] == [first, second, third]
    assert _newest(files).version == third


def test_the_tenth_version_is_newer_than_the_second() -> None:
    """Versions are ordered by number, not by letter."""
    files = Files()
    files.freeze(number=2)
    files["fixtures/repo/a.txt"] = b"2"
    newest = files.freeze(number=10)
    assert _newest(files).version == newest
    assert next_version(files.found(), approved_by="A", frozen_at="t").number == 11


def test_line_ends_of_a_checkout_are_no_tampering() -> None:
    """A checkout that wrote CRLF into the suite's text has not changed it."""
    files = Files()
    name = files.freeze()
    files[f"{name}/suite.yaml"] = files[f"{name}/suite.yaml"].replace(b"\n", b"\r\n")
    assert files.found().state is SuiteState.FROZEN


def _edit_record(**changes: object) -> Callable[[Files, str], None]:
    def harm(files: Files, name: str) -> None:
        record = json.loads(files[f"{name}/freeze.json"])
        files[f"{name}/freeze.json"] = json.dumps({**record, **changes}).encode()

    return harm


def _loosen_and_rehash(files: Files, name: str) -> None:
    """An edit that also forges the hash of the text."""
    from skilldelta.reading.frozen_version import text_digest

    files[f"{name}/suite.yaml"] = DRAFT.replace(b"[x]", b"[y]")
    _edit_record(suite_sha256=text_digest(files[f"{name}/suite.yaml"]))(files, name)


def _put(path: str, data: bytes, mode: str = "100644") -> Callable[[Files, str], None]:
    def harm(files: Files, name: str) -> None:
        files[f"{name}/{path}"] = data
        files.modes[f"{name}/{path}"] = mode

    return harm


def _drop(path: str) -> Callable[[Files, str], None]:
    def harm(files: Files, name: str) -> None:
        del files[f"{name}/{path}"]

    return harm


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (_put("suite.yaml", DRAFT.replace(b"[x]", b"[y]")), "suite.yaml: was edited after it was frozen"),
        (_put("suite.yaml", DRAFT + b"# only a comment\n"), "suite.yaml: was edited after it was frozen"),
        (_loosen_and_rehash, "freeze.json: does not fit suite.yaml beside it"),
        (_edit_record(skill_id="other"), "freeze.json: does not fit suite.yaml"),
        (_edit_record(number=2), "freeze.json: names the version"),
        (_edit_record(content_sha256="0" * 64), "freeze.json: names the version"),
        (_edit_record(extra=1), "freeze.json: cannot be read"),
        (_edit_record(number="1"), "freeze.json: cannot be read"),
        (_put("freeze.json", b"\xff"), "freeze.json: cannot be read"),
        (_put("freeze.json", b" " * (5 * 1024 * 1024)), "freeze.json: cannot be read"),
        (_drop("freeze.json"), "freeze.json: is missing from a frozen version"),
        (_drop("suite.yaml"), "suite.yaml: is missing from a frozen version"),
        (_drop("fixtures/repo/a.txt"), "fixtures/repo/a.txt: is missing"),
        (_put("fixtures/repo/a.txt", b"2"), "fixtures/repo/a.txt: its content was changed after the freeze"),
        (_put("fixtures/repo/a.txt", b"1", "100755"), "fixtures/repo/a.txt: its mode was changed after the freeze"),
        (_put("fixtures/repo/b.txt", b"2"), "fixtures/repo/b.txt: was added after the freeze"),
        (_put("notes.md", b"2"), "notes.md: was added after the freeze"),
        (_put("fixtures/repo/a.txt", b"", "120000"), "fixtures/repo/a.txt: is a link or a submodule"),
        (_put("suite.yaml", DRAFT, "120000"), "suite.yaml: is a link or a submodule"),
    ],
)
def test_every_edit_in_place_is_detected(harm: Callable[[Files, str], None], words: str) -> None:
    """Whatever is changed, added, lost or made a link in a frozen version, the file is named and nothing runs."""
    files = Files()
    name = files.freeze()
    harm(files, name)
    found = files.found()
    assert (found.state, found.newest) == (SuiteState.TAMPERED, None)
    with pytest.raises(TamperedSuite) as caught:
        next_version(found, approved_by="A", frozen_at="t")
    assert f"suites/s/{name}/{words}" in str(caught.value)
    assert "fix: " in str(caught.value)


def test_an_older_version_that_was_edited_blocks_too() -> None:
    """The record of what was measured is not rewritten, even where it is no longer run."""
    files = Files()
    first = files.freeze()
    files["fixtures/repo/a.txt"] = b"2"
    second = files.freeze()
    files[f"{first}/suite.yaml"] += b"#"
    found = files.found()
    assert found.state is SuiteState.TAMPERED
    assert [version.version for version in found.versions] == [second]


def test_two_versions_with_one_number_block() -> None:
    """Two branches that froze different content under the same number are told to settle it."""
    files = Files()
    first = files.freeze(number=1)
    files["fixtures/repo/a.txt"] = b"2"
    second = files.freeze(number=1)
    found = files.found()
    assert found.newest is None
    (what,) = map(str, found.tampering)
    for name in (first, second, "carry the same number"):
        assert name in what


@pytest.mark.parametrize("name", ["v1", "v1-old", "v01-0123456789ab", "v1-0123456789abc", "v1-0123456789AB", "v1.bak"])
def test_a_folder_that_only_looks_like_a_version_blocks(name: str) -> None:
    """A version under another name is not silently passed over, since it may be the newest."""
    found = Files((f"{name}/suite.yaml", DRAFT)).found()
    assert found.newest is None
    assert "is not the name of a frozen version" in str(found.tampering[0])


def test_other_folders_are_nobodys_business() -> None:
    """A folder that neither holds a record nor looks like a version is left alone."""
    files = Files(("suite.yaml", DRAFT), ("fixtures/repo/a.txt", b"1"), ("vault/a", b""), ("notes/v1/a", b""))
    assert files.found().state is SuiteState.DRAFT


@pytest.mark.parametrize(
    ("path", "mode", "words"),
    [
        ("fixtures/link", "120000", "fixtures/link is a symbolic link, which is refused"),
        ("fixtures/module", "160000", "fixtures/module is a submodule, which is refused"),
        ("fixtures/pipe", "000000", "fixtures/pipe is no ordinary file"),
        ("fixtures/repo/.git/HEAD", "100644", "belongs to a repository inside the fixture"),
        ("fixtures/repo/.claude/skills/x/SKILL.md", "100644", "would bring a skill of its own"),
        ("fixtures/a\nb", "100644", "has a name that cannot be kept"),
        ("fixtures/caf\udce9", "100644", "has a name that cannot be kept"),
    ],
)
def test_what_may_not_be_a_fixture_keeps_a_draft_from_being_frozen(path: str, mode: str, words: str) -> None:
    """Links, submodules, devices, repositories, skills and unspeakable names are refused by name."""
    files = Files()
    files[path] = b"1"
    files.modes[path] = mode
    with pytest.raises(BadSuite) as caught:
        next_version(files.found(), approved_by="A", frozen_at="t")
    assert words in str(caught.value)


def test_a_link_is_never_read() -> None:
    """Where an entry is no ordinary file, its content is not even asked for."""
    files = Files()
    files.modes["fixtures/repo/a.txt"] = "120000"
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return files[path]

    find_frozen({path: files.modes.get(path, "100644") for path in files}, read, where="s")
    assert asked == ["suite.yaml"]


def test_fixtures_are_bounded_in_number() -> None:
    """More files than a suite may have are a problem, and none of them is read."""
    files = Files(("suite.yaml", DRAFT), *((f"fixtures/repo/{number}", b"") for number in range(MOST_FILES + 1)))
    draft = files.found().draft
    assert draft is not None
    assert draft.problems == ("suites/s/fixtures holds 2,001 files; at most 2,000 are read",)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (Files(("suite.yaml", DRAFT)), "fixture: the folder fixtures/repo is not there, or is empty"),
        (Files(("suite.yaml", DRAFT), ("fixtures/repo", b"1")), "fixture: the folder fixtures/repo is a file"),
        (
            Files(("suite.yaml", WITH_TEST), ("fixtures/repo/a", b"")),
            "test_file: fixtures/t.py is not there",
        ),
    ],
)
def test_what_a_task_names_must_be_there(files: Files, words: str) -> None:
    """A draft whose fixture or test file is missing is not frozen."""
    with pytest.raises(BadSuite, match=words):
        next_version(files.found(), approved_by="A", frozen_at="t")


def test_a_draft_that_cannot_be_read_leaves_the_frozen_version_standing() -> None:
    """What is frozen can be run whatever becomes of the draft, which counts as moved on."""
    files = Files()
    files.freeze()
    files["suite.yaml"] = b"["
    found = files.found()
    assert found.newest is not None
    assert found.newest.record.number == 1
    assert found.draft_differs
    del files["suite.yaml"]
    assert _newest(files).record.number == 1
    assert not files.found().draft_differs
