"""Dataclasses and messages that mirror each other."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2, question_pb2

from common.core.contract import evidence as shared
from common.core.contract import question as mentions
from common.core.contract import understanding
from common.core.contract.evidence import Basis, BasisKind
from common.core.contract.usage import TokenUsage
from common.core.removals import Removal
from common.rpc.serving.mirroring import from_message, to_message
from orchestrator.domain.answers import answer, records
from orchestrator.domain.evidence import piece as evidence
from orchestrator.domain.questions import question, sessions

PAIRS = [
    (question.Classification, question_pb2.Classification),
    (mentions.Anchors, question_pb2.Anchors),
    (mentions.StackFrame, question_pb2.StackFrame),
    (question.Budget, question_pb2.Budget),
    (question.Switches, question_pb2.Switches),
    (question.AskOptions, orchestrator_pb2.AskOptions),
    (evidence.Evidence, evidence_pb2.Evidence),
    (shared.UnheldWords, evidence_pb2.UnheldWords),
    (evidence.UserList, evidence_pb2.UserList),
    (evidence.User, evidence_pb2.User),
    (shared.Gap, evidence_pb2.Gap),
    (evidence.GapResult, evidence_pb2.GapResult),
    (evidence.Citation, evidence_pb2.Citation),
    (evidence.SymbolRef, code_pb2.SymbolRef),
    (shared.Span, code_pb2.Span),
    (evidence.SnapshotInfo, retriever_pb2.SnapshotInfo),
    (evidence.SearchQuality, retriever_pb2.SearchQuality),
    (evidence.BudgetUse, retriever_pb2.BudgetUse),
    (shared.Claim, evidence_pb2.Claim),
    (shared.CheckedClaim, evidence_pb2.CheckedClaim),
    (answer.Answer, orchestrator_pb2.Answer),
    (answer.LoopMetadata, orchestrator_pb2.LoopMetadata),
    (answer.PassSummary, orchestrator_pb2.PassSummary),
    (TokenUsage, orchestrator_pb2.TokenUsage),
    (answer.SufficiencyTrace, orchestrator_pb2.SufficiencyTrace),
    (sessions.Session, orchestrator_pb2.Session),
    (records.IndexDebt, orchestrator_pb2.IndexDebt),
    (Removal, retriever_pb2.Removal),
]

# What the adapter reads by hand, because it is no part of the answer.
BY_HAND: dict[type, set[str]] = {question.Classification: {"cost_usd"}}
# What a session keeps with a value, and no caller is told there.
KEPT: dict[type, set[str]] = {evidence.Evidence: {"relations"}}


@pytest.mark.parametrize(("value_type", "message_type"), PAIRS, ids=lambda each: each.__name__)
def test_values_and_messages_have_the_same_fields(value_type: type, message_type: type) -> None:
    """A field that is renamed on one side would be lost in silence: here it is found."""
    fields = {each.name for each in dataclasses.fields(value_type)} - KEPT.get(value_type, set())

    assert fields | BY_HAND.get(value_type, set()) == set(
        message_type.DESCRIPTOR.fields_by_name  # type: ignore[attr-defined]
    )


def test_round_trip_keeps_everything() -> None:
    """Nested messages, lists, enums and unset fields come back equal."""
    value = evidence.Evidence(
        "e",
        evidence.EvidenceKind.SOURCE,
        evidence.ContextSource.GAPS,
        span=shared.Span("a.py", 1, 2),
        mentions=(evidence.SymbolRef("a.py", "A.b", evidence.SymbolKind.METHOD, 1, 2),),
        unheld=shared.UnheldWords(("kafka",), shared.Absence.EACH),
        users=evidence.UserList(
            "A.b",
            understanding.Relation.TESTS,
            evidence.SymbolRef("a.py", "A.b", evidence.SymbolKind.METHOD, 1, 2),
            3,
            (evidence.User("it adds (twice)", None, shared.Span("spec/(a)/b.js", 3, 3), "A.c", 2),),
            in_tests=1,
            notes=("and so on",),
        ),
        basis=Basis(BasisKind.CONSTANT, "UNKNOWN", "no such task", 7),
    )

    message = to_message(value, evidence_pb2.Evidence)

    assert message.kind == evidence_pb2.EVIDENCE_KIND_SOURCE
    assert not message.HasField("symbol")
    assert from_message(message, evidence.Evidence) == value


@dataclasses.dataclass(frozen=True)
class Dated:
    """Mirrors a part of a session."""

    session_id: str
    create_time: datetime


def test_dates_travel_in_utc() -> None:
    """A timestamp becomes an aware date and back."""
    dated = Dated("s", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))

    assert from_message(to_message(dated, orchestrator_pb2.Session), Dated) == dated


def test_an_enum_of_a_newer_peer_is_unspecified() -> None:
    """A number that this version does not know is read as UNSPECIFIED."""
    message = question_pb2.Classification(mode=77)  # type: ignore[arg-type]

    assert from_message(message, question.Classification).mode is question.Mode.UNSPECIFIED


def test_a_message_without_content_is_present() -> None:
    """A nested value whose fields all hold defaults is set all the same."""
    claim = shared.CheckedClaim(shared.Claim(shared.ClaimKind.UNSPECIFIED))

    assert to_message(claim, evidence_pb2.CheckedClaim).HasField("claim")
