"""The one place where errors become words on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from ..errors import (
    EXIT_BLOCKED,
    EXIT_BUG,
    EXIT_FAIL,
    EXIT_INTERRUPTED,
    EXIT_PASS,
    EXIT_TERMINATED,
    Interrupted,
    SkilldeltaError,
)
from .standard_streams import standard_streams

ISSUES = "https://github.com/skilldelta/skilldelta/issues"


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing raised inside leaves as a traceback.

    The code is the verb's own also when the reader of stdout has left; when stdout cannot be written for another
    reason (a full disk), the result did not arrive, and the code says that.
    """
    with standard_streams() as stdout:
        code = _verb(arguments)
        sys.stdout.flush()
        problem = stdout.problem
        if problem is None or problem.errno == errno.EPIPE or code not in (EXIT_PASS, EXIT_FAIL):
            return code
        _say(f"error: stdout cannot be written: {problem.strerror}\n  fix: make room, or send the output elsewhere")
        return EXIT_BLOCKED


def _verb(arguments: Sequence[str]) -> int:
    from .verbs import program

    try:
        code = program.main(args=list(arguments), prog_name="skilldelta", standalone_mode=False)
    except click.exceptions.Abort:
        _say("interrupted")
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return EXIT_BLOCKED
    except Interrupted as error:
        _say(str(error))
        return EXIT_TERMINATED if error.signal == 15 else EXIT_INTERRUPTED
    except SkilldeltaError as error:
        _say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted")
        return EXIT_INTERRUPTED
    except SystemExit as error:  # what click makes of any broken pipe, its 1 is no gate's; stdout and stderr break none
        return _bug(error.__context__ or error)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS):
            return _bug(error)
        _say(f"error: the output cannot be written: {error.strerror}")
        return EXIT_BLOCKED
    except MemoryError:
        _say(
            "error: there is not enough memory\n  fix: raise the limit (ulimit -v), or give it fewer and smaller files"
        )
        return EXIT_BLOCKED
    except Exception as error:  # noqa: BLE001 - the door: a bug of ours becomes words
        return _bug(error)
    return code if isinstance(code, int) else 0


def _say(text: str) -> None:
    click.echo(printable(text), err=True)


def printable(text: str) -> str:
    """Return `text` without control characters (a file name or a model may hold them), line ends kept."""
    return "".join(char if char in "\n\t" or char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    if 0xDC80 <= ord(char) <= 0xDCFF:
        return f"\\x{ord(char) & 0xFF:02x}"
    return char.encode("unicode_escape").decode()


def _bug(error: BaseException) -> int:
    import traceback
    from pathlib import PurePath

    from .. import __version__

    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-5:]))
    _say(
        f"error: this is a bug in skilldelta {__version__}: {type(error).__name__}: {str(error)[:500]}\n"
        f"  at {places}\n"
        f"  fix: please report these three lines at {ISSUES}"
    )
    if os.environ.get("SKILLDELTA_TRACEBACK") == "1":
        traceback.print_exception(error)
    return EXIT_BUG
