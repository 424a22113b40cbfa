"""Stand-ins for log, observer and session, where an answer is made for comparison and not for a caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.answers.answer import Answer
    from orchestrator.domain.answers.events import Event, NumberedEvent
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.evidence.piece import Evidence, GapResult
    from orchestrator.domain.questions.sessions import SessionMemory, Shown


class InMemoryEventLog:
    """Implements `EventLog` for the events of one answer, in memory."""

    def __init__(self) -> None:
        self.events: list[NumberedEvent] = []

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:  # noqa: ARG002 (there is one)
        """Keep events, in order."""
        self.events += events

    async def read(self, answer_id: str, after: int, limit: int) -> tuple[NumberedEvent, ...]:  # noqa: ARG002 (one)
        """Return events after a sequence number, in order."""
        return tuple(each for each in self.events if each.sequence > after)[:limit]


class NullObserver:
    """Implements `AnswerObserver` by doing nothing: metrics count served answers only."""

    def observe_event(self, event: Event, seconds: float) -> None:
        """Do nothing."""

    def first_text(self, seconds: float) -> None:
        """Do nothing."""

    def stopped(self, state: AnswerState, error: BaseException | None, seconds: float) -> None:
        """Do nothing."""

    def rated(self, rating: int, answer: Answer | None) -> None:
        """Do nothing."""


class FrozenMemory:
    """Implements `SessionMemories` and `Debts`: returns what a session knew before an answer, and keeps nothing new."""

    def __init__(self, memory: SessionMemory) -> None:
        self._memory = memory

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:  # noqa: ARG002 (there is one)
        """Return the session's memory from before the answer."""
        return self._memory

    async def remember(
        self,
        session_id: str,
        snapshot_id: str,
        evidence: Sequence[Evidence],
        absences: Sequence[GapResult],
        shown: Shown | None = None,
    ) -> None:
        """Keep nothing."""

    async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
        """Count nothing."""
