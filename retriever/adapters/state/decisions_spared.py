"""Makes the decision log optional: while its store fails, retrievals continue and their decisions are dropped."""

from __future__ import annotations

import asyncio
import sqlite3
from functools import partial
from typing import TYPE_CHECKING

import structlog

from common.core.errors import AppError, DependencyUnavailable
from common.core.runtime.breaker import BreakerPolicy, Dependency

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from common.core.clock import Clock
    from retriever.domain.evidence.piece import Decision
    from retriever.ports import DecisionLog

_LOG = structlog.get_logger(__name__)
_PATIENCE_SECONDS = 1.0
_POLICY = BreakerPolicy(failures=1, open_seconds=5.0)


class SparedDecisionLog:
    """
    Implements `DecisionLog` over another one, with a circuit breaker that opens for five seconds after a failure.

    Args:
        log: The log to use, which may fail.
        clock: Measures the time since a failure.
        on_lost: Called for each addition that is dropped.
        patience_seconds: Time limit of an addition.
    """

    def __init__(
        self,
        log: DecisionLog,
        clock: Clock,
        on_lost: Callable[[], None],
        *,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self._log = log
        self._breaker = Dependency("the store of decisions", _POLICY, clock)
        self._on_lost = on_lost
        self._patience_seconds = patience_seconds
        self._is_away = False

    async def append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        """Append decisions to those of the same retrieval, or drop them if the log fails."""
        try:
            await self._breaker.ask(partial(self._kept, repository, retrieval_id, decisions))
        except DependencyUnavailable as error:
            self._on_lost()
            if not self._is_away:
                self._is_away = True
                _LOG.warning("decisions.not_kept", problem=error.message)
            return
        if self._is_away:
            self._is_away = False
            _LOG.info("decisions.kept_again")

    async def _kept(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        try:
            async with asyncio.timeout(self._patience_seconds):
                await self._log.append(repository, retrieval_id, decisions)
        except (AppError, sqlite3.Error, OSError) as error:
            raise DependencyUnavailable(str(error) or type(error).__name__) from error

    async def read(
        self, repository: str, retrieval_id: str, after: int, limit: int
    ) -> tuple[tuple[int, Decision], ...]:
        """Return (sequence, decision) with a sequence above `after`, in order. Raises DependencyUnavailable."""
        try:
            return await self._log.read(repository, retrieval_id, after, limit)
        except (sqlite3.Error, OSError) as error:
            text = "the store of decisions cannot be read; the log of the retriever says why"
            _LOG.warning("decisions.not_read", problem=str(error))
            raise DependencyUnavailable(text, metadata={"dependency": "decisions"}) from error
