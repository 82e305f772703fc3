"""The system's time."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """A `Clock` that tells the real time."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    def now(self) -> str:
        """Return the time as RFC 3339 in UTC."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
