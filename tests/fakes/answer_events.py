"""The events of one answer in two passes, as the orchestrator would stream them."""

from __future__ import annotations

from typing import Any

from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2, question_pb2


def two_pass_events() -> list[pb.AnswerEvent]:
    """Make the events: two passes, one gap resolved and one absent, one warning."""
    bodies: list[tuple[str, Any]] = [
        ("started", _started()),
        ("classified", pb.Classified(classification=_classification())),
        ("retrieval_progress", _retrieved(1, "error_search", 3, 640, 12.4)),
        ("retrieval_progress", _retrieved(1, "callers", 3, 640, 3.4)),
        ("evidence", pb.EvidenceSupplied(pass_number=1, evidence=[_evidence("Cart.checkout", 30, 48, 1)])),
        ("pass_started", pb.PassStarted(pass_number=1)),
        ("text_delta", pb.TextDelta(pass_number=1, text="The stock is checked ")),
        ("text_delta", pb.TextDelta(pass_number=1, text="somewhere.")),
        ("pass_finished", _pass_finished(1)),
        ("gaps_found", pb.GapsFound(pass_number=1, gaps=[_gap("reserve"), _gap("Ledger")])),
        ("gap_resolved", pb.GapResolved(pass_number=1, result=_resolved())),
        ("gap_resolved", pb.GapResolved(pass_number=1, result=_absent())),
        ("warning", pb.Warning(code="vectors_not_ready", message="vectors are still being made")),
        ("evidence", pb.EvidenceSupplied(pass_number=2, evidence=[_evidence("reserve", 12, 27, 2)], from_session=1)),
        ("pass_started", pb.PassStarted(pass_number=2)),
        ("text_delta", pb.TextDelta(pass_number=2, text="`reserve` raises OutOfStock [2].")),
        ("pass_finished", _pass_finished(2)),
        ("completed", pb.Completed(answer=two_pass_answer())),
    ]
    return [
        pb.AnswerEvent(sequence=number, answer_id="answer-1", **{name: body})
        for number, (name, body) in enumerate(bodies, start=1)
    ]


def two_pass_answer() -> pb.Answer:
    """Make the answer that the events end with."""
    loop = pb.LoopMetadata(
        passes=2,
        gaps_identified=2,
        gaps_resolved=1,
        gaps_unresolved=1,
        stop_reason=pb.STOP_REASON_ALL_UNFINDABLE,
        context_use=[retriever_pb2.BudgetUse(limit_tokens=4000, used_tokens=1234)],
        total_ms=1520,
        classification_ms=2,
        retrieval_ms=310,
        engine_ms=1180,
    )
    return pb.Answer(
        answer_id="answer-1",
        session_id="session-1",
        repository="shop",
        question="Why does checkout raise OutOfStock?",
        text="`Cart.checkout` [1] calls `reserve`, which raises **OutOfStock** [2].\n",
        citations=[_citation(1, "Cart.checkout", 30, 48, 1), _citation(2, "reserve", 12, 27, 2)],
        confidence=pb.CONFIDENCE_MEDIUM,
        confidence_reason="one gap stayed open",
        disclaimer="Written from evidence alone; no model was asked.",
        metadata=loop,
        gaps=[_resolved(), _absent()],
        degraded=["vectors"],
        engine="evidence",
    )


def _started() -> pb.Started:
    return pb.Started(
        answer_id="answer-1",
        session_id="session-1",
        snapshot_id="1a2b3c4d5e6f7a8b",
        repository="shop",
        engine="evidence",
        max_passes=3,
    )


def _classification() -> question_pb2.Classification:
    return question_pb2.Classification(
        mode=question_pb2.MODE_DIAGNOSTIC,
        confidence=0.93,
        reasoning="It names an exception type.",
        scope="shop/cart",
        engine=question_pb2.CLASSIFIER_ENGINE_RULES,
    )


def _retrieved(number: int, stage: str, pieces: int, tokens: int, took: float) -> pb.RetrievalProgress:
    return pb.RetrievalProgress(
        pass_number=number, stage=stage, evidence_count=pieces, evidence_tokens=tokens, milliseconds=took
    )


def _pass_finished(number: int) -> pb.PassFinished:
    usage = pb.TokenUsage(input_tokens=1500, output_tokens=120)
    return pb.PassFinished(pass_number=number, usage=usage, milliseconds=590)


def _path(name: str) -> str:
    return "shop/stock.py" if name == "reserve" else "shop/cart.py"


def _symbol(name: str, start: int, end: int) -> code_pb2.SymbolRef:
    return code_pb2.SymbolRef(path=_path(name), qualified_name=name, start_line=start, end_line=end)


def _span(name: str, start: int, end: int) -> code_pb2.Span:
    return code_pb2.Span(path=_path(name), start_line=start, end_line=end)


def _evidence(name: str, start: int, end: int, pass_number: int) -> evidence_pb2.Evidence:
    return evidence_pb2.Evidence(
        evidence_id=f"e-{name}",
        kind=evidence_pb2.EVIDENCE_KIND_SOURCE,
        title=name,
        span=_span(name, start, end),
        symbol=_symbol(name, start, end),
        tokens=210,
        reason="raises OutOfStock",
        pass_number=pass_number,
    )


def _citation(number: int, name: str, start: int, end: int, pass_number: int) -> evidence_pb2.Citation:
    return evidence_pb2.Citation(
        number=number,
        span=_span(name, start, end),
        title=name,
        symbol=_symbol(name, start, end),
        evidence_id=f"e-{name}",
        pass_number=pass_number,
    )


def _gap(symbol: str) -> evidence_pb2.Gap:
    return evidence_pb2.Gap(gap_id=f"g-{symbol}", description=f"the definition of {symbol}", symbol=symbol)


def _resolved() -> evidence_pb2.GapResult:
    return evidence_pb2.GapResult(
        gap=_gap("reserve"),
        outcome=evidence_pb2.GAP_OUTCOME_RESOLVED,
        step="symbol",
        candidates=[_symbol("reserve", 12, 27)],
        evidence_ids=["e-reserve"],
    )


def _absent() -> evidence_pb2.GapResult:
    return evidence_pb2.GapResult(
        gap=_gap("Ledger"), outcome=evidence_pb2.GAP_OUTCOME_ABSENT, detail="nothing is named Ledger", step="symbol"
    )
