"""Who may know whom: docs/architecture.md as a table."""

from __future__ import annotations

import pytest

from house.tree import Module, modules, rooms_known

STAGES = ("diff", "plan", "run", "judge", "compare", "report", "publish", "review", "history")
_FLOOR = {"domain", "errors", "ports", "reading", "statistics"}
_STAGE = dict.fromkeys(STAGES, _FLOOR)

MAY_KNOW: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "domain": set(),
    "ports": {"domain"},
    "statistics": set(),
    "reading": {"domain", "errors"},
    **_STAGE,
    "one_skill": _FLOOR | set(STAGES),
    "pipeline": _FLOOR | set(STAGES) | {"one_skill"},
    "self_comparison": _FLOOR | set(STAGES) | {"one_skill", "pipeline"},
    "edges": {"domain", "errors", "ports"},
    "cli": _FLOOR | set(STAGES) | {"pipeline", "self_comparison", "edges"},
    "action": _FLOOR | set(STAGES) | {"pipeline", "edges"},
    "__main__": {"cli"},
}
"""Room → the rooms that it may import; a room always knows itself."""


def strangers(module: Module) -> list[str]:
    """Return one line for every import through a wall."""
    allowed = MAY_KNOW.get(module.room or "__init__", set())
    place = "/".join(module.parts) or "__init__"
    return [
        f"{place}:{line} knows {room}" for line, room in rooms_known(module, tuple(MAY_KNOW)) if room not in allowed
    ]


def test_no_import_goes_through_a_wall() -> None:
    """Every room imports only the rooms that the table gives it."""
    assert [line for module in modules() for line in strangers(module)] == []


def test_every_room_is_in_the_table() -> None:
    """A new room, or a new file beside the rooms, is written into the table before it is used."""
    assert {module.room for module in modules() if module.room} - set(MAY_KNOW) == set()


@pytest.mark.parametrize(
    ("place", "source", "known"),
    [
        (("run", "round"), "from ..judge.value import x", "judge"),
        (("run", "round"), "def f():\n    from ..edges.git import x", "edges"),
        (("run", "round"), "from .. import edges", "edges"),
        (("run", "round"), "from skilldelta.edges import git", "edges"),
        (("run", "round"), "import skilldelta.edges.git", "edges"),
        (("domain", "trial"), "from ..reading.suite import x", "reading"),
        (("edges", "git"), "from ..plan.make import x", "plan"),
        (("pipeline",), "from .edges.git import x", "edges"),
        (("pipeline",), "from .cli import door", "cli"),
    ],
)
def test_the_wall_is_seen(place: tuple[str, ...], source: str, known: str) -> None:
    """An import through a wall is found in every form that Python has for it."""
    (found,) = strangers(Module(parts=place, is_package=False, source=source))
    assert found.endswith(f"knows {known}")


@pytest.mark.parametrize(
    ("place", "is_package", "source"),
    [
        (("run", "round"), False, "from .budget import x\nfrom ..domain.trial import Trial"),
        (("run",), True, "from .round import x"),
        (("run", "round"), False, "from .. import __version__"),
        (("pipeline",), False, "from .run.round import x"),
    ],
)
def test_what_is_allowed_passes(place: tuple[str, ...], is_package: bool, source: str) -> None:
    """A room knows itself, what stands below it, and the program's version."""
    assert strangers(Module(parts=place, is_package=is_package, source=source)) == []
