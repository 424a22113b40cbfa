"""Requests to other services, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from common.core.contract.usage import TokenUsage
from orchestrator.domain.evidence.piece import SearchQuality, SnapshotInfo, Triple
from orchestrator.domain.questions.question import Budget, Classification, Mode, Switches

if TYPE_CHECKING:
    from common.core.contract.evidence import Gap, Span
    from orchestrator.domain.evidence.piece import BudgetUse, Evidence, GapResult


@dataclass(frozen=True, slots=True)
class Pin:
    """The one snapshot that an answer reads; "" is the repository's current one."""

    repository: str
    snapshot_id: str = ""


@dataclass(frozen=True, slots=True)
class RetrieveOrder:
    """
    A retrieval for a pass. Known evidence and lines are left out of the response and not counted.

    Args:
        with_outline: Also return the names of definitions beyond the budget, so that a model can request them.
    """

    pin: Pin
    question: str
    classification: Classification
    budget: Budget = field(default_factory=Budget)
    switches: Switches = field(default_factory=Switches)
    known_evidence_ids: tuple[str, ...] = ()
    pass_number: int = 1
    shown: tuple[Span, ...] = ()
    with_outline: bool = False


@dataclass(frozen=True, slots=True)
class StageTime:
    """Time of one stage of the retrieval."""

    stage: str
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Result of a retrieval; evidence is best first."""

    evidence: tuple[Evidence, ...] = ()
    quality: SearchQuality = field(default_factory=SearchQuality)
    budget_use: tuple[BudgetUse, ...] = ()
    timings: tuple[StageTime, ...] = ()
    snapshot: SnapshotInfo = field(default_factory=SnapshotInfo)
    scope: str = ""


@dataclass(frozen=True, slots=True)
class GapOrder:
    """A fetch of exactly what is missing; `used_gap_tokens` counts against the budget's gap total."""

    pin: Pin
    gaps: tuple[Gap, ...]
    mode: Mode
    question: str
    pass_number: int
    budget: Budget = field(default_factory=Budget)
    used_gap_tokens: int = 0
    known_evidence_ids: tuple[str, ...] = ()
    switches: Switches = field(default_factory=Switches)
    shown: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class GapsFetched:
    """One result for each gap, in the order asked, and the new evidence."""

    results: tuple[GapResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    budget_use: tuple[BudgetUse, ...] = ()


@dataclass(frozen=True, slots=True)
class PassTask:
    """
    What the answering engine gets for one pass.

    Args:
        pin: Repository and snapshot to read.
        question: The question.
        classification: The classification of the question.
        evidence: All evidence so far, in order of supply; the n-th, from 1, has the label "En".
        results: Outcomes of the gaps that earlier passes named.
        triples: Graph of the sufficiency strategy; empty for the gap loop.
        pass_number: Number of the pass, from 1.
        is_last: No gaps are fetched after this pass.
        max_tokens: Tokens of everything that is sent in the call, at most.
        max_passes: Passes of the answer at most.
        gap_tokens: Tokens that later fetches may bring.
        cited: Identities of the evidence that the last pass cites.
        supplied: Number of pieces supplied so far and not dropped, including those that do not fit into this pass.
        dropped: Places of pieces that an earlier pass did not need.
        absent: Gaps that the session knows to be unfindable.
        corrections: Where the index contradicts the last pass; "" for nowhere.
        is_judged: The sufficiency strategy's judge decided, before this pass, what was missing.
        outlines: Names of definitions that are not shown; they have no labels.
    """

    pin: Pin
    question: str
    classification: Classification
    evidence: tuple[Evidence, ...]
    results: tuple[GapResult, ...] = ()
    triples: tuple[Triple, ...] = ()
    pass_number: int = 1
    is_last: bool = False
    max_tokens: int = 8000
    is_judged: bool = False
    max_passes: int = 3
    gap_tokens: int = 0
    cited: frozenset[str] = frozenset()
    supplied: int = 0
    dropped: tuple[Span, ...] = ()
    absent: tuple[GapResult, ...] = ()
    corrections: str = ""
    outlines: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineText:
    """The next piece of the answer's text: free of format tags, with labels for citations."""

    text: str


@dataclass(frozen=True, slots=True)
class EngineRestarted:
    """The pass restarts: discard its text so far."""


@dataclass(frozen=True, slots=True)
class Unneeded:
    """Evidence that a later pass need not show: a piece by its number, from 1, or lines of it; 0 is all lines."""

    number: int
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class EngineDone:
    """
    The end of a call, always last.

    Args:
        gaps: The evidence that the engine misses.
        usage: Tokens of the call.
        model: Name of the model that wrote the text; "" if none did.
        is_cut: The text is truncated.
        is_question_cut: The engine was not shown the whole question.
        heard: The model's raw output before parsing; "" if no model wrote.
        unread: Requests of the engine that cannot be parsed or exceed the limit.
        called: Arguments of the tools that the model called, in JSON as it wrote them.
        unneeded: Pieces and lines that a later pass need not show.
    """

    gaps: tuple[Gap, ...] = ()
    usage: TokenUsage = field(default_factory=TokenUsage)
    model: str = ""
    is_cut: bool = False
    is_question_cut: bool = False
    heard: str = ""
    unread: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    unneeded: tuple[Unneeded, ...] = ()


EngineOutput: TypeAlias = EngineText | EngineRestarted | EngineDone
