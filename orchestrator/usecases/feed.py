"""The events of one answer on their way to its readers and into the log."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from orchestrator.domain import state as states
from orchestrator.domain.events import Completed, Heartbeat, NumberedEvent, TextDelta
from orchestrator.domain.state import AnswerState

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from common.core.clock import Clock
    from orchestrator.domain.events import Event
    from orchestrator.ports import EventLog

_PAGE = 256


class AnswerFeed:
    """
    Numbers events, folds them into the answer's state, logs them, and lets any number of readers follow.

    Memory is bounded: what readers have not taken is read from the log again once `recent` newer events exist, and the
    producer waits for the log when `unlogged` events pile up. Text waits for company; all else is logged at once, while
    the producer goes on: what fails there is raised by the next `emit` of such an event, and tried again by `flush`.

    Args:
        answer_id: Whose events.
        log: Where they are kept.
        clock: Dates events.
        recent: Events kept in memory for readers.
        unlogged: Events that may wait for the log.
    """

    def __init__(self, answer_id: str, log: EventLog, clock: Clock, *, recent: int = 256, unlogged: int = 64) -> None:
        self.answer_id = answer_id
        self.state = AnswerState()
        self.sequence = 0
        self._log = log
        self._clock = clock
        self._recent: deque[NumberedEvent] = deque()
        self._max_recent = recent
        self._max_unlogged = unlogged
        self._logged = 0
        self._closed = False
        self._error: BaseException | None = None
        self._waiting: set[asyncio.Future[None]] = set()
        self._logging: asyncio.Task[None] | None = None

    async def restore(self) -> None:
        """Take up where the log ends."""
        while page := await self._log.read(self.answer_id, self.sequence, _PAGE):
            for each in page:
                self.state = states.apply(self.state, each.event)
            self.sequence = self._logged = page[-1].sequence

    async def emit(self, event: Event) -> None:
        """Append one event. Raises IllegalTransition if it may not come now."""
        self.state = states.apply(self.state, event)
        self.sequence += 1
        self._recent.append(NumberedEvent(self.sequence, self._clock.now(), event))
        if isinstance(event, Completed):
            # Whoever has seen the end may leave, and must find it in the log.
            await self.flush()
        self._wake()
        if self.sequence - self._logged >= self._max_unlogged:
            await self.flush()
        elif not isinstance(event, TextDelta):
            self._log_soon()

    async def flush(self) -> None:
        """Log what is not logged yet; raises why if the log does not take it now, whatever it did before."""
        logging, self._logging = self._logging, None
        if logging is not None:
            # A log that failed in the background may have recovered: what it refused is written again.
            await asyncio.gather(logging, return_exceptions=True)
        await self._write()

    def close(self, error: BaseException | None = None) -> None:
        """End the feed: readers get what is there, then the error if there is one."""
        self._closed = True
        self._error = error
        self._wake()

    async def read(self, after: int, *, heartbeat_seconds: float) -> AsyncGenerator[NumberedEvent | Heartbeat, None]:
        """
        Give the events behind a sequence number, as they come, to the end of the feed.

        Args:
            after: 0 for all.
            heartbeat_seconds: Silence after which a heartbeat is given.
        """
        while True:
            for each in await self._since(after):
                after = each.sequence
                yield each
            if after < self.sequence:
                continue
            if self._closed:
                if self._error is not None:
                    raise self._error
                return
            changed = asyncio.get_running_loop().create_future()
            self._waiting.add(changed)
            try:
                async with asyncio.timeout(heartbeat_seconds):
                    await changed
            except TimeoutError:
                yield Heartbeat(after, self._clock.now())
            finally:
                self._waiting.discard(changed)

    async def _since(self, after: int) -> tuple[NumberedEvent, ...]:
        if after >= self.sequence:
            return ()
        if self._recent and self._recent[0].sequence <= after + 1:
            return tuple(each for each in self._recent if each.sequence > after)
        return await self._log.read(self.answer_id, after, _PAGE)

    def _log_soon(self) -> None:
        if self._logging is not None and self._logging.done():
            logging, self._logging = self._logging, None
            logging.result()
        if self._logging is None:
            self._logging = asyncio.create_task(self._write())

    async def _write(self) -> None:
        while unlogged := [each for each in self._recent if each.sequence > self._logged]:
            await self._log.append(self.answer_id, unlogged)
            self._logged = unlogged[-1].sequence
        while len(self._recent) > self._max_recent and self._recent[0].sequence <= self._logged:
            self._recent.popleft()

    def _wake(self) -> None:
        for each in self._waiting:
            if not each.done():
                each.set_result(None)
        self._waiting.clear()
