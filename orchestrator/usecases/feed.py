"""The events of one answer on their way to its readers and into the log."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from orchestrator.domain.answers import state as states
from orchestrator.domain.answers.errors import AnswerNotFound
from orchestrator.domain.answers.events import Completed, Heartbeat, NumberedEvent, TextDelta
from orchestrator.domain.answers.state import AnswerState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from common.core.clock import Clock
    from orchestrator.domain.answers.events import Event
    from orchestrator.ports import EventLog

_PAGE = 256
TEXT_SECONDS = 2.0


class AnswerFeed:
    """
    Numbers events, folds them into the answer's state, logs them, and lets any number of readers follow.

    Memory is bounded: what is logged and was taken by all readers is let go; what a reader has not taken it reads from
    the log once `recent` newer events exist; and the producer waits for the log when `unlogged` events pile up. Text
    waits for company, no longer than `text_seconds`, whatever comes or does not come meanwhile; all else is logged at
    once. Both happen while the producer goes on: what fails there is raised by the next `emit`, and tried again by
    `flush`.

    What a crash took of what was shown is less than `unlogged` events: whoever takes such an answer up leaves out that
    many numbers, so that no event is taken for another one that was shown under its number.

    Args:
        answer_id: Whose events.
        log: Where they are kept.
        clock: Dates events.
        recent: Events kept in memory for readers that are behind.
        unlogged: Events that may wait for the log.
        text_seconds: Time that text may wait for the log, by the event loop's clock, which nobody sets.
    """

    def __init__(
        self,
        answer_id: str,
        log: EventLog,
        clock: Clock,
        *,
        recent: int = 256,
        unlogged: int = 64,
        text_seconds: float = TEXT_SECONDS,
    ) -> None:
        self.answer_id = answer_id
        self.state = AnswerState()
        self.sequence = 0
        self.text_seconds = text_seconds
        self._log = log
        self._clock = clock
        self._recent: list[NumberedEvent] = []
        self._max_recent = recent
        self._max_unlogged = unlogged
        # Numbers of the last event that is in the log, that readers may see, and that memory let go.
        self._logged = self._visible = self._gone = 0
        self._logs_first = False
        self._closed = False
        self._error: BaseException | None = None
        self._readers: list[FeedReader] = []
        self._logging: asyncio.Task[None] | None = None
        self._text_wait: asyncio.TimerHandle | None = None

    async def restore(self) -> None:
        """Take up where the log ends by now: from what an earlier feed, or one of another process, has put there."""
        while page := await self._log.read(self.answer_id, self._logged, _PAGE):
            for each in page:
                self.state = states.apply(self.state, each.event)
            self._logged = self._visible = self._gone = page[-1].sequence
            # A reader may have seen more than is in the log yet.
            self.sequence = max(self.sequence, self._logged)
        self._wake()

    async def rewind(self) -> None:
        """Forget everything, for what is in the log is restored: another process has gone on from there."""
        self._stop_waiting()
        logging, self._logging = self._logging, None
        if logging is not None:
            await asyncio.gather(logging, return_exceptions=True)
        self.state = AnswerState()
        self._recent.clear()
        self._logged = self._visible = self._gone = 0
        self._logs_first = False

    def skip_lost(self) -> None:
        """Leave out the numbers of events that a crash may have taken after they were shown."""
        self.sequence += self._max_unlogged
        # Should there be another crash, its numbers are left out beginning with this one.
        self._logs_first = True

    async def emit(self, event: Event) -> None:
        """Append one event. Raises IllegalTransition if it may not come now."""
        self.state = states.apply(self.state, event)
        self.sequence += 1
        numbered = NumberedEvent(self.sequence, self._clock.now(), event)
        self._recent.append(numbered)
        if isinstance(event, Completed) or self._logs_first:
            # Whoever has seen the end may leave, and must find it in the log.
            await self.flush()
            self._logs_first = False
        self._visible = numbered.sequence
        self._wake()
        if numbered.sequence - self._logged >= self._max_unlogged:
            await self.flush()
        elif isinstance(event, TextDelta):
            self._log_in_time()
        else:
            self._log_soon()

    async def flush(self) -> None:
        """Write pending events to the log; raises the log's error if that fails now."""
        self._stop_waiting()
        logging, self._logging = self._logging, None
        if logging is not None:
            # A log that failed in the background may have recovered: what it refused is written again.
            await asyncio.gather(logging, return_exceptions=True)
        await self._write()

    def close(self, error: BaseException | None = None) -> None:
        """End the feed: readers get what is there, then the error if there is one."""
        self._stop_waiting()
        self._closed = True
        self._error = error
        self._wake()

    @property
    def logged(self) -> int:
        """Return the number of the last event that is known to be in the log."""
        return self._logged

    def read(self, after: int, *, heartbeat_seconds: float, left: Callable[[], None] = lambda: None) -> FeedReader:
        """
        Return the events behind a sequence number, as they come, to the end of the feed; close it.

        A number that this feed did not give yet stands for an event that was shown and lost in a crash, before it was
        in the log: such numbers are skipped, lest what comes next is taken for what was seen.

        Args:
            after: 0 for all.
            heartbeat_seconds: Silence after which a heartbeat is given.
            left: Called when the reader is closed.
        """
        self.sequence = max(self.sequence, after)
        reader = FeedReader(self, self._clock, after, heartbeat_seconds, left)
        self._readers.append(reader)
        return reader

    async def page(self, after: int) -> Sequence[NumberedEvent] | None:
        """
        Return events behind a sequence number: none if none is there yet, None after the end; raises its error.

        Raises:
            AnswerNotFound: if the answer was forgotten, and what is to be read of it is only in the log.
        """
        if after < self._visible:
            if after < self._gone:
                if not (page := await self._log.read(self.answer_id, after, _PAGE)):
                    raise self._error or AnswerNotFound.of(self.answer_id)
                return page
            return [each for each in self._recent if after < each.sequence <= self._visible]
        if self._error is not None:
            raise self._error
        return None if self._closed else ()

    def let_go(self) -> None:
        """Forget what is logged, and was taken by all readers or is too far behind."""
        taken = min((each.after for each in self._readers), default=self._logged)
        last = min(self._logged, max(taken, self.sequence - self._max_recent))
        if self._recent and self._recent[0].sequence <= last:
            count = bisect_right(self._recent, last, key=attrgetter("sequence"))
            self._gone = self._recent[count - 1].sequence
            del self._recent[:count]

    def leave(self, reader: FeedReader) -> None:
        """Forget a reader."""
        self._readers.remove(reader)
        self.let_go()

    def _log_in_time(self) -> None:
        self._tell_failure()
        if self._text_wait is None:
            loop = asyncio.get_running_loop()
            self._text_wait = loop.call_later(self.text_seconds, self._text_waited)

    def _text_waited(self) -> None:
        self._text_wait = None
        self._begin_logging()

    def _log_soon(self) -> None:
        self._tell_failure()
        self._begin_logging()

    def _begin_logging(self) -> None:
        # A write that is under way takes along what came meanwhile; one that failed is told of first.
        if self._logging is None:
            self._logging = asyncio.create_task(self._write_soon())

    def _tell_failure(self) -> None:
        if self._logging is not None and self._logging.done():
            logging, self._logging = self._logging, None
            logging.result()

    def _stop_waiting(self) -> None:
        if self._text_wait is not None:
            self._text_wait.cancel()
            self._text_wait = None

    async def _write_soon(self) -> None:
        await self._write()
        # One that failed stays, to be told of.
        self._logging = None

    async def _write(self) -> None:
        while unlogged := [each for each in self._recent if each.sequence > self._logged]:
            await self._log.append(self.answer_id, unlogged)
            self._logged = unlogged[-1].sequence
        self._stop_waiting()
        self.let_go()

    def _wake(self) -> None:
        for each in self._readers:
            each.wake()


class FeedReader:
    """
    Follows a feed: an asynchronous iterator, made by `AnswerFeed.read`.

    Not a generator: those keep three times the memory, and an open answer has one for as long as it is open.
    """

    __slots__ = (
        "_beats_at",
        "_changed",
        "_clock",
        "_feed",
        "_heartbeat_seconds",
        "_left",
        "_page",
        "_silence",
        "after",
    )

    def __init__(
        self, feed: AnswerFeed, clock: Clock, after: int, heartbeat_seconds: float, left: Callable[[], None]
    ) -> None:
        self.after = after
        self._feed = feed
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds
        self._left = left
        self._page: Iterator[NumberedEvent | Heartbeat] = iter(())
        self._changed: asyncio.Future[bool] | None = None
        self._beats_at = 0.0
        self._silence: asyncio.TimerHandle | None = None

    @property
    def answer_id(self) -> str:
        """Return whose events these are."""
        return self._feed.answer_id

    async def peek(self) -> NumberedEvent | Heartbeat | None:
        """Return what comes next as soon as it is there, None at the end, and give it again when it is asked for."""
        event = await anext(self, None)
        if event is not None:
            self._page = chain((event,), self._page)
        return event

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
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        self._feed.leave(self)
        self._left()

    async def _wait(self) -> bool:
        loop = asyncio.get_running_loop()
        self._changed = loop.create_future()
        self._beats_at = loop.time() + self._heartbeat_seconds
        if self._silence is None:
            self._silence = loop.call_at(self._beats_at, self._silent)
        try:
            return await self._changed
        finally:
            self._changed = None

    def _silent(self) -> None:
        """Give a heartbeat if it is due: the timer is one for many waits, since most are short."""
        self._silence = None
        if self._changed is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._beats_at:
            self._silence = loop.call_at(self._beats_at, self._silent)
        else:
            self.wake(is_news=False)
