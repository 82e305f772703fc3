"""The ports as small fakes, and the smallest plan that can be run; for tests of the stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from skilldelta.domain.config import GateSettings, JudgeModelSettings, RunnerSettings
from skilldelta.domain.design import Design, Metric
from skilldelta.domain.judgment import Judgment
from skilldelta.domain.messages import MessagesReply, MessagesRequest, ReplyStatus
from skilldelta.domain.plan import Estimate, Reach, SkillPlan
from skilldelta.domain.skill import BundledFile, ChangeKind, SkillBundle
from skilldelta.domain.suite import FreezeRecord, FrozenSuite, Suite, Task
from skilldelta.domain.trial import Arm, Outcome, TrialKey, TrialStatus, Usage


class MemoryJournal:
    """A `Journal` in memory; like the real one it keeps the first record of a key."""

    def __init__(self, *, lost: Iterable[float] = ()) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.judgments: dict[str, Judgment] = {}
        self.calls: list[tuple[str, float]] = []
        """Key and reserved US dollars of every call, in the order in which they were sent."""
        self._lost = tuple(lost)

    def outcome(self, key: str) -> Outcome | None:
        """Return the recorded outcome of a trial, or None."""
        return self.outcomes.get(key)

    def judgment(self, key: str) -> Judgment | None:
        """Return a recorded judgment, or None."""
        return self.judgments.get(key)

    def sent(self, key: str, reserved_usd: float) -> None:
        """Note that a call is about to be made."""
        self.calls.append((key, reserved_usd))

    def record_outcome(self, key: TrialKey, outcome: Outcome) -> Outcome:
        """Keep an outcome."""
        return self.outcomes.setdefault(key.key, outcome)

    def record_judgment(self, key: str, trial: TrialKey, judgment: Judgment) -> Judgment:  # noqa: ARG002 - the port's
        """Keep a judgment."""
        return self.judgments.setdefault(key, judgment)

    def lost(self) -> Iterable[float]:
        """Return the reserved US dollars that the test says were lost."""
        return self._lost


class SilentProgress:
    """A `Progress` that shows nothing and remembers what it was told."""

    def __init__(self) -> None:
        self.rounds: list[tuple[int, int]] = []
        """Number and trials of each round."""
        self.done: list[tuple[TrialKey, bool]] = []
        """Each finished trial, and whether it came from the journal."""
        self.sentences: list[str] = []

    def skill_started(self, skill: SkillPlan) -> None:
        """Do nothing."""

    def round_started(self, skill: SkillPlan, number: int, trials: int) -> None:  # noqa: ARG002 - the port's
        """Remember the round."""
        self.rounds.append((number, trials))

    def trial_done(self, skill: SkillPlan, key: TrialKey, recorded: bool) -> None:  # noqa: ARG002 - the port's
        """Remember the trial."""
        self.done.append((key, recorded))

    def looked(self, skill: SkillPlan, number: int, sentence: str) -> None:  # noqa: ARG002 - the port's
        """Remember the sentence."""
        self.sentences.append(sentence)


class StoppedClock:
    """A `Clock` that stands still until it is put forward."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def forward(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds

    def monotonic(self) -> float:
        """Return the seconds on the dial."""
        return self.seconds

    def now(self) -> str:
        """Return the same moment every time."""
        return "2026-01-02T03:04:05Z"


Answer = MessagesReply | str | BaseException


class ScriptedApi:
    """A `MessagesApi` that answers from a list, one after the other, or as a function says; it keeps the requests."""

    def __init__(self, answers: Sequence[Answer] | Callable[[MessagesRequest], Answer]) -> None:
        self._answers = answers
        self.requests: list[MessagesRequest] = []

    def prepare(self) -> None:
        """Do nothing."""

    async def create(self, request: MessagesRequest) -> MessagesReply:
        """Return the next answer; an exception in its place is raised."""
        self.requests.append(request)
        answers = self._answers
        answer = answers(request) if callable(answers) else answers[len(self.requests) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return said(answer) if isinstance(answer, str) else answer


def said(text: str, stop_reason: str = "end_turn", **fields: Any) -> MessagesReply:
    """Return a reply of one text; it cost 10 tokens in, 5 out and one request."""
    usage = Usage(input_tokens=10, output_tokens=5, requests=1)
    content = ({"type": "text", "text": text},)
    known = {"content": content, "stop_reason": stop_reason, "usage": usage, "model": "test-1", "seconds": 0.5}
    return MessagesReply(status=ReplyStatus.ANSWERED, **(known | fields))


def tool_call(name: str, /, **arguments: Any) -> MessagesReply:
    """Return a reply that uses a tool."""
    return said("", "tool_use", content=({"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments},))


def ended(status: ReplyStatus, error: str = "as scripted", seconds: float = 0.5) -> MessagesReply:
    """Return a reply that is no answer."""
    unaccounted = int(status is ReplyStatus.TIMEOUT)
    return MessagesReply(status=status, error=error, seconds=seconds, usage=Usage(requests=1), unaccounted=unaccounted)


def answered(text: str = "yes", **fields: Any) -> Outcome:
    """Return the outcome of a trial that ended with an answer."""
    return Outcome(status=TrialStatus.ANSWERED, text=text, **fields)


def task(name: str = "one", *, judges: Sequence[Mapping[str, Any]] | None = None, **fields: Any) -> Task:
    """Return a task; left alone, it asks for "yes"."""
    given = judges or ({"type": "contains", "expected": ("yes",)},)
    return Task.model_validate({"id": name, "prompt": f"Do {name}.", "judges": tuple(given), **fields})


def skill_plan(
    *tasks: Task,
    runner: Mapping[str, Any] | None = None,
    judge: Mapping[str, Any] | None = None,
    metric: Metric = Metric.PASS,
    use: str = "natural",
    **fields: Any,
) -> SkillPlan:
    """Return the plan of a modified skill `demo` with the given tasks; every field can be set."""
    suite = Suite.model_validate(
        {"skill_id": "demo", "version": "1.0", "metric": metric, "use": use, "tasks": tasks or (task(),)}
    )
    record = FreezeRecord(
        skill_id="demo",
        number=1,
        content_sha256="0" * 64,
        suite_sha256="0" * 64,
        approved_by="Ada",
        frozen_at="2026-01-02T03:04:05Z",
        name="v1-000000000000",
    )
    known: dict[str, Any] = {
        "skill_id": "demo",
        "name": "demo",
        "path": "skills/demo",
        "skill_file": "skills/demo/SKILL.md",
        "kind": ChangeKind.MODIFIED,
        "candidate_tree": "c" * 64,
        "reference_tree": "b" * 64,
        "reference": Arm.BASELINE,
        "suite": FrozenSuite(suite=suite, record=record),
        "suite_from": "base",
        "design": Design(rounds=3, metric=metric),
        "seed": 7,
        "runner": RunnerSettings.model_validate({"model": "test", **(runner or {})}),
        "judge": JudgeModelSettings.model_validate({"model": "judge", **(judge or {})}),
        "gate": GateSettings(),
        "reach": Reach(tasks=1, discordance=0.42, rounds_needed=None, power_at_margin=0.5, smallest_effect=None),
        "estimate": Estimate(trials=2, trial_calls=2, judge_calls=0, input_tokens=0, output_tokens=0, cost_usd=None),
    }
    return SkillPlan(**(known | fields))


def bundle(word: str = "new", *, files: Mapping[str, str | None] | None = None, **fields: Any) -> SkillBundle:
    """Return what one arm is given of the skill `demo`; `word` stands in its description and body alone."""
    known: dict[str, Any] = {
        "name": "demo",
        "description": f"Does things the {word} way.",
        "body": f"# How\n\nDo it the {word} way.\n",
        "files": tuple(BundledFile(path=path, size=len(text or ""), text=text) for path, text in (files or {}).items()),
        "tree_hash": word,
    }
    return SkillBundle(**(known | fields))
