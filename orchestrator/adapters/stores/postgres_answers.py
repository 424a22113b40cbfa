"""Answers in a Postgres database that all replicas share; an answer's maker has its lease, by the server's clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, timedelta
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING, Any, LiteralString

import structlog

from common.core.contract.evidence import GapOutcome
from common.stores.postgres import Postgres, Tables
from orchestrator.adapters.stores.codec import decode, decode_event, decode_member, encode
from orchestrator.adapters.stores.postgres_appends import Appends
from orchestrator.adapters.stores.postgres_ratings import PostgresRatings
from orchestrator.domain.answers.errors import HoldLost
from orchestrator.domain.answers.events import NumberedEvent
from orchestrator.domain.answers.records import AnswerRecord, Held, Hold, IndexDebt, debts_behind
from orchestrator.domain.evidence.gaps import wanted_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from common.core.clock import Clock
    from common.core.ids import IdSource
    from orchestrator.domain.evidence.piece import GapResult

_LOG = structlog.get_logger(__name__)
_SETTING = "answer_store_url"
# New answers between two deletions of old and surplus ones; a hundredth of all if more, since all are scanned.
_SWEEP_EVERY = 64
_SWEEP_SHARE = 100
# Longest time to delete the oldest tenth of a large log.
_DELETION_SECONDS = 600.0
_RECORD = "SELECT body, is_cancelled FROM cgrag_answers WHERE "
_CREATE = """
WITH new AS (
    INSERT INTO cgrag_answers (answer_id, owner, request_id, session_id, repository, created, body)
    VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING answer_id
)
INSERT INTO cgrag_answer_holds (answer_id, replica, token, until)
SELECT answer_id, %s, %s, now() + %s FROM new RETURNING answer_id
"""
# The row lock orders this and a concurrent deletion of the other answer: deleted first, nothing is inserted.
_CREATE_BESIDE = """
WITH other AS (
    SELECT FROM cgrag_answers WHERE answer_id = %s FOR KEY SHARE
), new AS (
    INSERT INTO cgrag_answers (answer_id, owner, request_id, session_id, repository, created, body)
    SELECT %s, %s, %s, %s, %s, %s, %s FROM other ON CONFLICT DO NOTHING RETURNING answer_id
)
INSERT INTO cgrag_answer_holds (answer_id, replica, token, until)
SELECT answer_id, %s, %s, now() + %s FROM new RETURNING answer_id
"""
# Whether it is cancelled, whether another process has the lease, and whether `wanted` there must be renewed.
_LOOK = """
SELECT answer.is_cancelled, coalesce(hold.until > now() AND hold.replica <> %s, false),
    coalesce(hold.wanted < now() + %s, false)
FROM cgrag_answers AS answer LEFT JOIN cgrag_answer_holds AS hold ON hold.answer_id = answer.answer_id
WHERE answer.answer_id = %s
"""
_WANT = "UPDATE cgrag_answer_holds SET wanted = now() + %s WHERE answer_id = %s"
# xmax is not 0 for a row that existed before: it is the transaction that replaced it.
_HOLD = """
INSERT INTO cgrag_answer_holds AS hold (answer_id, replica, token, until)
SELECT answer_id, %s, %s, now() + %s FROM cgrag_answers WHERE answer_id = %s AND NOT is_cancelled
ON CONFLICT (answer_id) DO UPDATE
SET replica = excluded.replica, token = excluded.token, until = excluded.until, wanted = '-infinity'
WHERE hold.until <= now() OR hold.replica = excluded.replica
RETURNING hold.xmax = 0
"""
_END = """
WITH ended AS (
    DELETE FROM cgrag_answer_holds WHERE answer_id = %s AND replica = %s AND token = %s RETURNING answer_id
)
UPDATE cgrag_answers AS answer SET bytes = (
    SELECT coalesce(sum(pg_column_size(event.body) + 64), 0) FROM cgrag_answer_events AS event
    WHERE event.answer_id = answer.answer_id
) FROM ended WHERE answer.answer_id = ended.answer_id
"""
_HELD = """
SELECT hold.answer_id, hold.token, hold.until < now() + %s, hold.wanted > now(), answer.is_cancelled
FROM cgrag_answer_holds AS hold JOIN cgrag_answers AS answer ON answer.answer_id = hold.answer_id
WHERE hold.replica = %s AND hold.answer_id = ANY(%s)
"""
_PROLONG = """
WITH mine AS (
    SELECT answer_id FROM cgrag_answer_holds WHERE replica = %s AND answer_id = ANY(%s) ORDER BY answer_id FOR UPDATE
)
UPDATE cgrag_answer_holds AS hold SET until = now() + %s FROM mine WHERE hold.answer_id = mine.answer_id
"""
_KNOWN = "SELECT answer_id FROM cgrag_answers WHERE answer_id = ANY(%s)"
_READ = """
SELECT sequence, created, body FROM cgrag_answer_events
WHERE answer_id = %s AND sequence > %s ORDER BY sequence LIMIT %s
"""
_CANCEL = """
UPDATE cgrag_answers AS answer SET is_cancelled = true WHERE answer_id = %s
RETURNING EXISTS (
    SELECT FROM cgrag_answer_holds AS hold
    WHERE hold.answer_id = answer.answer_id AND hold.until > now() AND hold.replica <> %s
)
"""
_ADD_DEBTS = """
INSERT INTO cgrag_answer_debts AS debt (repository, outcome, wanted, count, last)
SELECT %s, given.outcome, given.wanted, given.count, %s
FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS given (outcome, wanted, count) ORDER BY 2, 3
ON CONFLICT (repository, outcome, wanted) DO UPDATE SET count = debt.count + excluded.count, last = excluded.last
"""
_LIST_DEBTS = """
SELECT outcome, wanted, count, last FROM cgrag_answer_debts
WHERE repository = %s AND (-count, wanted COLLATE "C", outcome COLLATE "C") > (%s, %s, %s)
ORDER BY count DESC, wanted COLLATE "C", outcome COLLATE "C" LIMIT %s
"""
_FORGET_SESSION = "DELETE FROM cgrag_answers WHERE session_id = %s"
_FORGET_REPOSITORY = "DELETE FROM cgrag_answers WHERE repository = %s AND created < %s"
_FORGET_DEBTS = "DELETE FROM cgrag_answer_debts WHERE repository = %s AND last < %s"
_FORGET_OLD = "DELETE FROM cgrag_answers WHERE created < %s"
_FORGET_OLD_DEBTS = "DELETE FROM cgrag_answer_debts WHERE last < %s"
_SIZE = "SELECT count(*), coalesce(sum(bytes), 0) FROM cgrag_answers"
# The oldest tenth, rounded up, if all are too large together, which is checked again for concurrent deletions.
_SHRINK = """
DELETE FROM cgrag_answers WHERE (SELECT sum(bytes) FROM cgrag_answers) > %s AND answer_id IN (
    SELECT answer_id FROM cgrag_answers ORDER BY created LIMIT (SELECT (count(*) + 9) / 10 FROM cgrag_answers)
)
"""


class PostgresAnswers(PostgresRatings):
    """
    Implements the ports of records, events, feedback and leases in one database. All raise DependencyUnavailable.

    Args:
        database: Database with the tables.
        clock: Gives the time for retention.
        ids: Makes the id of this process.
        hold_seconds: Duration of a lease that is not renewed, and of the mark that another process follows an answer.
        retention_days: Age in days at which answers are deleted, with everything about them.
        max_bytes: Size of all events above which the oldest tenth of the answers is deleted.
    """

    def __init__(
        self,
        database: Postgres,
        clock: Clock,
        ids: IdSource,
        *,
        hold_seconds: float = 5.0,
        retention_days: float = 30.0,
        max_bytes: int = 1024**3,
    ) -> None:
        super().__init__(database)
        self._clock = clock
        self._replica = ids.new("orchestrator")
        self._hold = timedelta(seconds=hold_seconds)
        self._retention = timedelta(days=retention_days)
        self._max_bytes = max_bytes
        self._appends = Appends(database, self._replica)
        self._numbers = count(1)
        # One token for each acquired lease: writes under an earlier token store nothing.
        self._tokens: dict[str, int] = {}
        # When answers whose lease could not be released, as with the database unavailable, ceased to be made here.
        self._left: dict[str, float] = {}
        self._created = self._next_sweep = 0
        self._sweeping: asyncio.Task[None] | None = None

    @classmethod
    def at(cls, url: str, clock: Clock, ids: IdSource, **limits: Any) -> PostgresAnswers:
        """Return the store at a URL. Raises StartupError if the URL is invalid, or the database refuses access."""
        text = files("orchestrator").joinpath("queries/answers_postgres_1.sql").read_text(encoding="utf-8")
        database = Postgres(url, _SETTING, Tables("answers", (text,)))
        if problem := database.prepare():
            _LOG.warning("store.away", setting=_SETTING, problem=problem)
        return cls(database, clock, ids, **limits)

    async def create(self, record: AnswerRecord) -> AnswerRecord:
        """Store a record and acquire its lease; if its owner used its request id before, only return that record."""
        if self._created >= self._next_sweep and self._sweeping is None:
            self._next_sweep = self._created + _SWEEP_EVERY
            self._sweeping = asyncio.create_task(self._sweep())
            self._sweeping.add_done_callback(self._swept)
        self._created += 1
        while not await self._insert(record):
            request_id = record.question.request_id
            earlier = await self.find_by_request(record.owner, request_id) or await self.find(record.answer_id)
            if earlier is not None:
                return earlier
        return record

    async def create_beside(self, record: AnswerRecord, answer_id: str) -> bool:
        """Insert a record with a lease unless its answer was deleted; return whether it was inserted."""
        return await self._insert(record, _CREATE_BESIDE, answer_id)

    async def find_by_request(self, owner: str, request_id: str) -> AnswerRecord | None:
        """Return the record of an owner's request id."""
        where = "owner = %s AND request_id = %s AND request_id <> ''"
        return _record(await self._database.rows(_RECORD + where, (owner, request_id)))

    async def begin(self, answer_id: str) -> Hold:
        """Acquire the lease of an answer; a process that has it is notified that this one wants it."""
        found = await self._database.rows(_LOOK, (self._replica, self._hold / 2, answer_id))
        is_cancelled, is_elsewhere, is_unknown = found[0] if found else (True, False, False)
        if is_cancelled:
            return Hold.REFUSED
        if is_elsewhere:
            if is_unknown:
                await self._database.rows(_WANT, (self._hold, answer_id))
            return Hold.ELSEWHERE
        token = next(self._numbers)
        held = await self._database.rows(_HOLD, (self._replica, token, self._hold, answer_id))
        if not held:
            return Hold.ELSEWHERE
        self._tokens[answer_id] = token
        if held[0][0]:
            return Hold.CLEAN
        _LOG.info("answer.taken_over", answer_id=answer_id)
        return Hold.BROKEN

    async def end(self, answer_id: str) -> None:
        """Release the lease of an answer; all its shown events are stored."""
        token = self._tokens.pop(answer_id, 0)
        await self._database.rows(_END, (answer_id, self._replica, token))

    async def keep(self, answer_ids: Sequence[str]) -> Held:
        """Renew leases; return which answers were cancelled, taken over or followed by other processes meanwhile."""
        self._forget_left(answer_ids)
        tokens = {each: self._tokens[each] for each in answer_ids if each in self._tokens}
        found = await self._database.rows(_HELD, (self._hold / 2, self._replica, list(tokens)))
        mine = [row for row in found if tokens[row[0]] == row[1]]
        due = [answer_id for answer_id, _, is_due, _, _ in mine if is_due]
        if due:
            await self._database.rows(_PROLONG, (self._replica, due, self._hold))
        # A finished answer has no lease.
        gone = [each for each in tokens.keys() - {row[0] for row in mine} if self._tokens.get(each) == tokens[each]]
        known = await self._database.rows(_KNOWN, (gone,)) if gone else []
        lost = frozenset(answer_id for (answer_id,) in known)
        for each in sorted(lost):
            _LOG.warning("answer.lost", answer_id=each, hold_seconds=self._hold.total_seconds())
        cancelled = {answer_id for answer_id, _, _, _, is_cancelled in mine if is_cancelled}
        wanted = frozenset(answer_id for answer_id, _, _, is_wanted, _ in mine if is_wanted)
        return Held(frozenset(cancelled.union(gone) - lost), lost, wanted)

    async def find(self, answer_id: str) -> AnswerRecord | None:
        """Return a record."""
        return _record(await self._database.rows(_RECORD + "answer_id = %s", (answer_id,)))

    async def cancel(self, answer_id: str) -> bool:
        """Mark an answer as cancelled by its owner; return whether another process makes it."""
        return (True,) in await self._database.rows(_CANCEL, (answer_id, self._replica))

    async def forget_session(self, session_id: str) -> None:
        """Delete the answers of a session and everything about them."""
        await self._forget(_FORGET_SESSION, (session_id,))

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Delete the answers about a repository, and its causes of unresolved gaps, from before a moment."""
        which = (repository, before)
        await self._forget(_FORGET_REPOSITORY, which, seconds=_DELETION_SECONDS)
        await self._database.rows(_FORGET_DEBTS, which, seconds=_DELETION_SECONDS)

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """Store events, in order; events of a deleted answer are dropped. Raises HoldLost."""
        if answer_id not in self._tokens:
            raise HoldLost(answer_id)
        if events:
            await self._appends.add(answer_id, self._tokens[answer_id], events)

    async def read(self, answer_id: str, after: int, limit: int) -> tuple[NumberedEvent, ...]:
        """Return events after a sequence number, in order."""
        rows = await self._database.rows(_READ, (answer_id, after, limit))
        return await asyncio.to_thread(_events, rows) if rows else ()

    async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
        """Count unresolved gaps."""
        counts = Counter((each.outcome.name, wanted_of(each.gap)) for each in results)
        if counts:
            lists = (*map(list, zip(*counts, strict=True)), [*counts.values()])
            await self._database.rows(_ADD_DEBTS, (repository, self._clock.now(), *lists))

    async def list_debts(self, repository: str, after: str, limit: int) -> tuple[IndexDebt, ...]:
        """Return causes of unresolved gaps after a cursor, most frequent first. Raises PageTokenInvalid."""
        rows = await self._database.rows(_LIST_DEBTS, (repository, *debts_behind(after), limit))
        return tuple(
            IndexDebt(decode_member(row[0], GapOutcome), row[1], row[2], row[3].astimezone(UTC)) for row in rows
        )

    async def close(self) -> None:
        """Finish running statements, then close the connections."""
        await self._appends.close()
        await self._database.close(*([self._sweeping] if self._sweeping else []))

    async def _insert(self, record: AnswerRecord, statement: LiteralString = _CREATE, *beside: str) -> bool:
        """Insert a record with a lease; return whether it was inserted."""
        question, token = record.question, next(self._numbers)
        names = (record.answer_id, record.owner, question.request_id, question.session_id, question.repository)
        values = (*beside, *names, record.create_time, encode(record), self._replica, token, self._hold)
        if not await self._database.rows(statement, values):
            return False
        self._tokens[record.answer_id] = token
        return True

    async def _forget(self, statement: LiteralString, which: Sequence[object], **limits: float) -> None:
        # A concurrent insert can commit while this DELETE waits for a row lock, and is then not seen by it;
        # a second DELETE removes it.
        for _ in range(2):
            await self._database.rows(statement, which, **limits)

    def _forget_left(self, made: Sequence[str]) -> None:
        now = self._clock.monotonic()
        self._left = {each: self._left.get(each, now) for each in self._tokens.keys() - set(made)}
        # By then other processes may have the leases.
        for each in [each for each, since in self._left.items() if now - since > 2 * self._hold.total_seconds()]:
            del self._tokens[each]

    async def _sweep(self) -> None:
        oldest = self._clock.now() - self._retention
        for statement in (_FORGET_OLD, _FORGET_OLD_DEBTS):
            await self._database.rows(statement, (oldest,), seconds=_DELETION_SECONDS)
        [(count, size)] = await self._database.rows(_SIZE, seconds=_DELETION_SECONDS)
        self._next_sweep = self._created + max(_SWEEP_EVERY, count // _SWEEP_SHARE)
        if size > self._max_bytes:
            await self._database.rows(_SHRINK, (self._max_bytes,), seconds=_DELETION_SECONDS)

    def _swept(self, task: asyncio.Task[None]) -> None:
        self._sweeping = None
        if not task.cancelled():
            task.exception()  # with the server unavailable, a later sweep deletes them


def _record(rows: Sequence[tuple[str, bool]]) -> AnswerRecord | None:
    return replace(decode(rows[0][0], AnswerRecord), is_cancelled=rows[0][1]) if rows else None


def _events(rows: Sequence[tuple[int, datetime, str]]) -> tuple[NumberedEvent, ...]:
    return tuple(NumberedEvent(number, created.astimezone(UTC), decode_event(body)) for number, created, body in rows)
