"""Replays an answer from its log, and returns the differences."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from common.core.errors import AppError, Kind
from orchestrator.domain.answers.comparison import compare
from orchestrator.domain.answers.errors import SnapshotGone
from orchestrator.domain.answers.events import PassFinished, Unknown
from orchestrator.domain.answers.orders import Pin
from orchestrator.domain.answers.recording import Recording, RecordingEnded
from orchestrator.usecases.answering.driver import AnswerDriver
from orchestrator.usecases.answers import owned
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.shadows.stand_ins import InMemoryEventLog, NullObserver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from common.core.clock import Clock
    from orchestrator.domain.answers.comparison import Difference
    from orchestrator.domain.answers.events import NumberedEvent
    from orchestrator.domain.answers.records import AnswerRecord
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.ports import AnswerRecords, EventLog, Retriever
    from orchestrator.usecases.answering.context import AnsweringSettings
    from orchestrator.usecases.answering.driver import Steps

    # Makes the steps that play a recording; the last argument returns the state of the replayed answer.
    Play = Callable[[AnswerRecord, Recording, Callable[[], AnswerState]], Steps]
    # By variant; "" is the standard configuration.
    Plays = Mapping[str, tuple[Play, AnsweringSettings]]

_PAGE = 256


@dataclass(frozen=True, slots=True)
class Replay:
    """
    Result of a replay.

    Args:
        answer_id: The answer that was replayed.
        repository: The answer's repository.
        snapshot_id: Snapshot that both the original and the replay read.
        played_passes: Number of passes whose model output was taken from the recording.
        differences: The first of each kind of event; empty if original and replay are the same.
        stopped: What the replay had to ask a model that the recording does not have; "" if the replay was completed.
    """

    answer_id: str
    repository: str
    snapshot_id: str
    played_passes: int
    differences: tuple[Difference, ...]
    stopped: str = ""


class ReplayAnswer:
    """
    Makes an answer again from the input in its log: the output of models, the session's memory, whether time ran out.

    The current answer loop runs over the same snapshot; no model is asked, and nothing is stored.

    Args:
        records: Stores owner and question of each answer.
        log: Stores the events of answers.
        retriever: Checks that the snapshot still exists.
        plays: For each variant, what makes the steps of a replay, and the current settings of the loop.
        clock: Gives the events' times.
    """

    def __init__(
        self,
        records: AnswerRecords,
        log: EventLog,
        retriever: Retriever,
        plays: Plays,
        clock: Clock,
    ) -> None:
        self._records = records
        self._log = log
        self._retriever = retriever
        self._plays = plays
        self._clock = clock

    async def run(self, answer_id: str, owner: str | None) -> Replay:
        """
        Replay the answer and compare.

        Args:
            answer_id: The answer to replay.
            owner: Owner that the answer must have; None allows any owner.

        Raises:
            AnswerNotFound: for an unknown answer, or one of another owner.
            AnswerUnfinished: if it is not complete, or was made before answers were recorded.
            SnapshotGone: if its snapshot no longer exists.
            AppError: any other error of the retriever.
        """
        record = await owned(self._records, answer_id, owner)
        then = await self._events(answer_id)
        recording = Recording.of(answer_id, [each.event for each in then])
        pin = Pin(record.question.repository, recording.snapshot_id)
        await self._require(pin, answer_id)
        now, stopped = await self._again(record, recording)
        ended = [each.event for each in now if isinstance(each.event, PassFinished)]
        played = sum(bool(each.model) and not each.stands for each in ended)
        differences = await asyncio.to_thread(compare, then, now)
        return Replay(answer_id, pin.repository, pin.snapshot_id, played, differences, stopped)

    async def _events(self, answer_id: str) -> tuple[NumberedEvent, ...]:
        found: list[NumberedEvent] = []
        while page := await self._log.read(answer_id, found[-1].sequence if found else 0, _PAGE):
            found += page
        return tuple(each for each in found if not isinstance(each.event, Unknown))

    async def _require(self, pin: Pin, answer_id: str) -> None:
        try:
            await self._retriever.pin(pin)
        except AppError as error:
            if error.kind is Kind.NOT_FOUND:
                raise SnapshotGone.of(answer_id, pin) from error
            raise

    async def _again(self, record: AnswerRecord, recording: Recording) -> tuple[Sequence[NumberedEvent], str]:
        log = InMemoryEventLog()
        feed = AnswerFeed(record.answer_id, log, self._clock)

        def time_left() -> float | None:
            return -inf if recording.is_out_of_time(feed.state) else None

        variant = recording.started.variant
        play, settings = self._plays[variant if variant in self._plays else ""]
        steps = play(record, recording, lambda: feed.state)
        # No time limit: only the recording decides when time is over. The variant keeps its original name.
        settings = replace(settings, answer_seconds=inf, variant=variant)
        driver = AnswerDriver(steps, settings, self._clock, NullObserver(), time_left)
        stopped = ""
        try:
            await driver.drive(record, feed)
        except RecordingEnded as end:
            stopped = str(end)
        finally:
            await feed.flush()
        return log.events, stopped
