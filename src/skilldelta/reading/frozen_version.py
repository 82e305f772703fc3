"""One frozen version: verified against the record of its freezing."""

from __future__ import annotations

import hashlib
import re

from pydantic import ValidationError

from ..domain.suite import ATTRIBUTES_FILE, FreezeRecord, FrozenSuite
from ..errors import BadSuite, TamperedSuite
from .fixtures import Entries, Fixtures, Read, counts, read_fixtures
from .suite import read_suite, suite_digest

NAME = re.compile(r"v([1-9][0-9]{0,5})-([0-9a-f]{12})")
_MOST_RECORD = 4 * 1024 * 1024
_HOW_TO_CHANGE = "restore it, put the change into the draft suite.yaml, and run: skilldelta suite freeze"


def text_digest(raw: bytes) -> str:
    """Return the SHA-256 of a text with its line ends as LF: a checkout may have changed them."""
    return hashlib.sha256(raw.replace(b"\r\n", b"\n")).hexdigest()


def verified(folder: str, entries: Entries, read: Read, where: str) -> FrozenSuite:
    """Return the version in `folder` of the suite's folder `where`.

    Raises TamperedSuite, naming every file that is not what was frozen and what to do, and BadSuite when the text is
    as it was frozen and yet cannot be read.
    """
    place = f"{where}/{folder}"
    if not NAME.fullmatch(folder):
        raise TamperedSuite(
            "is not the name of a frozen version (v<number>-<12 hex digits>)", where=place, fix="give it back its name"
        )
    for path, mode in entries.items():
        if path.startswith(f"{folder}/") and mode not in ("100644", "100755"):
            raise TamperedSuite(
                "is a link or a submodule in a frozen version", where=f"{where}/{path}", fix="remove it"
            )
    record = _record(folder, entries, read, place)
    raw = _needed(f"{folder}/suite.yaml", entries, read, where)
    if text_digest(raw) != record.suite_sha256:
        raise TamperedSuite("was edited after it was frozen", where=f"{place}/suite.yaml", fix=_HOW_TO_CHANGE)
    fixtures = read_fixtures(entries, read, prefix=f"{folder}/")
    _same_fixtures(record, fixtures, entries, place)
    try:
        suite = read_suite(raw, where=f"{place}/suite.yaml").suite
    except BadSuite as error:
        raise BadSuite(str(error), fix="use the version of skilldelta that froze it, or freeze a new version") from None
    if suite_digest(suite, fixtures.files) != record.content_sha256 or suite.skill_id != record.skill_id:
        raise TamperedSuite("does not fit suite.yaml beside it", where=f"{place}/freeze.json", fix=_HOW_TO_CHANGE)
    return FrozenSuite(suite=suite, record=record)


def _needed(path: str, entries: Entries, read: Read, where: str) -> bytes:
    if path not in entries:
        raise TamperedSuite("is missing from a frozen version", where=f"{where}/{path}", fix="restore the file")
    return read(path)


def _record(folder: str, entries: Entries, read: Read, place: str) -> FreezeRecord:
    where = f"{place}/freeze.json"
    raw = _needed(f"{folder}/freeze.json", entries, read, place.removesuffix(f"/{folder}"))
    try:
        if len(raw) > _MOST_RECORD:
            raise ValueError("too large")
        record = FreezeRecord.model_validate_json(raw, strict=True)
    except (ValidationError, ValueError):
        raise TamperedSuite("cannot be read as a record of freezing", where=where, fix="restore the file") from None
    if record.name != folder or record.name != f"v{record.number}-{record.content_sha256[:12]}":
        raise TamperedSuite(f"names the version {record.name[:60]!r}", where=where, fix=f"restore {folder} as it was")
    return record


def _same_fixtures(record: FreezeRecord, found: Fixtures, entries: Entries, place: str) -> None:
    lines = [f"{place.rsplit('/', 1)[0]}/{problem}" for problem in found.problems]
    then = {file.path: file for file in record.fixtures}
    now = {file.path: file for file in found.files}
    ours = {"suite.yaml", "freeze.json", ATTRIBUTES_FILE}
    folder = place.rsplit("/", 1)[1] + "/"
    extra = {path.removeprefix(folder) for path in entries if path.startswith(folder) and counts(path)} - ours
    for path in sorted({*then, *now, *extra}):
        if path not in then and path not in now and path.startswith("fixtures/"):
            continue  # refused, and told above
        if path not in then:
            lines.append(f"{place}/{path}: was added after the freeze")
        elif path not in now:
            lines.append(f"{place}/{path}: is missing (does git ignore it? then: git add --force)")
        elif now[path] != then[path]:
            what = "mode" if now[path].sha256 == then[path].sha256 else "content"
            lines.append(f"{place}/{path}: its {what} was changed after the freeze")
    if lines:
        raise TamperedSuite("\n".join(lines), fix=_HOW_TO_CHANGE.replace("draft suite.yaml", "draft"))
