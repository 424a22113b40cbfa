"""The decision log in SQLite, bounded in days and in retrievals."""

from __future__ import annotations

import asyncio
import json
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.stores.sqlite import transaction
from retriever.adapters.state.sqlite_file import StateFile, open_state_file
from retriever.domain.evidence.piece import Decision

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from common.core.clock import Clock

_PRUNE_EVERY = 200
"""Additions between two deletions of old and surplus retrievals."""
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
        opening = partial(open_state_file, path, "decisions", "foreign_keys = ON")
        self._file = StateFile(opening, "retrievals", clock, days=days, most=retrievals)
        self._additions = 0

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
        await asyncio.to_thread(self._file.forget, repository, before)

    def close(self) -> None:
        """Close the database."""
        self._file.close()

    def _append(self, repository: str, retrieval_id: str, decisions: Sequence[Decision]) -> None:
        contents = [packed(decision) for decision in decisions]
        with self._file.using() as connection, transaction(connection):
            key, first = self._claim(connection, repository, retrieval_id, len(contents))
            rows = [(key, first + position, content) for position, content in enumerate(contents)]
            connection.executemany(_INSERT, rows)
            if self._additions % _PRUNE_EVERY == 0:
                self._file.prune(connection)
            self._additions += 1

    def _claim(self, connection: sqlite3.Connection, repository: str, retrieval_id: str, count: int) -> tuple[int, int]:
        """Reserve numbers for `count` decisions; return the retrieval's key and the first number."""
        row = connection.execute(
            "INSERT INTO retrievals (repository, retrieval_id, time, decisions) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET time = excluded.time, decisions = decisions + excluded.decisions"
            " RETURNING id, decisions",
            (repository, retrieval_id, self._file.now(), count),
        ).fetchone()
        return int(row[0]), int(row[1]) - count + 1

    def _read(self, repository: str, retrieval_id: str, after: int, limit: int) -> tuple[tuple[int, Decision], ...]:
        with self._file.using() as connection:
            rows = connection.execute(
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
    """Return the decision that `packed` wrote; further fields, which a later release may add, are ignored."""
    stage, step, subject, *rest = json.loads(content)
    return Decision(stage, step, Span(*subject[: len(fields(Span))]), *rest[: len(fields(Decision)) - 3])
