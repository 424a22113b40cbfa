"""A clock that moves when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_START = datetime(2026, 1, 1, tzinfo=UTC)


class FakeClock:
    """Stands still at 2026-01-01 and monotonic 1000.0 until advanced."""

    def __init__(self) -> None:
        self._monotonic = 1000.0
        self._now = _START
        self.slept: list[float] = []

    def monotonic(self) -> float:
        """Return the seconds of the monotonic clock."""
        return self._monotonic

    def now(self) -> datetime:
        """Return the date and time."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass on both clocks."""
        self._monotonic += seconds
        self._now += timedelta(seconds=seconds)

    def jump(self, seconds: float) -> None:
        """Set the date, forward or back, as an operator would; the monotonic clock does not notice."""
        self._now += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once, and remember it."""
        self.slept.append(seconds)
        self.advance(seconds)
