"""On a pull request the base's configuration and frozen suites are the law, whatever the head does to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from comparing import CONFIG, NEW, OLD, SUITES, Bench, frozen, passing, skill, suite_text, version_of
from repositories import Commit, Content, Symlink, skill_text
from skilldelta.domain.suite import FreezeRecord
from skilldelta.reading.frozen_suite import find_frozen, next_version

STRICT = f"{CONFIG}design: {{margin: 0.1, rounds: 4}}\nbudget: {{max_calls: 500}}\n"
LAW = frozen(suite_text())
V1 = version_of(LAW)
BASE: Mapping[str, Content] = {**skill(OLD), ".skilldelta.yml": STRICT, **LAW}
FOLDER = f"{SUITES}/a"


def _flags(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(flag["kind"], flag["path"]) for flag in report["flags"]]


def _applied(report: dict[str, Any]) -> tuple[Any, ...]:
    """Verdict and gate, and the law that they were reached under: margin, suite, where suite and config came from."""
    (one,) = (skill for skill in report["skills"] if skill["role"] == "gate")
    law = (one["margin"], one["suite_version"], one["suite_from"], report["config_from"])
    return (one["verdict"], report["gate"], *law)


def _stricter(bench: Bench, after: Mapping[str, Content], *, delete: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the report on a head that got worse and changes `after`; the gate must hold all the same."""
    bench.two(BASE, {**skill(NEW), **after}, delete)
    bench.server.script = passing(candidate=False)
    report = bench.compare(code=1)
    assert _applied(report) == ("regressed", "fail", 0.1, V1, "base", "base")
    assert report["spending"]["caps"]["max_calls"] == 500
    return report


def test_a_head_cannot_loosen_its_margin(bench: Bench) -> None:
    """The base's margin, rounds and budget decide, and the edit of the configuration is flagged."""
    loose = f"{CONFIG}design: {{margin: 0.99, rounds: 1}}\nbudget: {{max_calls: 0}}\ngate: {{inconclusive: warn}}\n"
    report = _stricter(bench, {".skilldelta.yml": loose})
    assert _flags(report) == [("config", ".skilldelta.yml")]
    assert "this change edits the configuration; the base's was used" in report["flags"][0]["message"]


def test_a_head_cannot_take_its_configuration_away(bench: Bench) -> None:
    """A removed configuration still holds for the change that removes it."""
    report = _stricter(bench, {}, delete=(".skilldelta.yml",))
    assert _flags(report) == [("config", ".skilldelta.yml")]
    assert "removes" in report["flags"][0]["message"]


def test_a_head_cannot_skip_its_own_skill(bench: Bench) -> None:
    """Skipping the skill, another folder of suites and other skills' places come from the base alone."""
    evasive = f"{CONFIG}suites: elsewhere\nskills: {{a: {{skip: true}}}}\ndiscovery: {{exclude: ['skills/**']}}\n"
    assert _flags(_stricter(bench, {".skilldelta.yml": evasive})) == [("config", ".skilldelta.yml")]


def test_a_broken_configuration_of_the_head_does_not_matter(bench: Bench) -> None:
    """What the head's configuration says is not even read where the base has one."""
    assert _flags(_stricter(bench, {".skilldelta.yml": "{not: [yaml"})) == [("config", ".skilldelta.yml")]


def test_a_head_cannot_drop_tasks_by_a_new_version(bench: Bench) -> None:
    """The gate is decided on the base's version; the new one is flagged with every task that it drops."""
    after = frozen(suite_text(tasks=2), before=LAW)
    report = _stricter(bench, after)
    assert _flags(report) == [("suite", f"{FOLDER}/{version_of(after)}")]
    assert f"decided on {V1}" in report["flags"][0]["message"]
    assert report["flags"][0]["weakening"] == [f"task 'task-{n}' is dropped" for n in range(2, 12)]


def test_a_head_cannot_remove_the_frozen_version(bench: Bench) -> None:
    """A version that the head removes is still the law, and its removal is flagged."""
    report = _stricter(bench, {}, delete=(f"{FOLDER}/{V1}",))
    assert _flags(report) == [("suite", f"{FOLDER}/{V1}")]
    assert f"removes or edits the frozen version {V1}" in report["flags"][0]["message"]


def test_a_head_cannot_remove_the_whole_suite(bench: Bench) -> None:
    """Draft and version gone together change nothing about the law either."""
    assert _flags(_stricter(bench, {}, delete=(FOLDER,))) == [("suite", f"{FOLDER}/{V1}")]


def test_a_head_cannot_forge_a_version_under_a_new_name(bench: Bench) -> None:
    """A consistent record under another name is a new version: flagged with its weakening, and not the law."""
    forged = _renumbered(frozen(suite_text(tasks=1)), number=1)
    report = _stricter(bench, forged, delete=(f"{FOLDER}/{V1}",))
    assert _flags(report) == [("suite", f"{FOLDER}/{V1}"), ("suite", f"{FOLDER}/{version_of(forged)}")]
    assert len(report["flags"][1]["weakening"]) == 11


def test_a_head_cannot_forge_a_far_higher_number(bench: Bench) -> None:
    """A version with the highest possible number does not become the law before it is merged."""
    forged = _renumbered(frozen(suite_text(tasks=1)), number=999_999)
    report = _stricter(bench, forged)
    assert _flags(report) == [("suite", f"{FOLDER}/{version_of(forged)}")]
    assert len(report["flags"][0]["weakening"]) == 11


def _renumbered(files: Mapping[str, Content], *, number: int) -> dict[str, Content]:
    """Return the files of a suite with its one version consistently under another number."""
    old = version_of(files)
    record = FreezeRecord.model_validate_json(str(files[f"{FOLDER}/{old}/freeze.json"]))
    name = f"v{number}-{record.content_sha256[:12]}"
    moved = {path.replace(f"/{old}/", f"/{name}/"): content for path, content in files.items()}
    record = record.model_copy(update={"number": number, "name": name})
    return moved | {f"{FOLDER}/{name}/freeze.json": record.model_dump_json()}


def test_two_versions_with_one_number_block(bench: Bench) -> None:
    """A forged twin beside the frozen version leaves no law behind: blocked, with what to remove."""
    forged = _renumbered(frozen(suite_text(tasks=1)), number=1)
    report = _blocked(bench, {**skill(NEW), **forged}, "carry the same number")
    assert _flags(report) == [("suite", FOLDER)]


FIXED = frozen(suite_text(), fixtures={"fixtures/data.txt": "1\n"})
V1_FIXED = version_of(FIXED)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("suite.yaml", suite_text(tasks=1), "was edited after it was frozen"),
        ("freeze.json", "{}", "cannot be read as a record of freezing"),
        ("fixtures/data.txt", "2\n", "its content was changed after the freeze"),
        ("fixtures/more.txt", "2\n", "was added after the freeze"),
    ],
)
@pytest.mark.parametrize("with_skill", [True, False], ids=["with the skill", "alone"])
def test_an_edit_in_place_blocks(bench: Bench, file: str, content: str, words: str, with_skill: bool) -> None:
    """Any file of a frozen version that the head edits or adds blocks, with or without a change to the skill."""
    after: dict[str, Content] = {f"{FOLDER}/{V1_FIXED}/{file}": content}
    report = _blocked(bench, {**(skill(NEW) if with_skill else {}), **after}, words, law=FIXED)
    assert _flags(report) == [("suite", f"{FOLDER}/{V1_FIXED}")]


def test_a_forged_record_in_place_blocks(bench: Bench) -> None:
    """An edited suite with a freshly computed record does not fit the name of its folder."""
    forged = frozen(suite_text(tasks=1))
    other = version_of(forged)
    inside = {path.replace(other, V1): content for path, content in forged.items() if other in path}
    assert _flags(_blocked(bench, {**skill(NEW), **inside}, "names the version")) == [("suite", f"{FOLDER}/{V1}")]


def _blocked(
    bench: Bench, after: Mapping[str, Content], words: str, *, law: Mapping[str, Content] = LAW
) -> dict[str, Any]:
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT, **law}, after)
    report = bench.compare(code=2)
    assert (report["gate"], report["skills"], report["config_from"]) == ("blocked", [], "base")
    (left,) = report["left_out"]
    assert (left["skill_id"], left["gate"]) == ("a", "blocked")
    assert "(in the head)" in left["reason"]
    assert words in left["reason"]
    assert not bench.server.asked
    return report


MOVED: Mapping[str, Content] = {"skills/elsewhere/SKILL.md": skill(OLD)["skills/a/SKILL.md"]}
NESTED, LOOSE = "skills/group/a/SKILL.md", "a/SKILL.md"


@pytest.mark.parametrize(
    ("before", "after", "above"),
    [
        (NESTED, NESTED, "skills/group/SKILL.md"),
        (LOOSE, LOOSE, "SKILL.md"),
        ("skills/a/SKILL.md", NESTED, "skills/group/SKILL.md"),
    ],
    ids=["group", "root", "moved into a group"],
)
def test_a_skill_cannot_be_hidden_below_another(bench: Bench, before: str, after: str, above: str) -> None:
    """A SKILL.md that the change puts above a skill takes nothing from it: what got worse fails."""
    old, new = (skill(word)["skills/a/SKILL.md"] for word in (OLD, NEW))
    over = {above: skill_text("group")}
    bench.two(
        {before: old, ".skilldelta.yml": STRICT, **LAW}, {after: new, **over}, [before] if before != after else []
    )
    bench.server.script = passing(candidate=False)
    report = bench.compare(code=1)
    assert _applied(report) == ("regressed", "fail", 0.1, V1, "base", "base")
    assert [(one["skill_id"], one["kind"], one["gate"]) for one in report["left_out"]] == [("group", "added", "warn")]
    bench.run("skills", "--repo", bench.repo, "--ref", "main", "--json")
    assert [one["skill_id"] for one in json.loads(bench.printed)["skills"]] == (["group", "a"])


@pytest.mark.parametrize("after", [{}, {NESTED: skill(NEW)["skills/a/SKILL.md"]}], ids=["as it was", "edited"])
def test_a_skill_that_loses_the_one_above_it_stays(bench: Bench, after: Mapping[str, Content]) -> None:
    """The deletion of an outer SKILL.md makes nothing new of the skill inside, and its law holds."""
    above = {"skills/group/SKILL.md": skill_text("group")}
    bench.two({NESTED: skill(OLD)["skills/a/SKILL.md"], **above, ".skilldelta.yml": STRICT, **LAW}, after, [*above])
    bench.server.script = passing(candidate=False)
    report = bench.compare(code=1 if after else 0)
    assert [(one["skill_id"], one["suite_from"]) for one in report["skills"]] == ([("a", "base")] if after else [])
    assert [(one["skill_id"], one["kind"]) for one in report["left_out"]] == [("group", "deleted")]


def test_a_skill_inside_takes_nothing_from_the_one_around_it(bench: Bench) -> None:
    """A file of a skill stays its file when the change puts a SKILL.md beside it: the agent is given it."""
    after: dict[str, Content] = {"skills/a/data/SKILL.md": skill_text("data"), "skills/a/data/more.md": f"{NEW}\n"}
    listed = {".skilldelta.yml": "runner: {model: test}\njudge: {model: judge}\n"}
    bench.two({**BASE, **listed, "skills/a/data/x.md": "x"}, after)
    bench.server.script = passing()
    report = bench.compare()
    (one,) = report["skills"]
    assert [file["path"] for file in one["files"]] == ["data/SKILL.md", "data/more.md"]
    assert [(left["skill_id"], left["kind"]) for left in report["left_out"]] == [("data", "added")]


SKIPPED = f"{STRICT}skills: {{a: {{skip: true}}}}\n"


@pytest.mark.parametrize("side", ["in the head", "in the base"])
@pytest.mark.parametrize(
    ("law", "after", "delete"),
    [(STRICT, {}, ["skills/a"]), (STRICT, MOVED, ["skills/a"]), (SKIPPED, skill(NEW), [])],
    ids=["deleted", "moved", "skipped"],
)
def test_no_edit_in_place_hides_behind_a_skill_that_is_not_measured(
    bench: Bench, law: str, after: Mapping[str, Content], delete: list[str], side: str
) -> None:
    """A frozen suite that the change edits blocks, also where its skill goes, moves or is skipped."""
    before = {**skill(OLD), ".skilldelta.yml": law, **(LAW if side == "in the head" else BROKEN)}
    bench.two(before, {**after, f"{FOLDER}/{V1}/suite.yaml": suite_text(tasks=2)}, delete)
    report = bench.compare(code=2)
    (left,) = report["left_out"]
    assert (report["gate"], left["gate"], left["skill_id"]) == ("blocked", "blocked", "a")
    assert f"({side})" in left["reason"]
    assert not bench.server.asked


def test_a_skill_may_go_with_its_whole_suite(bench: Bench) -> None:
    """A deleted skill whose suite's folder is removed along is neutral, and the removal is flagged."""
    bench.two(BASE, {}, ["skills/a", FOLDER])
    report = bench.compare()
    (left,) = report["left_out"]
    assert (report["gate"], left["kind"], left["gate"]) == ("neutral", "deleted", "neutral")
    assert _flags(report) == [("suite", f"{FOLDER}/{V1}")]
    assert f"removes or edits the frozen version {V1}" in report["flags"][0]["message"]


@pytest.mark.parametrize("delete", [["skills/a"], ["skills/a", FOLDER]], ids=["alone", "with the suite"])
def test_a_deletion_is_not_blamed_for_what_was_tampered_with_on_the_base(bench: Bench, delete: list[str]) -> None:
    """Where the base's suite was broken before, a skill may go, and its suite with it."""
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT, **BROKEN}, {}, delete)
    report = bench.compare()
    assert (report["gate"], report["left_out"][0]["kind"]) == ("neutral", "deleted")


def test_a_tampered_base_blocks(bench: Bench) -> None:
    """A base whose frozen suite was edited is no law: blocked, and the base is named."""
    broken = {**LAW, f"{FOLDER}/{V1}/suite.yaml": suite_text(tasks=1)}
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT, **broken}, skill(NEW))
    report = bench.compare(code=2)
    assert "(in the base)" in report["left_out"][0]["reason"]
    assert _flags(report) == []
    assert not bench.server.asked


BROKEN: Mapping[str, Content] = {**LAW, f"{FOLDER}/{V1}/suite.yaml": suite_text(tasks=1)}


def test_a_head_that_mends_a_tampered_base_is_no_first_adoption(bench: Bench) -> None:
    """While the base's suite is broken there is no law: a skill that comes with the repair is not measured."""
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT, **BROKEN}, {**skill(NEW), **LAW})
    report = bench.compare(code=2)
    assert f"mend {FOLDER} on the base first" in report["left_out"][0]["fix"]
    (flag,) = report["flags"]
    assert flag["message"].startswith("this change mends a frozen suite")
    assert f"version {V1} becomes the law" in flag["message"]
    assert not bench.server.asked


@pytest.mark.parametrize("how", ["restored", "removed"])
def test_a_tampered_base_can_be_mended_by_a_change_of_its_own(bench: Bench, how: str) -> None:
    """A change that only restores or removes the broken version is a warning to look at, and can be merged."""
    before = {**skill(OLD), ".skilldelta.yml": STRICT, **BROKEN}
    bench.two(before, LAW if how == "restored" else {}, [f"{FOLDER}/{V1}"] if how == "removed" else [])
    report = bench.compare()
    (left,) = report["left_out"]
    assert (report["gate"], left["gate"], left["skill_id"]) == ("warn", "warn", "a")
    assert [flag["kind"] for flag in report["flags"]] == ["suite"]


def test_a_change_that_leaves_the_base_tampered_stays_blocked(bench: Bench) -> None:
    """Another edit of a broken version mends nothing."""
    before = {**skill(OLD), ".skilldelta.yml": STRICT, **BROKEN}
    bench.two(before, {f"{FOLDER}/{V1}/suite.yaml": suite_text(tasks=2)})
    assert bench.compare(code=2)["gate"] == "blocked"


@pytest.mark.parametrize("place", [FOLDER, SUITES])
@pytest.mark.parametrize("side", ["base", "head"])
def test_a_link_in_place_of_a_suite_s_folder_blocks(bench: Bench, place: str, side: str) -> None:
    """A suite is never read through a link, nor taken for one that was never there."""
    link: dict[str, Content] = {place: Symlink("../elsewhere")}
    before = {**skill(OLD), ".skilldelta.yml": STRICT}
    if side == "base":
        bench.two({**before, **link}, skill(NEW))
    else:
        bench.two({**before, **LAW}, {**skill(NEW), **link}, [place])
    report = bench.compare(code=2)
    (left,) = report["left_out"]
    assert f"(in the {side}): {FOLDER}: is no folder" in left["reason"]
    assert not bench.server.asked


def test_a_suite_that_names_another_skill_is_noted(bench: Bench) -> None:
    """A suite's own word on whose it is may be a slip of the copying hand: it runs, and the report says so."""
    other = {path.replace("/b/", "/a/"): text for path, text in frozen(suite_text("b"), "b").items()}
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT, **other}, skill(NEW))
    (one,) = bench.compare()["skills"]
    assert "the suite in a's folder says that it is for 'b'" in one["notes"]


def test_first_adoption_uses_the_head_and_says_so(bench: Bench) -> None:
    """Where the base has neither configuration nor suite, the head's are used, and both are flagged."""
    bench.two(skill(OLD), {**skill(NEW), ".skilldelta.yml": STRICT, **LAW})
    bench.server.script = passing(baseline=False)
    report = bench.compare()
    assert _applied(report) == ("improved", "pass", 0.1, V1, "head", "head")
    assert _flags(report) == [("first-adoption", ".skilldelta.yml"), ("first-adoption", FOLDER)]


EASY = "{type: not-contains, unexpected: [zzz]}"
ELSEWHERE: Mapping[str, Content] = {
    path.replace(SUITES, "elsewhere"): text for path, text in frozen(suite_text(tasks=1, judge=EASY)).items()
}
ANOTHER: Mapping[str, Content] = {
    path.replace("/a/", "/easy/"): text for path, text in frozen(suite_text(tasks=1, judge=EASY)).items()
}


@pytest.mark.parametrize(
    ("config", "files", "words"),
    [
        (
            "suites: elsewhere\n",
            ELSEWHERE,
            f"names elsewhere/a for the suite of a; the one that the base has in {FOLDER}",
        ),
        ("skills: {a: {suite: easy}}\n", ANOTHER, f"names {SUITES}/easy for the suite of a; the one that the base has"),
        ("skills: {a: {skip: true}}\n", {}, f"skips a; as the base has a frozen suite for it in {FOLDER}"),
        (
            "discovery: {exclude: ['skills/**']}\n",
            {},
            "as the base has frozen suites, they were looked for in the usual",
        ),
        ("discovery: {include: ['docs/*']}\n", {}, "as the base has frozen suites, they were looked for in the usual"),
    ],
    ids=["suites", "suite", "skip", "exclude", "include"],
)
def test_a_first_configuration_moves_no_suite_that_the_base_has(
    bench: Bench, config: str, files: Mapping[str, Content], words: str
) -> None:
    """Where only the head has a configuration, a suite frozen on the base is the law, and what said else is flagged."""
    bench.two({**skill(OLD), **LAW}, {**skill(NEW), ".skilldelta.yml": STRICT + config, **files})
    bench.server.script = passing(candidate=False)
    report = bench.compare(code=1)
    assert _applied(report) == ("regressed", "fail", 0.1, V1, "base", "head")
    assert _flags(report)[:2] == [("first-adoption", ".skilldelta.yml"), ("config", ".skilldelta.yml")]
    assert words in report["flags"][1]["message"]
    assert all(flag["kind"] != "first-adoption" for flag in report["flags"][1:])
    bench.run("changes", "--repo", bench.repo, "--base", "main~1", "--head", "main")
    assert "modified  a " in bench.printed


def test_a_weaker_suite_in_another_place_is_called_weaker(bench: Bench) -> None:
    """The suite that a first configuration would put in the place of the base's is compared with it."""
    bench.two({**skill(OLD), **LAW}, {**skill(NEW), ".skilldelta.yml": f"{CONFIG}suites: elsewhere\n", **ELSEWHERE})
    flag = bench.compare()["flags"][1]
    assert "task 'task-11' is dropped" in flag["weakening"]
    assert "task 'task-0': the judge contains is removed" in flag["weakening"]


def test_a_first_configuration_hides_no_edit_in_place(bench: Bench) -> None:
    """The base's suite in the usual place is looked at for tampering, wherever the head says that suites are."""
    edited: dict[str, Content] = {f"{FOLDER}/{V1}/suite.yaml": suite_text(tasks=1)}
    first = {".skilldelta.yml": f"{CONFIG}suites: elsewhere\n", **ELSEWHERE}
    for number, after in enumerate(({**skill(NEW), **edited, **first}, {**edited, **first})):
        bench.repo = bench.folder / f"repo-{number}"
        bench.two({**skill(OLD), **LAW}, after)
        report = bench.compare(code=2, out=bench.folder / f"out-{number}")
        assert (report["gate"], report["skills"]) == ("blocked", [])
        assert "(in the head)" in report["left_out"][0]["reason"]


def test_a_tampered_base_blocks_a_first_configuration_too(bench: Bench) -> None:
    """A base without configuration whose frozen suite was edited is no reason to take the head's suite."""
    bench.two({**skill(OLD), **BROKEN}, {**skill(NEW), ".skilldelta.yml": f"{CONFIG}suites: elsewhere\n", **ELSEWHERE})
    assert "(in the base)" in bench.compare(code=2)["left_out"][0]["reason"]


def test_a_first_configuration_decides_where_the_base_has_nothing_frozen(bench: Bench) -> None:
    """Drafts in the usual place are no law: suites and skills are where the first configuration says."""
    draft = {f"{FOLDER}/suite.yaml": suite_text()}
    moved = {path.replace(SUITES, "elsewhere"): text for path, text in LAW.items()}
    excluded = f"{STRICT}suites: elsewhere\ndiscovery: {{exclude: [skills/b]}}\n"
    bench.two(
        {**skill(OLD), **skill(OLD, "b"), **draft},
        {**skill(NEW), **skill(NEW, "b"), ".skilldelta.yml": excluded, **moved},
    )
    report = bench.compare()
    assert _applied(report)[3:] == (V1, "head", "head")
    assert [flag["kind"] for flag in report["flags"]] == ["first-adoption", "first-adoption"]
    assert report["left_out"] == []


def test_a_first_configuration_holds_for_skills_without_a_suite_on_the_base(bench: Bench) -> None:
    """One skill's frozen suite on the base takes nothing from what the head says of another."""
    own = {path.replace("/a/", "/b/"): text for path, text in frozen(suite_text("b"), "b").items()}
    moved = {path.replace(SUITES, "elsewhere"): text for path, text in own.items()}
    config = f"{STRICT}suites: elsewhere\nskills: {{c: {{skip: true}}}}\n"
    old, new = ({path: text for name in "abc" for path, text in skill(word, name).items()} for word in (OLD, NEW))
    bench.two({**old, **LAW}, {**new, ".skilldelta.yml": config, **moved})
    report = bench.compare()
    assert [(one["skill_id"], one["suite_from"]) for one in report["skills"]] == [("a", "base"), ("b", "head")]
    assert [(one["skill_id"], one["reason"]) for one in report["left_out"]] == [
        ("c", "the configuration skips this skill")
    ]


def test_a_first_suite_under_an_older_configuration(bench: Bench) -> None:
    """The suite may come with the head while the configuration stays the base's."""
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT}, {**skill(NEW), ".skilldelta.yml": CONFIG, **LAW})
    bench.server.script = passing(baseline=False)
    report = bench.compare()
    assert _applied(report) == ("improved", "pass", 0.1, V1, "head", "base")
    assert _flags(report) == [("config", ".skilldelta.yml"), ("first-adoption", FOLDER)]


def test_a_draft_on_the_base_is_no_law(bench: Bench) -> None:
    """A suite that the base holds as a draft only is adopted in the version that the head freezes."""
    bench.two({**skill(OLD), ".skilldelta.yml": STRICT, f"{FOLDER}/suite.yaml": suite_text()}, {**skill(NEW), **LAW})
    bench.server.script = passing(baseline=False)
    report = bench.compare()
    assert _applied(report) == ("improved", "pass", 0.1, V1, "head", "base")
    assert _flags(report) == [("first-adoption", FOLDER)]


@pytest.mark.parametrize("how", ["edits", "adds", "removes"])
def test_an_edited_workflow_is_flagged(bench: Bench, how: str) -> None:
    """Whatever a change does to a workflow is flagged, and the gate is what it would be without it."""
    path = ".github/workflows/skills.yml"
    before = {} if how == "adds" else {path: "on: pull_request\n"}
    after = {} if how == "removes" else {path: "on: push\n"}
    bench.two({**BASE, **before}, {**skill(NEW), **after}, [path] if how == "removes" else [])
    bench.server.script = passing(candidate=False)
    report = bench.compare(code=1)
    assert _applied(report) == ("regressed", "fail", 0.1, V1, "base", "base")
    assert _flags(report) == [("workflow", path)]
    assert f"this change {how} a workflow" in report["flags"][0]["message"]


@pytest.mark.parametrize(
    ("path", "after"), [(".github/actions/x/action.yml", "runs: {}\n"), (".github/workflows", Symlink("../elsewhere"))]
)
def test_what_a_workflow_uses_is_flagged_as_well(bench: Bench, path: str, after: Content) -> None:
    """An action of the repository's own, or a link in the place of all workflows, is as good as a workflow."""
    bench.two(BASE, {**skill(NEW), path: after})
    assert ("workflow", path) in _flags(bench.compare())


def test_a_change_of_nothing_but_a_suite(bench: Bench) -> None:
    """No skill changed: nothing is run and nothing fails, and the new version is flagged with what it loosens."""
    after = frozen(suite_text(tasks=11), before=LAW)
    bench.two(BASE, after)
    report = bench.compare()
    assert (report["gate"], report["skills"], report["left_out"]) == ("neutral", [], [])
    assert _flags(report) == [("suite", f"{FOLDER}/{version_of(after)}")]
    assert report["flags"][0]["weakening"] == ["task 'task-11' is dropped"]
    assert not bench.server.asked
    assert "weaker: task 'task-11' is dropped" in bench.printed


def test_a_change_of_nothing_but_a_draft(bench: Bench) -> None:
    """An edited draft is flagged, and the frozen version stays the law."""
    report = _stricter(bench, {f"{FOLDER}/suite.yaml": suite_text(tasks=1)})
    assert _flags(report) == [("suite", FOLDER)]
    assert "edits the suite's draft or fixtures" in report["flags"][0]["message"]


def test_the_base_s_own_commits_are_never_blamed_on_the_branch(bench: Bench) -> None:
    """A branch that is out of date is compared with where it left, under the law of the base's tip."""
    newer = frozen(suite_text(tasks=13), before=LAW)
    bench.build(
        Commit(files={**BASE, **skill(OLD, "b"), ".github/workflows/x.yml": "on: push\n"}),
        Commit(files=skill(NEW), branch="topic", parents=(0,)),
        Commit(
            files={
                ".skilldelta.yml": STRICT.replace("0.1", "0.2"), **newer, **skill(f"{OLD} {NEW}", "b"),
                "skills/a/SKILL.md": str(skill(OLD)["skills/a/SKILL.md"]) + "moved on\n",
                ".github/workflows/x.yml": "on: pull_request\n",
            },
            parents=(0,),
        ),
    )  # fmt: skip
    bench.server.script = passing(candidate=False)
    report = bench.compare(base="main", head="topic", code=1)
    assert _applied(report) == ("regressed", "fail", 0.2, version_of(newer), "base", "base")
    assert _flags(report) == []
    assert report["left_out"] == []
    assert report["baseline_commit"] not in (report["base"]["commit"], report["head"]["commit"])
    assert not any("moved on" in str(asked.body) for asked in bench.server.asked)


def test_an_out_of_date_branch_that_brings_its_own_version(bench: Bench) -> None:
    """Base and branch both froze a second version: the base's is the law and the branch's is flagged."""
    of_base, of_branch = (frozen(suite_text(tasks=n), before=LAW) for n in (13, 3))
    bench.build(
        Commit(files=BASE),
        Commit(files={**skill(NEW), **of_branch}, branch="topic", parents=(0,)),
        Commit(files=of_base, parents=(0,)),
    )
    bench.server.script = passing(candidate=False)
    report = bench.compare(base="main", head="topic", code=1)
    assert _applied(report) == ("regressed", "fail", 0.1, version_of(of_base), "base", "base")
    assert _flags(report) == [("suite", f"{FOLDER}/{version_of(of_branch)}")]
    assert len(report["flags"][0]["weakening"]) == 10


def test_the_frozen_files_of_these_tests_are_what_freeze_writes() -> None:
    """The record in these repositories is the one that the draft beside it would get."""
    files = {path.removeprefix(f"{FOLDER}/"): str(content).encode() for path, content in LAW.items()}
    found = find_frozen(dict.fromkeys(files, "100644"), files.__getitem__, where=FOLDER)
    assert found.newest is not None
    assert not found.draft_differs
    assert next_version(found, approved_by="Ada", frozen_at="x").number == 2


def test_a_configuration_that_cannot_be_read_can_be_mended(bench: Bench) -> None:
    """A change of nothing but the base's broken configuration is flagged and passes; with a skill it is blocked."""
    broken = {**skill(OLD), **LAW, ".skilldelta.yml": "runner: {modle: x}\n"}
    bench.two(broken, {".skilldelta.yml": STRICT})
    report = bench.compare()
    assert (report["gate"], _flags(report)) == ("neutral", [("config", ".skilldelta.yml")])
    assert "mends the configuration" in report["flags"][0]["message"]


@pytest.mark.parametrize(
    "after", [{**skill(NEW), ".skilldelta.yml": STRICT}, {".skilldelta.yml": "runner: 1\n"}, skill(NEW)]
)
def test_a_configuration_that_cannot_be_read_blocks(bench: Bench, after: Mapping[str, Content]) -> None:
    """Beside a changed skill, or where the head's is no better, the base's broken configuration stops everything."""
    bench.two({**skill(OLD), **LAW, ".skilldelta.yml": "runner: {modle: x}\n"}, after)
    said = bench.refused()
    assert "modle" in said
    assert not bench.server.asked
