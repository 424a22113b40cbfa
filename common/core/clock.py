"""Injected clocks. Durations come from `monotonic`, dates for people from `now`."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Source of monotonic time and of the date."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; never goes back."""
        ...

    def now(self) -> datetime:
        """Return the date and time in UTC; may jump when the machine's clock is set."""
        ...


class SystemClock:
    """The machine's clocks."""

    def monotonic(self) -> float:
        """Return seconds of the machine's monotonic clock."""
        return time.monotonic()

    def now(self) -> datetime:
        """Return the machine's date and time in UTC."""
        return datetime.now(UTC)
