"""The orchestrator, indexer and retriever as one scripted gRPC server that remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Self

import grpc
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import code_pb2 as pb_code
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.fakes.failures import Failure

Serve = Callable[["Script"], "SuiteServer"]
"""Starts a server; a fixture of the client's tests."""


@dataclass
class Script:
    """
    What the server does.

    Attributes:
        events: Events of the one answer that it knows.
        cuts: After which sequence numbers a stream is cut, once each, in order.
        cut_with: How it is cut.
        failure: Ends Ask and StartIndexing at once.
        hang_after: Sequence number after which the stream waits until the caller leaves.
        states: States of the one job that it streams.
        jobs: Jobs that it lists; by default the last state of that one.
        repositories: What is indexed.
        symbols: What a lookup finds.
        findings: What analyzers found.
        imports: SCIP indexes that were imported.
        text: What every place reads.
        snapshots: What is published of the repository.
        similar_names: What a lookup suggests.
        layer_problems: Layers that cannot be opened.
        debts: What was looked for in vain.
        health: What each of its services says of itself.
    """

    events: list[orchestrator_pb2.AnswerEvent] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    cut_with: Failure = field(default_factory=lambda: Failure(grpc.StatusCode.UNAVAILABLE))
    failure: Failure | None = None
    hang_after: int | None = None
    states: list[indexer_pb2.IndexJob] = field(default_factory=list)
    jobs: list[indexer_pb2.IndexJob] = field(default_factory=list)
    repositories: list[indexer_pb2.Repository] = field(default_factory=list)
    symbols: list[Any] = field(default_factory=list)
    findings: list[indexer_pb2.Finding] = field(default_factory=list)
    imports: list[indexer_pb2.PreciseImport] = field(default_factory=list)
    text: str = "import os\n"
    snapshots: list[indexer_pb2.Snapshot] = field(default_factory=list)
    similar_names: list[str] = field(default_factory=list)
    layer_problems: list[retriever_pb2.LayerProblem] = field(default_factory=list)
    debts: list[orchestrator_pb2.IndexDebt] = field(default_factory=list)
    health: int = health_pb2.HealthCheckResponse.SERVING


class SuiteServer(
    orchestrator_pb2_grpc.OrchestratorServiceServicer,
    indexer_pb2_grpc.IndexerServiceServicer,
    retriever_pb2_grpc.RetrieverServiceServicer,
    health_pb2_grpc.HealthServicer,  # type: ignore[misc]  # the package ships no types
):
    """
    Serves a script on a free port of this machine, in the clear or over TLS; a context manager.

    Attributes:
        asked: Requests, in order.
        metadata: Metadata of the last request.
        left: Set when a caller leaves a stream that hangs.
    """

    def __init__(self, script: Script, credentials: grpc.ServerCredentials | None = None) -> None:
        self.script = script
        self.asked: list[Any] = []
        self.metadata: dict[str, Any] = {}
        self.left = threading.Event()
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server(self, self._server)
        indexer_pb2_grpc.add_IndexerServiceServicer_to_server(self, self._server)
        retriever_pb2_grpc.add_RetrieverServiceServicer_to_server(self, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self, self._server)
        if credentials is None:
            port = self._server.add_insecure_port("127.0.0.1:0")
        else:
            port = self._server.add_secure_port("127.0.0.1:0", credentials)
        self.address = f"127.0.0.1:{port}"

    def Ask(self, request: Any, context: Any) -> Iterator[Any]:
        """Stream the events from the first on."""
        self._remember(request, context)
        return self._stream(0, context)

    def WatchAnswer(self, request: Any, context: Any) -> Iterator[Any]:
        """Stream the events after a sequence number."""
        self._remember(request, context)
        return self._stream(request.after_sequence, context)

    def GetAnswer(self, request: Any, context: Any) -> Any:
        """Give the one answer that it knows."""
        self._remember(request, context)
        return self.script.events[-1].completed.answer

    def Explain(self, request: Any, context: Any) -> Any:
        """Say nothing much."""
        self._remember(request, context)
        return orchestrator_pb2.ExplainResponse(snapshot_id="s1", plan=["lexical"], coverage=0.5, expected_passes=2)

    def RateAnswer(self, request: Any, context: Any) -> Any:
        """Take a rating."""
        self._remember(request, context)
        return orchestrator_pb2.RateAnswerResponse()

    def ListSessions(self, request: Any, context: Any) -> Any:
        """List two pages of one session each."""
        self._remember(request, context)
        if not request.page_token:
            return orchestrator_pb2.ListSessionsResponse(sessions=[_session("a")], next_page_token="next")
        return orchestrator_pb2.ListSessionsResponse(sessions=[_session("b")])

    def StartIndexing(self, request: Any, context: Any) -> Any:
        """Start the job."""
        self._remember(request, context)
        return self.script.states[0]

    def WatchIndexJob(self, request: Any, context: Any) -> Iterator[Any]:
        """Stream the states of the job; a cut falls before the state of that number."""
        self._remember(request, context)
        for number, state in enumerate(self.script.states):
            if self.script.cuts and self.script.cuts[0] == number:
                self.script.cuts.pop(0)
                self.script.cut_with.abort(context)
            yield state

    def ListIndexJobs(self, request: Any, context: Any) -> Any:
        """List jobs."""
        self._remember(request, context)
        known = self.script.jobs or self.script.states[-1:]
        jobs = [each for each in known if request.repository in ("", each.repository)]
        return indexer_pb2.ListIndexJobsResponse(jobs=jobs)

    def GetIndexJob(self, request: Any, context: Any) -> Any:
        """Know every job as a running one."""
        self._remember(request, context)
        state = indexer_pb2.INDEX_JOB_STATE_RUNNING
        return indexer_pb2.IndexJob(job_id=request.job_id, repository="shop", state=state)

    def CancelIndexJob(self, request: Any, context: Any) -> Any:
        """Cancel any job."""
        self._remember(request, context)
        state = indexer_pb2.INDEX_JOB_STATE_CANCELLED
        return indexer_pb2.IndexJob(job_id=request.job_id, repository="shop", state=state)

    def DeleteRepository(self, request: Any, context: Any) -> Any:
        """Delete any repository."""
        self._remember(request, context)
        return indexer_pb2.DeleteRepositoryResponse(snapshots_removed=2)

    def ListSnapshots(self, request: Any, context: Any) -> Any:
        """List the snapshots."""
        self._remember(request, context)
        return indexer_pb2.ListSnapshotsResponse(snapshots=self.script.snapshots)

    def RollbackSnapshot(self, request: Any, context: Any) -> Any:
        """Go back."""
        self._remember(request, context)
        return indexer_pb2.Snapshot(repository=request.repository, snapshot_id=request.snapshot_id, current=True)

    def ListRatings(self, request: Any, context: Any) -> Any:
        """List one rating."""
        self._remember(request, context)
        return orchestrator_pb2.ListRatingsResponse(ratings=[orchestrator_pb2.RatedAnswer(comment="tests only")])

    def ListIndexDebt(self, request: Any, context: Any) -> Any:
        """List the debts."""
        self._remember(request, context)
        return orchestrator_pb2.ListIndexDebtResponse(debts=self.script.debts)

    def ListFindings(self, request: Any, context: Any) -> Any:
        """List the findings, one a page."""
        self._remember(request, context)
        found, start = self.script.findings, int(request.page_token or 0)
        following = str(start + 1) if start + 1 < len(found) else ""
        return indexer_pb2.ListFindingsResponse(findings=found[start : start + 1], next_page_token=following)

    def ImportFindings(self, requests: Any, context: Any) -> Any:
        """Take a report."""
        for request in requests:
            self._remember(request, context)
        return indexer_pb2.ImportFindingsResponse(snapshot_id="s2", imported=3, outside=1)

    def ImportPreciseEdges(self, requests: Any, context: Any) -> Any:
        """Take an index."""
        for request in requests:
            self._remember(request, context)
        refused = [indexer_pb2.RefusedDocuments(reason=indexer_pb2.DOCUMENT_REFUSAL_OTHER_TEXT, documents=2)]
        return indexer_pb2.ImportPreciseEdgesResponse(
            snapshot_id="s3", documents=5, refused=refused, edges_replaced=70, edges_precise=1100
        )

    def ListPreciseImports(self, request: Any, context: Any) -> Any:
        """List the imports, one a page."""
        self._remember(request, context)
        found, start = self.script.imports, int(request.page_token or 0)
        following = str(start + 1) if start + 1 < len(found) else ""
        return indexer_pb2.ListPreciseImportsResponse(imports=found[start : start + 1], next_page_token=following)

    def DeletePreciseImports(self, request: Any, context: Any) -> Any:
        """Forget imports."""
        self._remember(request, context)
        return indexer_pb2.DeletePreciseImportsResponse(snapshot_id="s4", files=84, edges_precise=1100)

    def ListRepositories(self, request: Any, context: Any) -> Any:
        """List the repositories."""
        self._remember(request, context)
        return indexer_pb2.ListRepositoriesResponse(repositories=self.script.repositories)

    def ListRemovals(self, request: Any, context: Any) -> Any:
        """Know of one removal a page."""
        self._remember(request, context)
        removed = retriever_pb2.Removal(repository=f"gone{request.page_token}", indexed_again=bool(request.page_token))
        removed.remove_time.FromJsonString("2026-01-02T03:04:05Z")
        return retriever_pb2.ListRemovalsResponse(removals=[removed], next_page_token="" if request.page_token else "2")

    def ListLayerProblems(self, request: Any, context: Any) -> Any:
        """Name the layers that cannot be used."""
        self._remember(request, context)
        return retriever_pb2.ListLayerProblemsResponse(problems=self.script.layer_problems)

    def LookupSymbols(self, request: Any, context: Any) -> Any:
        """Find the symbols, as many on a page as are asked for."""
        self._remember(request, context)
        begin = int(request.page_token or 0)
        end = begin + (request.page_size or 50)
        return retriever_pb2.LookupSymbolsResponse(
            symbols=self.script.symbols[begin:end],
            next_page_token=str(end) if end < len(self.script.symbols) else "",
            similar_names=self.script.similar_names,
        )

    def Search(self, request: Any, context: Any) -> Any:
        """Rank one file."""
        self._remember(request, context)
        return retriever_pb2.SearchResponse(files=[retriever_pb2.RankedFile(path="app.py", score=1, signals=["words"])])

    def ReadSpans(self, request: Any, context: Any) -> Any:
        """Read the text."""
        self._remember(request, context)
        return retriever_pb2.ReadSpansResponse(texts=[retriever_pb2.SpanText(text=self.script.text)])

    def ResolveCitation(self, request: Any, context: Any) -> Any:
        """Find the first citation where it was, and others two lines below."""
        self._remember(request, context)
        span, at = request.citation.span, min(request.citation.number, 2) - 1
        now = pb_code.Span(path=span.path, start_line=span.start_line + 2 * at, end_line=span.end_line + 2 * at)
        return retriever_pb2.ResolveCitationResponse(state=retriever_pb2.CitationState.ValueType(1 + at), span=now)

    def ExpandGraph(self, request: Any, context: Any) -> Any:
        """Meet one edge, from the first seed."""
        self._remember(request, context)
        edge = pb_code.Edge(source=request.seeds[0], target_name="reserve")
        return retriever_pb2.ExpandGraphResponse(edges=[edge])

    def BuildContext(self, request: Any, context: Any) -> Any:
        """Build a package of one line."""
        self._remember(request, context)
        return retriever_pb2.ContextPackage(
            task_id="task_1", revision=1, rendered="# Context\n", used_tokens=3, limit_tokens=700
        )

    def RefineContext(self, request: Any, context: Any) -> Any:
        """Build the next one."""
        self._remember(request, context)
        return retriever_pb2.ContextPackage(
            task_id=request.task_id, revision=2, rendered="# More\n", not_found=request.missing_tests
        )

    def Check(self, request: Any, context: Any) -> Any:
        """Be ready, or not."""
        return health_pb2.HealthCheckResponse(status=self.script.health)

    def asked_for(self, kind: type) -> list[Any]:
        """List the requests of one kind."""
        return [each for each in self.asked if isinstance(each, kind)]

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.left.set()
        self._server.stop(None).wait()

    def _remember(self, request: Any, context: Any) -> None:
        self.asked.append(request)
        self.metadata = dict(context.invocation_metadata())
        if self.script.failure is not None:
            self.script.failure.abort(context)

    def _stream(self, after: int, context: Any) -> Iterator[Any]:
        if self.script.hang_after is not None and not context.add_callback(self.left.set):
            self.left.set()  # the caller left before we began
        for event in self.script.events:
            if event.sequence > after:
                yield event
            if self.script.cuts and event.sequence == self.script.cuts[0]:
                self.script.cuts.pop(0)
                self.script.cut_with.abort(context)
            if event.sequence == self.script.hang_after:
                self.left.wait(30)
                return


def _session(session_id: str) -> orchestrator_pb2.Session:
    return orchestrator_pb2.Session(session_id=session_id, repository="shop", cached_evidence=3)
