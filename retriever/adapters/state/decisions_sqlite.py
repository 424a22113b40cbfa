"""The decision log in SQLite: kept for some days, and for so many retrievals at most."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import fields
from typing import TYPE_CHECKING

from common.stores.sqlite import transaction
from retriever.adapters.state.sqlite_file import open_state_file
from retriever.domain.evidence import Decision
from retriever.domain.values import Span

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from common.core.clock import Clock

_PRUNE_EVERY = 200
"""Additions between two rounds of forgetting."""
_INSERT = "INSERT INTO decisions (retrieval, sequence, content) VALUES (?, ?, ?)"


class SqliteDecisionLog:
    """
    Implements `DecisionLog`.

    Args:
        path: The database; made with its folder if it is not there.
        days: Age at which a retrieval is forgotten.
        retrievals: Retrievals that are kept at most; the oldest go first.
    """

    def __init__(self, path: Path, clock: Clock, *, days: float, retrievals: int) -> None:
        self._clock = clock
        self._seconds = days * 86400
        self._retrievals = retrievals
        self._lock = threading.Lock()
        self._additions = 0
        self._path = path
        self._opened: sqlite3.Connection | None = None

    async def append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        """Add decisions after those of the same retrieval that are there."""
        await asyncio.to_thread(self._append, repository, retrieval_id, decisions)

    async def read(
        self, repository: str, retrieval_id: str, after: int, limit: int
    ) -> tuple[tuple[int, Decision], ...]:
        """Return (sequence, decision) with a sequence above `after`, in order."""
        return await asyncio.to_thread(self._read, repository, retrieval_id, after, limit)

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Forget the decisions of a repository whose last one was kept before a moment."""
        await asyncio.to_thread(self._forget, repository, before.timestamp())

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        """Open the database where it is not open: a file that is damaged holds up no start, and may be mended."""
        if self._opened is None:
            self._opened = open_state_file(self._path, "decisions", "foreign_keys = ON")
        return self._opened

    def _append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        contents = [packed(decision) for decision in decisions]
        now = self._clock.now().timestamp()
        with self._lock, transaction(self._connection):
            key, first = self._claim(repository, retrieval_id, len(contents), now)
            rows = [(key, first + position, content) for position, content in enumerate(contents)]
            self._connection.executemany(_INSERT, rows)
            if self._additions % _PRUNE_EVERY == 0:
                self._prune(now)
            self._additions += 1

    def _claim(self, repository: str, retrieval_id: str, count: int, now: float) -> tuple[int, int]:
        """Make room for so many decisions; return the retrieval's key and the sequence of the first."""
        row = self._connection.execute(
            "INSERT INTO retrievals (repository, retrieval_id, time, decisions) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET time = excluded.time, decisions = decisions + excluded.decisions"
            " RETURNING id, decisions",
            (repository, retrieval_id, now, count),
        ).fetchone()
        return int(row[0]), int(row[1]) - count + 1

    def _forget(self, repository: str, before: float) -> None:
        with self._lock:
            self._connection.execute("DELETE FROM retrievals WHERE repository = ? AND time < ?", (repository, before))

    def _prune(self, now: float) -> None:
        self._connection.execute("DELETE FROM retrievals WHERE time < ?", (now - self._seconds,))
        self._connection.execute(
            "DELETE FROM retrievals WHERE id IN"
            " (SELECT id FROM retrievals ORDER BY time DESC, id DESC LIMIT -1 OFFSET ?)",
            (self._retrievals,),
        )

    def _read(self, repository: str, retrieval_id: str, after: int, limit: int) -> tuple[tuple[int, Decision], ...]:
        with self._lock:
            rows = self._connection.execute(
                "SELECT d.sequence, d.content FROM decisions d JOIN retrievals r ON r.id = d.retrieval"
                " WHERE r.repository = ? AND r.retrieval_id = ? AND d.sequence > ? ORDER BY d.sequence LIMIT ?",
                (repository, retrieval_id, after, limit),
            ).fetchall()
        return tuple((sequence, unpacked(content)) for sequence, content in rows)


def packed(decision: Decision) -> str:
    """Return a decision as JSON."""
    subject = decision.subject
    written = [
        decision.stage,
        decision.step,
        [subject.path, subject.start_line, subject.end_line],
        decision.qualified_name,
        decision.included,
        decision.reason,
        decision.score,
        decision.judge_input,
        decision.judge_output,
        decision.judge_latency_ms,
        decision.judge_tokens,
    ]
    return json.dumps(written)


def unpacked(content: str) -> Decision:
    """Return the decision that `packed` wrote; what a later release put behind its fields is passed over."""
    stage, step, subject, *rest = json.loads(content)
    return Decision(stage, step, Span(*subject[: len(fields(Span))]), *rest[: len(fields(Decision)) - 3])
