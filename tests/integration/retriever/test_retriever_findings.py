"""Findings in analytical evidence: those of the scope, worst first, and what is said without a layer."""

from __future__ import annotations

from typing import Any

from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.retriever.conftest import Retriever

_CART = "class Cart:\n    def add(self, item):\n        eval(item)\n        return self\n"
_ADD = {"kind": 4, "qualified_name": "Cart.add", "start_line": 2, "end_line": 4}


def finding(path: str, severity: str, category: str, rule: str, symbol: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a line of the findings layer."""
    place = {"path": path, "start_line": 3, "end_line": 3, "symbol": symbol}
    return place | {"severity": severity, "category": category, "tool": "t", "rule": rule, "message": f"{rule} is bad"}


async def analytical(retriever: Retriever, repository: str, scope: str) -> pb.RetrieveResponse:
    """Ask about the structure of a part."""
    classification = question_pb2.Classification(mode=question_pb2.MODE_ANALYTICAL, scope=scope)
    question = "Which problems does the code have?"
    request = pb.RetrieveRequest(repository=repository, question=question, classification=classification)
    return await retriever.stub.Retrieve(request)


def pieces(response: pb.RetrieveResponse) -> list[evidence_pb2.Evidence]:
    """Return the evidence that is made of findings."""
    return [each for each in response.evidence if each.kind == evidence_pb2.EVIDENCE_KIND_FINDING]


async def test_findings_of_the_scope_are_shown(retriever: Retriever) -> None:
    """By severity, then category; counted; with the symbols that hold them; those of other parts are left out."""
    findings = [
        finding("shop/cart.py", "high", "security", "S307", _ADD),
        finding("shop/cart.py", "high", "correctness", "F821"),
        finding("shop/cart.py", "low", "maintainability", "F401"),
        finding("other/cart.py", "critical", "security", "X1"),
    ]
    builder = SnapshotBuilder().python("shop/cart.py", _CART).python("other/cart.py", _CART)
    builder.publish(retriever.data, "flagged", findings=findings)
    response = await analytical(retriever, "flagged", "shop")

    (piece,) = pieces(response)
    assert piece.text.splitlines() == [
        "3 findings: 1 high correctness, 1 high security, 1 low maintainability",
        "- high correctness: F821 is bad [t F821], shop/cart.py:3",
        "- high security: S307 is bad [t S307], line 3 of Cart.add (shop/cart.py:2)",
        "- low maintainability: F401 is bad [t F401], shop/cart.py:3",
    ]
    assert [(each.path, each.qualified_name) for each in piece.mentions] == [("shop/cart.py", "Cart.add")]
    assert "findings" in response.quality.ran


async def test_an_empty_layer_is_a_layer(retriever: Retriever) -> None:
    """Where analyzers found nothing, or are switched off, nothing is shown and nothing is missing."""
    SnapshotBuilder().python("shop/cart.py", _CART).publish(retriever.data, "clean", findings=[])
    response = await analytical(retriever, "clean", "shop")

    assert pieces(response) == []
    assert "findings" in response.quality.ran
    assert [each for each in response.quality.skipped if "findings" in each] == []


async def test_a_missing_layer_is_said(retriever: Retriever) -> None:
    """Until analyzers have run, the evidence says that they have not."""
    SnapshotBuilder().python("shop/cart.py", _CART).publish(retriever.data, "bare")
    response = await analytical(retriever, "bare", "shop")

    assert pieces(response) == []
    assert "findings: layer not ready" in response.quality.skipped
