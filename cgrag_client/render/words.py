"""Words for the contract's enumerations, numbers and places."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2, question_pb2

if TYPE_CHECKING:
    from cgrag.type.v1 import code_pb2
    from google.protobuf.descriptor import EnumDescriptor
    from google.protobuf.duration_pb2 import Duration

MODE_HINTS = {
    question_pb2.MODE_CONCEPTUAL: "what it is, how to use it",
    question_pb2.MODE_DIAGNOSTIC: "why it fails",
    question_pb2.MODE_EXPLORATORY: "how it flows",
    question_pb2.MODE_ANALYTICAL: "how it is built",
}

_STOP_REASONS = {
    orchestrator_pb2.STOP_REASON_NOTHING_ASKED: "nothing more was asked for",
    orchestrator_pb2.STOP_REASON_ALL_UNFINDABLE: "all that was asked for cannot be found",
    orchestrator_pb2.STOP_REASON_NO_NEW_EVIDENCE: "the last fetch brought nothing new",
    orchestrator_pb2.STOP_REASON_BUDGET_SPENT: "the token budget is used up",
    orchestrator_pb2.STOP_REASON_TIME_SPENT: "the time is used up",
    orchestrator_pb2.STOP_REASON_PASSES_USED: "the passes are used up",
    orchestrator_pb2.STOP_REASON_SUFFICIENT: "the evidence suffices",
}


class _Names(Protocol):
    @property
    def DESCRIPTOR(self) -> EnumDescriptor: ...  # noqa: N802 (protobuf's name)


def _name(names: _Names, value: int) -> str:
    """Return the name of an enum value; "UNKNOWN" for one that only a later release of the service knows."""
    known = names.DESCRIPTOR.values_by_number
    return known[value].name.removeprefix(known[0].name.removesuffix("UNSPECIFIED")) if value in known else "UNKNOWN"


def _words(names: _Names, value: int) -> str:
    return _name(names, value).lower().replace("_", " ")


mode = partial(_name, question_pb2.Mode)
"""Name a mode, for example "DIAGNOSTIC"."""
outcome_name = partial(_name, evidence_pb2.GapOutcome)
"""Name a gap's outcome as the contract does, for example "OUT_OF_COVERAGE"."""
engine = partial(_words, question_pb2.ClassifierEngine)
"""Say what classified, for example "rules"."""
confidence = partial(_words, orchestrator_pb2.Confidence)
"""Name a confidence, for example "high"."""
job_state = partial(_words, indexer_pb2.IndexJobState)
"""Name a job's state, for example "running"."""
skip_reason = partial(_words, indexer_pb2.SkipReason)
"""Name why files were skipped, for example "binary"."""
severity = partial(_words, indexer_pb2.Severity)
"""Name a severity, for example "high"."""
category = partial(_words, indexer_pb2.FindingCategory)
"""Name what a finding is about, for example "security"."""
agreement = partial(_words, orchestrator_pb2.Agreement)
"""Say how far an answer and its shadow agree, for example "similar"."""
layer = partial(_words, indexer_pb2.LayerKind)
"""Name a layer, for example "vectors"."""
citation_state = partial(_words, retriever_pb2.CitationState)
"""Say what became of a citation, for example "moved"."""


def stop_reason(value: orchestrator_pb2.StopReason.ValueType) -> str:
    """Say why the loop stopped, as the end of a sentence."""
    return _STOP_REASONS.get(value, "unknown")


def outcome(value: evidence_pb2.GapOutcome.ValueType) -> str:
    """Name a gap's outcome, for example "out of coverage"; "open" if it was not searched for."""
    return _words(evidence_pb2.GapOutcome, value) if value != evidence_pb2.GAP_OUTCOME_UNSPECIFIED else "open"


def phase(value: indexer_pb2.IndexPhase.ValueType) -> str:
    """Name a job's phase, for example "parsing"."""
    return _words(indexer_pb2.IndexPhase, value) if value != indexer_pb2.INDEX_PHASE_UNSPECIFIED else "waiting"


def wanted(gap: evidence_pb2.Gap) -> str:
    """Return the shortest description of what a gap asks for."""
    lines = f":{gap.start_line}-{max(gap.start_line, gap.end_line)}" if gap.start_line else ""
    aspect = _words(evidence_pb2.GapAspect, gap.aspect) if gap.aspect else ""
    if gap.symbol:
        return f"{aspect} of {gap.symbol}" if aspect else gap.symbol
    return f"{gap.path}{lines}" if gap.path else gap.text or gap.description


def place(span: code_pb2.Span) -> str:
    """Write a span as `path:start-end`, as editors and terminals know it."""
    if span.start_line == 0:
        return span.path
    if span.end_line <= span.start_line:
        return f"{span.path}:{span.start_line}"
    return f"{span.path}:{span.start_line}-{span.end_line}"


def symbol_place(symbol: code_pb2.SymbolRef) -> str:
    """Write where a symbol starts as `path:line`."""
    return f"{symbol.path}:{symbol.start_line}" if symbol.start_line else symbol.path


def number(value: float) -> str:
    """Write a whole number with separators."""
    return f"{value:,.0f}"


def count(value: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun, for example "1 pass", "2 passes"."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def milliseconds(value: float) -> str:
    """Write a duration with at most three significant digits."""
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{value / 1000:.1f} s" if value < 59_950 else _minutes(round(value / 1000))


def _minutes(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def time_to_go(value: Duration) -> str:
    """Write an estimate, rounded up to seconds: more digits would only flicker."""
    return f"{_minutes(value.seconds + (value.nanos > 0))} to go"
