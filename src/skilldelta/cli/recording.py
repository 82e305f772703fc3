"""What a calibration found, written beside the suites in the work tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..domain.calibration import CALIBRATION_FILE, Calibration
from ..errors import CannotWrite

if TYPE_CHECKING:
    from .gathering import Gathered


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
