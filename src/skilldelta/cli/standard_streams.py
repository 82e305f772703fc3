"""Standard output and error that outlive their reader: what cannot be written is dropped, and why is kept."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import IO, Any, TextIO, cast


class Outlet(io.RawIOBase):
    """The bytes of a standard stream; `problem` is why they stopped arriving, None while they do.

    A verb that was cut off by the reader of its output could not return its exit code, which for a comparison is the
    gate's: writing never raises here, and the door asks for the problem afterwards.
    """

    def __init__(self, stream: TextIO) -> None:
        self._text = stream  # closes its bytes when nobody holds it any more
        self._stream = stream.buffer
        self.problem: OSError | None = None

    def writable(self) -> bool:
        """Return True."""
        return True

    def isatty(self) -> bool:
        """Return True on a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream itself."""
        return self._stream.fileno()

    def write(self, data: Any) -> int:
        """Write on to the stream, or drop the data once that has failed."""
        if self.problem is None:
            try:
                self._stream.write(data)
                self._stream.flush()
            except OSError as error:
                self.problem = error
                self._let_go()
        return len(data)

    def _let_go(self) -> None:
        """Give what the stream still holds to nobody; the interpreter would try it again when it ends, and complain."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        self._stream.flush()


@contextlib.contextmanager
def standard_streams() -> Iterator[Outlet]:
    """Write through outlets for as long as the block lasts, and hand over that of stdout.

    A stream that the caller closed is the null device, so that no file of ours gets its number.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: PTH123, SIM115 - the stream from now on
    out, error = _through_outlet(sys.stdout), _through_outlet(sys.stderr)
    sys.stdout, sys.stderr = out, error
    try:
        yield cast("Outlet", out.buffer)
    finally:
        out.flush()
        error.flush()
        sys.stdin, sys.stdout, sys.stderr = (
            then if then is not None else now for then, now in zip(before, (sys.stdin, out, error), strict=True)
        )


def _through_outlet(stream: TextIO) -> TextIO:
    outlet = cast("IO[bytes]", Outlet(stream))
    return io.TextIOWrapper(outlet, encoding=stream.encoding, errors="backslashreplace", line_buffering=True)
