"""Every way skilldelta can fail: an exit code, and what happened, where, and what to do."""

from __future__ import annotations

from typing import ClassVar

EXIT_PASS = 0
EXIT_FAIL = 1
EXIT_BLOCKED = 2
EXIT_CONFLICTED = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class SkilldeltaError(Exception):
    """Something the user can act on; the command line prints it without a traceback."""

    exit_code: ClassVar[int] = EXIT_BLOCKED

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    @property
    def problem(self) -> str:
        """Where and what, without what to do."""
        return f"{self.where}: {self.what}" if self.where else self.what

    def __str__(self) -> str:
        return f"{self.problem}\n  fix: {self.fix}" if self.fix else self.problem


class BadUsage(SkilldeltaError):
    """The words of the command line do not fit together."""


class BadConfig(SkilldeltaError):
    """`.skilldelta.yml` (or an environment variable or flag) holds something that cannot be used."""


class BadSuite(SkilldeltaError):
    """A suite file breaks a rule of the format."""


class TamperedSuite(BadSuite):
    """A frozen suite no longer is what was frozen."""


class GitProblem(SkilldeltaError):
    """The repository cannot answer: not a repository, an unknown ref, missing history."""


class NoRepository(GitProblem):
    """There is no git repository at or around a folder."""


class MissingKey(SkilldeltaError):
    """No credentials for the model that the configuration names."""


class ModelRefused(SkilldeltaError):
    """The provider refuses every request: key, model name or request shape."""


class ContextExceeded(SkilldeltaError):
    """A prompt does not fit into the model's context window."""


class RunMismatch(SkilldeltaError):
    """A run's folder holds something else than what was asked to be continued."""


class RunBusy(SkilldeltaError):
    """Another process is writing to this run's folder."""


class LocalModelProblem(SkilldeltaError):
    """The embedded model, its engine or a system library is missing or does not start."""


class CannotWrite(SkilldeltaError):
    """A file or folder cannot be written."""


class Interrupted(SkilldeltaError):
    """The user or the system asked us to stop; the journal holds everything that was finished."""

    exit_code = EXIT_INTERRUPTED

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None, signal: int = 2) -> None:
        super().__init__(what, where=where, fix=fix)
        self.signal = signal
