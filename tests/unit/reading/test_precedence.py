"""Flag over environment over configuration over default; on a pull request only stricter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilldelta.domain.config import Config
from skilldelta.errors import BadConfig
from skilldelta.reading.config import read_config
from skilldelta.reading.precedence import SETTINGS, Setting, resolve


def config(text: str = "") -> Config:
    return read_config(text.encode(), where="c.yml")


def value(result: Config, setting: Setting) -> object:
    section, name = setting.field.split(".")
    return getattr(getattr(result, section), name)


EXAMPLES = {
    "goal": ("improve", "gate"),
    "rounds": ("3", 4),
    "margin": ("0.1", 0.2),
    "against": ("control", "sham"),
    "confirm_rounds": ("5", 10),
    "seed": ("7", 8),
    "concurrency": ("2", 3),
    "model": ("one", "two"),
    "judge_model": ("one", "two"),
    "max_cost_usd": ("1.5", 2.5),
    "max_calls": ("10", 20),
    "max_minutes": ("5.5", 6.0),
    "inconclusive": ("fail", "warn"),
    "require_suite": ("true", False),
}
PRICED = "prices: {one: {input: 1, output: 1}, two: {input: 1, output: 1}}\n"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.flag)
def test_every_setting_can_be_set_by_variable_and_by_flag_which_wins(setting: Setting) -> None:
    """For each entry of the one table: the variable beats the configuration, the flag beats both."""
    by_variable, by_flag = EXAMPLES[setting.flag]
    environment = {setting.variable: by_variable}
    assert (
        str(value(resolve(config(PRICED), environment=environment, flags={}), setting)).lower() == by_variable.lower()
    )
    result = resolve(config(PRICED), environment=environment, flags={setting.flag: by_flag})
    assert value(result, setting) == by_flag


def test_the_table_holds_the_specified_variables() -> None:
    """The variables are those that are documented, each for one field and one flag."""
    assert {setting.variable: (setting.field, setting.option) for setting in SETTINGS} == {
        "SKILLDELTA_GOAL": ("design.goal", "--goal"),
        "SKILLDELTA_ROUNDS": ("design.rounds", "--rounds"),
        "SKILLDELTA_MARGIN": ("design.margin", "--margin"),
        "SKILLDELTA_AGAINST": ("design.against", "--against"),
        "SKILLDELTA_CONFIRM_ROUNDS": ("design.confirm_rounds", "--confirm-rounds"),
        "SKILLDELTA_SEED": ("design.seed", "--seed"),
        "SKILLDELTA_CONCURRENCY": ("design.concurrency", "--concurrency"),
        "SKILLDELTA_MODEL": ("runner.model", "--model"),
        "SKILLDELTA_JUDGE_MODEL": ("judge.model", "--judge-model"),
        "SKILLDELTA_MAX_COST_USD": ("budget.max_cost_usd", "--max-cost-usd"),
        "SKILLDELTA_MAX_CALLS": ("budget.max_calls", "--max-calls"),
        "SKILLDELTA_MAX_MINUTES": ("budget.max_minutes", "--max-minutes"),
        "SKILLDELTA_INCONCLUSIVE": ("gate.inconclusive", "--inconclusive"),
        "SKILLDELTA_REQUIRE_SUITE": ("gate.require_suite", "--require-suite"),
    }


def test_what_is_empty_is_not_given() -> None:
    """An action passes inputs that nobody filled in as empty text: they change nothing."""
    given_nothing = resolve(
        config(), environment={"SKILLDELTA_ROUNDS": " "}, flags={"margin": None, "model": "", "seed": " "}
    )
    assert given_nothing == Config()
    assert resolve(config(), environment={"SKILLDELTA_ROUNDS": "3"}, flags={"rounds": ""}).design.rounds == 3


def test_a_flag_that_nobody_knows_is_our_bug() -> None:
    """The command line may only pass flags of the table."""
    with pytest.raises(KeyError, match="colour"):
        resolve(config(), environment={}, flags={"colour": "red"})


def test_every_value_that_cannot_be_used_is_told_by_the_name_it_was_given_under() -> None:
    """All bad flags and variables come together, each with what would be right."""
    environment = {"SKILLDELTA_ROUNDS": "5x", "SKILLDELTA_MARGIN": "2", "SKILLDELTA_GOAL": "improv"}
    flags = {
        "max_cost_usd": "nan",
        "max_minutes": "inf",
        "concurrency": 0,
        "require_suite": "perhaps",
        "max_calls": 1.5,
    }
    with pytest.raises(BadConfig) as caught:
        resolve(config(), environment=environment, flags=flags)
    assert str(caught.value).splitlines() == [
        "SKILLDELTA_GOAL is 'improv'; write 'gate' or 'improve' (did you mean 'improve'?)",
        "SKILLDELTA_ROUNDS is '5x'; write a whole number",
        "SKILLDELTA_MARGIN is '2'; write a number less than 1",
        "--concurrency is 0; write a number of at least 1",
        "--max-cost-usd is 'nan'; write a finite number",
        "--max-calls is 1.5; write a whole number",
        "--max-minutes is 'inf'; write a finite number",
        "--require-suite is 'perhaps'; write true or false",
    ]


def test_flags_beat_what_the_configuration_says_for_single_skills() -> None:
    """A skill's own setting beats the general one, and a flag or variable beats both."""
    own = config(
        "skills: {a: {design: {rounds: 9, margin: 0.3}, runner: {model: own, max_turns: 3}, judge: {model: j}}}\n"
    )
    result = resolve(own, environment={"SKILLDELTA_ROUNDS": "4"}, flags={"model": "mine", "judge_model": "ours"})
    skill = result.for_skill("a")
    assert (skill.design.rounds, skill.design.margin) == (4, 0.3)
    assert (skill.runner.model, skill.runner.max_turns, skill.judge.model) == ("mine", 3, "ours")
    assert own.for_skill("a").design.rounds == 9


def test_the_embedded_model_is_asked_for_by_its_name() -> None:
    """`--model local` sets provider and offer and leaves the model empty, for every skill; another name undoes it."""
    named = config("runner: {model: big, provider: vertex}\nskills: {a: {runner: {provider: bedrock, model: x}}}\n")
    for runner in (
        (local := resolve(named, environment={}, flags={"model": "local"})).runner,
        local.for_skill("a").runner,
    ):
        assert (runner.provider, runner.offer, runner.model) == ("local", "inline", None)
    back = resolve(local, environment={"SKILLDELTA_MODEL": "small"}, flags={}).runner
    assert (back.provider, back.offer, back.model) == ("anthropic", "listed", "small")
    judged = resolve(named, environment={}, flags={"judge_model": "local"}).judge
    assert (judged.provider, judged.model) == ("local", None)
    assert resolve(named, environment={}, flags={"model": "bigger"}).runner.provider == "vertex"


BIG = "runner: {model: big, max_tokens: 9000}\n"


@pytest.mark.parametrize(
    ("text", "flag", "most"),
    [
        ("{}\n", "local", 512),
        ("{}\n", "big", 4096),
        ("runner: {model: local}\n", None, 512),
        ("runner: {provider: local}\n", None, 512),
        ("runner: {model: local, max_tokens: 90}\n", None, 90),
        ("runner: {model: big}\n", "local", 512),
        ("runner: {model: local}\n", "big", 4096),
        ("runner: {model: local, max_tokens: 512}\n", "big", 512),
        (BIG, "local", 9000),
        ("runner: {model: big, max_tokens: 4096}\n", "local", 4096),
        ("skills: {a: {runner: {model: local}}}\n", None, 512),
        ("runner: {model: local}\nskills: {a: {runner: {model: big}}}\n", None, 4096),
        ("skills: {a: {runner: {model: x, max_turns: 3}}}\n", "local", 512),
        ("skills: {a: {runner: {max_tokens: 700}}}\n", "local", 700),
        (f"{BIG}skills: {{a: {{runner: {{model: local, max_tokens: 80}}}}}}\n", None, 80),
    ],
)
def test_the_embedded_model_has_a_limit_of_its_own(text: str, flag: str | None, most: int) -> None:
    """Where nobody set max_tokens it fits the model that is asked, whoever named that; else it stays."""
    resolved = resolve(config(text), environment={}, flags={"model": flag, "seed": 3})
    assert resolved.for_skill("a").runner.max_tokens == most


LAW = "design: {margin: 0.15, rounds: 5}\nrunner: {model: m}\nbudget: {max_calls: 100}\n"


@pytest.mark.parametrize(
    ("flags", "field", "result"),
    [
        ({"margin": 0.1}, "design.margin", 0.1),
        ({"margin": 0.15}, "design.margin", 0.15),
        ({"goal": "improve"}, "design.goal", "improve"),
        ({"max_calls": 50}, "budget.max_calls", 50),
        ({"max_minutes": 5}, "budget.max_minutes", 5),
        ({"inconclusive": "fail"}, "gate.inconclusive", "fail"),
        ({"require_suite": True}, "gate.require_suite", True),
        ({"require_suite": False}, "gate.require_suite", False),
        ({"model": "m", "rounds": "5"}, "runner.model", "m"),
    ],
)
def test_a_pull_request_may_ask_more_and_spend_less(flags: dict[str, object], field: str, result: object) -> None:
    """A smaller margin, a smaller cap, a stricter gate, or what the law says already, are taken."""
    resolved = resolve(config(LAW), environment={}, flags=flags, config_is_law=True)
    section, name = field.split(".")
    assert getattr(getattr(resolved, section), name) == result


@pytest.mark.parametrize(
    ("law", "flags", "words"),
    [
        (LAW, {"margin": 0.2}, "--margin is 0.2, but design.margin is 0.15"),
        (LAW, {"max_calls": 101}, "--max-calls is 101, but budget.max_calls is 100"),
        (LAW, {"rounds": 4}, "--rounds is 4, but design.rounds is 5"),
        (LAW, {"seed": 1}, "--seed is 1, but design.seed is 0"),
        (LAW, {"concurrency": 1}, "--concurrency is 1, but design.concurrency is 8"),
        (LAW, {"model": "local"}, "--model is local, but runner.model is m"),
        ("runner: {model: local}\n", {"model": "m"}, "--model is m, but runner.model is local"),
        (LAW, {"judge_model": "lenient"}, "--judge-model is lenient, but judge.model is not set"),
        ("design: {goal: improve}\n", {"goal": "gate"}, "--goal is gate, but design.goal is improve"),
        (
            "gate: {inconclusive: fail}\n",
            {"inconclusive": "warn"},
            "--inconclusive is warn, but gate.inconclusive is fail",
        ),
        (
            "gate: {require_suite: true}\n",
            {"require_suite": "no"},
            "--require-suite is false, but gate.require_suite is true",
        ),
    ],
)
def test_a_pull_request_cannot_loosen(law: str, flags: dict[str, object], words: str) -> None:
    """What would loosen, or is not a pull request's to set, is refused with both values and the way to change it."""
    with pytest.raises(BadConfig) as caught:
        resolve(config(law), environment={}, flags=flags, config_is_law=True)
    assert words in str(caught.value)
    assert "in the configuration of the base branch" in str(caught.value)
    assert "fix: leave it out, or change .skilldelta.yml on the base branch first" in str(caught.value)
    resolve(config(law), environment={}, flags=flags)


def test_a_skill_that_is_stricter_by_itself_stays_so() -> None:
    """Tightening for all never loosens for one."""
    law = config(
        "skills: {a: {design: {margin: 0.05}}, b: {design: {margin: 0.3}}, c: {gate: {require_suite: true}}}\n"
    )
    result = resolve(law, environment={}, flags={"margin": 0.1, "require_suite": False}, config_is_law=True)
    assert [result.for_skill(name).design.margin for name in "abc"] == [0.05, 0.1, 0.1]
    assert result.for_skill("c").gate.require_suite
    assert resolve(law, environment={}, flags={"margin": 0.1}).for_skill("a").design.margin == 0.1


OWN = """\
runner: {model: m}
judge: {model: weak}
design: {rounds: 4, margin: 0.15, goal: gate}
skills:
  strict:
    runner: {model: n, provider: bedrock}
    judge: {model: strong}
    design: {rounds: 20, margin: 0.05, goal: improve, seed: 7, concurrency: 2}
    gate: {inconclusive: fail, require_suite: true}
  loose:
    design: {rounds: 2, margin: 0.3}
  elsewhere:
    runner: {provider: bedrock}
    judge: {provider: vertex}
"""
"""A law in which three skills have settings of their own."""
AS_THE_LAW_SAYS: tuple[dict[str, object], ...] = (
    {"rounds": 4},
    {"seed": 0},
    {"concurrency": 8},
    {"model": "m"},
    {"judge_model": "weak"},
    {"goal": "gate"},
    {"margin": 0.15},
    {"inconclusive": "warn"},
    {"require_suite": False},
    {"max_calls": 9},
)


@pytest.mark.parametrize("flags", AS_THE_LAW_SAYS, ids=lambda flags: next(iter(flags)))
@pytest.mark.parametrize("skill_id", ["strict", "elsewhere"])
def test_a_value_equal_to_the_general_one_takes_nothing_from_a_skill(flags: dict[str, object], skill_id: str) -> None:
    """On a pull request a skill's own judge, model, rounds, margin or gate stay, whatever kind of setting is named."""
    law = config(OWN)
    (name,) = flags
    for where in ("flags", "environment"):
        variable = next(setting.variable for setting in SETTINGS if setting.flag == name)
        environment = {variable: str(flags[name])} if where == "environment" else {}
        result = resolve(law, environment=environment, flags={} if environment else flags, config_is_law=True)
        held, now = law.for_skill(skill_id), result.for_skill(skill_id)
        assert (now.runner, now.judge, now.design, now.gate) == (held.runner, held.judge, held.design, held.gate)


@pytest.mark.parametrize(
    ("flags", "strict", "loose"),
    [
        ({"margin": 0.1}, 0.05, 0.1),
        ({"margin": 0.01}, 0.01, 0.01),
        ({"goal": "improve"}, "improve", "improve"),
        ({"inconclusive": "fail"}, "fail", "fail"),
        ({"require_suite": True}, True, True),
    ],
)
def test_tightening_reaches_every_skill_that_was_looser(
    flags: dict[str, object], strict: object, loose: object
) -> None:
    """A stricter value holds for skills with a looser one of their own, and leaves the still stricter alone."""
    result = resolve(config(OWN), environment={}, flags=flags, config_is_law=True)
    (name,) = flags
    section, field = next(setting.field for setting in SETTINGS if setting.flag == name).split(".")
    found = [getattr(getattr(result.for_skill(skill_id), section), field) for skill_id in ("strict", "loose")]
    assert found == [strict, loose]


@pytest.mark.parametrize("flags", [{"rounds": 20}, {"judge_model": "strong"}, {"model": "n"}, {"seed": 7}])
def test_a_skill_s_own_value_is_no_excuse_to_change_the_general_one(flags: dict[str, object]) -> None:
    """What nobody may set on a pull request is refused, also when it is what one skill has already."""
    with pytest.raises(BadConfig, match="in the configuration of the base branch"):
        resolve(config(OWN), environment={}, flags=flags, config_is_law=True)


ASKED: dict[str, tuple[object, ...]] = {
    "goal": ("gate", "improve"),
    "rounds": (4, 20),
    "margin": (0.01, 0.1, 0.15, 0.2),
    "seed": (0, 7),
    "concurrency": (8, 2),
    "model": ("m", "n", "local"),
    "judge_model": ("weak", "strong"),
    "inconclusive": ("warn", "fail"),
    "require_suite": (True, False),
}


@given(st.fixed_dictionaries({}, optional={flag: st.sampled_from(values) for flag, values in ASKED.items()}))
def test_no_flags_under_the_law_loosen_any_skill(flags: dict[str, object]) -> None:
    """Whatever is asked for is refused, or leaves each skill with what it had or with something stricter."""
    law = config(OWN)
    try:
        result = resolve(law, environment={}, flags=flags, config_is_law=True)
    except BadConfig:
        return
    for skill_id in (*law.skills, "any other"):
        before, after = law.for_skill(skill_id), result.for_skill(skill_id)
        assert (after.runner, after.judge) == (before.runner, before.judge)
        for setting in SETTINGS:
            section, name = setting.field.split(".")
            old, new = (getattr(getattr(each, section), name) for each in (before, after))
            assert old == new or (setting.tighter is not None and setting.tighter(new, old))


@given(
    st.dictionaries(
        st.sampled_from([setting.flag for setting in SETTINGS]), st.text(max_size=4) | st.floats() | st.none()
    )
)
def test_any_flags_are_taken_or_refused(flags: dict[str, object]) -> None:
    """No value ends in anything else than a BadConfig or a configuration, which under the law is not looser."""
    try:
        result = resolve(config(LAW), environment={}, flags=flags, config_is_law=True)
    except BadConfig:
        return
    assert result.design.margin <= 0.15
    assert result.budget.max_calls is not None
    assert result.budget.max_calls <= 100
