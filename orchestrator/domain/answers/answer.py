"""A finished answer: text, citations, claims, and the measurements of its loop."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto

from common.core.contract.evidence import CheckedClaim
from common.core.contract.usage import TokenUsage
from orchestrator.domain.evidence.piece import BudgetUse, Citation, Evidence, GapResult, SearchQuality, Triple
from orchestrator.domain.questions.question import Classification


class Confidence(Enum):
    """How far the evidence supports the answer."""

    UNSPECIFIED = auto()
    LOW = auto()
    MEDIUM = auto()
    HIGH = auto()


class StopReason(Enum):
    """Why the loop stopped; of several reasons, the first in this order."""

    UNSPECIFIED = auto()
    NOTHING_ASKED = auto()
    ALL_UNFINDABLE = auto()
    NO_NEW_EVIDENCE = auto()
    BUDGET_SPENT = auto()
    TIME_SPENT = auto()
    PASSES_USED = auto()
    SUFFICIENT = auto()


@dataclass(frozen=True, slots=True)
class PassSummary:
    """Measurements of one call of the answering engine."""

    pass_number: int
    new_evidence: int = 0
    gaps_identified: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LoopMetadata:
    """Measurements of the loop; times in milliseconds."""

    passes: int = 0
    gaps_identified: int = 0
    gaps_resolved: int = 0
    gaps_unresolved: int = 0
    stop_reason: StopReason = StopReason.UNSPECIFIED
    cache_used: bool = False
    usage: TokenUsage = field(default_factory=TokenUsage)
    context_use: tuple[BudgetUse, ...] = ()
    total_ms: float = 0.0
    classification_ms: float = 0.0
    retrieval_ms: float = 0.0
    engine_ms: float = 0.0
    pass_summaries: tuple[PassSummary, ...] = ()
    taken_up_after_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """
    Verdict of the sufficiency strategy's judge after one retrieval; `model` is "" if rules judged.

    `triples` are relations that a model read in the evidence, beyond those of the code graph.
    """

    iteration: int
    sufficient: bool = False
    reasoning: str = ""
    sub_question: str = ""
    model: str = ""
    triples: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class SufficiencyTrace:
    """Judgements in order; entities and triples in order of first mention."""

    judgements: tuple[Judgement, ...] = ()
    entities: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer; `evidence` is without text, `variant` is "" where the standard configuration answered."""

    answer_id: str
    repository: str
    snapshot_id: str
    session_id: str
    question: str
    text: str
    citations: tuple[Citation, ...]
    confidence: Confidence
    confidence_reason: str
    disclaimer: str
    classification: Classification
    quality: SearchQuality
    metadata: LoopMetadata
    gaps: tuple[GapResult, ...]
    claims: tuple[CheckedClaim, ...]
    degraded: tuple[str, ...]
    engine: str
    model: str
    complete_time: datetime
    evidence: tuple[Evidence, ...]
    sufficiency: SufficiencyTrace | None = None
    changed_files: tuple[str, ...] = ()
    variant: str = ""
