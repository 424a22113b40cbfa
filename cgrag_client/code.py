"""Searches and reads indexed code."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgrag.type.v1 import code_pb2, evidence_pb2

    from cgrag_client.connecting.connection import Connection

_MOST_IN_A_PAGE = 200
_MOST_SPANS = 100


class Code:
    """
    Calls of the retriever that people and agents make; evaluation uses its stub directly.

    Args:
        connection: To the retriever.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.stub = retriever_pb2_grpc.RetrieverServiceStub(connection.channel)

    async def search(
        self,
        query: str,
        *,
        repository: str,
        limit: int = 20,
        path_prefix: str = "",
        include_tests: bool = False,
        lines: int = 0,
    ) -> retriever_pb2.SearchResponse:
        """Rank files, symbols and documents for a text, `limit` of each, and find at most `lines` that contain it."""
        request = retriever_pb2.SearchRequest(
            repository=repository,
            query=query,
            path_prefix=path_prefix,
            max_files=limit,
            max_symbols=limit,
            max_docs=limit,
            include_tests=include_tests,
            max_lines=lines,
        )
        return await self._connection.call(self.stub.Search, request)

    async def lookup(
        self, name: str, *, repository: str, path: str = "", limit: int = 50
    ) -> tuple[code_pb2.Symbol, ...]:
        """Find symbols by simple, qualified or module-dotted name; the first ones, exact matches before others."""
        found, _ = await self.lookup_or_similar(name, repository=repository, path=path, limit=limit)
        return found

    async def lookup_or_similar(
        self, name: str, *, repository: str, path: str = "", limit: int = 50, raises: str = "", mutates: str = ""
    ) -> tuple[tuple[code_pb2.Symbol, ...], tuple[str, ...]]:
        """
        Find symbols as `lookup` does; if there are none, return also similar names.

        Args:
            name: May be empty if symbols are searched by what they raise or mutate.
        """
        size = min(limit, _MOST_IN_A_PAGE)
        request = retriever_pb2.LookupSymbolsRequest(
            repository=repository, name=name, path=path, page_size=size, raises=raises, mutates=mutates
        )
        found: list[code_pb2.Symbol] = []
        similar: tuple[str, ...] = ()
        async with aclosing(self._connection.pages(self.stub.LookupSymbols, request)) as pages:
            async for page in pages:
                found += page.symbols
                similar = tuple(page.similar_names)
                if len(found) >= limit:
                    break
        return tuple(found[:limit]), similar

    async def users(
        self, name: str, relation: evidence_pb2.Relation.ValueType, *, repository: str, limit: int = 50
    ) -> retriever_pb2.ListUsersResponse:
        """List the users of each definition of a name, at most `limit` of each."""
        request = retriever_pb2.ListUsersRequest(
            repository=repository, name=name, relation=relation, page_size=min(limit, _MOST_IN_A_PAGE)
        )
        found = retriever_pb2.ListUsersResponse()
        read = 0
        async with aclosing(self._connection.pages(self.stub.ListUsers, request)) as pages:
            async for page in pages:
                if not read:
                    found = page
                lists = {(each.name, each.definition.path, each.definition.start_line): each for each in found.lists}
                for each in page.lists if read else ():
                    lists[each.name, each.definition.path, each.definition.start_line].listed.extend(each.listed)
                read += request.page_size
                if read >= limit:
                    break
        return found

    async def read(
        self, spans: Sequence[code_pb2.Span], *, repository: str, snapshot_id: str = ""
    ) -> tuple[retriever_pb2.SpanText, ...]:
        """Read source text, one for each span, in order."""
        texts: list[retriever_pb2.SpanText] = []
        for first in range(0, len(spans), _MOST_SPANS):
            some = spans[first : first + _MOST_SPANS]
            request = retriever_pb2.ReadSpansRequest(repository=repository, snapshot_id=snapshot_id, spans=some)
            texts += (await self._connection.call(self.stub.ReadSpans, request)).texts
        return tuple(texts)

    async def resolve_citation(
        self, citation: evidence_pb2.Citation, *, repository: str, revision: str = ""
    ) -> retriever_pb2.ResolveCitationResponse:
        """Look for a cited place in a snapshot or at a commit that is indexed, by default in the current snapshot."""
        request = retriever_pb2.ResolveCitationRequest(repository=repository, citation=citation, revision=revision)
        return await self._connection.call(self.stub.ResolveCitation, request)

    async def removals(self) -> tuple[retriever_pb2.Removal, ...]:
        """List the repositories that were removed within the last year, by name."""
        pages = self._connection.pages(self.stub.ListRemovals, retriever_pb2.ListRemovalsRequest())
        return tuple([each async for page in pages for each in page.removals])

    async def layer_problems(self) -> tuple[retriever_pb2.LayerProblem, ...]:
        """List the layers that the retriever could not open."""
        pages = self._connection.pages(self.stub.ListLayerProblems, retriever_pb2.ListLayerProblemsRequest())
        return tuple([each async for page in pages for each in page.problems])

    async def build_context(self, request: retriever_pb2.BuildContextRequest) -> retriever_pb2.ContextPackage:
        """Build the context of a task; idempotent by its task_id while the request is equal."""
        return await self._connection.call(self.stub.BuildContext, request)

    async def refine_context(self, request: retriever_pb2.RefineContextRequest) -> retriever_pb2.ContextPackage:
        """Add to the context of a task what was missing; each call makes a new revision of the context."""
        return await self._connection.call(self.stub.RefineContext, request)
