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

    Memory is bounded. An event is dropped from memory once it is logged and every reader has read it; a reader more
    than `recent` events behind reads from the log; with `unlogged` events pending, the producer waits for the log.

    Text events are logged in batches, after at most `text_seconds`; all other events are logged at once. Both kinds of
    writes run in the background: the next `emit` raises their error, and `flush` tries them again.

    A crash loses fewer than `unlogged` events that readers have seen. Whoever resumes the answer skips `unlogged`
    numbers, so that no new event has the number of a lost one.

    Args:
        answer_id: The answer that the events belong to.
        log: Stores the events.
        clock: Gives the events' times.
        recent: Logged events kept in memory for readers that are behind.
        unlogged: Number of events not yet logged at which the producer waits.
        text_seconds: Longest time until text is logged, by the event loop's monotonic clock.
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
        # Numbers of the last event in the log, the last visible to readers, and the last dropped from memory.
        self._logged = self._visible = self._gone = 0
        self._logs_first = False
        self._closed = False
        self._error: BaseException | None = None
        self._readers: list[FeedReader] = []
        self._logging: asyncio.Task[None] | None = None
        self._text_wait: asyncio.TimerHandle | None = None

    async def restore(self) -> None:
        """Read the events that an earlier feed, or one of another process, has logged, and continue after the last."""
        while page := await self._log.read(self.answer_id, self._logged, _PAGE):
            for each in page:
                self.state = states.apply(self.state, each.event)
            self._logged = self._visible = self._gone = page[-1].sequence
            # A reader may have seen more than is in the log yet.
            self.sequence = max(self.sequence, self._logged)
        self._wake()

    async def rewind(self) -> None:
        """Reset the feed, to be restored from the log: another process has continued the answer."""
        await self._stop_logging()
        self.state = AnswerState()
        self._recent.clear()
        self._logged = self._visible = self._gone = 0
        self._logs_first = False

    def skip_lost(self) -> None:
        """Skip the numbers of events that readers may have seen and that a crash lost before they were logged."""
        self.sequence += self._max_unlogged
        # The next event is logged before it is shown: after another crash, numbers are skipped from that event on.
        self._logs_first = True

    async def emit(self, event: Event) -> None:
        """Append one event. Raises IllegalTransition if the answer's state does not allow it, and errors of the log."""
        self.state = states.apply(self.state, event)
        self.sequence += 1
        numbered = NumberedEvent(self.sequence, self._clock.now(), event)
        self._recent.append(numbered)
        if isinstance(event, Completed) or self._logs_first:
            # A reader that has seen the last event must also find it in the log later.
            await self.flush()
            self._logs_first = False
        self._visible = numbered.sequence
        self._wake()
        if numbered.sequence - self._logged >= self._max_unlogged:
            await self.flush()
            return
        self._tell_failure()
        if not isinstance(event, TextDelta):
            self._begin_logging()
        elif self._text_wait is None:
            self._text_wait = asyncio.get_running_loop().call_later(self.text_seconds, self._text_waited)

    async def flush(self) -> None:
        """Write all pending events to the log. Raises the log's error."""
        await self._stop_logging()
        await self._write()

    def close(self, error: BaseException | None = None) -> None:
        """End the feed: readers get the remaining events, then the error if there is one."""
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
        Return a reader of the events after a sequence number, to the end of the feed; the caller must close it.

        If `after` is above the feed's last number, the reader has seen events that a crash lost before they were
        logged: the feed continues after that number, so that no number is used twice.

        Args:
            after: Last sequence number that the reader has; 0 for all events.
            heartbeat_seconds: Time without events after which the reader returns a heartbeat.
            left: Called when the reader is closed.
        """
        self.sequence = max(self.sequence, after)
        reader = FeedReader(self, self._clock, after, heartbeat_seconds, left)
        self._readers.append(reader)
        return reader

    async def page(self, after: int) -> Sequence[NumberedEvent] | None:
        """
        Return the next events after a sequence number: empty if there is none yet, None after the end of the feed.

        Raises:
            AnswerNotFound: if the answer was deleted, and its next events were only in the log.
            BaseException: the error with which the feed was closed, after its last event.
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
        """Drop logged events that all readers have read, or that are more than `recent` events old."""
        taken = min((each.after for each in self._readers), default=self._logged)
        last = min(self._logged, max(taken, self.sequence - self._max_recent))
        if self._recent and self._recent[0].sequence <= last:
            count = bisect_right(self._recent, last, key=attrgetter("sequence"))
            self._gone = self._recent[count - 1].sequence
            del self._recent[:count]

    def leave(self, reader: FeedReader) -> None:
        """Remove a reader, and the events that were kept only for it."""
        self._readers.remove(reader)
        self.let_go()

    def _text_waited(self) -> None:
        self._text_wait = None
        self._begin_logging()

    def _begin_logging(self) -> None:
        # A running write includes events added meanwhile; a failed one stays until its error is raised.
        if self._logging is None:
            self._logging = asyncio.create_task(self._write_soon())

    def _tell_failure(self) -> None:
        if self._logging is not None and self._logging.done():
            logging, self._logging = self._logging, None
            logging.result()

    async def _stop_logging(self) -> None:
        self._stop_waiting()
        logging, self._logging = self._logging, None
        if logging is not None:
            # An error of the background write is ignored: its events are still pending.
            await asyncio.gather(logging, return_exceptions=True)

    def _stop_waiting(self) -> None:
        if self._text_wait is not None:
            self._text_wait.cancel()
            self._text_wait = None

    async def _write_soon(self) -> None:
        await self._write()
        # Not reached on failure: the task stays, so that its error is raised later.
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

    Not an asynchronous generator, which takes three times the memory: every open stream has a reader.
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
        """Return the answer that the events belong to."""
        return self._feed.answer_id

    async def peek(self) -> NumberedEvent | Heartbeat | None:
        """Wait for the next event or heartbeat and return it without consuming it; None at the end."""
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
        """Wake the waiting reader: the feed has changed, or (`is_news` False) a heartbeat is due."""
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(is_news)

    def close(self) -> None:
        """Stop reading, and call `left`."""
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
        """Cause a heartbeat if it is due; else set the timer again, which is kept over many short waits."""
        self._silence = None
        if self._changed is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._beats_at:
            self._silence = loop.call_at(self._beats_at, self._silent)
        else:
            self.wake(is_news=False)
