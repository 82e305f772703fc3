"""How two suites of one skill differ, and where the newer one asks less."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..domain.suite import FixtureFile, Suite, Task
from ..domain.value import digest

UNKNOWN = "whether it asks less cannot be compared"


def weakening(
    old: Suite, new: Suite, old_fixtures: tuple[FixtureFile, ...] = (), new_fixtures: tuple[FixtureFile, ...] = ()
) -> tuple[str, ...]:
    """Return one line for everything that the new suite drops or loosens, or that cannot be compared."""
    lines = [
        f"{name} is {_plain(getattr(new, name))}, it was {_plain(getattr(old, name))}: {UNKNOWN}"
        for name in ("kind", "metric", "use")
        if getattr(old, name) != getattr(new, name)
    ]
    renamed = _renamed(old, new)
    later = {task.id: task for task in new.tasks}
    for task in old.tasks:
        successor = later.get(task.id)
        if successor is not None:
            lines += [f"task {task.id!r}: {line}" for line in _looser(task, successor, metric=new.metric.value)]
        elif task.id not in renamed:
            lines.append(f"task {task.id!r} is dropped")
    for path, how in _changed_files(old_fixtures, new_fixtures):
        if how != "is new" or any(_is_in(path, task.fixture) for task in old.tasks):
            lines.append(f"{path} {how}: {UNKNOWN}")
    kept, total = len(set(later) & {task.id for task in old.tasks}) + len(renamed), len(new.tasks)
    if 2 * kept < total and total > len(old.tasks):
        lines.append(f"of {total} tasks only {kept} are old ones: a drop in these moves the mean little")
    return tuple(lines)


def differences(
    old: Suite, new: Suite, old_fixtures: tuple[FixtureFile, ...], new_fixtures: tuple[FixtureFile, ...]
) -> tuple[str, ...]:
    """Return one line for every task, setting and fixture that was added, removed, renamed or changed."""
    lines = [
        f"{name} is {_plain(getattr(new, name))}, it was {_plain(getattr(old, name))}"
        for name in ("skill_id", "kind", "metric", "use")
        if getattr(old, name) != getattr(new, name)
    ]
    renamed = _renamed(old, new)
    before = {task.id: task for task in old.tasks}
    after = {task.id: task for task in new.tasks}
    lines += [f"task {name!r} is now {renamed[name]!r}" for name in before if name in renamed]
    lines += [f"task {name!r} is dropped" for name in before if name not in after and name not in renamed]
    lines += [f"task {name!r} is new" for name in after if name not in before and name not in renamed.values()]
    for name in before:
        if name in after and before[name] != after[name]:
            fields = [
                field for field in Task.model_fields if getattr(before[name], field) != getattr(after[name], field)
            ]
            lines.append(f"task {name!r} changed: {', '.join(fields)}")
    if not lines and [*before] != [*after]:
        lines.append("the tasks stand in another order")
    lines += [f"{path} {how}" for path, how in _changed_files(old_fixtures, new_fixtures)]
    return tuple(lines)


def _changed_files(old: tuple[FixtureFile, ...], new: tuple[FixtureFile, ...]) -> Iterator[tuple[str, str]]:
    """Yield each file that differs, and how: is new, is gone, changed."""
    then = {file.path: (file.mode, file.sha256) for file in old}
    now = {file.path: (file.mode, file.sha256) for file in new}
    for path in sorted({*then, *now}):
        if then.get(path) != now.get(path):
            yield path, "is new" if path not in then else "is gone" if path not in now else "changed"


def _is_in(path: str, fixture: str | None) -> bool:
    return fixture is not None and f"{path}/".startswith(f"{fixture}/")


def _plain(value: Any) -> str:
    return str(getattr(value, "value", value))


def _renamed(old: Suite, new: Suite) -> dict[str, str]:
    """Return old id → new id of the tasks that changed nothing but their id and what people read."""
    kept = {task.id for task in old.tasks} & {task.id for task in new.tasks}
    by_content = {_content(task): task.id for task in new.tasks if task.id not in kept}
    return {
        task.id: by_content.pop(_content(task))
        for task in old.tasks
        if task.id not in kept and _content(task) in by_content
    }


def _content(task: Task) -> str:
    return digest(task.model_dump(mode="json", by_alias=True, exclude={"id", "description", "tags"}))


def _looser(old: Task, new: Task, *, metric: str) -> Iterator[str]:
    if old.prompt != new.prompt:
        yield f"the prompt changed: {UNKNOWN}"
    if old.fixture != new.fixture:
        yield f"the fixture changed: {UNKNOWN}"
    if old.require == "all" and new.require == "any" and len(new.judges) > 1:
        yield "one passing judge is enough now (require: any); before, all had to pass"
    if old.describe_only and not new.describe_only:
        yield "the agent may act now (describe_only is off)"
    yield from _more("timeout_seconds", old.timeout_seconds, new.timeout_seconds)
    yield from _more("max_tokens", old.max_tokens, new.max_tokens)
    yield from _judges(old, new, metric=metric)


def _more(name: str, old: float | None, new: float | None) -> Iterator[str]:
    if old is not None and new is not None and new > old:
        yield f"{name} rose from {old:g} to {new:g}"
    elif (old is None) != (new is None):
        before, now = (f"{value:g}" if value is not None else "the configuration's" for value in (old, new))
        yield f"{name} is {now}, it was {before}: {UNKNOWN}"


def _judges(old: Task, new: Task, *, metric: str) -> Iterator[str]:
    """Pair the judges that stayed, then those of one type in their order; what is left over was removed or added."""
    before = [judge.model_dump(mode="json", by_alias=True) for judge in old.judges]
    after = [judge.model_dump(mode="json", by_alias=True) for judge in new.judges]
    for judge in list(before):
        if judge in after:
            before.remove(judge)
            after.remove(judge)
    for judge in before:
        successor = next((each for each in after if each["type"] == judge["type"]), None)
        if successor is None:
            yield f"the judge {judge['type']} is removed"
            continue
        after.remove(successor)
        for line in _looser_judge(judge, successor, metric=metric):
            yield f"{judge['type']}: {line}"
    added = ", ".join(judge["type"] for judge in after)
    if added and metric == "score":  # one that always passes raises every mean
        yield f"another judge counts in the mean ({added}, metric: score): {UNKNOWN}"
    elif added and new.require == "any":
        yield f"another judge may pass the answer ({added}, require: any)"


def _looser_judge(old: dict[str, Any], new: dict[str, Any], *, metric: str) -> Iterator[str]:
    expected = [text.casefold() for text in new.get("expected", ())]
    unexpected = [text.casefold() for text in new.get("unexpected", ())]
    for text in old.get("expected", ()):
        if not any(text.casefold() in each for each in expected):  # a longer string asks for the shorter one too
            yield f"{_short(text)} is no longer expected"
    for text in old.get("unexpected", ()):
        if not any(each in text.casefold() for each in unexpected):
            yield f"{_short(text)} is no longer forbidden"
    then, now = old.get("pass_threshold"), new.get("pass_threshold")
    if then is not None and now is not None and now < then:
        yield f"pass_threshold fell from {then:g} to {now:g}"
    elif (then is None) != (now is None):
        before, after = (f"{value:g}" if value is not None else "the configuration's" for value in (then, now))
        yield f"pass_threshold is {after}, it was {before}: {UNKNOWN}"
    for name in ("pattern", "flags", "absent", "schema", "rubric", "test_file"):
        if old.get(name) != new.get(name):
            yield f"{name} changed: {UNKNOWN}"
    if metric == "score" and old["weight"] != new["weight"]:
        yield f"weight is {new['weight']:g}, it was {old['weight']:g}: {UNKNOWN}"


def _short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:57]!r}…"
