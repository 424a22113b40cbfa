"""Implements the gRPC service: decodes each request, runs its use case, encodes the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2_grpc

from common.rpc.serving.server import ServiceRegistration
from retriever.rpc import contexts, decode, encode

if TYPE_CHECKING:
    from typing import Any

    from google.protobuf.message import Message

    from common.core.ids import IdSource
    from common.rpc.paging import PageTokens
    from retriever.domain.evidence.budget import Budget
    from retriever.usecases.build_context import BuildContext
    from retriever.usecases.check_claims import CheckClaims
    from retriever.usecases.expand_graph import ExpandGraph
    from retriever.usecases.inspecting import ListDecisions, ListLayerProblems, ListRemovals
    from retriever.usecases.list_users import ListUsers
    from retriever.usecases.look_up_symbols import LookUpSymbols
    from retriever.usecases.read_spans import ReadSpans
    from retriever.usecases.resolve_citation import ResolveCitation
    from retriever.usecases.resolve_gaps import ResolveGaps
    from retriever.usecases.retrieve import Retrieve
    from retriever.usecases.search import Search

_DESCRIPTOR = pb.DESCRIPTOR.services_by_name["RetrieverService"]


@dataclass(frozen=True, slots=True)
class UseCases:
    """The use case of each method of the service."""

    retrieve: Retrieve
    resolve_gaps: ResolveGaps
    search: Search
    look_up_symbols: LookUpSymbols
    list_users: ListUsers
    expand_graph: ExpandGraph
    read_spans: ReadSpans
    build_context: BuildContext
    check_claims: CheckClaims
    resolve_citation: ResolveCitation
    list_decisions: ListDecisions
    list_removals: ListRemovals
    list_layer_problems: ListLayerProblems


class RetrieverServicer(retriever_pb2_grpc.RetrieverServiceServicer):
    """
    Implements RetrieverService.

    Args:
        defaults: Caps of token budgets for requests that set none.
    """

    def __init__(self, cases: UseCases, defaults: Budget, ids: IdSource, tokens: PageTokens) -> None:
        self._cases = cases
        self._defaults = defaults
        self._ids = ids
        self._tokens = tokens

    async def Retrieve(self, request: pb.RetrieveRequest, _context: Any) -> pb.RetrieveResponse:
        """Gather the first evidence for a question."""
        question = decode.question(request, request.retrieval_id or self._ids.new("ret"), self._defaults)
        return encode.retrieval(question, await self._cases.retrieve.run(question))

    async def ResolveGaps(self, request: pb.ResolveGapsRequest, _context: Any) -> pb.ResolveGapsResponse:
        """Resolve gaps: fetch the evidence that an answer lacks."""
        wanted = decode.gaps(request, request.retrieval_id or self._ids.new("ret"), self._defaults)
        return encode.resolution(await self._cases.resolve_gaps.run(wanted), wanted.pass_number)

    async def Search(self, request: pb.SearchRequest, _context: Any) -> pb.SearchResponse:
        """Rank files and symbols for a text."""
        query = decode.search(request)
        return encode.ranking(*await self._cases.search.run(request.repository, request.snapshot_id, query))

    async def LookupSymbols(self, request: pb.LookupSymbolsRequest, _context: Any) -> pb.LookupSymbolsResponse:
        """Find symbols by name or behaviour."""
        wanted, size = decode.lookup(request)
        first = int(self._tokens.read(request, request.page_token) or 0)
        page = await self._cases.look_up_symbols.run(request.repository, request.snapshot_id, wanted, first, size)
        return encode.symbols(page, self._next(request, first + size, page.more))

    async def ListUsers(self, request: pb.ListUsersRequest, _context: Any) -> pb.ListUsersResponse:
        """List the users of a symbol."""
        asked, size = decode.users(request)
        first = int(self._tokens.read(request, request.page_token) or 0)
        page = await self._cases.list_users.run(request.repository, request.snapshot_id, asked, first, size)
        return encode.users(page, self._next(request, first + size, page.more))

    async def ExpandGraph(self, request: pb.ExpandGraphRequest, _context: Any) -> pb.ExpandGraphResponse:
        """Walk the graph from symbols."""
        seeds, walk = decode.walk(request)
        found = await self._cases.expand_graph.run(request.repository, request.snapshot_id, seeds, walk)
        return encode.neighbourhood(found)

    async def ReadSpans(self, request: pb.ReadSpansRequest, _context: Any) -> pb.ReadSpansResponse:
        """Read source text of spans."""
        spans = decode.spans(request)
        return encode.texts(*await self._cases.read_spans.run(request.repository, request.snapshot_id, spans))

    async def BuildContext(self, request: pb.BuildContextRequest, _context: Any) -> pb.ContextPackage:
        """Build the context of a task."""
        case = self._cases.build_context
        wanted = contexts.building(request, request.task_id or self._ids.new("task"), case.stages)
        return contexts.package(await case.run(wanted))

    async def RefineContext(self, request: pb.RefineContextRequest, _context: Any) -> pb.ContextPackage:
        """Refine the context of a task by requested additions."""
        missing = contexts.refining(request)
        return contexts.package(await self._cases.build_context.refine(request.repository, request.task_id, missing))

    async def CheckClaims(self, request: pb.CheckClaimsRequest, _context: Any) -> pb.CheckClaimsResponse:
        """Check statements against index and source."""
        claims = decode.claims(request)
        return encode.claims(*await self._cases.check_claims.run(request.repository, request.snapshot_id, claims))

    async def ResolveCitation(self, request: pb.ResolveCitationRequest, _context: Any) -> pb.ResolveCitationResponse:
        """Say what became of a citation."""
        citation = decode.citation(request)
        return encode.whereabouts(
            await self._cases.resolve_citation.run(request.repository, citation, request.revision)
        )

    async def ListDecisions(self, request: pb.ListDecisionsRequest, _context: Any) -> pb.ListDecisionsResponse:
        """List the decisions of a retrieval."""
        size = decode.decisions(request)
        after = int(self._tokens.read(request, request.page_token) or 0)
        found, more = await self._cases.list_decisions.run(request.repository, request.retrieval_id, after, size)
        last = found[-1][0] if found else after
        return encode.decisions(found, self._next(request, last, more))

    async def ListRemovals(self, request: pb.ListRemovalsRequest, _context: Any) -> pb.ListRemovalsResponse:
        """List repositories that were removed."""
        size = decode.page_of_all(request)
        found, more = await self._cases.list_removals.run(self._tokens.read(request, request.page_token), size)
        return encode.removals(found, self._next(request, found[-1].repository if found else "", more))

    async def ListLayerProblems(
        self, request: pb.ListLayerProblemsRequest, _context: Any
    ) -> pb.ListLayerProblemsResponse:
        """List layers that could not be opened."""
        size = decode.page_of_all(request)
        first = int(self._tokens.read(request, request.page_token) or 0)
        found, more = await self._cases.list_layer_problems.run(first, size)
        return encode.layer_problems(found, self._next(request, first + size, more))

    def _next(self, request: Message, cursor: int | str, more: bool) -> str:
        return self._tokens.make(request, str(cursor)) if more else ""


def registration(servicer: RetrieverServicer) -> ServiceRegistration:
    """Return the registration of this servicer at a server."""
    return ServiceRegistration(_DESCRIPTOR, retriever_pb2_grpc.add_RetrieverServiceServicer_to_server, servicer)
