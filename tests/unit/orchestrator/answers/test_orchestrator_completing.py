"""The end of an answer when checking it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from common.core.contract.evidence import CheckedClaim, Claim, Gap, GapOutcome, Span
from common.core.errors import DependencyUnavailable
from orchestrator.domain.answers.answer import Answer, StopReason
from orchestrator.domain.answers.events import (
    CitedLabel,
    Classified,
    Event,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    PassFinished,
    PassStarted,
    Started,
    TextDelta,
)
from orchestrator.domain.answers.orders import Pin
from orchestrator.domain.answers.records import AnswerRecord, Question
from orchestrator.domain.evidence.piece import Evidence, GapResult, SymbolRef
from orchestrator.domain.loop.actions import Finish
from orchestrator.domain.loop.references import Reference
from orchestrator.domain.questions.question import Classification
from orchestrator.usecases.answering.completing import Completing
from orchestrator.usecases.answering.context import Answering, AnsweringSettings
from orchestrator.usecases.feed import AnswerFeed
from orchestrator.usecases.shadows.stand_ins import NullObserver
from tests.fakes.clock import FakeClock
from tests.unit.orchestrator.runs.test_orchestrator_feed import MemoryLog

EVENTS = (
    Started("a"),
    Classified(Classification()),
    EvidenceSupplied(1, (Evidence("one", title="one", span=Span("a.py", 1, 4)),)),
    PassStarted(1),
    TextDelta(1, "It is `Never.shown()` [1]."),
    PassFinished(1, cited=(CitedLabel("one"),)),
)


class HalfBrokenIndex:
    """Fails to hash while claims are being checked, which ends when it is released."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.checked: list[Claim] = []

    async def references(self, pin: Pin, symbols: Sequence[SymbolRef]) -> tuple[Reference, ...]:
        """Know none."""
        return ()

    async def exists(self, pin: Pin, name: str) -> bool:
        """Know nothing."""
        return False

    async def check(self, pin: Pin, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """Take as long as the test wants."""
        await self.release.wait()
        self.checked += claims
        return ()

    async def content_hashes(self, pin: Pin, spans: Sequence[Span]) -> Mapping[Span, str]:
        """Fail at once."""
        raise RuntimeError("broken")


class WholeIndex(HalfBrokenIndex):
    """Checks and hashes nothing."""

    async def check(self, pin: Pin, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """Leave all unchecked."""
        return tuple(CheckedClaim(each) for each in claims)

    async def content_hashes(self, pin: Pin, spans: Sequence[Span]) -> Mapping[Span, str]:
        """Know none."""
        return {}

    async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
        """Pass them over."""


@pytest.mark.parametrize(
    ("events", "is_open"),
    [
        ((), True),
        (
            (PassStarted(2), TextDelta(2, "The `one` is so. [1]"), PassFinished(2, cited=(CitedLabel("one"),))),
            False,
        ),
    ],
)
async def test_what_was_fetched_too_late_for_any_pass_stayed_open(events: Sequence[Event], is_open: bool) -> None:
    """No text rests on evidence that came when the time was over."""
    gap = Gap("g1-1", symbol="two")
    found = GapResult(gap, GapOutcome.RESOLVED, evidence_ids=("two",))
    late = EvidenceSupplied(2, (Evidence("two", span=Span("b.py", 1, 4), pass_number=2),))
    clock, index = FakeClock(), WholeIndex()
    feed = AnswerFeed("a", MemoryLog(), clock)
    text = TextDelta(1, "The `one` is so. [1]")
    for event in (*EVENTS[:4], text, GapsFound(1, (gap,)), EVENTS[-1], GapResolved(1, found), late, *events):
        await feed.emit(event)
    answer = await completed(feed, clock, index)

    assert (answer.metadata.gaps_unresolved == 1) is is_open
    assert ("Stayed open: `two`" in answer.disclaimer) is is_open


async def test_nothing_goes_on_for_an_answer_that_has_failed() -> None:
    """When hashing fails while claims are checked, the failure is told after the check has ended too."""
    clock, index = FakeClock(), HalfBrokenIndex()
    unused: Any = None
    feed = AnswerFeed("a", MemoryLog(), clock)
    for event in EVENTS:
        await feed.emit(event)
    record = AnswerRecord("a", "ann", Question("shop", "What is it?"), "", clock.now())
    answering = Answering(record, feed, AnsweringSettings(), clock, unused)
    completing = Completing(index, unused, unused, unused)
    ending = asyncio.create_task(completing.complete(answering, Finish(StopReason.NOTHING_ASKED)))
    over_early, _ = await asyncio.wait({ending}, timeout=0.05)
    index.release.set()
    with pytest.raises(RuntimeError, match="broken"):
        await ending
    await feed.flush()

    assert not over_early
    assert [each.subject for each in index.checked] == ["Never.shown"]


async def test_a_count_that_cannot_be_kept_loses_no_answer() -> None:
    """What stayed open is counted for operators; the answer is whole without that, timed from when it was asked."""

    class NoDebts(WholeIndex):
        async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
            raise DependencyUnavailable("away for a moment")

    clock = FakeClock()
    feed = AnswerFeed("a", MemoryLog(), clock)
    for event in EVENTS:
        await feed.emit(event)

    answer = await completed(feed, clock, NoDebts())

    assert answer.text
    assert (answer.metadata.total_ms, answer.metadata.taken_up_after_ms) == (62_000, 60_000)


class _Folder:
    """Says that the first file changed, or is away."""

    def __init__(self, *, away: bool) -> None:
        self.asked: list[tuple[str, ...]] = []
        self._away = away

    async def changed(self, pin: Pin, paths: Sequence[str]) -> tuple[str, ...]:
        self.asked.append(tuple(paths))
        if self._away:
            raise DependencyUnavailable("away for a moment")
        return tuple(paths[:1])


@pytest.mark.parametrize(("away", "told"), [(False, ("a.py",)), (True, ())])
async def test_cited_files_that_changed_are_named(away: bool, told: tuple[str, ...]) -> None:
    """Each file is asked about once; who cannot be asked loses no answer."""
    clock, folder = FakeClock(), _Folder(away=away)
    feed = AnswerFeed("a", MemoryLog(), clock)
    for event in EVENTS:
        await feed.emit(event)
    answer = await completed(feed, clock, WholeIndex(), folder)

    assert answer.changed_files == told
    assert folder.asked == [tuple(dict.fromkeys(each.span.path for each in answer.citations))]


async def completed(feed: AnswerFeed, clock: FakeClock, index: WholeIndex, freshness: _Folder | None = None) -> Answer:
    """Return what comes of an answer without a session when its loop has ended."""
    record = AnswerRecord("a", "ann", Question("shop", "What is one?"), "", clock.now())
    unused: Any = None
    clock.advance(60)
    answering = Answering(record, feed, AnsweringSettings(), clock, NullObserver())
    clock.advance(2)
    await Completing(index, unused, unused, index, freshness).complete(answering, Finish(StopReason.TIME_SPENT))
    await feed.flush()
    answer = feed.state.answer
    assert answer is not None
    return answer
