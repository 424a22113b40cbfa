"""Sessions and their memories in SQLite."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from common.core.ids import RandomIds
from orchestrator.adapters.stores.codec import decode, encode
from orchestrator.adapters.stores.database import SqliteStore, StoreClock, transaction
from orchestrator.domain.answers.errors import SessionNotFound
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.evidence.piece import Evidence, GapResult
from orchestrator.domain.questions.sessions import (
    MAX_ABSENCES,
    MAX_SHOWN,
    TOMBSTONE_SECONDS,
    Session,
    SessionMemory,
    Shown,
    place_of,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence
    from contextlib import AsyncExitStack
    from pathlib import Path

    from common.core.ids import IdSource
    from common.core.runtime.breaker import BreakerState
    from orchestrator.adapters.stores.valkey_sessions import ValkeySessions

_SELECT = """
    SELECT s.session_id, s.repository, s.created, s.used,
        (SELECT count(*) FROM nodes n WHERE n.session_id = s.session_id),
        (SELECT count(*) FROM absences a WHERE a.session_id = s.session_id)
    FROM sessions s
"""
_USED = "CAST(round(s.used * 1000000) AS INTEGER)"
_NEVER = 2**63 - 1
# Columns are named, so that statements work after a later release added columns.
_OPEN = "INSERT INTO sessions (session_id, owner, repository, created, used) VALUES (?, ?, ?, ?, ?)"
_USE = "UPDATE sessions SET used = ? WHERE session_id = ? AND used > ?"
_KEEP_NODE = "REPLACE INTO nodes (session_id, snapshot_id, evidence_id, body) VALUES (?, ?, ?, ?)"
_KEEP_ABSENCE = "REPLACE INTO absences (session_id, snapshot_id, key, body) VALUES (?, ?, ?, ?)"
_KEEP_SHOWN = "REPLACE INTO shown (session_id, snapshot_id, key, evidence_ids) VALUES (?, ?, ?, ?)"


class SqliteSessions(SqliteStore):
    """
    Implements `SessionStore` and `SessionMemories` in one file.

    Args:
        path: Path of the file; None keeps all in memory.
        ids: Makes session ids.
        lifetime_seconds: Time without use after which a session is expired.
        max_evidence: Most pieces of evidence that a session keeps.
        evicted: Called with the number of pieces that were dropped to make room.
        counted: Called with the number of sessions whenever one is opened.
        wall_clock: Seconds since 1970; read once, at opening.
        monotonic: Measures the store's time from then on.
    """

    def __init__(
        self,
        path: Path | None,
        ids: IdSource,
        *,
        lifetime_seconds: float = 1800.0,
        max_evidence: int = 50,
        evicted: Callable[[int], None] = lambda _: None,
        counted: Callable[[int], None] = lambda _: None,
        wall_clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(path, "sessions")
        self._ids = ids
        self._lifetime = lifetime_seconds
        self._max_evidence = max_evidence
        self._evicted = evicted
        self._counted = counted
        self._wall_clock = wall_clock
        self._monotonic = monotonic
        self._clock: StoreClock | None = None
        # The memories of sessions last used before this time were deleted.
        self._swept = 0.0

    async def create(self, owner: str, repository: str) -> Session:
        """Open a session, and delete sessions that expired long ago."""
        session_id = self._ids.new("ses")

        def work(connection: sqlite3.Connection) -> tuple[float, int]:
            now = self._now(connection)
            self._sweep(connection, now)
            connection.execute(_OPEN, (session_id, owner, repository, now, now))
            return now, self._alive(connection)

        now, alive = await self._database.run(work)
        self._swept = now - self._lifetime
        self._counted(alive)
        return self._session((session_id, repository, now, now, 0, 0))

    @transaction
    def find(self, connection: sqlite3.Connection, session_id: str, owner: str) -> tuple[Session, bool]:
        """Return the owner's session and whether it is expired. Raises SessionNotFound, also for another owner's."""
        row = connection.execute(f"{_SELECT} WHERE s.session_id = ? AND s.owner = ?", (session_id, owner)).fetchone()
        if row is None:
            raise SessionNotFound.of(session_id)
        is_expired = row[3] + self._lifetime <= self._now(connection)
        # Its memory may still be stored, but is no longer used.
        return self._session((*row[:4], 0, 0) if is_expired else row), is_expired

    @transaction
    def list(self, connection: sqlite3.Connection, owner: str, after: str, limit: int) -> tuple[Session, ...]:
        """Return the owner's sessions that are not expired, last used first, after a cursor."""
        oldest = self._now(connection) - self._lifetime
        used, at_once = place_of(after) if after else (_NEVER, "")
        rows = connection.execute(
            f"{_SELECT} WHERE s.owner = ? AND s.used > ?"
            f" AND ({_USED} < ? OR ({_USED} = ? AND s.session_id > ?)) ORDER BY {_USED} DESC, s.session_id LIMIT ?",
            (owner, oldest, used, used, at_once, limit),
        )
        return tuple(self._session(row) for row in rows)

    @transaction
    def delete(self, connection: sqlite3.Connection, session_id: str, owner: str) -> None:
        """Delete a session and its memory. Raises SessionNotFound."""
        gone = connection.execute("DELETE FROM sessions WHERE session_id = ? AND owner = ?", (session_id, owner))
        if not gone.rowcount:
            raise SessionNotFound.of(session_id)
        _forget_memory(connection, session_id)

    @transaction
    def forget_repository(self, connection: sqlite3.Connection, repository: str, before: datetime) -> None:
        """Delete the sessions about a repository that were opened before a moment, and their memories."""
        opened = connection.execute(
            "DELETE FROM sessions WHERE repository = ? AND created < ? RETURNING session_id",
            (repository, before.timestamp()),
        )
        for (session_id,) in opened.fetchall():
            _forget_memory(connection, session_id)

    @transaction
    def load(self, connection: sqlite3.Connection, session_id: str, snapshot_id: str) -> SessionMemory:
        """Return a session's memory of a snapshot, and renew the session; empty if it is unknown or expired."""
        now = self._now(connection)
        if not connection.execute(_USE, (now, session_id, now - self._lifetime)).rowcount:
            return SessionMemory()
        key = (session_id, snapshot_id)
        nodes = connection.execute(
            "SELECT body FROM nodes WHERE session_id = ? AND snapshot_id = ? ORDER BY rowid DESC", key
        )
        gone = connection.execute(
            "SELECT body FROM absences WHERE session_id = ? AND snapshot_id = ? ORDER BY rowid", key
        )
        shown = connection.execute("SELECT key, evidence_ids FROM shown WHERE session_id = ? AND snapshot_id = ?", key)
        return SessionMemory(
            tuple(decode(body, Evidence) for (body,) in nodes),
            tuple(decode(body, GapResult) for (body,) in gone),
            {name: tuple(ids.split()) for name, ids in shown},
        )

    async def remember(
        self,
        session_id: str,
        snapshot_id: str,
        evidence: Sequence[Evidence],
        absences: Sequence[GapResult],
        shown: Shown | None = None,
    ) -> None:
        """
        Store evidence, in order of use, absences and what was shown; delete absences of other snapshots.

        For a session that expired meanwhile, nothing is stored.
        """

        def work(connection: sqlite3.Connection) -> int:
            nodes = [(session_id, snapshot_id, each.evidence_id, encode(each)) for each in evidence]
            gone = [(session_id, snapshot_id, gap_key(each.gap), encode(each)) for each in absences]
            alive = (session_id, self._now(connection) - self._lifetime)
            if not connection.execute("SELECT 1 FROM sessions WHERE session_id = ? AND used > ?", alive).fetchone():
                return 0
            # A replaced row gets a new rowid: order of rowid is order of last use.
            connection.executemany(_KEEP_NODE, nodes)
            connection.execute(
                "DELETE FROM absences WHERE session_id = ? AND snapshot_id != ?", (session_id, snapshot_id)
            )
            connection.executemany(_KEEP_ABSENCE, gone)
            _keep_newest(connection, "absences", session_id, MAX_ABSENCES)
            if shown:
                row = (session_id, snapshot_id, shown.key, " ".join(shown.evidence_ids))
                connection.execute(_KEEP_SHOWN, row)
            _keep_newest(connection, "shown", session_id, MAX_SHOWN)
            return _keep_newest(connection, "nodes", session_id, self._max_evidence)

        evicted = await self._database.run(work)
        if evicted:
            self._evicted(evicted)

    def _now(self, connection: sqlite3.Connection) -> float:
        if self._clock is None:
            latest = connection.execute("SELECT coalesce(max(used), 0) FROM sessions").fetchone()[0]
            self._clock = StoreClock(max(self._wall_clock(), latest), self._monotonic)
        return round(self._clock(), 6)  # microseconds, the precision of the dates in page tokens

    def _alive(self, connection: sqlite3.Connection) -> int:
        oldest = self._now(connection) - self._lifetime
        return int(connection.execute("SELECT count(*) FROM sessions WHERE used > ?", (oldest,)).fetchone()[0])

    def _sweep(self, connection: sqlite3.Connection, now: float) -> None:
        # Only those expired since the last sweep: expired sessions stay known for a day, and may be many.
        which = (self._swept, now - self._lifetime)
        expired = connection.execute("SELECT session_id FROM sessions WHERE used > ? AND used <= ?", which)
        for (session_id,) in expired.fetchall():
            _forget_memory(connection, session_id)
        connection.execute("DELETE FROM sessions WHERE used <= ?", (now - self._lifetime - TOMBSTONE_SECONDS,))

    def _session(self, row: tuple[str, str, float, float, int, int]) -> Session:
        session_id, repository, created, used, nodes, gone = row
        return Session(session_id, repository, _date(created), _date(used), _date(used + self._lifetime), nodes, gone)


def _keep_newest(connection: sqlite3.Connection, table: str, session_id: str, limit: int) -> int:
    """Delete the oldest rows of a session beyond a limit; the table's name is a constant of this file."""
    gone = connection.execute(
        f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608 (a constant of this file)
        f" (SELECT rowid FROM {table} WHERE session_id = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
        (session_id, limit),
    )
    return gone.rowcount


def _forget_memory(connection: sqlite3.Connection, session_id: str) -> None:
    connection.execute("DELETE FROM nodes WHERE session_id = ?", (session_id,))
    connection.execute("DELETE FROM absences WHERE session_id = ?", (session_id,))
    connection.execute("DELETE FROM shown WHERE session_id = ?", (session_id,))


def _date(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def open_sessions(
    folder: Path, url: str, stack: AsyncExitStack, shown: Callable[[BreakerState], None], **limits: Any
) -> SqliteSessions | ValkeySessions:
    """
    Return the store of sessions, which the stack closes.

    Args:
        folder: Folder of the file.
        url: URL of a server that replicas share, used instead of the file; empty for none.
        shown: Called with the state of that server's circuit breaker.
        limits: Arguments of either store.

    Raises:
        StartupError: if the URL is invalid.
    """
    if not url:
        sessions = SqliteSessions(folder / "sessions.db", RandomIds(), **limits)
        stack.push_async_callback(sessions.close)
        return sessions
    from orchestrator.adapters.stores.valkey_sessions import ValkeySessions  # slow to import, seldom used

    shared = ValkeySessions.at(url, RandomIds(), shown=shown, **limits)
    stack.push_async_callback(shared.close)
    return shared
