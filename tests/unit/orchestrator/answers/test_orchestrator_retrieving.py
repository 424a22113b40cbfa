"""What an answer takes from its session when that cannot be read, and what it makes of fetched gaps."""

from __future__ import annotations

from typing import Any, cast

from common.core.contract.evidence import Gap, GapOutcome
from common.core.errors import DependencyUnavailable
from orchestrator.domain.answers.events import (
    Classified,
    EvidenceSupplied,
    GapsFound,
    PassFinished,
    PassStarted,
    Started,
)
from orchestrator.domain.answers.orders import GapOrder, GapsFetched
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, GapResult, SymbolKind, SymbolRef
from orchestrator.domain.loop.actions import FetchGaps
from orchestrator.domain.questions.question import Classification
from orchestrator.domain.questions.sessions import SessionMemory
from orchestrator.ports import Retriever
from orchestrator.usecases.answering.context import Answering, AnsweringSettings
from orchestrator.usecases.answering.retrieving import Retrieving
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.shadows.stand_ins import NullObserver
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog

UNASKED: Any = None


class LostMemories:
    """Cannot be reached."""

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Fail."""
        raise DependencyUnavailable("the session store is away")

    async def remember(self, *_: object) -> None:
        """Fail."""
        raise DependencyUnavailable("the session store is away")


async def test_a_session_that_cannot_be_read_degrades_the_answer() -> None:
    """It is made without what was asked before, and says so."""
    clock = FakeClock()
    feed = AnswerFeed("a", MemoryLog(), clock)
    await feed.emit(Started("a", "ses_1", "snap-1"))
    record = AnswerRecord("a", "ann", Question("shop", "What is it?", session_id="ses_1"), "", clock.now())
    answering = Answering(record, feed, AnsweringSettings(), clock, NullObserver())
    await Retrieving(UNASKED, LostMemories()).pin(answering)
    await feed.flush()

    assert answering.pin.snapshot_id == "snap-1"
    assert answering.memory == SessionMemory()
    assert answering.state.degraded == ("sessions",)
    (warned,) = answering.state.warnings
    assert (warned.message, warned.cause) == (
        "the session store is away; this answer knows nothing of earlier questions",
        "the session store is away",
    )


class OneSource:
    """A retriever that finds the definition of every gap."""

    async def resolve(self, order: GapOrder) -> GapsFetched:
        """Return its source, which begins a line above what its documentation names, and a page."""
        symbol = SymbolRef("shop/till.py", "Till.charge", SymbolKind.METHOD, 9, 20)
        source = Evidence("ev-source", EvidenceKind.SOURCE, symbol=symbol)
        results = tuple(GapResult(gap, GapOutcome.RESOLVED, evidence_ids=("ev-source",)) for gap in order.gaps)
        return GapsFetched(results, (source, Evidence("ev-page", EvidenceKind.DOC)))


async def test_what_a_gap_led_to_is_ranked_as_the_search_ranked_it() -> None:
    """Its documentation came first, with a score; what has none keeps none."""
    clock = FakeClock()
    feed = AnswerFeed("a", MemoryLog(), clock)
    documented = SymbolRef("shop/till.py", "Till.charge", SymbolKind.METHOD, 10, 20)
    card, gap = Evidence("ev-card", EvidenceKind.DOC, symbol=documented, score=0.75), Gap("g1-1", symbol="Till.charge")
    for event in (
        Started("a", "", "snap-1"),
        Classified(Classification()),
        EvidenceSupplied(1, (card,)),
        PassStarted(1),
        GapsFound(1, (gap,)),
        PassFinished(1),
    ):
        await feed.emit(event)
    record = AnswerRecord("a", "ann", Question("shop", "What is it?"), "", clock.now())
    answering = Answering(record, feed, AnsweringSettings(), clock, NullObserver())

    retrieving = Retrieving(cast("Retriever", OneSource()), LostMemories())
    await retrieving.fetch_gaps(answering, FetchGaps(1, (gap,), 500))
    await feed.flush()

    fetched = [each for each in answering.state.evidence if each.pass_number == 2]
    assert [(each.evidence_id, each.score) for each in fetched] == [("ev-source", 0.75), ("ev-page", 0.0)]
