"""What a calibration found, written beside the suites in the work tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..domain.calibration import CALIBRATION_FILE, Calibration
from ..errors import EXIT_FAIL, EXIT_PASS, BadUsage, CannotWrite

if TYPE_CHECKING:
    from ..domain.plan import Plan
    from .gathering import Gathered


def one_record_each(gathered: Gathered, plan: Plan) -> None:
    """Raise BadUsage where two skills of the plan have the same suite, whose folder has room for one record."""
    first: dict[str, str] = {}
    for skill in plan.skills:
        folder = gathered.suite_folders[skill.skill_id]
        other = first.setdefault(folder, skill.skill_id)
        if other != skill.skill_id:
            raise BadUsage(
                f"{other} and {skill.skill_id} share the suite in {folder}, which holds the record of one skill",
                where="--record",
                fix="name one of them with --skill NAME, or give each a suite of its own",
            )


def record_beside_suites(gathered: Gathered, found: Sequence[Calibration]) -> Iterator[str]:
    """Write each finished record as `calibration.json` into its suite's folder; yield the paths from the root.

    Raises CannotWrite in a bare repository, or where a link stands in the way. What was not finished is not recorded.
    """
    from ..edges.folder import Folder

    root = gathered.repository.root
    if root is None:
        raise CannotWrite(
            "there is no work tree to record it in",
            where=str(gathered.repository.git_dir),
            fix="copy the record from the run's folder by hand",
        )
    for record in found:
        if record.finished:
            folder = gathered.suite_folders[record.skill_id]
            data = (record.model_dump_json(indent=1, by_alias=True) + "\n").encode()
            Folder(root, folder).replace(CALIBRATION_FILE, data)
            yield f"{folder}/{CALIBRATION_FILE}"


def exit_code_of(found: Sequence[Calibration]) -> int:
    """Return 0 where every calibration was finished, else 1: what a budget cut short is no record."""
    return EXIT_PASS if all(record.finished for record in found) else EXIT_FAIL
