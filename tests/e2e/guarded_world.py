"""Two repositories of two owners behind four services, what one of them has left there, and every call about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.e2e.four_services import CALL_SECONDS
from tests.e2e.guarded import CANARY, THEIRS, Guarded, metadata_of

Calls = dict[str, Callable[[str], tuple[Any, Any]]]

TASK = "shared-task"
TEXT = "How are prices added?"
NAME = f"{CANARY}_total"
FILE = code_pb2.Span(path="shop.py")


class World:
    """The services, and what Bert has left in them."""

    def __init__(self, services: Guarded) -> None:
        self.services = services
        self.jobs = services.index_both()
        self.snapshot = self.jobs[THEIRS].snapshot_id
        self.session, self.answer, self.events = self._asked()
        retriever = services.retriever
        retriever.BuildContext(task_of(THEIRS), timeout=CALL_SECONDS, metadata=metadata_of("bert"))
        request = retriever_pb2.RetrieveRequest(
            repository=THEIRS, question=f"What is {CANARY}_total?", retrieval_id="r1"
        )
        retriever.Retrieve(request, timeout=CALL_SECONDS, metadata=metadata_of("bert"))

    def _asked(self) -> tuple[str, str, str]:
        request = orchestrator_pb2.AskRequest(
            repository=THEIRS, question=f"What does {CANARY}_total do?", request_id="bert-1"
        )
        call = self.services.orchestrator.Ask(request, timeout=CALL_SECONDS, metadata=metadata_of("bert"))
        events = list(call)
        return events[0].started.session_id, events[0].answer_id, str(events)

    def reading(self) -> Calls:
        """Return calls of readers and askers that name a repository."""
        return self._reading_source() | self._reading_tasks() | self._asking()

    def _reading_source(self) -> Calls:
        retriever, pb = self.services.retriever, retriever_pb2
        symbol = code_pb2.SymbolRef(path="shop.py", qualified_name=NAME)
        gap = evidence_pb2.Gap(description="how it adds", symbol=NAME)
        return {
            "Search": lambda name: (retriever.Search, pb.SearchRequest(repository=name, query=TEXT)),
            "Retrieve": lambda name: (retriever.Retrieve, pb.RetrieveRequest(repository=name, question=TEXT)),
            "Pinned": lambda name: (
                retriever.Retrieve,
                pb.RetrieveRequest(repository=name, question=TEXT, snapshot_id=self.snapshot),
            ),
            "ResolveGaps": lambda name: (retriever.ResolveGaps, pb.ResolveGapsRequest(repository=name, gaps=[gap])),
            "Lookup": lambda name: (retriever.LookupSymbols, pb.LookupSymbolsRequest(repository=name, name=NAME)),
            "Graph": lambda name: (retriever.ExpandGraph, pb.ExpandGraphRequest(repository=name, seeds=[symbol])),
            "Spans": lambda name: (retriever.ReadSpans, pb.ReadSpansRequest(repository=name, spans=[FILE])),
        }

    def _reading_tasks(self) -> Calls:
        retriever, pb = self.services.retriever, retriever_pb2
        claim = evidence_pb2.Claim(kind=evidence_pb2.CLAIM_KIND_EXISTS, subject=NAME)
        cited = evidence_pb2.Citation(span=code_pb2.Span(path="shop.py", start_line=1, end_line=3))
        return {
            "Context": lambda name: (retriever.BuildContext, task_of(name)),
            "Refine": lambda name: (
                retriever.RefineContext,
                pb.RefineContextRequest(repository=name, task_id=TASK, missing_files=["shop.py"]),
            ),
            "Claims": lambda name: (retriever.CheckClaims, pb.CheckClaimsRequest(repository=name, claims=[claim])),
            "Citation": lambda name: (
                retriever.ResolveCitation,
                pb.ResolveCitationRequest(repository=name, citation=cited, revision=self.snapshot),
            ),
            "Revision": lambda name: (
                retriever.ResolveCitation,
                pb.ResolveCitationRequest(repository=name, citation=cited, revision="main"),
            ),
            "Decisions": lambda name: (
                retriever.ListDecisions,
                pb.ListDecisionsRequest(repository=name, retrieval_id="r1"),
            ),
            "TaskDecisions": lambda name: (
                retriever.ListDecisions,
                pb.ListDecisionsRequest(repository=name, retrieval_id=TASK),
            ),
        }

    def _asking(self) -> Calls:
        orchestrator, indexer = self.services.orchestrator, self.services.indexer
        pb, asked = indexer_pb2, orchestrator_pb2
        return {
            "Ask": lambda name: (orchestrator.Ask, asked.AskRequest(repository=name, question=TEXT)),
            "Explain": lambda name: (orchestrator.Explain, asked.ExplainRequest(repository=name, question=TEXT)),
            "Text": lambda name: (orchestrator.CheckText, asked.CheckTextRequest(repository=name, text=f"`{NAME}`")),
            "Session": lambda name: (orchestrator.CreateSession, asked.CreateSessionRequest(repository=name)),
            "Jobs": lambda name: (indexer.ListIndexJobs, pb.ListIndexJobsRequest(repository=name)),
            "Snapshots": lambda name: (indexer.ListSnapshots, pb.ListSnapshotsRequest(repository=name)),
            "Snapshot": lambda name: (
                indexer.GetSnapshot,
                pb.GetSnapshotRequest(repository=name, snapshot_id=self.snapshot),
            ),
            "Findings": lambda name: (indexer.ListFindings, pb.ListFindingsRequest(repository=name)),
            "Imports": lambda name: (indexer.ListPreciseImports, pb.ListPreciseImportsRequest(repository=name)),
        }

    def running(self) -> Calls:
        """Return calls of operators that name a repository."""
        indexer, pb = self.services.indexer, indexer_pb2
        findings = pb.ImportFindingsRequest
        edges = pb.ImportPreciseEdgesRequest
        return {
            "Debt": lambda name: (
                self.services.orchestrator.ListIndexDebt,
                orchestrator_pb2.ListIndexDebtRequest(repository=name),
            ),
            "Ratings": lambda name: (
                self.services.orchestrator.ListRatings,
                orchestrator_pb2.ListRatingsRequest(repository=name),
            ),
            "Rollback": lambda name: (indexer.RollbackSnapshot, pb.RollbackSnapshotRequest(repository=name)),
            "ImportFindings": lambda name: (
                indexer.ImportFindings,
                iter([findings(header=pb.ImportFindingsHeader(repository=name), chunk=b"{}")]),
            ),
            "ImportEdges": lambda name: (
                indexer.ImportPreciseEdges,
                iter([edges(header=pb.ImportPreciseEdgesHeader(repository=name), chunk=b"x")]),
            ),
            "Withdraw": lambda name: (
                indexer.DeletePreciseImports,
                pb.DeletePreciseImportsRequest(repository=name, import_ids=["x"]),
            ),
            "StartIndexing": lambda name: (
                indexer.StartIndexing,
                pb.StartIndexingRequest(repository=name, source=pb.Source(local_path="/nowhere")),
            ),
        }


def task_of(name: str) -> retriever_pb2.BuildContextRequest:
    """Return the request for the context of one task, the same in every repository."""
    return retriever_pb2.BuildContextRequest(
        repository=name, task="Change how prices are added", task_id=TASK, stages=["scope"], context_window_tokens=2000
    )
