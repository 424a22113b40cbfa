"""Answers in SQLite: records, events, ratings, and reasons of unresolved gaps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from common.core.contract.evidence import GapOutcome
from common.core.ids import RandomIds
from orchestrator.adapters.stores.codec import decode, decode_event, decode_member, encode, encode_event
from orchestrator.adapters.stores.database import SqliteStore, transaction
from orchestrator.domain.answers.events import NumberedEvent
from orchestrator.domain.answers.records import AnswerRecord, Hold, IndexDebt, RatedAnswer, debts_behind, ratings_behind
from orchestrator.domain.evidence.gaps import wanted_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from contextlib import AsyncExitStack
    from pathlib import Path

    from common.core.clock import Clock
    from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
    from orchestrator.domain.answers.records import Rating
    from orchestrator.domain.evidence.piece import GapResult

_SWEEP_EVERY = 64
_SWEEP_SHARE = 10
# Columns are named, so that statements work after a later release added columns.
_INSERT = "INSERT INTO answers (answer_id, owner, request_id, session_id, created, body) VALUES (?, ?, ?, ?, ?, ?)"
_KNOWN = "SELECT 1 FROM answers WHERE answer_id = ?"
_APPEND = "INSERT OR IGNORE INTO events (answer_id, sequence, created, body) VALUES (?, ?, ?, ?)"
_RATE = "REPLACE INTO ratings (rating, comment, answer_id) SELECT ?, ?, answer_id FROM answers WHERE answer_id = ?"
_LIST_RATINGS = """
SELECT answer_id, rating, comment, created FROM ratings JOIN answers USING (answer_id)
WHERE json_extract(body, '$.question.repository') = ? AND (created, answer_id) < (?, ?)
ORDER BY created DESC, answer_id DESC LIMIT ?
"""
_TABLES = ("events", "ratings", "unsettled", "answers")
# Must be the same expression as in the index.
_OF_REPOSITORY = "SELECT answer_id FROM answers WHERE json_extract(body, '$.question.repository') = ? AND created < ?"
_BY_REQUEST = "SELECT body, is_cancelled FROM answers WHERE owner = ? AND request_id = ? AND request_id != ''"


class SqliteAnswers(SqliteStore):
    """
    Implements the ports of records, events and feedback in one file.

    Args:
        path: Path of the file; None keeps all in memory.
        clock: Gives the time for retention.
        retention_days: Age in days at which answers are deleted, with everything about them.
        max_bytes: Size of the file above which the oldest tenth of the answers is deleted, until it fits.
    """

    def __init__(
        self, path: Path | None, clock: Clock, *, retention_days: float = 30.0, max_bytes: int = 1024**3
    ) -> None:
        super().__init__(path, "answers")
        self._clock = clock
        self._retention = timedelta(days=retention_days)
        self._max_bytes = max_bytes
        self._created = 0

    @transaction
    def create(self, connection: sqlite3.Connection, record: AnswerRecord) -> AnswerRecord:
        """Store a record and acquire its lease; if its owner used its request id before, only return that record."""
        known = connection.execute(_BY_REQUEST, (record.owner, record.question.request_id)).fetchone()
        if known:
            return _record(known)
        if self._created % _SWEEP_EVERY == 0:
            self._sweep(connection)
        self._created += 1
        _insert(connection, record)
        return record

    @transaction
    def create_beside(self, connection: sqlite3.Connection, record: AnswerRecord, answer_id: str) -> bool:
        """Insert a record with a lease unless its answer was deleted; return whether it was inserted."""
        is_known = connection.execute(_KNOWN, (answer_id,)).fetchone() is not None
        if is_known:
            _insert(connection, record)
        return is_known

    @transaction
    def find_by_request(self, connection: sqlite3.Connection, owner: str, request_id: str) -> AnswerRecord | None:
        """Return the record of an owner's request id."""
        row = connection.execute(_BY_REQUEST, (owner, request_id)).fetchone()
        return _record(row) if row else None

    @transaction
    def begin(self, connection: sqlite3.Connection, answer_id: str) -> Hold:
        """Acquire the lease of an answer; no other process can have it, since only one uses the file."""
        known = "SELECT 1 FROM answers WHERE answer_id = ? AND NOT is_cancelled"
        if connection.execute(known, (answer_id,)).fetchone() is None:
            return Hold.REFUSED
        added = connection.execute("INSERT OR IGNORE INTO unsettled (answer_id) VALUES (?)", (answer_id,))
        return Hold.CLEAN if added.rowcount else Hold.BROKEN

    @transaction
    def end(self, connection: sqlite3.Connection, answer_id: str) -> None:
        """Release the lease of an answer; all its shown events are stored."""
        connection.execute("DELETE FROM unsettled WHERE answer_id = ?", (answer_id,))

    @transaction
    def find(self, connection: sqlite3.Connection, answer_id: str) -> AnswerRecord | None:
        """Return a record."""
        row = connection.execute("SELECT body, is_cancelled FROM answers WHERE answer_id = ?", (answer_id,)).fetchone()
        return _record(row) if row else None

    @transaction
    def cancel(self, connection: sqlite3.Connection, answer_id: str) -> bool:
        """Mark an answer as cancelled by its owner; no other process makes it."""
        connection.execute("UPDATE answers SET is_cancelled = 1 WHERE answer_id = ?", (answer_id,))
        return False

    @transaction
    def forget_session(self, connection: sqlite3.Connection, session_id: str) -> None:
        """Delete the answers of a session and everything about them."""
        _delete(connection, "SELECT answer_id FROM answers WHERE session_id = ?", session_id)

    @transaction
    def forget_repository(self, connection: sqlite3.Connection, repository: str, before: datetime) -> None:
        """Delete the answers about a repository, and its causes of unresolved gaps, from before a moment."""
        kept = (repository, before.timestamp())
        _delete(connection, _OF_REPOSITORY, *kept)
        connection.execute("DELETE FROM debts WHERE repository = ? AND last < ?", kept)

    @transaction
    def append(self, connection: sqlite3.Connection, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """Store events, in order; events of a deleted answer are dropped."""
        rows = [(answer_id, each.sequence, each.create_time.isoformat(), encode_event(each.event)) for each in events]
        if connection.execute(_KNOWN, (answer_id,)).fetchone():
            # A batch may be written twice: a cancellation can lose its acknowledgement.
            connection.executemany(_APPEND, rows)

    @transaction
    def read(self, connection: sqlite3.Connection, answer_id: str, after: int, limit: int) -> tuple[NumberedEvent, ...]:
        """Return events after a sequence number, in order."""
        rows = connection.execute(
            "SELECT sequence, created, body FROM events WHERE answer_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (answer_id, after, limit),
        )
        return tuple(
            NumberedEvent(sequence, datetime.fromisoformat(created), decode_event(body))
            for sequence, created, body in rows
        )

    @transaction
    def rate(self, connection: sqlite3.Connection, rating: Rating) -> bool:
        """Store a rating, which replaces an earlier one of the same answer; return whether it is the first."""
        row = (rating.rating, rating.comment, rating.answer_id)
        earlier = connection.execute("SELECT 1 FROM ratings WHERE answer_id = ?", row[2:]).fetchone()
        return connection.execute(_RATE, row).rowcount > 0 and earlier is None

    @transaction
    def list_ratings(
        self, connection: sqlite3.Connection, repository: str, after: str, limit: int
    ) -> tuple[RatedAnswer, ...]:
        """Return ratings after a cursor, those of the newest answers first. Raises PageTokenInvalid."""
        created, answer_id = ratings_behind(after)
        rows = connection.execute(_LIST_RATINGS, (repository, created.timestamp(), answer_id, limit))
        return tuple(
            RatedAnswer(rated, rating, comment, datetime.fromtimestamp(at, UTC)) for rated, rating, comment, at in rows
        )

    @transaction
    def add_debts(self, connection: sqlite3.Connection, repository: str, results: Sequence[GapResult]) -> None:
        """Count unresolved gaps."""
        now = self._clock.now().timestamp()
        connection.executemany(
            "INSERT INTO debts (repository, outcome, wanted, count, last) VALUES (?, ?, ?, 1, ?)"
            " ON CONFLICT DO UPDATE SET count = count + 1, last = excluded.last",
            [(repository, each.outcome.name, wanted_of(each.gap), now) for each in results],
        )

    @transaction
    def list_debts(
        self, connection: sqlite3.Connection, repository: str, after: str, limit: int
    ) -> tuple[IndexDebt, ...]:
        """Return causes of unresolved gaps after a cursor, most frequent first. Raises PageTokenInvalid."""
        behind = debts_behind(after)
        rows = connection.execute(
            "SELECT outcome, wanted, count, last FROM debts"
            " WHERE repository = ? AND (-count, wanted, outcome) > (?, ?, ?)"
            " ORDER BY count DESC, wanted, outcome LIMIT ?",
            (repository, *behind, limit),
        )
        return tuple(
            IndexDebt(decode_member(outcome, GapOutcome), wanted, count, datetime.fromtimestamp(last, UTC))
            for outcome, wanted, count, last in rows
        )

    async def works(self) -> bool:
        """Check that answers can be stored; raises DependencyUnavailable with the error of the disk."""
        await self._database.prove()
        return True

    def _sweep(self, connection: sqlite3.Connection) -> None:
        oldest = (self._clock.now() - self._retention).timestamp()
        _delete(connection, "SELECT answer_id FROM answers WHERE created < ?", oldest)
        connection.execute("DELETE FROM debts WHERE last < ?", (oldest,))
        if _size(connection) > self._max_bytes:
            total = connection.execute("SELECT count(*) FROM answers").fetchone()[0]
            oldest_share = "SELECT answer_id FROM answers ORDER BY created LIMIT ?"
            _delete(connection, oldest_share, -(-total // _SWEEP_SHARE))
            # `execute` would run only one step of a statement without columns, which returns one page.
            connection.executescript("PRAGMA incremental_vacuum")


def open_answers(
    folder: Path, url: str, clock: Clock, stack: AsyncExitStack, *, hold_seconds: float, **limits: Any
) -> SqliteAnswers | PostgresAnswers:
    """
    Return the store of answers, which the stack closes.

    Args:
        folder: Folder of the file.
        url: URL of a database that replicas share, used instead of the file; empty for none.
        clock: Gives the time for retention.
        stack: Closes the store.
        hold_seconds: Duration of a lease that is not renewed.
        limits: Arguments of either store.

    Raises:
        StartupError: if the URL is invalid, or the database refuses access.
    """
    if not url:
        answers = SqliteAnswers(folder / "answers.db", clock, **limits)
        stack.push_async_callback(answers.close)
        return answers
    from orchestrator.adapters.stores.postgres_answers import (
        PostgresAnswers,  # slow to import, seldom used
    )

    shared = PostgresAnswers.at(url, clock, RandomIds(), hold_seconds=hold_seconds, **limits)
    stack.push_async_callback(shared.close)
    return shared


def _insert(connection: sqlite3.Connection, record: AnswerRecord) -> None:
    question, created = record.question, record.create_time.timestamp()
    row = (record.answer_id, record.owner, question.request_id, question.session_id, created, encode(record))
    connection.execute(_INSERT, row)
    connection.execute("INSERT INTO unsettled (answer_id) VALUES (?)", row[:1])


def _delete(connection: sqlite3.Connection, which: str, *values: float | str) -> None:
    """Delete answers by a query of their ids, dependents first; the query is one of this file's constants."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE answer_id IN ({which})", values)  # noqa: S608


def _size(connection: sqlite3.Connection) -> int:
    total, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((total - free) * size)


def _record(row: tuple[str, int]) -> AnswerRecord:
    body, is_cancelled = row
    return replace(decode(body, AnswerRecord), is_cancelled=bool(is_cancelled))
