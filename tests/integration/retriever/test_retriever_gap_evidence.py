"""What is supplied for gaps: the match and what is around it, once, within the caps; and what the log says."""

from __future__ import annotations

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from tests.fakes.snapshot_builder import RAISES, SnapshotBuilder
from tests.integration.retriever.conftest import Retriever


async def test_neighbours_are_told_by_what_they_are(retriever: Retriever) -> None:
    """One edge away and no further, each by its declaration and place; tests are none, and what has none is alone."""
    builder = SnapshotBuilder().python("a.py", "class Base: ...\nclass Mid: ...\nclass Leaf: ...\nclass Far: ...\n")
    builder.python("b.py", "def used(): ...\ndef user(): ...\ndef far(): ...\ndef lone(): ...\n")
    builder.python("tests/t.py", "def test_it(): ...\n", is_test=True)
    builder.inherits("a.py::Mid", "a.py::Base").inherits("a.py::Leaf", "a.py::Mid").inherits("a.py::Far", "a.py::Leaf")
    builder.calls("a.py::Mid", "b.py::used").calls("b.py::user", "a.py::Mid").calls("b.py::used", "b.py::far")
    builder.calls("b.py::used", "a.py::Mid").calls("tests/t.py::test_it", "a.py::Mid")
    builder.fact("a.py::Mid", RAISES, "Shut").fact("a.py::Mid", RAISES, "Shut")
    builder.publish(retriever.data, "around")
    gaps = [evidence_pb2.Gap(symbol="Mid"), evidence_pb2.Gap(symbol="lone")]
    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="around", gaps=gaps))
    _, around, *alone = response.evidence

    assert around.text.splitlines() == [
        "Around Mid (a.py)",
        "calls:",
        "- used: def used(): ... (b.py:1)",
        "inherits from:",
        "- Base: class Base: ... (a.py:1)",
        "is called by:",
        "- used: def used(): ... (b.py:1)",
        "- user: def user(): ... (b.py:2)",
        "is inherited by:",
        "- Leaf: class Leaf: ... (a.py:3)",
        "raises or changes: Shut",
    ]
    assert [each.qualified_name for each in around.mentions] == ["used", "Base", "user", "Leaf"]
    assert around.reason == "one edge from Mid"
    assert [each.title for each in alone] == ["lone (b.py)"]


@pytest.mark.parametrize("pass_number", [1, 2, 3, 7])
async def test_gaps_never_exceed_their_caps(retriever: Retriever, pass_number: int) -> None:
    """500 for one, 1000, 750, 500 after each pass, and nothing twice; outcomes do not depend on the budget."""
    names = ("Checkout", "Warehouse", "Order", "App", "Router", "Checkout")
    gaps = [evidence_pb2.Gap(gap_id=str(index), symbol=name) for index, name in enumerate(names)]
    request = pb.ResolveGapsRequest(repository="shop", gaps=gaps, pass_number=pass_number)

    response = await retriever.stub.ResolveGaps(request)

    tokens = {piece.evidence_id: piece.tokens for piece in response.evidence}
    assert len(tokens) == len(response.evidence)
    assert sum(tokens.values()) <= {1: 1000, 2: 750}.get(pass_number, 500)
    assert sum(tokens.values()) == response.budget_use[0].used_tokens
    for result in response.results:
        assert result.outcome == evidence_pb2.GAP_OUTCOME_RESOLVED
        assert sum(tokens[each] for each in result.evidence_ids) <= 500


async def test_a_match_without_evidence_says_why(retriever: Retriever) -> None:
    """It was supplied for a gap before, and named again, or no tokens are left; resolved it is all the same."""
    gaps = [evidence_pb2.Gap(symbol=name) for name in ("Checkout.run", "run", "Order.pay")]
    request = pb.ResolveGapsRequest(repository="shop", gaps=gaps)
    request.gaps[1].path = "shop/checkout.py"

    twice = await retriever.stub.ResolveGaps(request)
    request.budget.gap_tokens = 1
    short = await retriever.stub.ResolveGaps(request)
    request.known_evidence_ids.append(twice.results[0].evidence_ids[0])
    both = await retriever.stub.ResolveGaps(request)

    assert twice.results[1].detail.endswith("; supplied already")
    assert twice.results[1].evidence_ids == twice.results[0].evidence_ids
    assert list(short.results[0].evidence_ids) == []
    assert list(both.results[0].evidence_ids) == [twice.results[0].evidence_ids[0]]
    assert short.results[0].detail.endswith("; the budget has no room for it")
    assert both.results[0].detail.endswith("; the budget has no room for it")
    assert short.results[0].outcome == evidence_pb2.GAP_OUTCOME_RESOLVED


async def test_every_gap_is_in_the_log(retriever: Retriever) -> None:
    """With the place that was found; where none was, with the one that was asked for."""
    request = pb.ResolveGapsRequest(
        repository="shop",
        retrieval_id="ret_gaps",
        gaps=[
            evidence_pb2.Gap(symbol="Order.pay"),
            evidence_pb2.Gap(path="README.md"),
            evidence_pb2.Gap(symbol="Order.lose", path="shop/orders.py"),
        ],
    )
    await retriever.stub.ResolveGaps(request)

    listed = await retriever.stub.ListDecisions(pb.ListDecisionsRequest(repository="shop", retrieval_id="ret_gaps"))

    told = [
        (each.step, each.subject.path, bool(each.subject.start_line), each.qualified_name, each.included)
        for each in listed.decisions
    ]
    assert told == [
        ("symbol: resolved", "shop/orders.py", True, "Order.pay", True),
        ("file: resolved", "README.md", True, "", True),
        ("symbol: absent", "shop/orders.py", False, "Order.lose", False),
    ]
