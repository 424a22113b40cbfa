"""Deletes a service's data of removed repositories, including those removed while it was down."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

import structlog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from common.core.clock import Clock
    from common.core.removals import Removal

_LATE_SECONDS = 900.0
"""Delay of the second deletion: calls that ran during the removal have ended by then, and have stored their results."""
_log = structlog.get_logger(__name__)


class Keeper(Protocol):
    """Stores something about repositories."""

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Delete what was stored of a repository before a moment; idempotent."""
        ...


class FollowRemovals:
    """
    Deletes the data of removed repositories from all keepers: when a removal is first seen, and 15 minutes later again.

    Its progress is not stored: after a restart all removals that are still listed are followed again.

    Args:
        removals: Returns the listed removals.
        keepers: Stores to delete from; if one fails, the deletion is repeated at the next poll.
        clock: Gives the times of polls.
    """

    def __init__(
        self,
        removals: Callable[[], Awaitable[Sequence[Removal]]],
        keepers: Sequence[Keeper],
        clock: Clock,
    ) -> None:
        self._removals = removals
        self._keepers = keepers
        self._clock = clock
        self._heard: dict[Removal, float] = {}
        self._settled: set[Removal] = set()
        self._is_failing = False

    async def run(self, every_seconds: float) -> None:
        """Poll for removals until cancelled."""
        while True:
            await asyncio.sleep(every_seconds)
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 (it is logged, and the next poll follows)
                if not self._is_failing:
                    _log.warning("removals.not_followed", error_type=type(error).__name__, error=str(error))
                self._is_failing = True
            else:
                self._is_failing = False

    async def look(self) -> None:
        """Poll once. Raises what reading the removals or a keeper raises."""
        asked = self._clock.now()  # taken before the request: data stored during it may belong to a new repository
        told = dict.fromkeys(await self._removals())
        self._settled.intersection_update(told)
        self._heard = {each: at for each, at in self._heard.items() if each in told}
        for removal in told:
            if removal not in self._settled:
                await self._follow(removal, removal.remove_time if removal.indexed_again else asked)

    async def _follow(self, removal: Removal, before: datetime) -> None:
        now = self._clock.monotonic()
        heard = self._heard.get(removal)
        if heard is not None and now - heard < _LATE_SECONDS:
            return
        for keeper in self._keepers:
            await keeper.forget_repository(removal.repository, before)
        if heard is None:
            self._heard[removal] = now
            _log.info("removals.followed", repository=removal.repository)
        else:
            self._settled.add(removal)
