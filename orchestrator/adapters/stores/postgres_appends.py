"""Writes events to Postgres in batches: events that arrive during a write are written together by the next one."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.adapters.stores.codec import encode_event
from orchestrator.domain.answers.errors import HoldLost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.stores.postgres import Postgres
    from orchestrator.domain.answers.events import NumberedEvent

# Most characters of one statement, apart from its first batch, so that it ends in time even on a slow network.
_CHARS_AT_ONCE = 1 << 20
# Rows of leases are locked in order of answer ids, as when leases are renewed, to prevent deadlocks. They stay locked
# until the events are written: a process that takes an answer over waits, and then reads all stored events. ON CONFLICT
# ignores a batch that is sent again. An answer may occur with two tokens, of which at most one is valid.
_APPEND = """
WITH held AS (
    SELECT hold.answer_id, hold.token FROM cgrag_answer_holds AS hold
    JOIN unnest(%s::text[], %s::bigint[]) AS mine (answer_id, token)
      ON hold.answer_id = mine.answer_id AND hold.token = mine.token
    WHERE hold.replica = %s ORDER BY hold.answer_id FOR SHARE OF hold
), kept AS (
    INSERT INTO cgrag_answer_events (answer_id, sequence, created, body)
    SELECT given.answer_id, given.sequence, given.created, given.body
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::timestamptz[], %s::text[])
      AS given (answer_id, token, sequence, created, body)
    JOIN held ON held.answer_id = given.answer_id AND held.token = given.token
    ON CONFLICT DO NOTHING
)
SELECT answer_id, token FROM held
"""
_KNOWN = "SELECT answer_id FROM cgrag_answers WHERE answer_id = ANY(%s)"


@dataclass(frozen=True, slots=True)
class _Batch:
    answer_id: str
    token: int
    events: Sequence[NumberedEvent]
    bodies: Sequence[str]
    done: asyncio.Future[None]

    @property
    def hold(self) -> tuple[str, int]:
        """Return the lease of the answer: its id and token."""
        return self.answer_id, self.token

    @property
    def chars(self) -> int:
        """Return the number of characters to write."""
        return sum(map(len, self.bodies))


class Appends:
    """
    Writes events of answers whose leases this process has.

    Args:
        database: Database with the tables.
        replica: Id of this process in the leases.
    """

    def __init__(self, database: Postgres, replica: str) -> None:
        self._database = database
        self._replica = replica
        self._waiting: deque[_Batch] = deque()
        self._writing: asyncio.Task[None] | None = None

    async def add(self, answer_id: str, token: int, events: Sequence[NumberedEvent]) -> None:
        """
        Store events of an answer; if the answer was deleted, they are dropped.

        Raises:
            HoldLost: if the token is no longer that of the answer's lease.
            DependencyUnavailable: if the server does not store them.
        """
        bodies = [encode_event(each.event) for each in events]
        done = asyncio.get_running_loop().create_future()
        self._waiting.append(_Batch(answer_id, token, events, bodies, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def close(self) -> None:
        """Wait until all pending events are written."""
        if self._writing is not None:
            await self._writing

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                room = _CHARS_AT_ONCE
                batches = [self._waiting.popleft()]
                while self._waiting and (room := room - batches[-1].chars) > 0:
                    batches.append(self._waiting.popleft())
                await self._write(batches)
        finally:
            self._writing = None

    async def _write(self, batches: Sequence[_Batch]) -> None:
        try:
            lost = await self._lost(batches)
        except Exception as error:  # noqa: BLE001 (each waiter gets the error)
            for each in batches:
                _tell(each, error)
            return
        for each in batches:
            _tell(each, HoldLost(each.answer_id) if each.hold in lost else None)

    async def _lost(self, batches: Sequence[_Batch]) -> set[tuple[str, int]]:
        """Write batches; return the leases, by answer id and token, that this process no longer has."""
        rows = [
            (*each.hold, event.sequence, event.create_time, body)
            for each in batches
            for event, body in zip(each.events, each.bodies, strict=True)
        ]
        holds = sorted({each.hold for each in batches})
        names, tokens = (list(column) for column in zip(*holds, strict=True))
        columns = [list(column) for column in zip(*rows, strict=True)]
        held = await self._database.rows(_APPEND, (names, tokens, self._replica, *columns))
        others = set(holds).difference(held)
        if not others:
            return set()
        found = await self._database.rows(_KNOWN, (sorted({answer_id for answer_id, _ in others}),))
        # Answers that do not exist were deleted: no lease was lost.
        known = {answer_id for (answer_id,) in found}
        return {each for each in others if each[0] in known}


def _tell(batch: _Batch, error: Exception | None) -> None:
    if batch.done.done():
        return
    if error is None:
        batch.done.set_result(None)
    else:
        batch.done.set_exception(error)
