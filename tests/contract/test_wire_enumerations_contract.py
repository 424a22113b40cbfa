"""Enumerations of domains that go over the wire by number: each member has the number of the contract."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2, question_pb2

from classifier.domain import values as classified
from common.core.contract import snapshot
from indexer.domain import jobs, tree
from indexer.domain.findings.finding import Category
from indexer.domain.precise.sites import Refusal
from indexer.domain.snapshots.invariants import Invariant
from retriever.domain.evidence import piece
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.task import ContextFormat, ContextRole
from retriever.usecases.resolve_citation import CitationState


@pytest.mark.parametrize(
    ("kind", "contract", "prefix"),
    [
        (classified.Mode, question_pb2.Mode, "MODE"),
        (classified.Engine, question_pb2.ClassifierEngine, "CLASSIFIER_ENGINE"),
        (classified.TaskType, question_pb2.TaskType, "TASK_TYPE"),
        (Mode, question_pb2.Mode, "MODE"),
        (piece.EvidenceKind, evidence_pb2.EvidenceKind, "EVIDENCE_KIND"),
        (piece.ContextSource, evidence_pb2.ContextSource, "CONTEXT_SOURCE"),
        (ContextRole, retriever_pb2.ContextRole, "CONTEXT_ROLE"),
        (ContextFormat, retriever_pb2.ContextFormat, "CONTEXT_FORMAT"),
        (CitationState, retriever_pb2.CitationState, "CITATION_STATE"),
        (jobs.JobState, indexer_pb2.IndexJobState, "INDEX_JOB_STATE"),
        (jobs.Phase, indexer_pb2.IndexPhase, "INDEX_PHASE"),
        (tree.SkipReason, indexer_pb2.SkipReason, "SKIP_REASON"),
        (Category, indexer_pb2.FindingCategory, "FINDING_CATEGORY"),
        (Refusal, indexer_pb2.DocumentRefusal, "DOCUMENT_REFUSAL"),
        (Invariant, indexer_pb2.Invariant, "INVARIANT"),
        (snapshot.Severity, indexer_pb2.Severity, "SEVERITY"),
        (snapshot.Tier, code_pb2.EdgeTier, "EDGE_TIER"),
        (snapshot.Resolution, code_pb2.Resolution, "RESOLUTION"),
        (snapshot.SymbolKind, code_pb2.SymbolKind, "SYMBOL_KIND"),
        (snapshot.EdgeKind, code_pb2.EdgeKind, "EDGE_KIND"),
    ],
)
def test_a_member_has_the_number_of_the_contract(kind: type[IntEnum], contract: Any, prefix: str) -> None:
    """A service may lack members that it does not use; 0 is unspecified, whatever a domain calls it."""
    numbers = {f"{prefix}_{each.name}": each.value for each in kind if each}

    assert numbers.items() <= dict(contract.items()).items()
