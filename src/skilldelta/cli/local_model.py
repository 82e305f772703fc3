"""`skilldelta local-model`: the embedded demonstration model."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from types import FrameType

import click


@click.group()
def command() -> None:
    """Install, check and try the embedded demonstration model (135 million parameters)."""


@command.command()
def install() -> None:
    """Fetch the weights (89 MiB) and, as root, the engine's system library; what is right stays as it is."""
    from ..edges.local_model_install import install_weights
    from ..edges.local_model_system import install_library, require_engine
    from ..edges.local_model_weights import FILE_SIZE, LICENCE, MODEL_NAME

    path = install_weights(_say)
    click.echo(f"{MODEL_NAME}\n  path      {path}\n  size      {FILE_SIZE} bytes")
    click.echo(f"  licence   {LICENCE}\n  checksum  ok")
    install_library(_say)
    require_engine()


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(as_json: bool) -> None:
    """Say whether weights, engine and system library are there; exit code 2 when something is missing."""
    from ..edges.local_model_system import require_engine, require_library
    from ..edges.local_model_weights import MODEL_NAME, verified_weights
    from ..errors import LocalModelProblem

    checks: dict[str, Callable[[], object]] = {
        "weights": verified_weights,
        "engine": require_engine,
        "system_library": require_library,
    }
    problems: dict[str, LocalModelProblem] = {}
    found: dict[str, object] = {}
    for part, check in checks.items():
        try:
            found[part] = str(check())
        except LocalModelProblem as problem:
            problems[part], found[part] = problem, None
    if as_json:
        missing = {part: {"what": problem.what, "fix": problem.fix} for part, problem in problems.items()}
        click.echo(json.dumps({"model": MODEL_NAME, "ready": not problems, **found, "missing": missing}, indent=2))
    else:
        for part in checks:
            click.echo(f"{part.replace('_', ' '):15} {found[part] or 'not usable'}")
    if problems:
        raise LocalModelProblem(
            "; ".join(problem.what for problem in problems.values()),
            fix=" && ".join(problem.fix or "" for problem in problems.values()),
        )


@command.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=0, show_default=True, help="0 takes a free port.")
@click.option("--slots", type=click.IntRange(1, 16), default=2, show_default=True, help="Requests answered at a time.")
def serve(port: int, slots: int) -> None:
    """Run the model as a Messages API on the loopback interface until Ctrl-C."""
    from ..edges.local_model import LocalModelServer
    from ..errors import LocalModelProblem

    signal.signal(signal.SIGTERM, _terminated)
    try:
        with LocalModelServer(port=port, slots=slots) as server:
            click.echo(f"base URL  {server.base_url}\nAPI key   {server.api_key}\nmodel     {server.model_name}")
            _say("Ctrl-C ends it.")
            code = server.wait()
    except KeyboardInterrupt:
        _say("ended")
        return
    raise LocalModelProblem(f"the embedded model's server ended by itself with code {code}")


def _terminated(number: int, _frame: FrameType | None) -> None:
    from ..errors import Interrupted

    raise Interrupted("ended by a signal", signal=number)


def _say(line: str) -> None:
    click.echo(line, err=True)
