"""`.skilldelta.yml` becomes a configuration, or every problem in it at its line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from odd_files import CONFIGS, MAY_BE
from skilldelta.domain.config import OVERRIDABLE, Config, RunnerSettings, changed
from skilldelta.errors import BadConfig
from skilldelta.reading.config import model_at, read_config


def read(text: str) -> Config:
    return read_config(text.encode(), where="c.yml")


def test_nothing_written_is_all_defaults() -> None:
    """An empty file, comments alone and empty sections are the defaults, which are the specified ones."""
    assert read("") == read("# x\n") == read("runner:\ndesign:\nskills:\n") == Config()
    design, gate = Config().design, Config().gate
    assert (design.alpha, design.margin, design.seed, design.pass_k, design.pass_threshold) == (0.05, 0.15, 0, 1, 0.7)
    assert (design.rounds, design.concurrency, design.task_timeout_seconds) == (None, 8, 300)
    assert (design.goal.value, design.against, design.sequential) == ("gate", "base-ref", True)
    assert (gate.inconclusive, gate.require_suite) == ("warn", False)
    assert (Config().suites, Config().state.branch) == (".skilldelta/suites", "skilldelta-data")
    assert (Config().runner.model, Config().judge.model) == (None, None)


def test_a_written_default_is_the_default() -> None:
    """Writing a default out changes nothing, not even the type of a number, so that it changes no digest."""
    text = yaml.safe_dump(Config().model_dump(mode="json"))
    assert read(text).model_dump_json() == Config().model_dump_json()


@pytest.mark.parametrize("name", [name for name in CONFIGS if not name.endswith(MAY_BE)])
def test_what_is_refused_is_always_a_bad_config(name: str) -> None:
    """Whatever is wrong, the error is a BadConfig that names the file."""
    with pytest.raises(BadConfig, match=r"c\.yml"):
        read_config(CONFIGS[name], where="c.yml")


def test_overrides_of_one_skill_lie_over_the_general_settings() -> None:
    """A skill sees its own fields where it has them, and the general ones elsewhere."""
    config = read(
        "design: {margin: 0.2, rounds: 4}\nrunner: {model: big}\ngate: {require_suite: true}\n"
        "skills:\n  a: {design: {rounds: 9}, gate: {inconclusive: fail}}\n  b: {suite: shared, skip: true}\n"
    )
    own = config.for_skill("a")
    assert (own.design.margin, own.design.rounds, own.runner.model) == (0.2, 9, "big")
    assert (own.gate.inconclusive, own.gate.require_suite) == ("fail", True)
    assert config.for_skill("b").design == config.for_skill("nobody").design == config.design
    assert (config.skills["b"].suite, config.skills["b"].skip) == ("shared", True)


def test_an_override_is_judged_together_with_the_general_settings() -> None:
    """What only fails in combination is found when the file is read, and the general problem is told once."""
    with pytest.raises(BadConfig, match=r"^c\.yml:3: skills\.a\.runner names a model beside provider: local"):
        read("runner: {model: m}\nskills:\n  a: {runner: {provider: local}}\n")
    with pytest.raises(BadConfig) as caught:
        read("design: {margin: 7}\nskills:\n  a: {design: {rounds: 3}}\n  b: {design: {rounds: 0}}\n")
    assert str(caught.value).splitlines()[1:] == [
        "  c.yml:1: design.margin is 7; write a number less than 1",
        "  c.yml:4: skills.b.design.rounds is 0; write a number of at least 1",
    ]


@pytest.mark.parametrize(
    "text", ["model: local", "provider: local", "provider: local\n  model: local", "model: local\n  offer: inline"]
)
def test_the_embedded_model_is_a_provider_without_a_model(text: str) -> None:
    """`model: local` and `provider: local` mean the same: the embedded model, with the skill inline."""
    runner = read(f"runner:\n  {text}\n").runner
    assert (runner.provider, runner.model, runner.offer) == ("local", None, "inline")
    if "offer" not in text:
        judge = read(f"judge:\n  {text}\n").judge
        assert (judge.provider, judge.model) == ("local", None)


def test_a_named_model_in_place_of_the_embedded_one_brings_the_defaults_back() -> None:
    """One skill may use a real model where the others use the embedded one."""
    config = read("runner: {model: local, max_turns: 3}\nskills: {a: {runner: {model: big}}}\n")
    own = config.for_skill("a").runner
    assert (own.provider, own.model, own.offer, own.max_turns) == ("anthropic", "big", "listed", 3)
    assert changed(config.runner, {"max_turns": 5}).provider == "local"


def test_values_that_are_built_in_code_obey_the_same_rules() -> None:
    """The models themselves refuse what a file may not say, and an override that does not fit names its skill."""
    with pytest.raises(ValidationError):
        RunnerSettings(sampling={"heat": 1.0})
    with pytest.raises(ValidationError, match=r"skills\.a: rounds"):
        Config.model_validate({"skills": {"a": {"design": {"rounds": 99}}}})


def _fields() -> Iterator[tuple[str, FieldInfo]]:
    waiting: list[tuple[str, type[BaseModel]]] = [("", Config)]
    while waiting:
        prefix, model = waiting.pop()
        for name, info in model.model_fields.items():
            yield prefix + name, info
            inner = model_at((name,)) if model is Config else None
            if inner:
                waiting.append((f"{prefix}{name}.", inner))


@pytest.mark.parametrize(("name", "info"), list(_fields()))
def test_every_field_says_what_it_is_for(name: str, info: FieldInfo) -> None:
    """Editors, messages and `init` take a field's meaning from its description: each has one, a sentence."""
    assert info.description, name
    assert info.description.endswith((".", "?", ")."))


def test_every_section_that_one_skill_may_set_is_known_by_its_model() -> None:
    """Overrides are checked by the general section's own rules."""
    for section in OVERRIDABLE:
        assert model_at(("skills", "a", section)) is model_at((section,)) is not None


KEYS = st.sampled_from(
    ["version", "runner", "judge", "design", "gate", "budget", "prices", "skills", "model", "provider", "offer",
     "margin", "rounds", "sampling", "suite", "suites", "input", "max_cost_usd", "goal", "m",
     "state", "branch", "discovery"]
)  # fmt: skip
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["local", "m"])
ANYTHING = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)


@given(ANYTHING)
def test_any_data_is_a_configuration_or_a_bad_config(data: object) -> None:
    """No file makes the reader fail in any other way than with a BadConfig."""
    with contextlib.suppress(BadConfig):
        config = read(yaml.safe_dump(data, allow_unicode=True))
        config.model_dump_json()
        for skill in config.skills:
            config.for_skill(skill)
