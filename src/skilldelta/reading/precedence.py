"""Which value of a setting holds: the flag's, else the environment's, else the configuration's, else the default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ..domain.config import LOCAL, OVERRIDABLE, Config, changed
from ..domain.design import Goal
from ..domain.value import Value
from ..errors import BadConfig
from .validation import Guide, shown, words_of

Tighter = Callable[[Any, Any], bool]
"""(new, old) → True when `new` asks at least as much, or spends at most as much, as `old`."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A field of the configuration that an environment variable and a flag may set as well."""

    field: str
    variable: str
    flag: str
    """Name of the option's value, with underscores; the option is its hyphenated form."""
    tighter: Tighter | None = None
    """On a pull request: what may still be changed; None: nothing."""

    @property
    def option(self) -> str:
        """The option as it is typed."""
        return "--" + self.flag.replace("_", "-")


def _at_most(new: Any, old: Any) -> bool:
    return old is None or (new is not None and new <= old)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        field="design.goal",
        variable="SKILLDELTA_GOAL",
        flag="goal",
        tighter=lambda new, old: new == old or new == Goal.IMPROVE,
    ),
    Setting(field="design.rounds", variable="SKILLDELTA_ROUNDS", flag="rounds"),
    Setting(field="design.margin", variable="SKILLDELTA_MARGIN", flag="margin", tighter=_at_most),
    Setting(field="design.against", variable="SKILLDELTA_AGAINST", flag="against"),
    Setting(field="design.confirm_rounds", variable="SKILLDELTA_CONFIRM_ROUNDS", flag="confirm_rounds"),
    Setting(field="design.seed", variable="SKILLDELTA_SEED", flag="seed"),
    Setting(field="design.concurrency", variable="SKILLDELTA_CONCURRENCY", flag="concurrency"),
    Setting(field="runner.model", variable="SKILLDELTA_MODEL", flag="model"),
    Setting(field="judge.model", variable="SKILLDELTA_JUDGE_MODEL", flag="judge_model"),
    Setting(field="budget.max_cost_usd", variable="SKILLDELTA_MAX_COST_USD", flag="max_cost_usd", tighter=_at_most),
    Setting(field="budget.max_calls", variable="SKILLDELTA_MAX_CALLS", flag="max_calls", tighter=_at_most),
    Setting(field="budget.max_minutes", variable="SKILLDELTA_MAX_MINUTES", flag="max_minutes", tighter=_at_most),
    Setting(
        field="gate.inconclusive",
        variable="SKILLDELTA_INCONCLUSIVE",
        flag="inconclusive",
        tighter=lambda new, old: new == old or new == "fail",
    ),
    Setting(
        field="gate.require_suite",
        variable="SKILLDELTA_REQUIRE_SUITE",
        flag="require_suite",
        tighter=lambda new, old: bool(new) or not old,
    ),
)
"""Every setting that has a flag and a variable; a new one is one entry here."""


@dataclass(frozen=True, kw_only=True)
class _Given:
    """A value that was asked for outside the configuration."""

    setting: Setting
    named: str
    """Who asks: the option or the variable."""
    value: Any


def resolve(
    config: Config,
    *,
    environment: Mapping[str, str],
    flags: Mapping[str, object],
    config_is_law: bool = False,
) -> Config:
    """Return the configuration with flags over environment over what it says, also over what it says for single skills.

    `flags` holds the values by the names of SETTINGS; None and "" count as not given. With `config_is_law` (a pull
    request) only goal, margin, gate and budget may change, and only to ask more or spend less: in general, and of each
    skill with settings of its own. Raises BadConfig with every value that cannot be used or would loosen.
    """
    unknown = set(flags) - {setting.flag for setting in SETTINGS}
    if unknown:
        raise KeyError(f"no setting has the flag {min(unknown)!r}")
    wrong: list[str] = []
    for given in _given(environment, flags):
        try:
            config = _with(config, given, config_is_law=config_is_law)
        except BadConfig as error:
            wrong.append(str(error))
    if wrong:
        raise BadConfig("\n".join(wrong))
    return config


def _given(environment: Mapping[str, str], flags: Mapping[str, object]) -> Iterator[_Given]:
    for setting in SETTINGS:
        flag = flags.get(setting.flag)
        variable = environment.get(setting.variable, "").strip()
        if isinstance(flag, str):
            flag = flag.strip() or None
        if flag is not None:
            yield _Given(setting=setting, named=setting.option, value=flag)
        elif variable:
            yield _Given(setting=setting, named=setting.variable, value=variable)


def _with(config: Config, given: _Given, *, config_is_law: bool) -> Config:
    section, name = given.setting.field.split(".")
    current: Value = getattr(config, section)
    try:
        after = changed(current, {name: given.value})
    except ValidationError as error:
        raise BadConfig(_cannot_use(error, given)) from None
    if config_is_law:
        _hold_to_law(given, old=_value(current, name), new=_value(after, name))
    return config.model_copy(
        update={section: after, "skills": _beaten(config, section, name, given, after, config_is_law=config_is_law)}
    )


def _cannot_use(error: ValidationError, given: _Given) -> str:
    each = error.errors(include_url=False)[0]
    wrong, right = words_of(each, shown(given.value), (given.setting.field,), _NO_GUIDE)
    return f"{given.named} {wrong}; {right}"


_NO_GUIDE = Guide(place_of=lambda place: place, keys=lambda _: (), meaning=lambda _: "")


def _value(section: Value, name: str) -> Any:
    if name == "model" and getattr(section, "provider", None) == LOCAL:
        return LOCAL
    return getattr(section, name)


def _hold_to_law(given: _Given, *, old: Any, new: Any) -> None:
    tighter = given.setting.tighter
    if old == new or (tighter is not None and tighter(new, old)):
        return
    law = f"{given.setting.field} is {_words(old)} in the configuration of the base branch"
    if tighter is None:
        what = f"{given.named} is {_words(new)}, but {law}, and a pull request cannot change it"
    else:
        what = f"{given.named} is {_words(new)}, but {law}, and a pull request may only make it stricter"
    raise BadConfig(what, fix="leave it out, or change .skilldelta.yml on the base branch first")


def _words(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _beaten(
    config: Config, section: str, name: str, given: _Given, after: Value, *, config_is_law: bool
) -> dict[str, Any]:
    """Return the skills' own settings without those that the given value beats.

    Under the law it beats a skill's own value only where it asks more of that skill: what nobody may change there
    stays as the base has it for each skill, also when the given value is the general one.
    """
    tighter = given.setting.tighter
    if section not in OVERRIDABLE or (config_is_law and tighter is None):
        return dict(config.skills)
    names = {"model", "provider", "offer"} if name == "model" else {name}
    skills = {}
    for skill_id, own in config.skills.items():
        mine: dict[str, Any] = getattr(own, section)
        held = getattr(getattr(config.for_skill(skill_id), section), name)
        keeps = config_is_law and tighter is not None and not tighter(getattr(after, name), held)
        rest = {key: value for key, value in mine.items() if keeps or key not in names}
        skills[skill_id] = own.model_copy(update={section: rest})
    return skills
