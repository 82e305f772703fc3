"""A run's folder: plan, reports, and where it lies by default."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ..domain.calibration import CALIBRATION_FILE, Calibration
from ..domain.plan import Plan
from ..domain.report import Report
from ..errors import CannotWrite, RunMismatch
from .folder import Folder, Unreadable
from .journal import NAME as JOURNAL

PLAN = "plan.json"
REPORT_JSON = "report.json"
REPORT_MARKDOWN = "report.md"
RUNS = ".skilldelta/runs"
_IGNORE = ".gitignore"
_MOST_BYTES = 256 * 1024 * 1024
_MOST_EARLIER = 4 * 1024 * 1024


def default_folder(root: Path | None, identity: str) -> Path:
    """Return where a run lies when nobody says: in the work tree's `.skilldelta/runs/`, kept out of git there.

    Raises CannotWrite when it cannot be made, or when a link of the checkout would lead out of it.
    """
    name = identity[:12]
    if root is None:
        return Path.cwd() / "skilldelta-runs" / name
    runs = Folder(root, RUNS)
    try:
        runs.create(_IGNORE, b"*\n")
        # Both may have come with the checkout: neither what keeps runs out of git nor the run's folder may be a link.
        runs.read(_IGNORE, limit=0, cut=True)
        Folder(root, f"{RUNS}/{name}").exists()
    except (CannotWrite, Unreadable) as error:
        where = str(root / (error.where or RUNS))
        raise CannotWrite(
            f"no folder for the run can be made here: {error.what}", where=where, fix="name another with --out DIR"
        ) from None
    return root / RUNS / name


def refuse_foreign(folder: Path) -> None:
    """Raise CannotWrite when `folder` exists, is not empty and holds no run of ours."""
    try:
        held = {entry.name for entry in folder.iterdir()} if folder.exists() else set()
    except OSError as error:
        raise CannotWrite(
            f"the folder cannot be used: {error.strerror}", where=str(folder), fix="name another with --out DIR"
        ) from None
    if held and JOURNAL not in held:
        raise CannotWrite(
            "the folder is not empty and holds no run", where=str(folder), fix="name an empty or new folder with --out"
        )


def require_writable(folder: Path) -> None:
    """Raise CannotWrite when nothing can be written to `folder`, or it could not be made; nothing is made here."""
    try:
        there = next(place for place in (folder, *folder.parents) if place.exists() or place == place.parent)
    except OSError as error:
        raise CannotWrite(
            f"cannot be looked at: {error.strerror}", where=str(folder), fix="name another with --out DIR"
        ) from None
    if not there.is_dir():
        raise CannotWrite("is not a folder", where=str(there), fix="name another with --out DIR")
    if not os.access(there, os.W_OK | os.X_OK, effective_ids=True):
        raise CannotWrite("is not writable", where=str(there), fix="name another with --out DIR")


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan, so that the run can be replayed without the repository."""
    write_whole(folder / PLAN, plan.model_dump_json(indent=1, by_alias=True) + "\n")


def read_plan(folder: Path) -> Plan:
    """Return the plan of a recorded run."""
    path = folder / PLAN
    try:
        return Plan.model_validate_json(_read(path))
    except ValidationError as error:
        raise _not_ours("a plan", error, path, fix="run the comparison again") from None


def write_reports(folder: Path, report: Report, markdown: str) -> None:
    """Write `report.json` and `report.md`, each whole or not at all."""
    write_whole(folder / REPORT_JSON, report.model_dump_json(indent=2, by_alias=True) + "\n")
    write_whole(folder / REPORT_MARKDOWN, markdown)


def write_calibrations(folder: Path, found: Sequence[Calibration]) -> None:
    """Write `calibration.json`: a list with one record a skill."""
    write_whole(folder / CALIBRATION_FILE, as_json(found))


def as_json(found: Sequence[Calibration]) -> str:
    """Return the records as a JSON list."""
    records = ",\n".join(one.model_dump_json(indent=1, by_alias=True) for one in found)
    return f"[{records}]\n"


def read_calibrations(folder: Path) -> tuple[Calibration, ...] | None:
    """Return what a finished calibration found; None for a folder that holds a comparison, or nothing."""
    path = folder / CALIBRATION_FILE
    try:
        if not path.exists() or (folder / REPORT_JSON).exists():
            return None
    except OSError:
        return None  # the report will not be found there either, and that is said
    try:
        return TypeAdapter(tuple[Calibration, ...]).validate_json(_read(path))
    except ValidationError as error:
        raise _not_ours("a calibration", error, path, fix=f"skilldelta replay {folder}") from None


def earlier_reports(runs: Path, *, most: int, passed_over: Collection[str] = ()) -> Iterator[Report]:
    """Yield the newest finished reports that lie in the folder `runs`, at most so many, but for some folders' names.

    What cannot be read, is too large or is a link is passed over: it is only a matter of what to expect.
    """
    try:
        folders = [
            entry
            for entry in runs.iterdir()
            if entry.is_dir() and not entry.is_symlink() and entry.name not in passed_over
        ]
        found = [(path.lstat(), path) for folder in folders if (path := folder / REPORT_JSON).exists()]
    except OSError:
        return
    regular = [(status, path) for status, path in found if stat.S_ISREG(status.st_mode)]
    regular.sort(key=lambda pair: pair[0].st_mtime, reverse=True)
    for status, path in regular[:most]:
        if status.st_size <= _MOST_EARLIER:
            with contextlib.suppress(ValidationError, RunMismatch):
                yield Report.model_validate_json(_read(path))


def read_report(folder: Path) -> Report:
    """Return the report of a finished run."""
    path = folder / REPORT_JSON
    try:
        return Report.model_validate_json(_read(path))
    except ValidationError as error:
        raise _not_ours("a report", error, path, fix=f"skilldelta replay {folder}") from None


def _not_ours(what: str, error: ValidationError, path: Path, *, fix: str) -> RunMismatch:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    words = f"{place}: {first['msg']}" if place else first["msg"]
    return RunMismatch(f"is not {what} of this version: {words}", where=str(path), fix=fix)


def _read(path: Path) -> bytes:
    fix = "name the folder of a run that was finished"
    try:
        held = path.stat()
        if not stat.S_ISREG(held.st_mode):
            raise RunMismatch("is not a regular file", where=str(path), fix=fix)
        if held.st_size > _MOST_BYTES:
            raise RunMismatch(f"has {held.st_size:,} bytes: too large to be ours", where=str(path), fix=fix)
        return path.read_bytes()
    except OSError as error:
        raise RunMismatch(f"cannot be read: {error.strerror}", where=str(path), fix=fix) from None


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that nobody ever sees half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8", "replace"))
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CannotWrite(
            f"cannot be written: {error.strerror}", where=str(path), fix="name another folder with --out DIR"
        ) from None
