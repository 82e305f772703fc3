"""What a comparison would need here, looked at one by one with the rules that the comparison itself goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from ..domain.config import CONFIG_FILE, LOCAL, Config
from ..domain.skill import Finding, Severity, Skill
from ..errors import SkilldeltaError

if TYPE_CHECKING:
    from ..edges.git import GitRepository
    from ..plan.law import Ruling, SuitePair
    from .committed_config import Law

_MOST_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    state: Literal["ok", "note", "missing"]
    what: str
    fix: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a comparison would take place."""

    repository: GitRepository
    head: str
    base: str | None
    """The commit of `base_ref`; None: none was named, or it cannot be found."""
    base_ref: str | None


def look(repo: Path, base: str | None, *, environment: Mapping[str, str]) -> tuple[Check, ...]:
    """Return what was looked at, each thing once; without `base` the law is what HEAD holds."""
    return tuple(dict.fromkeys(_look(repo, base, environment)))


def _look(repo: Path, base: str | None, environment: Mapping[str, str]) -> Iterator[Check]:
    from ..edges.git import GitRepository

    repository = _tried(lambda: GitRepository.open(repo))
    if isinstance(repository, Check):
        yield repository
        return
    yield Check(state="ok", what=f"a git repository: {repository.place}")
    head = _tried(lambda: repository.resolve("HEAD"))
    if isinstance(head, Check):
        yield head
        return
    tip = None if base is None else _tried(lambda: repository.resolve(base))
    yield from _history(repository, head, tip, base)
    place = _Place(repository=repository, head=head, base=None if isinstance(tip, Check) else tip, base_ref=base)
    yield from _uncommitted(place)
    law = _tried(lambda: _law(place, environment))
    if isinstance(law, Check):
        yield law
        return
    yield _configured(place, law)
    yield from _skills(place, law, environment)


Found = TypeVar("Found")


def _tried(find: Callable[[], Found]) -> Found | Check:
    try:
        return find()
    except SkilldeltaError as error:
        return _missing(error)


def _missing(error: SkilldeltaError) -> Check:
    return Check(state="missing", what=error.problem, fix=error.fix)


def _history(repository: GitRepository, head: str, tip: str | Check | None, base: str | None) -> Iterator[Check]:
    """Say whether the history reaches far enough; one that is cut off is only missing where it was needed."""
    if isinstance(tip, Check):
        yield tip
    fork = None if tip is None or isinstance(tip, Check) else _tried(lambda: repository.merge_base(tip, head))
    if isinstance(fork, Check):
        yield fork
    elif fork is not None:
        yield Check(state="ok", what=f"HEAD left {base} at {fork[:12]}")
    if repository.is_shallow:
        yield Check(
            state="note",
            what="the clone is shallow: the merge base of a pull request may not be there",
            fix="git fetch --unshallow (in a workflow: fetch-depth: 0)",
        )
    else:
        yield Check(state="ok", what="the history is complete")


def _uncommitted(place: _Place) -> Iterator[Check]:
    from .repository import work_tree_findings

    for finding in work_tree_findings(place.repository, place.head):
        yield Check(state="note", what=finding.message, fix=finding.fix)


def _law(place: _Place, environment: Mapping[str, str]) -> Law:
    """Return the law with what the environment says over it; raises BadConfig."""
    from ..reading.precedence import resolve
    from .committed_config import law_between

    head = (place.head, "HEAD")
    law = law_between(place.repository, base=(place.base, place.base_ref or "") if place.base else head, head=head)
    if law.broken is not None:
        raise law.broken
    return replace(law, config=resolve(law.config, environment=environment, flags={}))


def _configured(place: _Place, law: Law) -> Check:
    if law.source == "defaults":
        return Check(state="note", what=f"no {CONFIG_FILE} is committed: the defaults hold", fix="skilldelta init")
    if law.source == "head":
        what = f"{place.base_ref} has no {CONFIG_FILE}: the one of HEAD would be used, and the report would say so"
        return Check(state="note", what=what)
    return Check(state="ok", what=f"{CONFIG_FILE} can be read")


def _skills(place: _Place, law: Law, environment: Mapping[str, str]) -> Iterator[Check]:
    """Say which skills can be read, what each one's suite is, and what these suites need."""
    from ..diff.discover import discover

    skills = _tried(lambda: discover(place.repository, place.head, law.discovery).skills)
    if isinstance(skills, Check):
        yield skills
        return
    if not skills:
        yield Check(state="missing", what="no skill is committed", fix="commit a folder with a SKILL.md")
    else:
        yield from _readable(skills)
    ruled = _tried(lambda: _rulings(place, law, [skill.skill_id for skill in skills]))
    if isinstance(ruled, Check):
        yield ruled
        return
    config, rulings = ruled
    suites = {skill_id: ruling.suite for skill_id, ruling in rulings.items() if ruling.suite is not None}
    judged = [config.for_skill(skill_id) for skill_id, suite in suites.items() if suite.suite.needs_judge_model]
    yield from _models([config.for_skill(skill_id) for skill_id in suites] or [config], environment)
    yield from _judges(judged, environment)
    yield from _suites(config, rulings)


def _readable(skills: Sequence[Skill]) -> Iterator[Check]:
    unreadable = [skill for skill in skills if not skill.readable]
    for skill in unreadable[:_MOST_SHOWN]:
        error = next(finding for finding in skill.findings if finding.severity is Severity.ERROR)
        yield Check(state="missing", what=f"{_at(error)}: the skill cannot be read: {error.message}", fix=error.fix)
    if len(unreadable) > _MOST_SHOWN:
        what = f"and {len(unreadable) - _MOST_SHOWN:,} more skills that cannot be read"
        yield Check(state="missing", what=what, fix="skilldelta skills shows them all")
    yield Check(state="ok", what=f"{len(skills) - len(unreadable)} of {len(skills)} skills can be read")


def _at(finding: Finding) -> str:
    return finding.path if finding.line is None else f"{finding.path}:{finding.line}"


def _rulings(place: _Place, law: Law, skill_ids: Sequence[str]) -> tuple[Config, dict[str, Ruling]]:
    """Return which suite would decide for each skill that is not skipped, and the configuration in force."""
    from ..plan.law import rule
    from .committed_suites import CommittedSuites, in_force, roots_of

    base = place.base or place.head
    suites = CommittedSuites(
        place.repository, base=base, fork_point=base, head=place.head, roots=roots_of(law, law.config)
    )
    force = in_force(law, law.config, suites, {skill_id: skill_id for skill_id in skill_ids})
    root = place.repository.root
    skipped = {skill_id for skill_id, own in force.config.skills.items() if own.skip}
    return force.config, {
        skill_id: _to_be_committed(rule(pair if place.base else _alone(pair)), root, pair.folder)
        for skill_id, pair in force.pairs.items()
        if skill_id not in skipped
    }


def _to_be_committed(ruling: Ruling, root: Path | None, folder: str) -> Ruling:
    """Return the same; where the work tree holds the suite already, what is left to do is to commit it."""
    if ruling.trouble != "none" or root is None or not (root / folder).is_dir():
        return ruling
    return replace(ruling, reason="its suite is not committed", fix=f"git add {folder}, and commit it")


def _alone(pair: SuitePair) -> SuitePair:
    """Return the head's suite as if the base had none: without a base there is none to speak of."""
    from ..reading.frozen_suite import FoundSuite, SuiteState

    nothing = FoundSuite(where=pair.folder, state=SuiteState.NONE)
    return replace(pair, base=nothing, fork_point=nothing, changed=True)


def _suites(config: Config, rulings: Mapping[str, Ruling]) -> Iterator[Check]:
    """Say which suite would decide for each skill, or why none would; one without a suite is not measured."""
    from ..plan.obstacles import obstacles

    nothing_to_measure = all(ruling.suite is None for ruling in rulings.values())
    for skill_id, ruling in rulings.items():
        own = config.for_skill(skill_id)
        if ruling.suite is not None:
            yield Check(state="ok", what=f"{skill_id}: suite {ruling.suite.version}")
            yield from map(_missing, obstacles(ruling.suite, own, skill_id))
        elif ruling.trouble == "none" and not own.gate.require_suite and not nothing_to_measure:
            what = f"{skill_id}: {ruling.reason}: its changes are a warning, and are not measured"
            yield Check(state="note", what=what, fix=ruling.fix)
        else:
            yield Check(state="missing", what=f"{skill_id}: {ruling.reason}", fix=ruling.fix)


def _models(configs: Iterable[Config], environment: Mapping[str, str]) -> Iterator[Check]:
    """Say which models would do the tasks, and whether they can be asked from here."""
    from ..plan.obstacles import model_obstacles

    for own in configs:
        runner = own.runner
        if runner.provider == LOCAL:
            yield from _local()
            continue
        if runner.model is not None:
            yield Check(state="ok", what=f"model: {runner.model}")
        yield from map(_missing, model_obstacles(own, judged=False))
        yield _access(runner.provider, environment)


def _judges(configs: Iterable[Config], environment: Mapping[str, str]) -> Iterator[Check]:
    """Say which models would judge; what keeps one from judging is said with its suite."""
    for own in configs:
        if own.judge.provider != LOCAL and own.judge.model is not None:
            yield Check(state="ok", what=f"judge model: {own.judge.model}")
            yield _access(own.judge.provider, environment)


def _access(provider: str, environment: Mapping[str, str]) -> Check:
    from ..edges.anthropic_access import require_access

    refused = _tried(lambda: require_access(provider, environment=environment))
    if refused is not None:
        return refused
    if provider == "anthropic":
        return Check(state="ok", what="a key for the Messages API is in the environment (it was not tried)")
    return Check(state="note", what=f"{provider} finds its credentials by itself when it is asked: they were not tried")


def _local() -> Iterator[Check]:
    from ..edges.local_model_system import require_engine, require_library
    from ..edges.local_model_weights import find_weights

    for find, words in ((require_engine, "engine"), (require_library, "system library"), (find_weights, "weights")):
        found = _tried(find)
        yield found if isinstance(found, Check) else Check(state="ok", what=f"the embedded model's {words}: {found}")
