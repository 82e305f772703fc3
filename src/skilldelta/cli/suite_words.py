"""What the commands on suites say."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..domain.counted import counted
from ..domain.suite import FrozenSuite, Suite
from ..reading.frozen_suite import FoundSuite, SuiteState


def summary(suite: Suite) -> str:
    """Return a suite in a line: its tasks, its judges by type, and what differs from the defaults."""
    kinds = Counter(judge.type for task in suite.tasks for judge in task.judges)
    judges = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))
    settings = [f"metric {suite.metric.value}"] if suite.metric.value != "pass" else []
    settings += [f"use {suite.use}"] if suite.use != "natural" else []
    return "; ".join([f"{counted(len(suite.tasks), 'task')} ({judges})", *settings])


def state_word(found: FoundSuite) -> str:
    """Return how a suite stands: ok, draft ahead, draft, tampered."""
    if found.state is SuiteState.FROZEN:
        return "draft ahead" if found.draft_differs else "ok"
    return found.state.value


def lines_of(name: str, found: FoundSuite) -> list[str]:
    """Return a suite and its versions as lines of text, the newest version first."""
    lines = [f"{name}: {state_word(found)}"]
    draft = found.draft
    if draft is not None and (found.newest is None or found.draft_differs):
        tasks = counted(len(draft.suite.tasks), "task") if draft.suite else "cannot be read"
        lines.append(f"  draft            {tasks}")
    lines += [f"  {_version(version)}" for version in reversed(found.versions)]
    return lines


def data_of(name: str, found: FoundSuite) -> dict[str, Any]:
    """Return the same as plain data."""
    draft = found.draft
    return {
        "suite": name,
        "folder": found.where,
        "state": state_word(found),
        "draft": None
        if draft is None
        else {
            "file": draft.path,
            "tasks": len(draft.suite.tasks) if draft.suite else None,
            "differs": found.draft_differs or found.newest is None,
            "problems": list(draft.problems),
            "warnings": list(draft.warnings),
        },
        "versions": [
            {
                "version": version.version,
                "number": version.record.number,
                "content_sha256": version.record.content_sha256,
                "skill_id": version.record.skill_id,
                "tasks": len(version.suite.tasks),
                "fixtures": len(version.record.fixtures),
                "approved_by": version.record.approved_by,
                "frozen_at": version.record.frozen_at,
            }
            for version in found.versions
        ],
        "tampering": [str(one) for one in found.tampering],
    }


def _version(version: FrozenSuite) -> str:
    record = version.record
    tasks = counted(len(version.suite.tasks), "task")
    return f"{record.name:<16} {tasks}, approved by {record.approved_by}, frozen {record.frozen_at}"
