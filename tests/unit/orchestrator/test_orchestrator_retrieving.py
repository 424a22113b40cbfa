"""What an answer takes from its session when that cannot be read."""

from __future__ import annotations

from typing import Any

from common.core.errors import DependencyUnavailable
from orchestrator.domain.events import Started
from orchestrator.domain.records import AnswerRecord, Question
from orchestrator.domain.sessions import SessionMemory
from orchestrator.usecases.answering.context import Answering, AnsweringSettings
from orchestrator.usecases.answering.retrieving import Retrieving
from orchestrator.usecases.aside import Unwatched
from orchestrator.usecases.feed import AnswerFeed
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.test_orchestrator_feed import MemoryLog

UNASKED: Any = None


class LostMemories:
    """Cannot be reached."""

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Fail."""
        raise DependencyUnavailable("the session store is away")

    async def remember(self, *_: object) -> None:
        """Fail."""
        raise DependencyUnavailable("the session store is away")


async def pinned(*, session_is_new: bool = False) -> Answering:
    """Return an answer that has begun while its session cannot be read."""
    clock = FakeClock()
    feed = AnswerFeed("a", MemoryLog(), clock)
    await feed.emit(Started("a", "ses_1", "snap-1"))
    question = Question("shop", "What is it?", session_id="ses_1")
    record = AnswerRecord("a", "ann", question, "", clock.now(), session_is_new=session_is_new)
    answering = Answering(record, feed, AnsweringSettings(), clock, Unwatched())
    await Retrieving(UNASKED, LostMemories()).pin(answering)
    await feed.flush()
    return answering


async def test_a_session_that_was_opened_for_the_answer_is_not_read() -> None:
    """There is nothing in it, so that nothing is lacking where it cannot be read."""
    answering = await pinned(session_is_new=True)

    assert answering.memory == SessionMemory()
    assert not answering.state.degraded


async def test_a_session_that_cannot_be_read_degrades_the_answer() -> None:
    """It is made without what was asked before, and says so."""
    answering = await pinned()

    assert answering.pin.snapshot_id == "snap-1"
    assert answering.memory == SessionMemory()
    assert answering.state.degraded == ("sessions",)
    (warned,) = answering.state.warnings
    assert (warned.message, warned.cause) == (
        "the session store is away; this answer knows nothing of earlier",
        "the session store is away",
    )
