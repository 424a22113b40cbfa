"""Words for the contract's enumerations, numbers and places."""

from __future__ import annotations

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


def _name(names: _Names, value: int, prefix: str) -> str:
    """Return the name of an enum value; "UNKNOWN" for one that only a later release of the service knows."""
    found = names.DESCRIPTOR.values_by_number.get(value)
    return found.name.removeprefix(prefix) if found else "UNKNOWN"


def mode(value: question_pb2.Mode.ValueType) -> str:
    """Name a mode, for example "DIAGNOSTIC"."""
    return _name(question_pb2.Mode, value, "MODE_")


def engine(value: question_pb2.ClassifierEngine.ValueType) -> str:
    """Say what classified, for example "rules"."""
    return _name(question_pb2.ClassifierEngine, value, "CLASSIFIER_ENGINE_").lower()


def stop_reason(value: orchestrator_pb2.StopReason.ValueType) -> str:
    """Say why the loop stopped, as the end of a sentence."""
    return _STOP_REASONS.get(value, "unknown")


def confidence(value: orchestrator_pb2.Confidence.ValueType) -> str:
    """Name a confidence, for example "high"."""
    return _name(orchestrator_pb2.Confidence, value, "CONFIDENCE_").lower()


def outcome(value: evidence_pb2.GapOutcome.ValueType) -> str:
    """Name a gap's outcome, for example "out of coverage"; "open" if it was not searched for."""
    if value == evidence_pb2.GAP_OUTCOME_UNSPECIFIED:
        return "open"
    return outcome_name(value).lower().replace("_", " ")


def outcome_name(value: evidence_pb2.GapOutcome.ValueType) -> str:
    """Name a gap's outcome as the contract does, for example "OUT_OF_COVERAGE"."""
    return _name(evidence_pb2.GapOutcome, value, "GAP_OUTCOME_")


def job_state(value: indexer_pb2.IndexJobState.ValueType) -> str:
    """Name a job's state, for example "running"."""
    return _name(indexer_pb2.IndexJobState, value, "INDEX_JOB_STATE_").lower()


def phase(value: indexer_pb2.IndexPhase.ValueType) -> str:
    """Name a job's phase, for example "parsing"."""
    if value == indexer_pb2.INDEX_PHASE_UNSPECIFIED:
        return "waiting"
    return _name(indexer_pb2.IndexPhase, value, "INDEX_PHASE_").lower()


def skip_reason(value: indexer_pb2.SkipReason.ValueType) -> str:
    """Name why files were skipped, for example "binary"."""
    return _name(indexer_pb2.SkipReason, value, "SKIP_REASON_").lower().replace("_", " ")


def severity(value: indexer_pb2.Severity.ValueType) -> str:
    """Name a severity, for example "high"."""
    return _name(indexer_pb2.Severity, value, "SEVERITY_").lower()


def category(value: indexer_pb2.FindingCategory.ValueType) -> str:
    """Name what a finding is about, for example "security"."""
    return _name(indexer_pb2.FindingCategory, value, "FINDING_CATEGORY_").lower()


def agreement(value: orchestrator_pb2.Agreement.ValueType) -> str:
    """Say how far an answer and its shadow agree, for example "similar"."""
    return _name(orchestrator_pb2.Agreement, value, "AGREEMENT_").lower()


def layer(value: indexer_pb2.LayerKind.ValueType) -> str:
    """Name a layer, for example "vectors"."""
    return _name(indexer_pb2.LayerKind, value, "LAYER_KIND_").lower().replace("_", " ")


def citation_state(value: retriever_pb2.CitationState.ValueType) -> str:
    """Say what became of a citation, for example "moved"."""
    return _name(retriever_pb2.CitationState, value, "CITATION_STATE_").lower()


def wanted(gap: evidence_pb2.Gap) -> str:
    """Return the shortest description of what a gap asks for."""
    lines = f":{gap.start_line}-{max(gap.start_line, gap.end_line)}" if gap.start_line else ""
    aspect = _name(evidence_pb2.GapAspect, gap.aspect, "GAP_ASPECT_").lower() if gap.aspect else ""
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
