"""What the retriever is told of an order, and what is read of its answer: nothing is lost on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2, question_pb2

from common.core.contract.evidence import Claim, ClaimKind, ClaimVerdict, Gap, GapOutcome, Span
from common.core.contract.question import Anchors
from common.core.errors import AppError, DependencyUnavailable, InvalidArgument
from orchestrator.adapters.peers.replicas import Replicas
from orchestrator.adapters.peers.retriever import RetrieverClient
from orchestrator.domain.answers.orders import GapOrder, Pin, RetrieveOrder
from orchestrator.domain.evidence.piece import SymbolRef
from orchestrator.domain.questions.question import Budget, Classification, Mode, Switches
from tests.fakes.peers import PATH, REPOSITORY, FakeClassifier, FakeRetriever, serving_peers, symbol

PIN = Pin(REPOSITORY, "snap-0")
BUDGET = Budget(total_tokens=5000, gap_tokens=300, after_pass_tokens=(900, 600))
SWITCHES = Switches(without_call_graph=True, without_vectors=True)
TOLD: dict[str, Any] = {
    "repository": REPOSITORY,
    "snapshot_id": "snap-0",
    "question": "How?",
    "budget": question_pb2.Budget(total_tokens=5000, gap_tokens=300, after_pass_tokens=[900, 600]),
    "switches": question_pb2.Switches(without_call_graph=True, without_vectors=True),
    "known_evidence_ids": ["ev-charge"],
}
CHECKOUT = SymbolRef(PATH, "checkout")


@asynccontextmanager
async def asking(retriever: FakeRetriever) -> AsyncIterator[RetrieverClient]:
    """Give a client of a retriever."""
    async with serving_peers(retriever, FakeClassifier()) as (address, _):
        replicas = Replicas([address])
        yield RetrieverClient(replicas)
        await replicas.close()


async def test_a_retrieval_is_told_whole() -> None:
    """What is brought counts for the pass that wanted it."""
    retriever = FakeRetriever()
    classification = Classification(Mode.DIAGNOSTIC, 0.5, anchors=Anchors(symbols=("checkout",)))
    async with asking(retriever) as client:
        found = await client.retrieve(
            RetrieveOrder(PIN, "How?", classification, BUDGET, SWITCHES, ("ev-charge",), pass_number=3)
        )

    told = question_pb2.Classification(mode=question_pb2.MODE_DIAGNOSTIC, confidence=0.5)
    told.anchors.symbols.append("checkout")
    told.understanding.reference.SetInParent()  # nobody read the question
    assert retriever.requests == [retriever_pb2.RetrieveRequest(**TOLD, classification=told)]
    assert [(each.evidence_id, each.pass_number) for each in found.evidence] == [("ev-checkout", 3)]
    assert (found.snapshot.snapshot_id, found.snapshot.commit) == ("snap-1", "c0ffee")
    assert (found.quality.ran, found.timings[0].stage, found.budget_use[0].used_tokens) == (("lexical",), "search", 40)


async def test_gaps_are_told_whole() -> None:
    """What is fetched counts for the pass after the one that missed it."""
    retriever = FakeRetriever()
    gaps = (Gap("g1", symbol="charge"), Gap("g2", "What is lacking", symbol="vanish", path="a.py"))
    order = GapOrder(PIN, gaps, Mode.EXPLORATORY, "How?", 2, BUDGET, 700, ("ev-charge",), SWITCHES)
    async with asking(retriever) as client:
        fetched = await client.resolve(order)
        again = await client.resolve(GapOrder(PIN, gaps[:1], Mode.EXPLORATORY, "How?", 2))

    told = [
        evidence_pb2.Gap(gap_id="g1", symbol="charge"),
        evidence_pb2.Gap(gap_id="g2", description="What is lacking", symbol="vanish", path="a.py"),
    ]
    mode = question_pb2.MODE_EXPLORATORY
    assert retriever.requests[0] == retriever_pb2.ResolveGapsRequest(
        **TOLD, gaps=told, mode=mode, pass_number=2, used_gap_tokens=700
    )
    assert [each.outcome for each in fetched.results] == [GapOutcome.RESOLVED, GapOutcome.ABSENT]
    assert [(each.evidence_id, each.pass_number) for each in again.evidence] == [("ev-charge", 3)]


class UnsureRetriever(FakeRetriever):
    """Knows edges that nothing may rest on, and a span of which the file is gone."""

    async def ExpandGraph(self, request: Any, context: Any) -> retriever_pb2.ExpandGraphResponse:
        """Give two edges that hold, one outside of the repository, and one of another kind."""
        found = await super().ExpandGraph(request, context)
        for kind, resolution in (
            (code_pb2.EDGE_KIND_INHERITS, code_pb2.RESOLUTION_RESOLVED),
            (code_pb2.EDGE_KIND_CALL, code_pb2.RESOLUTION_EXTERNAL),
            (code_pb2.EDGE_KIND_IMPORT, code_pb2.RESOLUTION_RESOLVED),
        ):
            found.edges.add(source=symbol("checkout"), target=symbol("charge"), kind=kind, resolution=resolution)
        return found

    async def ReadSpans(self, request: Any, context: Any) -> retriever_pb2.ReadSpansResponse:
        """Refuse what is not there."""
        known = FakeRetriever(requests=self.requests)
        if any(each.path == "gone.py" for each in request.spans):
            known.failing["ReadSpans"] = InvalidArgument("no such lines")
        return await known.ReadSpans(request, context)


async def test_references_are_what_is_called_or_extended_for_sure() -> None:
    """Each symbol is asked for once, and none at all is not worth a question."""
    retriever = UnsureRetriever()
    async with asking(retriever) as client:
        found = await client.references(PIN, [CHECKOUT, CHECKOUT])
        none = await client.references(PIN, [])

    assert [(each.target.qualified_name, each.relation) for each in found] == [
        ("charge", "calls"),
        ("charge", "inherits from"),
    ]
    assert none == ()
    [request] = retriever.requests
    assert (request.repository, request.snapshot_id, len(request.seeds), request.hops) == (REPOSITORY, "snap-0", 1, 1)
    assert request.direction == retriever_pb2.DIRECTION_FORWARD
    assert request.min_confidence == 0.75


async def test_small_questions_are_about_the_pinned_snapshot() -> None:
    """Whatever is current by now; a span that is not there has no hash, and what fails otherwise fails."""
    retriever = UnsureRetriever()
    spans = [Span("a.py", 7, 9), Span("gone.py", 1, 2)]
    async with asking(retriever) as client:
        there = [await client.exists(PIN, name) for name in ("checkout", "vanish")]
        [checked] = await client.check(PIN, [Claim(ClaimKind.CALLS, "checkout", "charge")])
        hashes = await client.content_hashes(PIN, spans)
        pinned = await client.pin(Pin(REPOSITORY))

    assert there == [True, False]
    assert (checked.claim.subject, checked.verdict) == ("checkout", ClaimVerdict.VERIFIED)
    assert hashes == {spans[0]: "hash-7"}
    assert pinned == Pin(REPOSITORY, "snap-1")
    assert [(each.repository, each.snapshot_id) for each in retriever.requests] == [
        *[(REPOSITORY, "snap-0")] * 6,
        (REPOSITORY, ""),
    ]


async def test_spans_that_are_there_are_read_by_one_call() -> None:
    """Their hashes come in the order of the spans; none is not worth a call."""
    retriever = FakeRetriever()
    spans = [Span("a.py", 7, 9), Span("b.py", 3, 4)]
    async with asking(retriever) as client:
        hashes = await client.content_hashes(PIN, spans)
        none = await client.content_hashes(PIN, [])

    assert hashes == {spans[0]: "hash-7", spans[1]: "hash-3"}
    assert none == {}
    assert len(retriever.requests) == 1


async def test_a_retriever_that_is_away_is_not_a_span_that_is_not_there() -> None:
    """Else a citation would be told without a hash for good."""
    retriever = FakeRetriever(failing={"ReadSpans": DependencyUnavailable("down")})
    async with asking(retriever) as client:
        with pytest.raises(AppError):
            await client.content_hashes(PIN, [Span("a.py", 7, 9)])
