"""The decision log in a Postgres database that all replicas share: each replica can read the decisions of all."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from importlib.resources import files
from typing import TYPE_CHECKING

import structlog

from common.stores.postgres import Postgres, Tables
from retriever.adapters.state.decisions_sqlite import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from common.core.clock import Clock
    from retriever.domain.evidence.piece import Decision

_LOG = structlog.get_logger(__name__)
_SETTING = "decision_log_url"
_CONNECTIONS = 2
# Additions between two deletions of old and surplus retrievals: at least 200, and at least a hundredth of the
# retrievals kept, since finding the surplus reads all of them.
_PRUNE_EVERY = 200
_PRUNE_SHARE = 100
# Time limit of a deletion, long enough for many rows of a large log.
_DELETION_SECONDS = 600.0
_APPEND = """
WITH claimed AS (
    INSERT INTO cgrag_retrievals AS known (repository, retrieval_id, time, decisions) VALUES (%s, %s, %s, %s)
    ON CONFLICT (repository, retrieval_id)
    DO UPDATE SET time = excluded.time, decisions = known.decisions + excluded.decisions
    RETURNING id, decisions
), given AS (
    SELECT %s::text[] AS contents
)
INSERT INTO cgrag_decisions (retrieval, first, contents)
SELECT claimed.id, claimed.decisions - cardinality(given.contents) + 1, given.contents FROM claimed, given
WHERE cardinality(given.contents) > 0
"""
_READ = """
SELECT part.first + one.place - 1 AS sequence, one.content
FROM cgrag_retrievals AS retrieval JOIN cgrag_decisions AS part ON part.retrieval = retrieval.id,
    unnest(part.contents) WITH ORDINALITY AS one (content, place)
WHERE retrieval.repository = %s AND retrieval.retrieval_id = %s AND part.first + one.place - 1 > %s
ORDER BY 1 LIMIT %s
"""
_FORGET = "DELETE FROM cgrag_retrievals WHERE repository = %s AND time < %s"
_FORGET_OLD = "DELETE FROM cgrag_retrievals WHERE time < %s"
_FORGET_SURPLUS = """
DELETE FROM cgrag_retrievals WHERE id IN (SELECT id FROM cgrag_retrievals ORDER BY time DESC, id DESC OFFSET %s)
"""


class PostgresDecisionLog:
    """
    Implements `DecisionLog`. Raises DependencyUnavailable if the server does not answer.

    Args:
        database: The database with the tables of the log.
        clock: Gives the times for retention.
        days: Age at which a retrieval is forgotten.
        retrievals: Retrievals that are kept at most, of all replicas; the oldest go first.
    """

    def __init__(self, database: Postgres, clock: Clock, *, days: float, retrievals: int) -> None:
        self._database = database
        self._clock = clock
        self._retention = timedelta(days=days)
        self._retrievals = retrievals
        self._prune_every = max(_PRUNE_EVERY, retrievals // _PRUNE_SHARE)
        self._additions = 0
        self._pruning: asyncio.Task[None] | None = None

    @classmethod
    def at(cls, url: str, clock: Clock, *, days: float, retrievals: int) -> PostgresDecisionLog:
        """Return the log at a URL. Raises StartupError if the URL is invalid or the database denies access."""
        text = files("retriever").joinpath("queries/decisions_postgres_1.sql").read_text(encoding="utf-8")
        database = Postgres(url, _SETTING, Tables("decisions", (text,)), connections=_CONNECTIONS)
        if problem := database.prepare():
            _LOG.warning("store.away", setting=_SETTING, problem=problem)
        return cls(database, clock, days=days, retrievals=retrievals)

    async def append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        """Add decisions after those of the same retrieval that are there."""
        contents = await asyncio.to_thread(_all_packed, decisions)
        values = (repository, retrieval_id, self._clock.now(), len(contents), contents)
        await self._database.rows(_APPEND, values)
        if self._additions % self._prune_every == 0 and self._pruning is None:
            self._pruning = asyncio.create_task(self._prune())
            self._pruning.add_done_callback(self._pruned)
        self._additions += 1

    async def read(
        self, repository: str, retrieval_id: str, after: int, limit: int
    ) -> tuple[tuple[int, Decision], ...]:
        """Return (sequence, decision) with a sequence above `after`, in order."""
        rows = await self._database.rows(_READ, (repository, retrieval_id, after, limit))
        return tuple((sequence, unpacked(content)) for sequence, content in rows)

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Forget the decisions of a repository whose last one was kept before a moment."""
        await self._database.rows(_FORGET, (repository, before), seconds=_DELETION_SECONDS)

    async def close(self) -> None:
        """Finish running statements, then close the connections."""
        await self._database.close(*([self._pruning] if self._pruning else []))

    async def _prune(self) -> None:
        oldest = self._clock.now() - self._retention
        for statement, value in ((_FORGET_OLD, oldest), (_FORGET_SURPLUS, self._retrievals)):
            await self._database.rows(statement, (value,), seconds=_DELETION_SECONDS)

    def _pruned(self, task: asyncio.Task[None]) -> None:
        self._pruning = None
        if not task.cancelled():
            task.exception()  # mark the error as seen; if the server was unreachable, a later round deletes


def _all_packed(decisions: Sequence[Decision]) -> list[str]:
    return [packed(each) for each in decisions]
