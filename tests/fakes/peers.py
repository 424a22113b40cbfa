"""
A retriever and a classifier that do what their script says and remember what they were asked.

Their code is a small shop: `checkout` calls `charge`, `charge` calls `authorise`, which raises `PaymentError`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import grpc
from cgrag.classifier.v1 import classifier_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import code_pb2, evidence_pb2, question_pb2

from common.core.errors import AppError
from common.rpc.status import status_from_error
from tests.fakes.reading import read_message

REPOSITORY = "shop"
SNAPSHOT = "snap-1"
PATH = "shop/payment.py"
_CODE = """\
def checkout(cart):
    '''Turn a cart into an order.'''
    total = cart.total()
    return charge(cart.customer, total)

def charge(customer, total):
    '''Take the money of a customer.'''
    authorise(customer, total)
    return total

def authorise(customer, total):
    '''Ask the bank.'''
    if total > customer.limit:
        raise PaymentError("limit exceeded")
"""
_LINES = {"checkout": (1, 4), "charge": (6, 9), "authorise": (11, 14)}
SOURCES: Mapping[str, tuple[int, str]] = {
    name: (start, "".join(_CODE.splitlines(keepends=True)[start - 1 : end])) for name, (start, end) in _LINES.items()
}
CALLS = (("checkout", "charge", 4), ("charge", "authorise", 8))
USES = (("Cart", "charge"),)


def symbol(name: str) -> code_pb2.SymbolRef:
    """Return the reference of a function of the shop."""
    start, text = SOURCES[name]
    return code_pb2.SymbolRef(
        path=PATH,
        qualified_name=name,
        kind=code_pb2.SYMBOL_KIND_FUNCTION,
        start_line=start,
        end_line=start + text.count("\n") - 1,
    )


def source(name: str, *, tokens: int = 40, reason: str = "matches the question") -> evidence_pb2.Evidence:
    """Return a function of the shop as evidence."""
    reference = symbol(name)
    text = SOURCES[name][1]
    return evidence_pb2.Evidence(
        evidence_id=f"ev-{name}",
        kind=evidence_pb2.EVIDENCE_KIND_SOURCE,
        source=evidence_pb2.CONTEXT_SOURCE_CODE,
        title=f"{name} ({PATH})",
        span=code_pb2.Span(path=PATH, start_line=reference.start_line, end_line=reference.end_line),
        symbol=reference,
        text=text,
        tokens=tokens,
        content_hash=sha256(text.encode()).hexdigest(),
        reason=reason,
    )


# Generated servicers are abstract for mypy; these leave part of the contracts unwritten.
_RetrieverBase: Any = retriever_pb2_grpc.RetrieverServiceServicer
_ClassifierBase: Any = classifier_pb2_grpc.ClassifierServiceServicer


OUTLINE = evidence_pb2.Evidence(
    evidence_id="outline",
    kind=evidence_pb2.EVIDENCE_KIND_OUTLINE,
    source=evidence_pb2.CONTEXT_SOURCE_CODE,
    title="Further definitions",
    text="shop/payment.py: refund 40\n",
    tokens=12,
)


@dataclass
class FakeRetriever(_RetrieverBase):  # type: ignore[misc]
    """
    Gives `first` as the first evidence, and for a gap the function of that name, or says that it is absent.

    `delay[method]` waits before the answer, `failing[method]` answers with that error instead, and `cancelled` has the
    methods whose wait was cut: on a busy machine callers give up others, too, as who asks for a snapshot does after 80
    ms.
    """

    first: list[evidence_pb2.Evidence] = field(default_factory=lambda: [source("checkout")])
    skipped: list[str] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    delay: dict[str, float] = field(default_factory=dict)
    failing: dict[str, AppError] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    snapshot_id: str = SNAPSHOT
    dirty: bool = False

    def asked(self, kind: type) -> list[Any]:
        """Return the requests of one type, in order."""
        return [each for each in self.requests if isinstance(each, kind)]

    async def LookupSymbols(self, request: Any, context: Any) -> retriever_pb2.LookupSymbolsResponse:
        """Name the snapshot, and the function of that name."""
        await self._take(request, "LookupSymbols", context)
        found = [code_pb2.Symbol(ref=symbol(request.name))] if request.name in SOURCES else []
        return retriever_pb2.LookupSymbolsResponse(snapshot_id=self.snapshot_id, symbols=found)

    async def Retrieve(self, request: Any, context: Any) -> retriever_pb2.RetrieveResponse:
        """Give the scripted evidence."""
        await self._take(request, "Retrieve", context)
        evidence = [each for each in self.first if each.evidence_id not in request.known_evidence_ids]
        evidence = [*([OUTLINE] if request.with_outline else []), *evidence]
        return retriever_pb2.RetrieveResponse(
            snapshot_id=self.snapshot_id,
            evidence=evidence,
            quality=retriever_pb2.SearchQuality(
                ran=["lexical"], skipped=self.skipped, found=len(evidence), used=len(evidence)
            ),
            timings=[retriever_pb2.StageTiming(stage="search", milliseconds=1.5)],
            budget_use=[
                retriever_pb2.BudgetUse(
                    source=evidence_pb2.CONTEXT_SOURCE_CODE,
                    limit_tokens=request.budget.initial_tokens,
                    used_tokens=sum(each.tokens for each in evidence),
                )
            ],
            snapshot=retriever_pb2.SnapshotInfo(
                snapshot_id=self.snapshot_id,
                source_identity="src-1",
                commit="c0ffee",
                dirty=self.dirty,
                layers=["core"],
                core_digest="core-1",
                coverage=0.9,
            ),
        )

    async def ResolveGaps(self, request: Any, context: Any) -> retriever_pb2.ResolveGapsResponse:
        """Give the function that each gap names."""
        await self._take(request, "ResolveGaps", context)
        known = set(request.known_evidence_ids)
        results, evidence = [], []
        for gap in request.gaps:
            if gap.symbol not in SOURCES:
                outcome = evidence_pb2.GAP_OUTCOME_ABSENT
                results.append(evidence_pb2.GapResult(gap=gap, outcome=outcome, detail=f"no symbol {gap.symbol}"))
                continue
            piece = source(gap.symbol, reason="matches by name")
            fresh = [piece] if piece.evidence_id not in known else []
            evidence += fresh
            known.add(piece.evidence_id)
            results.append(
                evidence_pb2.GapResult(
                    gap=gap,
                    outcome=evidence_pb2.GAP_OUTCOME_RESOLVED,
                    step="symbol",
                    candidates=[symbol(gap.symbol)],
                    evidence_ids=[each.evidence_id for each in fresh],
                )
            )
        return retriever_pb2.ResolveGapsResponse(snapshot_id=self.snapshot_id, results=results, evidence=evidence)

    async def ExpandGraph(self, request: Any, context: Any) -> retriever_pb2.ExpandGraphResponse:
        """Give the calls of the seeds."""
        await self._take(request, "ExpandGraph", context)
        seeds = {each.qualified_name for each in request.seeds}
        return retriever_pb2.ExpandGraphResponse(
            snapshot_id=self.snapshot_id,
            edges=[
                code_pb2.Edge(
                    source=symbol(caller),
                    target=symbol(callee),
                    target_name=callee,
                    kind=code_pb2.EDGE_KIND_CALL,
                    line=line,
                    confidence=0.95,
                    resolution=code_pb2.RESOLUTION_RESOLVED,
                )
                for caller, callee, line in CALLS
                if caller in seeds
            ],
        )

    async def CheckClaims(self, request: Any, context: Any) -> retriever_pb2.CheckClaimsResponse:
        """Verify what is true of the shop; an unknown name contradicts, the rest cannot be checked."""
        await self._take(request, "CheckClaims", context)
        checked = [evidence_pb2.CheckedClaim(claim=each, verdict=_verdict(each)) for each in request.claims]
        return retriever_pb2.CheckClaimsResponse(snapshot_id=self.snapshot_id, claims=checked)

    async def ReadSpans(self, request: Any, context: Any) -> retriever_pb2.ReadSpansResponse:
        """Give a hash made of the span."""
        await self._take(request, "ReadSpans", context)
        texts = [retriever_pb2.SpanText(span=each, content_hash=f"hash-{each.start_line}") for each in request.spans]
        return retriever_pb2.ReadSpansResponse(snapshot_id=self.snapshot_id, texts=texts)

    async def _take(self, request: Any, method: str, context: Any) -> None:
        self.requests.append(request)
        seconds = self.delay.get(method)
        try:
            await asyncio.sleep(seconds or 0.0)
        except asyncio.CancelledError:
            if seconds is not None:
                self.cancelled.append(method)
            raise
        await _fail(self.failing.get(method), context)


@dataclass
class FakeClassifier(_ClassifierBase):  # type: ignore[misc]
    """Reads the question, and answers with `mode` or the forced one, or after `delay` seconds with `failure`."""

    mode: question_pb2.Mode.ValueType = question_pb2.MODE_CONCEPTUAL
    symbols: tuple[str, ...] = ()
    requests: list[Any] = field(default_factory=list)
    failure: AppError | None = None
    delay: float = 0.0
    cost_usd: float = 0.0

    async def ClassifyQuestion(self, request: Any, context: Any) -> question_pb2.Classification:
        """Give the scripted classification."""
        self.requests.append(request)
        await asyncio.sleep(self.delay)
        await _fail(self.failure, context)
        return question_pb2.Classification(
            mode=request.forced_mode or self.mode,
            confidence=0.9,
            reasoning="scripted",
            engine=question_pb2.CLASSIFIER_ENGINE_RULES,
            anchors=question_pb2.Anchors(symbols=self.symbols),
            cost_usd=self.cost_usd,
            understanding=read_message(request.question),
        )


@asynccontextmanager
async def serving_peers(retriever: FakeRetriever, classifier: FakeClassifier) -> AsyncIterator[tuple[str, str]]:
    """Serve both on free ports of the loopback address; give the addresses of retriever and classifier."""
    servers = [grpc.aio.server(), grpc.aio.server()]
    retriever_pb2_grpc.add_RetrieverServiceServicer_to_server(retriever, servers[0])
    classifier_pb2_grpc.add_ClassifierServiceServicer_to_server(classifier, servers[1])
    ports = [server.add_insecure_port("127.0.0.1:0") for server in servers]
    for server in servers:
        await server.start()
    try:
        yield f"127.0.0.1:{ports[0]}", f"127.0.0.1:{ports[1]}"
    finally:
        for server in servers:
            await server.stop(None)


async def _fail(error: AppError | None, context: Any) -> None:
    if error is not None:
        status = status_from_error(error)
        await context.abort(status.code, status.message, status.metadata())


def _verdict(claim: evidence_pb2.Claim) -> evidence_pb2.ClaimVerdict.ValueType:
    if claim.kind == evidence_pb2.CLAIM_KIND_CALLS:
        is_true = (claim.subject, claim.object) in [(caller, callee) for caller, callee, _ in CALLS]
        return evidence_pb2.CLAIM_VERDICT_VERIFIED if is_true else evidence_pb2.CLAIM_VERDICT_CONTRADICTED
    if claim.kind == evidence_pb2.CLAIM_KIND_EXISTS:
        exists = claim.subject in (*SOURCES, "PaymentError")
        return evidence_pb2.CLAIM_VERDICT_VERIFIED if exists else evidence_pb2.CLAIM_VERDICT_CONTRADICTED
    if claim.kind == evidence_pb2.CLAIM_KIND_REFERS and (claim.subject, claim.object) in USES:
        return evidence_pb2.CLAIM_VERDICT_VERIFIED
    return evidence_pb2.CLAIM_VERDICT_UNCHECKABLE
