"""What the orchestrator needs from outside: services, engines, stores and observers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from common.core.contract.evidence import CheckedClaim, Claim, Span
    from orchestrator.domain.answers.agreement import Comparison
    from orchestrator.domain.answers.answer import Answer, Judgement
    from orchestrator.domain.answers.events import Event, NumberedEvent
    from orchestrator.domain.answers.orders import (
        EngineOutput,
        GapOrder,
        GapsFetched,
        PassTask,
        Pin,
        Retrieved,
        RetrieveOrder,
    )
    from orchestrator.domain.answers.records import AnswerRecord, Held, Hold, IndexDebt, RatedAnswer, Rating
    from orchestrator.domain.answers.state import AnswerState
    from orchestrator.domain.evidence.piece import Evidence, GapResult, SymbolRef
    from orchestrator.domain.loop.references import Reference
    from orchestrator.domain.questions.question import Classification, Mode
    from orchestrator.domain.questions.sessions import Session, SessionMemory, Shown


class Classifier(Protocol):
    """Decides how a question is to be answered."""

    async def classify(self, question: str, forced: Mode) -> Classification:
        """Return mode and mentions; a forced mode is kept. Raises DependencyUnavailable, DeadlineExceeded."""
        ...


class Retriever(Protocol):
    """Finds evidence. All methods raise the retriever service's errors, and DependencyUnavailable."""

    async def pin(self, pin: Pin) -> Pin:
        """Return the pin, with the current snapshot if it names none."""
        ...

    async def retrieve(self, order: RetrieveOrder) -> Retrieved:
        """Return the evidence of the first pass."""
        ...

    async def resolve(self, order: GapOrder) -> GapsFetched:
        """Resolve 1 to 20 gaps."""
        ...


class CodeIndex(Protocol):
    """Looks up facts in one snapshot's index. All methods raise the same errors as `Retriever`."""

    async def references(self, pin: Pin, symbols: Sequence[SymbolRef]) -> tuple[Reference, ...]:
        """Return what these symbols call or extend inside the repository."""
        ...

    async def exists(self, pin: Pin, name: str) -> bool:
        """Return whether any symbol has this name."""
        ...

    async def check(self, pin: Pin, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """Return a verdict for each claim; at most 200."""
        ...

    async def content_hashes(self, pin: Pin, spans: Sequence[Span]) -> Mapping[Span, str]:
        """Return the SHA-256 of the lines of each span that exists."""
        ...


class Freshness(Protocol):
    """Compares snapshots with the folders from which repositories were indexed."""

    async def changed(self, pin: Pin, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the paths, of those given, whose files changed since they were indexed. Raises AppError."""
        ...


class AnswerEngine(Protocol):
    """Writes an answer from evidence and names the gaps."""

    @property
    def name(self) -> str:
        """Return the engine's name, as used in events and answers."""
        ...

    def answer(self, task: PassTask) -> AsyncGenerator[EngineOutput, None]:
        """
        Write one pass: yield text as it is written, then one `EngineDone`.

        Closing the generator stops the work within 100 ms.

        Raises:
            ModelUnavailable: when the engine's model refuses or fails.
            DeadlineExceeded: when the time of the call is over.
        """
        ...


class SufficiencyJudge(Protocol):
    """Judges whether evidence and graph suffice to answer."""

    async def judge(
        self, state: AnswerState, question: str, references: Sequence[Reference], *, is_last: bool
    ) -> Judgement:
        """Return sufficient, or the next sub-question. Raises ModelUnavailable, DeadlineExceeded."""
        ...


class KillSwitch(Protocol):
    """Stops all models."""

    def is_stopped(self) -> bool:
        """Return whether the switch is on: then no model may be asked, even by answers that have begun."""
        ...


class Rollout(KillSwitch, Protocol):
    """Selects the sessions whose answers get shadows."""

    def admits(self, session_id: str) -> bool:
        """Return whether this session is selected; none is while the kill switch is on."""
        ...


class SessionStore(Protocol):
    """Stores sessions. The store's clock decides when one expires. All methods raise DependencyUnavailable."""

    async def create(self, owner: str, repository: str) -> Session:
        """Open a session."""
        ...

    async def find(self, session_id: str, owner: str) -> tuple[Session, bool]:
        """Return the owner's session and whether it is expired. Raises SessionNotFound, also for another owner's."""
        ...

    async def list(self, owner: str, after: str, limit: int) -> tuple[Session, ...]:
        """Return up to `limit` of the owner's live sessions, last used first, after the cursor ("" for the start)."""
        ...

    async def delete(self, session_id: str, owner: str) -> None:
        """Delete a session and its memory. Raises SessionNotFound."""
        ...


class SessionMemories(Protocol):
    """Stores what sessions remember, by snapshot. All methods raise DependencyUnavailable."""

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Return a session's memory of a snapshot, and renew the session; empty if it is unknown or expired."""
        ...

    async def remember(
        self,
        session_id: str,
        snapshot_id: str,
        evidence: Sequence[Evidence],
        absences: Sequence[GapResult],
        shown: Shown | None = None,
    ) -> None:
        """Store evidence, absences and what was shown; beyond the limit the least recently used evidence is dropped."""
        ...


class AnswerRecords(Protocol):
    """Stores the records of answers: owner, question and state."""

    async def create(self, record: AnswerRecord) -> AnswerRecord:
        """Store a record and acquire its lease; if the owner used its request id before, only return that record."""
        ...

    async def find_by_request(self, owner: str, request_id: str) -> AnswerRecord | None:
        """Return the record of an owner's request id; None if there is none."""
        ...

    async def find(self, answer_id: str) -> AnswerRecord | None:
        """Return a record; None if there is none."""
        ...

    async def forget_session(self, session_id: str) -> None:
        """Delete the answers of a session and everything about them."""
        ...


class Leases(Protocol):
    """Stores the leases of answers; the process that has the lease of an answer makes it."""

    async def begin(self, answer_id: str) -> Hold:
        """Acquire the lease of an answer; a process that has the lease is notified that this one follows the answer."""
        ...

    async def end(self, answer_id: str) -> None:
        """Release the lease of an answer, all of whose shown events are stored."""
        ...

    async def cancel(self, answer_id: str) -> bool:
        """Mark an answer as cancelled by its owner; return whether another process is making it."""
        ...


class ShadowRecords(Protocol):
    """Stores the records of shadows, each beside the answer that was served."""

    async def create_beside(self, record: AnswerRecord, answer_id: str) -> bool:
        """
        Store a shadow's record beside an answer and acquire its lease; False if the answer no longer exists.

        Deleting the answer's session or repository, later or at the same time, deletes this record as well.
        """
        ...

    async def end(self, answer_id: str) -> None:
        """Release the lease of an answer, all of whose shown events are stored."""
        ...


class Holds(Protocol):
    """Renews the leases of the answers that this process makes."""

    async def keep(self, answer_ids: Sequence[str]) -> Held:
        """Renew leases; return which answers were cancelled, taken over or followed by other processes meanwhile."""
        ...


class EventLog(Protocol):
    """Stores the events of answers."""

    async def append(self, answer_id: str, events: Sequence[NumberedEvent]) -> None:
        """
        Append events, in order; events of a deleted answer are dropped.

        Raises:
            HoldLost: if this process no longer has the lease of the answer; nothing is stored then.
        """
        ...

    async def read(self, answer_id: str, after: int, limit: int) -> tuple[NumberedEvent, ...]:
        """Return up to `limit` events with a sequence number above `after`, in order."""
        ...


class Debts(Protocol):
    """Records why gaps stay unresolved."""

    async def add_debts(self, repository: str, results: Sequence[GapResult]) -> None:
        """Count unresolved gaps."""
        ...


class Feedback(Debts, Protocol):
    """Stores ratings, and why gaps stay unresolved."""

    async def rate(self, rating: Rating) -> bool:
        """Store a rating, which replaces an earlier one of the same answer; return whether it is the first."""
        ...

    async def list_ratings(self, repository: str, after: str, limit: int) -> tuple[RatedAnswer, ...]:
        """Return up to `limit` ratings, newest answers first, after the cursor `after`. Raises PageTokenInvalid."""
        ...

    async def list_debts(self, repository: str, after: str, limit: int) -> tuple[IndexDebt, ...]:
        """
        Return up to `limit` causes of unresolved gaps, most frequent first, after the cursor `after`.

        Raises PageTokenInvalid.
        """
        ...


class AnswerObserver(Protocol):
    """Observes answers being made, for metrics and logs."""

    def observe_event(self, event: Event, seconds: float) -> None:
        """Record an event, `seconds` after the request."""
        ...

    def first_text(self, seconds: float) -> None:
        """Record that an answer's first text was written, `seconds` after the request."""
        ...

    def stopped(self, state: AnswerState, error: BaseException | None, seconds: float) -> None:
        """Record an answer that failed before it was complete, or was cancelled (`error` is None)."""
        ...

    def rated(self, rating: int, answer: Answer | None) -> None:
        """Record the first rating of an answer; `answer` is None if it is not complete."""
        ...


class ShadowObserver(Protocol):
    """Observes shadows: answers that are made a second time, only to be compared."""

    def shadow_completed(self, served: Answer, shadow: Answer, comparison: Comparison) -> None:
        """Record a shadow that is complete."""
        ...

    def shadow_failed(self, answer_id: str, reason: str) -> None:
        """Record a failed shadow; the reason is "model" or the type of an error."""
        ...

    def shadow_dropped(self, reason: str) -> None:
        """Record a shadow that was given up; the reason is "busy", "kill_switch" or "stopping"."""
        ...
