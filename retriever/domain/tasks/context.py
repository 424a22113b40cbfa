"""What is passed from stage to stage: the task, and what has been found for it so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.question import NO_ANCHORS, Anchors
from common.core.contract.understanding import NOT_READ, MentionKind, Understanding
from retriever.domain.evidence.piece import Decision, Draft, EvidenceRole
from retriever.domain.questions.question import NO_RANKING, Mode, Ranking

if TYPE_CHECKING:
    from collections.abc import Iterable

    from common.core.contract.evidence import Basis
    from retriever.domain.values import Symbol


class Part(Enum):
    """A part of the retrieval that can be turned off; the values are names for people."""

    CODE_INDEX = "code index"
    CALL_GRAPH = "call graph"
    SOURCE = "source text"
    MODE_ROUTING = "mode routing"
    GAP_RESOLUTION = "gap resolution"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """
    How far the stages look.

    Args:
        hops: Edges that a walk follows from its start.
        callees_per_hop: Callees of one symbol that are followed.
        error_chars: Characters of an error message that are looked up.
    """

    hops: int = 3
    callees_per_hop: int = 8
    error_chars: int = 100


@dataclass(frozen=True, slots=True)
class StageTime:
    """The time that one stage took."""

    stage: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Task:
    """
    A question that evidence is retrieved for.

    Args:
        scope: Path prefix that exists in the snapshot; "" for the whole repository.
        off: Parts that are turned off.
        understanding: What the question means, as the classifier read it.
    """

    question: str
    mode: Mode
    anchors: Anchors = NO_ANCHORS
    scope: str = ""
    off: frozenset[Part] = frozenset()
    limits: WalkLimits = WalkLimits()
    understanding: Understanding = NOT_READ

    @property
    def messages(self) -> tuple[str, ...]:
        """Messages that the question quotes: those of its logs and traces, else those between quotation marks."""
        return self.anchors.error_messages or self.understanding.named(MentionKind.MESSAGE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """
    A symbol that may be worth showing.

    Args:
        step: Tier or step by which it came in, for example "callers hop 2".
        focus: Lines of its file that must be seen.
        basis: The reason as data; None where it is a plain match.
    """

    symbol: Symbol
    role: EvidenceRole
    step: str
    reason: str
    score: float = 0.0
    focus: tuple[int, ...] = ()
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """
    What the stages have found so far; each stage returns a new one.

    Args:
        ranking: What the search found, tests aside.
        with_tests: The same with tests among the files and symbols.
        candidates: In the order in which they came in; each symbol once, under its first role.
        ran: Steps that ran.
        skipped: Steps that could not run, each with why.
    """

    ranking: Ranking = NO_RANKING
    with_tests: Ranking = NO_RANKING
    scope: str = ""
    candidates: tuple[Candidate, ...] = ()
    drafts: tuple[Draft, ...] = ()
    decisions: tuple[Decision, ...] = ()
    ran: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def with_candidates(self, stage: str, found: Iterable[Candidate]) -> Context:
        """Add candidates that are not there yet, and log each as taken."""
        known = {candidate.symbol.id for candidate in self.candidates}
        added = tuple(each for each in first_of_each(found) if each.symbol.id not in known)
        decisions = tuple(
            decide(stage, each.step, each.symbol.span, each.reason, name=each.symbol.qualified_name, score=each.score)
            for each in added
        )
        return replace(self, candidates=self.candidates + added, decisions=self.decisions + decisions)

    def with_drafts(self, drafts: Iterable[Draft]) -> Context:
        """Add drafts after those that are there."""
        return replace(self, drafts=self.drafts + tuple(drafts))

    def with_decisions(self, decisions: Iterable[Decision]) -> Context:
        """Add decisions after those that are there."""
        return replace(self, decisions=self.decisions + tuple(decisions))

    def with_step(self, step: str) -> Context:
        """Record that a step ran."""
        return replace(self, ran=(*self.ran, step))

    def without_step(self, why: str) -> Context:
        """Record a step that could not run, with the reason."""
        return replace(self, skipped=(*self.skipped, why))

    @property
    def tells_users(self) -> bool:
        """Whether an earlier stage has listed the users of what the question is about."""
        return any(draft.role == EvidenceRole.USERS for draft in self.drafts)


def first_of_each(candidates: Iterable[Candidate], most: int | None = None) -> tuple[Candidate, ...]:
    """Keep the first candidate of each symbol, in the given order; no more are looked for than `most` symbols."""
    found: dict[int, Candidate] = {}
    for each in candidates:
        found.setdefault(each.symbol.id, each)
        if len(found) == most:
            break
    return tuple(found.values())


def decide(
    stage: str, step: str, subject: Span, reason: str, *, name: str = "", score: float = 0.0, included: bool = True
) -> Decision:
    """Return a decision that was made without a judge."""
    return Decision(stage, step, subject, name, included, reason, score)


def nothing_found(stage: str) -> Decision:
    """Return the only decision of a search without candidates; by it the log differs from one without a search."""
    reason = "nothing in the index matches the words, and nothing that they mention was found"
    return decide(stage, "attempt", Span("", 0, 0), reason, included=False)
