"""
Events of the making of an answer: the one vocabulary of stream, log, loop and tests.

Some fields are for the log alone: with them a replay can rebuild an answer from its events without calling a model.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from common.core.contract.evidence import Gap
from common.core.contract.usage import TokenUsage
from orchestrator.domain.answers.answer import Answer, Judgement
from orchestrator.domain.evidence.piece import BudgetUse, Evidence, GapResult, SearchQuality, SnapshotInfo, Triple
from orchestrator.domain.questions.question import Classification

EVIDENCE_ENGINE = "evidence"
"""Name of the engine that writes without a model."""


@dataclass(frozen=True, slots=True)
class Started:
    """
    Work on the answer has started; always the first event.

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
    The question was classified.

    `referent` is the session's evidence that a question refers to without naming it; () where it refers to nothing.
    """

    classification: Classification
    milliseconds: float = 0.0
    referent: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalProgress:
    """A stage of the retrieval ended."""

    pass_number: int
    stage: str = ""
    evidence_count: int = 0
    evidence_tokens: int = 0
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class EvidenceSupplied:
    """
    A retrieval ended: `evidence` is new to the pass, compared with earlier passes; () if nothing new was found.

    Snapshot and quality are those of a first retrieval, None after a fetch for gaps. `shown_before` counts the pieces
    that were shown when the session was asked the same question before, 0 if it was not; `evidence` begins with the
    pieces of these that the session still has.
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
    """The engine is being called; its text replaces that of the previous pass or of a failed attempt at this one."""

    pass_number: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text to append to the pass."""

    pass_number: int
    text: str


@dataclass(frozen=True, slots=True)
class GapsFound:
    """The engine reported gaps: evidence that it misses."""

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

    `cited` maps the numbers of the text to evidence: the n-th entry, from 1, is what "[n]" refers to. Labels that
    refer to no supplied evidence were dropped from the text; `dropped_labels` counts them. `is_cut`: the text is
    truncated; `is_question_cut`: the engine was shown a truncated question. `heard` is the model's raw output before
    parsing, "" if no model wrote. `called` are the arguments of its tool calls, in JSON as it wrote them. `stands`: the
    model failed, and the text is that of an earlier pass. `unneeded` are identities of evidence that the model marked
    as not needed, `unneeded_lines` such lines of other pieces: later passes do not show them, unless they are supplied
    again.
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
    The sufficiency judge gave its verdict; entities and triples are those gathered since the previous one.

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
    A problem that does not stop the answer. The code "degraded_x" adds x to the degraded parts of the answer.

    `cause` is the error text of the part that failed, "" if none did.
    """

    code: str
    message: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """
    The answer is complete; always the last event.

    It repeats the evidence of earlier events without the texts, so that a reader needs this event alone.
    """

    answer: Answer


@dataclass(frozen=True, slots=True)
class Unknown:
    """
    An event in the log of a kind that only a later release knows. It does not change the state.

    It keeps its sequence number, which no other event gets. Readers of the stream do not receive it.
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
    """An event with its sequence number, from 1; numbers of events that were shown but lost in a crash are skipped."""

    sequence: int
    create_time: datetime
    event: Event


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing happened for a while; repeats the last sequence and is never stored."""

    sequence: int
    create_time: datetime
