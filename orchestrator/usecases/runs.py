"""Manages the answers that this process makes or follows: starts, suspends, resumes and cancels them."""

from __future__ import annotations

import asyncio
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from common.core.errors import Cancelled, DependencyUnavailable
from orchestrator.domain.answers.errors import HoldLost
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.answers.records import Hold
from orchestrator.usecases.feed import TEXT_SECONDS, AnswerFeed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from common.core.clock import Clock
    from orchestrator.domain.answers.records import AnswerRecord, Held
    from orchestrator.ports import EventLog, Holds, Leases
    from orchestrator.usecases.feed import FeedReader

    Drive = Callable[[AnswerRecord, AnswerFeed], Awaitable[None]]

# Shortest and longest wait between two reads of the log of an answer that another process makes.
_LOOK_SECONDS = (0.05, 0.5)
# Longest time until text is logged while another process follows the answer.
_WANTED_TEXT_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class RunSettings:
    """
    How answers are followed.

    Args:
        heartbeat_seconds: Time without events after which readers get a heartbeat.
        linger_seconds: How long an answer is continued without readers; 0 suspends it when its last reader leaves.
    """

    heartbeat_seconds: float = 15.0
    linger_seconds: float = 0.0


@dataclass(slots=True)
class _Run:
    """
    An answer that this process makes, or that has readers in this process.

    `is_held`: this process makes the answer (it has the lease), and does not only follow it; `is_wanted`: another
    process follows it; `is_lost`: another process has the lease by now.
    """

    record: AnswerRecord
    feed: AnswerFeed
    task: asyncio.Task[None] | None = None
    context: Context | None = None
    readers: int = 0
    is_held: bool = False
    is_wanted: bool = False
    is_lost: bool = False
    is_leaving: bool = False
    lingering: asyncio.TimerHandle | None = field(default=None)

    @property
    def is_going(self) -> bool:
        """Return whether the answer is still being made or followed."""
        return self.task is not None and not self.task.done() and self.feed.state.phase is not Phase.DONE

    def leave(self) -> None:
        """Cancel the task, once: a second cancellation would interrupt the logging of shown events."""
        if self.task is not None and not self.is_leaving:
            self.is_leaving = True
            self.task.cancel()

    def lose(self) -> None:
        """Stop making the answer, once, and follow the process that has its lease."""
        if self.task is not None and self.is_going and self.is_held and not self.is_leaving and not self.is_lost:
            self.is_lost = True
            self.task.cancel()

    def goes_on(self, ended: BaseException) -> bool:
        """Return whether the task ended only because the lease was lost; clear the cancellation made by `lose`."""
        is_known = self.is_lost or isinstance(ended, HoldLost)
        if self.is_lost and self.task is not None:
            self.task.uncancel()
        self.is_lost = False
        return is_known and self.task is not None and not self.task.cancelling()


class Runs:
    """
    Runs each answer in its own task, so that several readers can follow one answer and a reader can come back.

    An answer without readers is suspended: its model call is cancelled, its events are kept. The next reader resumes
    it after its last event; only the interrupted pass is asked of the model again.

    Where processes share the store, one of them has the answer's lease and makes it. The others follow: they read its
    events from the log, and one of them resumes it when the lease is released or expires. An answer that another
    process follows counts as having readers.

    Args:
        drive: Makes an answer to its end.
        leases: Stores which process makes each answer.
        log: Stores the events.
        clock: Gives the events' times.
        settings: How answers are followed.
        counted: Called with the number of answers being made whenever it changes.
        extend_deadline: Extends the deadline of the run with the given context to the current call's, if later.
    """

    def __init__(
        self,
        drive: Drive,
        leases: Leases,
        log: EventLog,
        clock: Clock,
        settings: RunSettings,
        counted: Callable[[int], None] = lambda _: None,
        extend_deadline: Callable[[Context], None] = lambda _: None,
    ) -> None:
        self._drive = drive
        self._leases = leases
        self._log = log
        self._clock = clock
        self._settings = settings
        self._counted = counted
        self._extend_deadline = extend_deadline
        self._running: dict[str, _Run] = {}
        self._made = 0
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def begin(self, record: AnswerRecord) -> None:
        """Start an answer that has no events yet; the caller must `follow` it at once."""
        self._start(record, self._feed(record), is_held=True)

    async def follow(self, record: AnswerRecord, after: int) -> FeedReader:
        """
        Return a reader of an answer's events after a sequence number; the caller must close it.

        Starts or resumes the answer if no process makes it. The reader raises Cancelled if the owner cancelled the
        answer, and the error with which making it failed.
        """
        run = await self._take_up(record)
        run.readers += 1
        if run.context is not None:
            self._extend_deadline(run.context)
        return run.feed.read(after, heartbeat_seconds=self._settings.heartbeat_seconds, left=partial(self._leave, run))

    async def cancel(self, record: AnswerRecord) -> bool:
        """Stop an answer for good; return whether it was being made. A complete answer is not changed."""
        was_running = self._stop(record.answer_id)
        if not was_running and await self._is_whole(record):
            return False
        is_elsewhere = await self._leases.cancel(record.answer_id)
        async with self._lock(record.answer_id):
            # A call that read the record before it was marked as cancelled may have resumed the answer.
            return self._stop(record.answer_id) or was_running or is_elsewhere

    def forget_session(self, session_id: str) -> None:
        """Stop the answers of a session that are being made."""
        for run in tuple(self._running.values()):
            if run.record.question.session_id == session_id:
                self._stop(run.record.answer_id)

    async def keep_holds(self, holds: Holds, every_seconds: float) -> None:
        """Renew the leases of the answers made here, and apply what other processes did to them."""
        while True:
            await asyncio.sleep(every_seconds)
            made = [answer_id for answer_id, run in self._running.items() if run.is_held]
            if not made:
                continue
            try:
                held = await holds.keep(made)
            except DependencyUnavailable:
                # If this lasts, the leases expire, others resume the answers, and events of this process are refused.
                continue
            for answer_id in made:
                self._apply(answer_id, held)

    async def close(self) -> None:
        """Suspend all answers, and wait until their tasks have ended."""
        runs = tuple(self._running.values())
        for run in runs:
            run.leave()
        await asyncio.gather(*(run.task for run in runs if run.task is not None), return_exceptions=True)

    def _stop(self, answer_id: str) -> bool:
        run = self._running.get(answer_id)
        if run is None or not run.is_going:
            return False
        run.leave()
        return True

    def _lock(self, answer_id: str) -> asyncio.Lock:
        return self._locks.setdefault(answer_id, asyncio.Lock())

    async def _is_whole(self, record: AnswerRecord) -> bool:
        feed = self._feed(record)
        await feed.restore()
        return feed.state.phase is Phase.DONE

    async def _take_up(self, record: AnswerRecord) -> _Run:
        run = self._running.get(record.answer_id)
        if run is None or run.is_leaving:
            async with self._lock(record.answer_id):
                run = await self._restored(record)
        if run.lingering is not None:
            run.lingering.cancel()
            run.lingering = None
        return run

    async def _restored(self, record: AnswerRecord) -> _Run:
        run = self._running.get(record.answer_id)
        if run is not None and run.is_leaving and run.task is not None:
            await asyncio.wait({run.task})
            run = None
        if run is not None:
            return run
        feed = self._feed(record)
        await feed.restore()
        if feed.state.phase is Phase.DONE:
            feed.close()
        elif record.is_cancelled:
            feed.close(_cancelled(record))
        else:
            return self._start(record, feed, is_held=False)
        return _Run(record, feed)

    def _start(self, record: AnswerRecord, feed: AnswerFeed, *, is_held: bool) -> _Run:
        run = _Run(record, feed, context=copy_context())
        self._running[record.answer_id] = run
        self._set_held(run, is_held=is_held)
        run.task = asyncio.create_task(self._carry(run), name=f"answer {record.answer_id}", context=run.context)
        run.task.add_done_callback(partial(self._ended, run))
        return run

    def _set_held(self, run: _Run, *, is_held: bool) -> None:
        if run.is_held != is_held:
            run.is_held = is_held
            self._made += 1 if is_held else -1
            self._counted(self._made)

    def _feed(self, record: AnswerRecord) -> AnswerFeed:
        return AnswerFeed(record.answer_id, self._log, self._clock)

    async def _carry(self, run: _Run) -> None:
        """Follow an answer until it is complete or its lease is acquired, and make it while the lease is kept."""
        hold: Hold | None = None
        while run.is_held or (hold := await self._hold(run)) is not None:
            self._set_held(run, is_held=True)
            try:
                await self._make(run, hold)
            except (HoldLost, asyncio.CancelledError) as ended:
                if not run.goes_on(ended):
                    raise asyncio.CancelledError from ended
            else:
                return
            self._set_held(run, is_held=False)
            await run.feed.rewind()

    async def _hold(self, run: _Run) -> Hold | None:
        """Follow until the lease is acquired, and return how; None if the answer is complete. Raises Cancelled."""
        wait, longest = _LOOK_SECONDS
        while True:
            hold = await self._leases.begin(run.record.answer_id)
            if hold is Hold.REFUSED:
                raise _cancelled(run.record)
            if hold is not Hold.ELSEWHERE:
                return hold
            before = run.feed.logged
            await run.feed.restore()
            if run.feed.state.phase is Phase.DONE:
                return None
            wait = min(2 * wait, longest) if run.feed.logged == before else _LOOK_SECONDS[0]
            await asyncio.sleep(wait)

    async def _make(self, run: _Run, hold: Hold | None) -> None:
        try:
            if hold is not None:
                # Read again: the last holder of the lease may have logged more events.
                await run.feed.restore()
            if hold is Hold.BROKEN:
                run.feed.skip_lost()
            if run.feed.state.phase is not Phase.DONE:
                await self._drive(run.record, run.feed)
        finally:
            await run.feed.flush()
            await self._leases.end(run.record.answer_id)

    def _apply(self, answer_id: str, held: Held) -> None:
        run = self._running.get(answer_id)
        if run is None or not run.is_held:
            return
        run.is_wanted = answer_id in held.wanted
        run.feed.text_seconds = _WANTED_TEXT_SECONDS if run.is_wanted else TEXT_SECONDS
        if answer_id in held.refused:
            self._stop(answer_id)
        elif answer_id in held.lost:
            run.lose()
        elif run.lingering is None:
            self._suspend(run)

    def _ended(self, run: _Run, task: asyncio.Task[None]) -> None:
        if self._running.get(run.record.answer_id) is run:
            del self._running[run.record.answer_id]
        self._set_held(run, is_held=False)
        if task.cancelled():
            run.feed.close(_cancelled(run.record))
        else:
            run.feed.close(task.exception())

    def _leave(self, run: _Run) -> None:
        run.readers -= 1
        if run.readers or not run.is_going:
            return
        if self._settings.linger_seconds and run.is_held:
            loop = asyncio.get_running_loop()
            run.lingering = loop.call_later(self._settings.linger_seconds, self._suspend, run)
        else:
            self._suspend(run)

    @staticmethod
    def _suspend(run: _Run) -> None:
        run.lingering = None
        if run.is_going and not run.readers and not (run.is_held and run.is_wanted):
            run.leave()


def _cancelled(record: AnswerRecord) -> Cancelled:
    text = f"answer {record.answer_id} was cancelled; ask again for a new one"
    return Cancelled(text, metadata={"answer_id": record.answer_id})
