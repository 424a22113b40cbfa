"""What the orchestrator needs from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from orchestrator.domain.agreement import Comparison
    from orchestrator.domain.answer import Answer, Judgement
    from orchestrator.domain.claims import CheckedClaim, Claim
    from orchestrator.domain.events import Event, NumberedEvent
    from orchestrator.domain.evidence import Evidence, GapResult, Span, SymbolRef
    from orchestrator.domain.orders import (
        EngineOutput,
        GapOrder,
        GapsFetched,
        PassTask,
        Pin,
        Retrieved,
        RetrieveOrder,
    )
    from orchestrator.domain.question import Classification, Mode
    from orchestrator.domain.records import AnswerRecord, Held, Hold, IndexDebt, Rating
    from orchestrator.domain.references import Reference
    from orchestrator.domain.sessions import Session, SessionMemory, Shown
    from orchestrator.domain.state import AnswerState


class Classifier(Protocol):
    """Decides how a question is to be answered."""

    async def classify(self, question: str, forced: Mode) -> Classification:
        """Return mode and mentions; a forced mode stands. Raises DependencyUnavailable, DeadlineExceeded."""
        ...


class Retriever(Protocol):
    """Finds evidence. All methods raise what the retriever says no with, and DependencyUnavailable."""

    async def pin(self, pin: Pin) -> Pin:
        """Return the pin with the current snapshot filled in if it names none."""
        ...

    async def retrieve(self, order: RetrieveOrder) -> Retrieved:
        """Gather the first evidence."""
        ...

    async def resolve(self, order: GapOrder) -> GapsFetched:
        """Fetch what is missing; 1 to 20 gaps."""
        ...


class CodeIndex(Protocol):
    """Answers small questions about one snapshot. Raises as the retriever does."""

    async def references(self, pin: Pin, symbols: Sequence[SymbolRef]) -> tuple[Reference, ...]:
        """Return what these symbols call or extend inside the repository."""
        ...

    async def exists(self, pin: Pin, name: str) -> bool:
        """Tell whether any symbol has this name."""
        ...

    async def check(self, pin: Pin, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """Return a verdict for each claim; at most 200."""
        ...

    async def content_hashes(self, pin: Pin, spans: Sequence[Span]) -> Mapping[Span, str]:
        """Return the SHA-256 of the lines of each span that exists."""
        ...


class AnswerEngine(Protocol):
    """Writes an answer from evidence and says what is missing."""

    @property
    def name(self) -> str:
        """Return the engine's name, as events and answers tell it."""
        ...

    def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """
        Write one pass: text as it comes, then one `EngineDone`. Closing the generator stops the work within 100 ms.

        Raises:
            ModelUnavailable: when the engine's model refuses or fails.
            DeadlineExceeded: when the time of the call is over.
        """
        ...


class SufficiencyJudge(Protocol):
    """Judges whether evidence and graph suffice."""

    async def judge(
        self, state: AnswerState, question: str, references: Sequence[Reference], *, is_last: bool
    ) -> Judgement:
        """Return sufficient, or the next sub-question. Raises ModelUnavailable, DeadlineExceeded."""
        ...


class Rollout(Protocol):
    """Says which sessions get what is tried on some: answers of a model, or shadows."""

    def admits(self, session_id: str) -> bool:
        """Tell whether this session is among them; none is while all are told to stop."""
        ...

    def is_stopped(self) -> bool:
        """Tell whether no model may be asked, whatever has begun."""
        ...


class Sessions(Protocol):
    """Sessions of callers. Lifetime is measured by the store's clock. All raise DependencyUnavailable."""

    async def create(self, owner: str, repository: str) -> Session:
        """Open a session."""
        ...

    async def find(self, session_id: str, owner: str) -> tuple[Session, bool]:
        """Return the owner's session and whether it is expired. Raises SessionNotFound, for foreign ones too."""
        ...

    async def list(self, owner: str, after: str, limit: int) -> tuple[Session, ...]:
        """Return the owner's sessions that are not expired, last used first, those behind a place."""
        ...

    async def delete(self, session_id: str, owner: str) -> None:
        """Forget a session and its memory. Raises SessionNotFound."""
        ...


class SessionMemories(Protocol):
    """What sessions remember, by snapshot. All raise DependencyUnavailable."""

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Return what holds for the snapshot; the use counts. Empty for a session that is unknown or expired."""
        ...

    async def remember(
        self,
        session_id: str,
        snapshot_id: str,
        evidence: Sequence[Evidence],
        absences: Sequence[GapResult],
        shown: Shown | None = None,
    ) -> None:
        """Keep evidence, absences and what was shown; beyond the limit the least recently used evidence goes."""
        ...


class AnswerRecords(Protocol):
    """Who asked what."""

    async def create(self, record: AnswerRecord) -> AnswerRecord:
        """Keep a record, held; if its owner used its request id before, keep nothing and return that earlier one."""
        ...

    async def find_by_request(self, owner: str, request_id: str) -> AnswerRecord | None:
        """Return what a request id of an owner stands for."""
        ...

    async def begin(self, answer_id: str) -> Hold:
        """Hold an answer that is to be made here; whoever holds it elsewhere learns that it is wanted here."""
        ...

    async def end(self, answer_id: str) -> None:
        """Let an answer go that was held: all that was shown of it is kept."""
        ...

    async def find(self, answer_id: str) -> AnswerRecord | None:
        """Return a record."""
        ...

    async def cancel(self, answer_id: str) -> bool:
        """Mark an answer as cancelled by its owner; tell whether another process makes it."""
        ...

    async def forget_session(self, session_id: str) -> None:
        """Forget the answers of a session and everything about them."""
        ...


class ShadowRecords(Protocol):
    """Who asked what, for answers that are kept beside others."""

    async def create_beside(self, record: AnswerRecord, answer_id: str) -> bool:
        """
        Keep a record, held, and tell whether: not beside an answer that is forgotten by now.

        Whatever forgets the sessions or the repository of both later, or at the same time, forgets it as well.
        """
        ...

    async def end(self, answer_id: str) -> None:
        """Let an answer go that was held: all that was shown of it is kept."""
        ...


class Holds(Protocol):
    """Says to other processes, again and again, which answers are being made here."""

    async def keep(self, answer_ids: Sequence[str]) -> Held:
        """Go on holding answers, and return what became of them meanwhile."""
        ...


class EventLog(Protocol):
    """The events of answers."""

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """
        Keep events, in order; those of an answer that was forgotten are not kept.

        Raises:
            HoldLost: if another process holds the answer by now; nothing is kept then.
        """
        ...

    async def read(self, answer_id: str, after: int, limit: int) -> tuple[NumberedEvent, ...]:
        """Return events behind a sequence number, in order."""
        ...


class Debts(Protocol):
    """Takes note of why gaps stay unresolved."""

    async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
        """Count unresolved gaps."""
        ...


class Feedback(Debts, Protocol):
    """Ratings, and why gaps stay unresolved."""

    async def rate(self, rating: Rating) -> None:
        """Keep a rating; it replaces an earlier one of the same answer."""
        ...

    async def list_debts(self, repository: str, after: str, limit: int) -> tuple[IndexDebt, ...]:
        """Return causes, most frequent first, behind the place of one. Raises PageTokenInvalid."""
        ...


class AnswerObserver(Protocol):
    """Watches answers being made: metrics and logs."""

    def happened(self, event: Event, seconds: float) -> None:
        """Take note of an event, so many seconds after the request."""
        ...

    def first_text(self, seconds: float) -> None:
        """Take note of the first text of an answer."""
        ...

    def stopped(self, state: AnswerState, error: BaseException | None, seconds: float) -> None:
        """Take note of an answer that was cancelled (None) or failed before it was whole."""
        ...

    def rated(self, rating: int) -> None:
        """Take note of a rating."""
        ...


class ShadowObserver(Protocol):
    """Watches shadows: answers that are made a second time, for nobody."""

    def shadow_completed(self, served: Answer, shadow: Answer, comparison: Comparison) -> None:
        """Take note of a shadow that is whole."""
        ...

    def shadow_failed(self, answer_id: str, reason: str) -> None:
        """Take note of an answer whose shadow failed: "model" or the type of an error."""
        ...

    def shadow_dropped(self, reason: str) -> None:
        """Take note of a shadow that had to give way: "busy", "kill_switch" or "stopping"."""
        ...
