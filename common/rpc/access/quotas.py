"""What one caller may use of one process: calls begun in a minute, calls at once, and the cost of models in a day."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Protocol

from common.core.errors import QuotaExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from common.core.clock import Clock
    from common.rpc.access.file import Entry

_BUSY_SECONDS = 1.0


class Spending(Protocol):
    """Knows what callers have cost."""

    async def today(self, caller: str) -> float:
        """Return the US dollars that a caller's models have cost since midnight in UTC."""
        ...


@dataclass(slots=True)
class _Use:
    """How much is left of a minute's calls, when that was, and how many calls run."""

    left: float
    at: float
    running: int = 0


class Meter:
    """
    Counts what callers use; time is the monotonic clock's.

    A bucket of tokens for each: it holds a minute's calls, so that many may come at once after a pause.

    Args:
        clock: Fills the buckets, and tells when the day ends.
        spending: What models have cost; None where no model is paid for.
    """

    def __init__(self, clock: Clock, spending: Spending | None = None) -> None:
        self._clock = clock
        self._spending = spending
        self._uses: dict[str, _Use] = {}

    @contextmanager
    def call(self, entry: Entry) -> Iterator[None]:
        """Count a call of a caller for as long as the block runs. Raises QuotaExceeded."""
        quotas = entry.quotas
        if not (quotas.requests_per_minute or quotas.calls_at_once):
            yield
            return
        use = self._uses.get(entry.name)
        if use is None:
            use = self._uses[entry.name] = _Use(quotas.requests_per_minute, self._clock.monotonic())
        if quotas.calls_at_once and use.running >= quotas.calls_at_once:
            text = f"{entry.name} has {use.running} calls running, as many as it may; wait for one to end"
            raise QuotaExceeded(text, metadata={"quota": "calls_at_once"}, retry_after_seconds=_BUSY_SECONDS)
        self._take(use, entry.name, quotas.requests_per_minute)
        use.running += 1
        try:
            yield
        finally:
            use.running -= 1

    async def afford(self, entry: Entry) -> None:
        """Require that a caller has not spent what it may in a day; a call that began may exceed it. QuotaExceeded."""
        limit = entry.quotas.usd_per_day
        if not limit or self._spending is None or await self._spending.today(entry.name) < limit:
            return
        now = self._clock.now()
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
        text = f"{entry.name} has spent the {limit:g} US dollars of today; go on after midnight UTC"
        wait = (midnight - now).total_seconds()
        raise QuotaExceeded(text, metadata={"quota": "usd_per_day"}, retry_after_seconds=wait)

    def _take(self, use: _Use, name: str, per_minute: int) -> None:
        if not per_minute:
            return
        now = self._clock.monotonic()
        use.left = min(per_minute, use.left + (now - use.at) * per_minute / 60)
        use.at = now
        if use.left < 1:
            wait = (1 - use.left) * 60 / per_minute
            text = f"{name} has made its {per_minute} requests of the last minute; try again in {wait:.1f} s"
            raise QuotaExceeded(text, metadata={"quota": "requests_per_minute"}, retry_after_seconds=wait)
        use.left -= 1
