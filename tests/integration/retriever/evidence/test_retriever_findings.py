"""Findings in analytical evidence: those of the scope, worst first, and what is said without a layer."""

from __future__ import annotations

from typing import Any

from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.reading import read_message
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
    question = "Which problems does the code have?"
    classification = question_pb2.Classification(
        mode=question_pb2.MODE_ANALYTICAL, understanding=read_message(question), scope=scope
    )
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
        finding("shopping/cart.py", "critical", "security", "X2"),
    ]
    builder = SnapshotBuilder()
    for folder in ("shop", "other", "shopping"):
        builder.python(f"{folder}/cart.py", _CART)
    builder.publish(retriever.data, "flagged", findings=findings)
    response = await analytical(retriever, "flagged", "shop")

    (piece,) = pieces(response)
    assert piece.title == "Findings in shop/"
    assert piece.text.splitlines() == [
        "3 findings: 1 high correctness, 1 high security, 1 low maintainability",
        "- high correctness: F821 is bad [t F821], shop/cart.py:3",
        "- high security: S307 is bad [t S307], line 3 of Cart.add (shop/cart.py:2)",
        "- low maintainability: F401 is bad [t F401], shop/cart.py:3",
    ]
    assert [(each.path, each.qualified_name) for each in piece.mentions] == [("shop/cart.py", "Cart.add")]
    assert "findings" in response.quality.ran


async def test_a_finding_is_cited_by_the_definition_that_holds_it(retriever: Retriever) -> None:
    """Of two with one name in a file, by the one that stands where it was found."""
    held = {"kind": 4, "qualified_name": "Cart.add", "start_line": 5, "end_line": 6}
    builder = SnapshotBuilder().python("shop/cart.py", _CART + "    def add(self, item, count):\n        eval(item)\n")
    builder.publish(retriever.data, "twice", findings=[finding("shop/cart.py", "high", "security", "S307", held)])

    (piece,) = pieces(await analytical(retriever, "twice", "shop"))

    assert [(each.qualified_name, each.start_line) for each in piece.mentions] == [("Cart.add", 5)]


async def test_of_many_findings_the_gravest_are_listed_and_all_are_counted(retriever: Retriever) -> None:
    """Thirty lines of them; what holds the first ten can be cited."""
    builder = SnapshotBuilder().python("shop/cart.py", "".join(f"def f{number}(): ...\n" for number in range(31)))
    held = [{"kind": 3, "qualified_name": f"f{n}", "start_line": n + 1, "end_line": n + 1} for n in range(31)]
    findings = [finding("shop/cart.py", "low", "style", f"S{number:02}", held[number]) for number in range(31)]
    builder.publish(retriever.data, "many", findings=findings)

    (piece,) = pieces(await analytical(retriever, "many", ""))

    first, *lines = piece.text.splitlines()
    assert (piece.title, first, len(lines)) == ("Findings in the repository", "31 findings: 31 low style", 30)
    assert [each.qualified_name for each in piece.mentions] == [f"f{number}" for number in range(10)]


async def test_an_empty_layer_is_a_layer(retriever: Retriever) -> None:
    """Where analyzers found nothing, or are switched off, nothing is shown and nothing is missing."""
    SnapshotBuilder().python("shop/cart.py", _CART).publish(retriever.data, "clean", findings=[])
    response = await analytical(retriever, "clean", "shop")

    assert pieces(response) == []
    assert "findings" in response.quality.ran
    assert [each for each in response.quality.skipped if "findings" in each] == []


async def test_a_missing_layer_is_no_fault(retriever: Retriever) -> None:
    """Where no analyzers have run, there is nothing to list and nothing to complain about."""
    SnapshotBuilder().python("shop/cart.py", _CART).publish(retriever.data, "bare")
    response = await analytical(retriever, "bare", "shop")

    assert pieces(response) == []
    assert [each for each in response.quality.skipped if "findings" in each] == []
