"""What each caller's answers have cost today, kept over restarts."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.stores.database import Database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

    from common.core.clock import Clock

_KEPT_DAYS = 31
_log = structlog.get_logger(__name__)


class SqliteSpending:
    """
    Implements `Spending` of the kit.

    Days are UTC days. An amount counts at once and is written in the background. If the file fails, it still counts in
    this process, and is written with the next amount. Amounts are deleted after a month.

    Args:
        path: Path of the file; None keeps all in memory.
        clock: Gives the day.
        caller: Returns the caller whose answer is being made.
        is_priced: Whether tokens have a price; if not, all costs are 0, and one warning is logged.
    """

    def __init__(self, path: Path | None, clock: Clock, caller: Callable[[], str], *, is_priced: bool) -> None:
        self._database = Database(path, "spending")
        self._clock = clock
        self._caller = caller
        self._owes_warning = not is_priced
        self._spent: dict[tuple[str, str], float] = {}
        # Amounts that are not yet written to the file.
        self._owed: dict[tuple[str, str], float] = {}
        self._writing: set[asyncio.Task[None]] = set()

    def add(self, usd: float) -> None:
        """Add the cost of a request to a model to the current caller's spending."""
        if usd <= 0:
            return
        key = (self._today(), self._caller())
        self._spent[key] = self._spent.get(key, 0.0) + usd
        self._owe(key, usd)
        task = asyncio.create_task(self._write(*key))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def today(self, caller: str) -> float:
        """Return a caller's spending since midnight UTC."""
        if self._owes_warning:
            self._owes_warning = False
            _log.warning("access.cost_unpriced", settings="input_usd_per_million, output_usd_per_million")
        key = (self._today(), caller)
        # Read before the file: amounts that are written meanwhile are not in the result.
        owed = self._owed.get(key, 0.0)
        return max(self._spent.get(key, 0.0), owed + await self._read(*key))

    async def close(self) -> None:
        """Write what is pending, then close the file."""
        await asyncio.gather(*self._writing)
        await self._database.close()

    async def _read(self, day: str, caller: str) -> float:
        def work(connection: sqlite3.Connection) -> float:
            row = connection.execute("SELECT usd FROM spending WHERE day = ? AND caller = ?", (day, caller)).fetchone()
            return float(row[0]) if row else 0.0

        try:
            return await self._database.run(work)
        except DependencyUnavailable as error:
            _log.warning("access.cost_unread", problem=error.message)
            return 0.0

    async def _write(self, day: str, caller: str) -> None:
        usd = self._owed.pop((day, caller), 0.0)
        if not usd:
            return  # it was written along with another

        def work(connection: sqlite3.Connection) -> None:
            oldest = self._clock.now().date() - timedelta(days=_KEPT_DAYS)
            connection.execute("DELETE FROM spending WHERE day < ?", (oldest.isoformat(),))
            connection.execute(
                "INSERT INTO spending (day, caller, usd) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET usd = usd + excluded.usd",
                (day, caller, usd),
            )

        try:
            await self._database.run(work)
        except DependencyUnavailable as error:
            _log.warning("access.cost_unwritten", problem=error.message)
            self._owe((day, caller), usd)

    def _owe(self, key: tuple[str, str], usd: float) -> None:
        self._owed[key] = self._owed.get(key, 0.0) + usd

    def _today(self) -> str:
        day = self._clock.now().date().isoformat()
        for sums in (self._spent, self._owed):
            for key in [key for key in sums if key[0] < day]:
                del sums[key]
        return day
