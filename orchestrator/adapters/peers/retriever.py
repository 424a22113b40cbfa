"""The retriever over gRPC: evidence, gaps, and lookups in a snapshot."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2

from common.core.contract.evidence import CheckedClaim, Claim, Span
from common.core.errors import AppError, Kind
from common.core.removals import Removal
from common.rpc.serving.mirroring import from_message, to_message
from orchestrator.adapters.effort import current_effort
from orchestrator.adapters.peers.shared_evidence import SharedEvidence
from orchestrator.domain.answers.orders import GapsFetched, Pin, Retrieved, StageTime
from orchestrator.domain.evidence.piece import BudgetUse, GapResult, SearchQuality, SnapshotInfo, SymbolRef
from orchestrator.domain.loop.references import Reference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orchestrator.adapters.peers.replicas import Replicas
    from orchestrator.domain.answers.orders import GapOrder, RetrieveOrder

V = TypeVar("V")

# No symbol has this name: the lookup is cheap, and its response names the snapshot.
_NO_NAME = "cgrag.pin"
_SURE = 0.75
"""Least confidence of edges that may cause a gap: edges guessed by name alone would fetch unrelated code."""
_MAX_SEEDS = 50
_REMEMBERED = 256
_MAX_CLAIMS = 200
_RELATIONS = {code_pb2.EDGE_KIND_CALL: "calls", code_pb2.EDGE_KIND_INHERITS: "inherits from"}
_NOT_THERE = frozenset({Kind.NOT_FOUND, Kind.INVALID})


class RetrieverClient:
    """
    Implements `Retriever` and `CodeIndex`.

    Args:
        replicas: Channels to the replicas of the retriever.
        seconds: Longest time for a retrieval; lookups get a fourth of it.
    """

    def __init__(self, replicas: Replicas, *, seconds: float = 20.0) -> None:
        self._replicas = replicas
        self._seconds = seconds
        self._evidence = SharedEvidence()
        # Many open answers over one snapshot have equal values: they share them.
        self._snapshot = lru_cache(_REMEMBERED)(_itself)
        self._quality = lru_cache(_REMEMBERED)(_itself)

    async def pin(self, pin: Pin) -> Pin:
        """Return the pin with the current snapshot filled in if it names none."""
        request = retriever_pb2.LookupSymbolsRequest(name=_NO_NAME, page_size=1)
        response = await self._ask(pin, "LookupSymbols", request)
        return Pin(pin.repository, response.snapshot_id)

    async def retrieve(self, order: RetrieveOrder) -> Retrieved:
        """Gather the first evidence."""
        current_effort().expect(len(order.question))
        request = to_message(order, retriever_pb2.RetrieveRequest)
        response = await self._ask(order.pin, "Retrieve", request, self._seconds)
        return Retrieved(
            tuple(self._evidence.read(each, order.pass_number) for each in response.evidence),
            self._quality(from_message(response.quality, SearchQuality)),
            tuple(from_message(each, BudgetUse) for each in response.budget_use),
            tuple(from_message(each, StageTime) for each in response.timings),
            self._snapshot(from_message(response.snapshot, SnapshotInfo)),
            response.scope,
        )

    async def resolve(self, order: GapOrder) -> GapsFetched:
        """Resolve 1 to 20 gaps."""
        request = to_message(order, retriever_pb2.ResolveGapsRequest)
        response = await self._ask(order.pin, "ResolveGaps", request, self._seconds)
        return GapsFetched(
            tuple(from_message(each, GapResult) for each in response.results),
            tuple(self._evidence.read(each, order.pass_number + 1) for each in response.evidence),
            tuple(from_message(each, BudgetUse) for each in response.budget_use),
        )

    async def references(self, pin: Pin, symbols: Sequence[SymbolRef]) -> tuple[Reference, ...]:
        """Return what these symbols call or extend inside the repository; at most 50 symbols are looked at."""
        seeds = [to_message(each, code_pb2.SymbolRef) for each in dict.fromkeys(symbols)][:_MAX_SEEDS]
        if not seeds:
            return ()
        request = retriever_pb2.ExpandGraphRequest(
            seeds=seeds,
            direction=retriever_pb2.DIRECTION_FORWARD,
            hops=1,
            kinds=list(_RELATIONS),
            min_confidence=_SURE,
        )
        response = await self._ask(pin, "ExpandGraph", request)
        return tuple(
            _reference(edge)
            for edge in response.edges
            if edge.resolution == code_pb2.RESOLUTION_RESOLVED and edge.kind in _RELATIONS
        )

    async def exists(self, pin: Pin, name: str) -> bool:
        """Return whether any symbol has this name."""
        request = retriever_pb2.LookupSymbolsRequest(name=name, page_size=1)
        response = await self._ask(pin, "LookupSymbols", request)
        return bool(response.symbols)

    async def check(self, pin: Pin, claims: Sequence[Claim]) -> tuple[CheckedClaim, ...]:
        """Return a verdict for each claim; at most 200."""
        request = retriever_pb2.CheckClaimsRequest(
            claims=[to_message(each, evidence_pb2.Claim) for each in claims[:_MAX_CLAIMS]],
        )
        response = await self._ask(pin, "CheckClaims", request)
        return tuple(from_message(each, CheckedClaim) for each in response.claims)

    async def content_hashes(self, pin: Pin, spans: Sequence[Span]) -> Mapping[Span, str]:
        """Return the SHA-256 of the lines of each span that exists."""
        if not spans:
            return {}
        request = retriever_pb2.ReadSpansRequest(
            spans=[to_message(each, code_pb2.Span) for each in spans],
        )
        try:
            response = await self._ask(pin, "ReadSpans", request)
        except AppError as error:
            if error.kind not in _NOT_THERE:
                raise
            if len(spans) == 1:
                return {}
            # A single missing span fails the whole request, so each span is then requested alone.
            found = await asyncio.gather(*(self.content_hashes(pin, [each]) for each in spans))
            return {span: digest for each in found for span, digest in each.items()}
        return {span: each.content_hash for span, each in zip(spans, response.texts, strict=True) if each.content_hash}

    async def removals(self) -> tuple[Removal, ...]:
        """Return the repositories that were removed."""
        found: list[Removal] = []
        request = retriever_pb2.ListRemovalsRequest()
        while True:
            response = await self._replicas.call("", "ListRemovals", request, self._seconds / 4)
            found += (from_message(each, Removal) for each in response.removals)
            if not response.next_page_token:
                return tuple(found)
            request = retriever_pb2.ListRemovalsRequest(page_token=response.next_page_token)

    async def _ask(self, pin: Pin, method: str, request: Any, seconds: float | None = None) -> Any:
        request.repository, request.snapshot_id = pin.repository, pin.snapshot_id
        return await self._replicas.call(pin.repository, method, request, seconds or self._seconds / 4)


def _itself(value: V) -> V:
    return value


def _reference(edge: code_pb2.Edge) -> Reference:
    source, target = from_message(edge.source, SymbolRef), from_message(edge.target, SymbolRef)
    return Reference(source, target, edge.line, _RELATIONS[edge.kind])
