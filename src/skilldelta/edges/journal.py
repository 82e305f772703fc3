"""The run's journal: one JSON line per event, flushed before it counts, read back after any kind of end."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import SecretStr, ValidationError
from pydantic_core import PydanticSerializationError

from ..domain.judgment import Judgment
from ..domain.trial import Outcome, TrialKey
from ..domain.value import Value
from ..errors import CannotWrite, RunBusy, RunMismatch

NAME = "journal.jsonl"
FORMAT = 1
_START = b'{"t":"run",'
_LONGEST_LINE = 64 * 1024 * 1024
Part = TypeVar("Part", bound=Value)


class FileJournal:
    """A `Journal` in a file; it keeps places, not texts, in memory. Open it with `open_journal`."""

    def __init__(self, file: IO[bytes], path: Path, secrets: Sequence[SecretStr], *, writable: bool) -> None:
        self._file = file
        self._writable = writable
        self._path = path
        values = [value for secret in secrets if len(value := secret.get_secret_value()) >= 8]
        self._secrets = tuple(dict.fromkeys(form for value in values for form in _forms(value)))
        self._outcomes: dict[str, int] = {}
        self._judgments: dict[str, int] = {}
        self._sent: dict[str, list[float]] = {}
        self._lost: list[float] = []
        self.identity: str | None = None
        self.sessions = 0
        """How many invocations have written here, this one included once it has begun."""
        self._end = 0

    def begin(self, identity: str, at: str) -> None:
        """Write the header of a new journal, and that an invocation starts."""
        os.ftruncate(self._file.fileno(), self._end)
        if self.identity is None:
            self._write({"t": "run", "format": FORMAT, "identity": identity})
            self.identity = identity
        self.sessions += 1
        self._write({"t": "session", "number": self.sessions, "at": at})

    def outcome(self, key: str) -> Outcome | None:
        """Return the recorded outcome of a trial, or None."""
        line = self._line_at(self._outcomes.get(key))
        return None if line is None else self._part(line, "outcome", Outcome)

    def judgment(self, key: str) -> Judgment | None:
        """Return a recorded judgment, or None."""
        line = self._line_at(self._judgments.get(key))
        return None if line is None else self._part(line, "judgment", Judgment)

    def _part(self, line: dict[str, Any], name: str, kind: type[Part]) -> Part:
        try:
            return kind.model_validate(line.get(name))
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            place = ".".join(str(step) for step in (name, *detail["loc"]))
            raise RunMismatch(
                f"holds an event of another shape: {place}: {detail['msg']}",
                where=str(self._path),
                fix="take another --out folder; a journal is never mended by hand",
            ) from None

    def sent(self, key: str, reserved_usd: float) -> None:
        """Record that a call is about to be made."""
        self._write({"t": "sent", "key": key, "usd": round(reserved_usd, 6)})

    def record_outcome(self, key: TrialKey, outcome: Outcome) -> Outcome:
        """Append an outcome, flush it, and return it as it was recorded."""
        text = f'{{"t":"trial","key":{_json(key)},"outcome":{_json(outcome)}}}'
        kept = self._without_secrets(text)
        place = self._append(kept)
        if self._outcomes.setdefault(key.key, place) == place and kept is text:
            return outcome
        return self.outcome(key.key) or outcome

    def record_judgment(self, key: str, trial: TrialKey, judgment: Judgment) -> Judgment:
        """Append a judgment, flush it, and return it as it was recorded."""
        text = f'{{"t":"judgment","key":"{key}","trial":"{trial.key}","judgment":{_json(judgment)}}}'
        kept = self._without_secrets(text)
        place = self._append(kept)
        if self._judgments.setdefault(key, place) == place and kept is text:
            return judgment
        return self.judgment(key) or judgment

    def lost(self) -> Iterator[float]:
        """Yield the reserved US dollars of every call that earlier invocations sent and never saw answered."""
        yield from self._lost

    def _settle(self) -> None:
        """What was sent before this point and is not recorded here never will be."""
        for key, calls in self._sent.items():
            if key not in self._outcomes and key not in self._judgments:
                self._lost += calls
        self._sent.clear()

    def require_whole(self) -> None:
        """Raise CannotWrite when the file is no longer there, or no longer as long, as what was written to it."""
        try:
            there, ours = self._path.stat(), os.fstat(self._file.fileno())
            whole = (there.st_dev, there.st_ino, there.st_size) == (ours.st_dev, ours.st_ino, self._end)
        except OSError:
            whole = False
        if not whole:
            raise CannotWrite(
                "the journal was removed or changed while the run was going: what it held is lost",
                where=str(self._path),
                fix="start the run again, and leave its folder alone until it is done",
            )

    def close(self) -> None:
        """Write everything to the disk and let go of the file."""
        if not self._file.closed:
            if self._writable:
                os.fsync(self._file.fileno())
            self._file.close()

    def load(self) -> None:
        """Read what is there; a last line that was cut off by the end of its writer counts for nothing."""
        for number, (place, line) in enumerate(self._lines(), start=1):
            try:
                event = json.loads(line)
                self._take(event, place)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise RunMismatch(
                    f"line {number} is not an event of a journal: {str(error)[:200]}",
                    where=str(self._path),
                    fix="take another --out folder; a journal is never mended by hand",
                ) from None
        self._settle()

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        self._file.seek(0)
        place = 0
        while line := self._file.readline(_LONGEST_LINE):
            if not line.endswith(b"\n"):
                if len(line) == _LONGEST_LINE or (place == 0 and not _START.startswith(line[: len(_START)])):
                    raise RunMismatch("is not a journal", where=str(self._path), fix="take another --out folder")
                break
            yield place, line
            place += len(line)
        self._end = place

    def _take(self, event: dict[str, Any], place: int) -> None:
        kind = event["t"]
        if kind == "run":
            if event["format"] != FORMAT:
                raise ValueError(f"the format {event['format']!r} is not known here")
            self.identity = str(event["identity"])
        elif kind == "session":
            self._settle()
            self.sessions = int(event["number"])
        elif kind == "sent":
            self._sent.setdefault(str(event["key"]), []).append(float(event["usd"]))
        elif kind == "trial":
            self._outcomes.setdefault(str(event["key"]["key"]), place)
        elif kind == "judgment":
            self._judgments.setdefault(str(event["key"]), place)
        else:
            raise ValueError(f"the event {kind!r} is not known")

    def _without_secrets(self, text: str) -> str:
        """Return an event's text as it can be written, secrets replaced; the very same object where nothing was."""
        if not text.isascii():
            whole = text.encode("utf-8", "replace").decode()  # half a surrogate pair becomes a question mark
            text = text if whole == text else whole
        if not any(secret in text for secret in self._secrets):
            return text
        event = json.loads(text)
        kept = self._redacted(event) | {"t": event["t"]}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    def _redacted(self, data: Any) -> Any:
        """Return the event with the secrets in its texts replaced; names of fields are ours and stay."""
        if isinstance(data, dict):
            return {name: self._redacted(value) for name, value in data.items()}
        if isinstance(data, list):
            return [self._redacted(value) for value in data]
        if isinstance(data, str):
            for secret in self._secrets:
                data = data.replace(secret, "[secret]")
        return data

    def _line_at(self, place: int | None) -> dict[str, Any] | None:
        if place is None:
            return None
        line = os.pread(self._file.fileno(), 65_536, place)
        while b"\n" not in line:
            more = os.pread(self._file.fileno(), 1_048_576, place + len(line))
            if not more:
                break
            line += more
        try:
            event: dict[str, Any] = json.loads(line[: line.index(b"\n")])
        except ValueError:
            raise RunMismatch("the journal changed while it was read", where=str(self._path)) from None
        return event

    def _write(self, event: dict[str, Any]) -> None:
        self._append(json.dumps(event, separators=(",", ":")))

    def _append(self, text: str) -> int:
        line = text.encode("utf-8", "replace") + b"\n"
        place = self._end
        try:
            _write_all(self._file.fileno(), line, place)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), place)  # nothing may ever follow half a line
            raise CannotWrite(
                f"the journal cannot be written: {error.strerror}", where=str(self._path), fix="free some space, resume"
            ) from None
        self._end += len(line)
        return place


def _forms(secret: str) -> tuple[str, str, str]:
    """Return a secret as it is, and as it may stand in JSON, for which an answer may be the place as well."""
    return secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]


def _json(value: Value) -> str:
    try:
        return value.model_dump_json()
    except PydanticSerializationError:  # half a surrogate pair, which becomes a question mark
        return json.dumps(value.model_dump(), ensure_ascii=False)


def _write_all(descriptor: int, data: bytes, place: int) -> None:
    written = os.pwrite(descriptor, data, place)
    while written < len(data):
        written += os.pwrite(descriptor, data[written:], place + written)


def open_journal(folder: Path, *, secrets: Sequence[SecretStr] = ()) -> FileJournal:
    """Return the folder's journal, locked for this process and read; RunBusy when another process holds it."""
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CannotWrite(
            f"the run's folder cannot be used: {error.strerror}", where=str(folder), fix="name another with --out"
        ) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CannotWrite("is not a regular file", where=str(path), fix="name another folder with --out")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise RunBusy(
            "another process is writing to this run", where=str(folder), fix="wait for it, or use another --out"
        ) from None
    return _loaded(os.fdopen(descriptor, "rb"), path, secrets, writable=True)


def read_journal(folder: Path) -> FileJournal:
    """Return the folder's journal for reading only; RunMismatch when there is none."""
    path = folder / NAME
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise RunMismatch(
            f"there is no journal here: {error.strerror}", where=str(path), fix="name the folder of a run"
        ) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RunMismatch("is not a regular file", where=str(path), fix="name the folder of a run")
    return _loaded(os.fdopen(descriptor, "rb"), path, (), writable=False)


def _loaded(file: IO[bytes], path: Path, secrets: Sequence[SecretStr], *, writable: bool) -> FileJournal:
    journal = FileJournal(file, path, secrets, writable=writable)
    try:
        journal.load()
    except BaseException:
        file.close()
        raise
    return journal
