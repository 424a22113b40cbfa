"""The events of one answer on their way to its readers and into the log."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from orchestrator.domain import state as states
from orchestrator.domain.events import Completed, Heartbeat, NumberedEvent, TextDelta
from orchestrator.domain.state import AnswerState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from common.core.clock import Clock
    from orchestrator.domain.events import Event
    from orchestrator.ports import EventLog

_PAGE = 256
_LONGEST_WAIT = timedelta(seconds=2)


class AnswerFeed:
    """
    Numbers events, folds them into the answer's state, logs them, and lets any number of readers follow.

    Memory is bounded: what is logged and was taken by all readers is let go; what a reader has not taken it reads from
    the log once `recent` newer events exist; and the producer waits for the log when `unlogged` events pile up. Text
    waits for company, for two seconds or a little longer; all else is logged at once, while the producer goes on: what
    fails there is raised by the next `emit` of such an event, and tried again by `flush`.

    Args:
        answer_id: Whose events.
        log: Where they are kept.
        clock: Dates events.
        recent: Events kept in memory for readers that are behind.
        unlogged: Events that may wait for the log.
    """

    def __init__(self, answer_id: str, log: EventLog, clock: Clock, *, recent: int = 256, unlogged: int = 64) -> None:
        self.answer_id = answer_id
        self.state = AnswerState()
        self.sequence = 0
        self._log = log
        self._clock = clock
        self._recent: list[NumberedEvent] = []
        self._max_recent = recent
        self._max_unlogged = unlogged
        self._logged = 0
        self._closed = False
        self._error: BaseException | None = None
        self._readers: list[FeedReader] = []
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
        elif not isinstance(event, TextDelta) or self._is_overdue():
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

    def read(self, after: int, *, heartbeat_seconds: float, left: Callable[[], None] = lambda: None) -> FeedReader:
        """
        Return the events behind a sequence number, as they come, to the end of the feed; close it.

        Args:
            after: 0 for all.
            heartbeat_seconds: Silence after which a heartbeat is given.
            left: Called when the reader is closed.
        """
        reader = FeedReader(self, self._clock, after, heartbeat_seconds, left)
        self._readers.append(reader)
        return reader

    async def page(self, after: int) -> Sequence[NumberedEvent] | None:
        """Return events behind a sequence number: none if none is there yet, None after the end; raises its error."""
        if after < self.sequence:
            is_recent = self._recent and self._recent[0].sequence <= after + 1
            kept = [each for each in self._recent if each.sequence > after] if is_recent else None
            return kept or await self._log.read(self.answer_id, after, _PAGE)
        if self._error is not None:
            raise self._error
        return None if self._closed else ()

    def let_go(self) -> None:
        """Forget what is logged, and was taken by all readers or is too far behind."""
        taken = min((each.after for each in self._readers), default=self._logged)
        last = min(self._logged, max(taken, self.sequence - self._max_recent))
        if self._recent and self._recent[0].sequence <= last:
            del self._recent[: last - self._recent[0].sequence + 1]

    def leave(self, reader: FeedReader) -> None:
        """Forget a reader."""
        self._readers.remove(reader)
        self.let_go()

    def _is_overdue(self) -> bool:
        """Tell whether text waits for the log for long: its writer is slow, and no company will come soon."""
        oldest = next(each for each in self._recent if each.sequence > self._logged)
        return self._recent[-1].create_time - oldest.create_time >= _LONGEST_WAIT

    def _log_soon(self) -> None:
        if self._logging is not None and self._logging.done():
            logging, self._logging = self._logging, None
            logging.result()
        if self._logging is None:
            self._logging = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        await self._write()
        # One that failed stays, to be told of.
        self._logging = None

    async def _write(self) -> None:
        while unlogged := [each for each in self._recent if each.sequence > self._logged]:
            await self._log.append(self.answer_id, unlogged)
            self._logged = unlogged[-1].sequence
        self.let_go()

    def _wake(self) -> None:
        for each in self._readers:
            each.wake()


class FeedReader:
    """
    Follows a feed: an asynchronous iterator, made by `AnswerFeed.read`.

    Not a generator: those keep three times the memory, and an open answer has one for as long as it is open.
    """

    __slots__ = ("_changed", "_clock", "_feed", "_heartbeat_seconds", "_left", "_page", "after")

    def __init__(
        self, feed: AnswerFeed, clock: Clock, after: int, heartbeat_seconds: float, left: Callable[[], None]
    ) -> None:
        self.after = after
        self._feed = feed
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds
        self._left = left
        self._page: Iterator[NumberedEvent] = iter(())
        self._changed: asyncio.Future[bool] | None = None

    def __aiter__(self) -> FeedReader:
        """Return itself."""
        return self

    async def __anext__(self) -> NumberedEvent | Heartbeat:
        """Return the next event, or a heartbeat; raises what the feed was closed with."""
        while (event := next(self._page, None)) is None:
            page = await self._feed.page(self.after)
            if page is None:
                raise StopAsyncIteration
            self._page = iter(page)
            if not page and not await self._wait():
                return Heartbeat(self.after, self._clock.now())
        self.after = event.sequence
        self._feed.let_go()
        return event

    def wake(self, *, is_news: bool = True) -> None:
        """Say that there is something new, or that there was nothing for a while."""
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(is_news)

    def close(self) -> None:
        """Follow no more."""
        self._feed.leave(self)
        self._left()

    async def _wait(self) -> bool:
        loop = asyncio.get_running_loop()
        self._changed = loop.create_future()
        silence = loop.call_later(self._heartbeat_seconds, partial(self.wake, is_news=False))
        try:
            return await self._changed
        finally:
            silence.cancel()
            self._changed = None
