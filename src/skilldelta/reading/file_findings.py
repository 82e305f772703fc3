"""Collects what is found wrong with one file."""

from __future__ import annotations

from ..domain.skill import Finding, Severity


class FileFindings:
    """The findings on the file at `path`, in the order they were made."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: list[Finding] = []

    def error(self, message: str, fix: str, line: int | None = None) -> None:
        """Note what makes the file unreadable."""
        self._add(Severity.ERROR, message, fix, line)

    def warning(self, message: str, fix: str, line: int | None = None) -> None:
        """Note what should be mended."""
        self._add(Severity.WARNING, message, fix, line)

    @property
    def unreadable(self) -> bool:
        """True once an error was noted."""
        return any(finding.severity is Severity.ERROR for finding in self._found)

    def all(self) -> tuple[Finding, ...]:
        """Return everything noted."""
        return tuple(self._found)

    def _add(self, severity: Severity, message: str, fix: str, line: int | None) -> None:
        self._found.append(Finding(severity=severity, path=self.path, line=line, message=message, fix=fix))
