"""
What happens while an answer is made. The stream, the log, the loop and the tests all speak in these events.

Some fields are for the log alone: with them an answer can be made again from its events, without asking a model.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from common.core.contract.evidence import Gap
from orchestrator.domain.answers.answer import Answer, Judgement, TokenUsage
from orchestrator.domain.evidence.piece import BudgetUse, Evidence, GapResult, SearchQuality, SnapshotInfo, Triple
from orchestrator.domain.questions.question import Classification

EVIDENCE_ENGINE = "evidence"
"""Name of the engine that writes without a model."""


@dataclass(frozen=True, slots=True)
class Started:
    """
    The answer was taken up; always first.

    `snapshot_id` is "" if the retriever did not name it in time, `variant` if the standard configuration answers.
    """

    answer_id: str
    session_id: str = ""
    snapshot_id: str = ""
    repository: str = ""
    engine: str = ""
    max_passes: int = 0
    variant: str = ""

    @property
    def by_model(self) -> bool:
        """Return whether a model answers."""
        return self.engine not in ("", EVIDENCE_ENGINE)


@dataclass(frozen=True, slots=True)
class Classified:
    """
    The mode is known.

    `referent` is the session's evidence that a question refers to without naming it; () where it refers to nothing.
    """

    classification: Classification
    milliseconds: float = 0.0
    referent: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalProgress:
    """A step of the retrieval ended."""

    pass_number: int
    stage: str = ""
    evidence_count: int = 0
    evidence_tokens: int = 0
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class EvidenceSupplied:
    """
    A retrieval ended: this is what the pass sees beyond what earlier ones saw. Empty if nothing new was found.

    Snapshot and quality are those of a first retrieval, None after a fetch for gaps. `shown_before` counts the pieces
    that the session showed when it was asked the same question before, 0 if it was not; `evidence` begins with those of
    them that the session still has.
    """

    pass_number: int
    evidence: tuple[Evidence, ...] = ()
    from_session: int = 0
    snapshot: SnapshotInfo | None = None
    quality: SearchQuality | None = None
    budget_use: tuple[BudgetUse, ...] = ()
    milliseconds: float = 0.0
    shown_before: int = 0


@dataclass(frozen=True, slots=True)
class PassStarted:
    """The engine is being called; its text replaces that of the pass, or of the try, before."""

    pass_number: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text to append to the pass."""

    pass_number: int
    text: str


@dataclass(frozen=True, slots=True)
class GapsFound:
    """The engine named gaps."""

    pass_number: int
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class CitedLabel:
    """
    Evidence that the text cites, or the part of it that is cited: a symbol that it mentions, or some of its lines.

    `mention` "" and `start_line` 0 mean the whole evidence. `path` is the file of the lines if the evidence lists lines
    of several files.
    """

    evidence_id: str
    mention: str = ""
    start_line: int = 0
    end_line: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceLines:
    """Lines of a piece of evidence, numbered as in its file, both ends included."""

    evidence_id: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class PassFinished:
    """
    The call of the engine ended.

    `cited` maps the numbers of the text to evidence: the n-th entry, from 1, is what "[n]" refers to. Labels that stood
    for nothing supplied were dropped from the text and are counted. `is_cut` says that the text, `is_question_cut` that
    the question as it was shown, lacks a part. `heard` is what the model wrote, before anything was read out of it; ""
    if none did. `called` are the arguments of the tools that it called, in JSON as it wrote them. `stands` says that
    the model failed, so that the text is that of an earlier pass. `unneeded` are identities of evidence that the model
    says it does not need, `unneeded_lines` such lines of others: later passes do not show them, unless they are
    supplied again.
    """

    pass_number: int
    usage: TokenUsage = field(default_factory=TokenUsage)
    milliseconds: float = 0.0
    engine: str = ""
    model: str = ""
    cited: tuple[CitedLabel, ...] = ()
    dropped_labels: int = 0
    is_cut: bool = False
    is_question_cut: bool = False
    heard: str = ""
    called: tuple[str, ...] = ()
    stands: bool = False
    unneeded: tuple[str, ...] = ()
    unneeded_lines: tuple[EvidenceLines, ...] = ()


@dataclass(frozen=True, slots=True)
class GapResolved:
    """The search for a gap ended."""

    pass_number: int
    result: GapResult


@dataclass(frozen=True, slots=True)
class Judged:
    """
    The sufficiency judge spoke; entities and triples are those gathered since the last time.

    `classification` is that of the sub-question; None where there is none, or the classifier failed.
    """

    judgement: Judgement
    entities: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()
    classification: Classification | None = None


CONTRADICTED = "contradicted"
"""Code of the warning that the index contradicts what a pass says, and that the model is asked once more."""


@dataclass(frozen=True, slots=True)
class Warned:
    """
    Something to know that does not stop the answer. A code "degraded_x" adds x to what is degraded.

    `cause` is what another part said when it failed, "" if none did.
    """

    code: str
    message: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """
    The answer is whole; always last.

    It repeats what earlier events told of the evidence, texts aside, so that a reader needs this event alone.
    """

    answer: Answer


@dataclass(frozen=True, slots=True)
class Unknown:
    """
    Something that only a later release tells: it wrote into the log that this one reads. It changes nothing.

    It keeps its number, so that nothing else gets that, and readers are not told what it was.
    """


Event: TypeAlias = (
    Started
    | Classified
    | RetrievalProgress
    | EvidenceSupplied
    | PassStarted
    | TextDelta
    | GapsFound
    | PassFinished
    | GapResolved
    | Judged
    | Warned
    | Completed
    | Unknown
)


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event with its place in the stream, from 1 by 1; numbers that were shown and lost in a crash are skipped."""

    sequence: int
    create_time: datetime
    event: Event


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing happened for a while; repeats the last sequence and is never stored."""

    sequence: int
    create_time: datetime
