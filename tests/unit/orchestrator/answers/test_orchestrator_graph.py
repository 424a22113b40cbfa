"""The graph of the sufficiency strategy: what of evidence and code graph it takes up, and in which order."""

from __future__ import annotations

from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef, Triple
from orchestrator.domain.loop.graph import gather, linearise
from orchestrator.domain.loop.references import Reference


def function(name: str) -> SymbolRef:
    """Return a function."""
    return SymbolRef("a.py", name, SymbolKind.FUNCTION, 1, 9)


def shown(name: str, pass_number: int, kind: EvidenceKind = EvidenceKind.SOURCE) -> Evidence:
    """Return a piece that a retrieval brought."""
    return Evidence(f"{kind.name} {name}", kind, symbol=function(name), pass_number=pass_number)


def calls(source: str, *targets: str) -> list[Reference]:
    """Return the edges of calls."""
    return [Reference(function(source), function(target)) for target in targets]


def test_later_evidence_adds_to_a_graph_that_was_full() -> None:
    """What the first retrieval had too much of leaves room for what a later one brings."""
    many = calls("first", *(f"helper{number:02}" for number in range(90)))
    _, before = gather([shown("first", 1)], many)
    evidence = [shown("first", 1), shown("second", 2)]
    entities, added = gather(evidence, [*many, *calls("second", "charge")], before)

    assert len(before) == len(added) + 27 == 60
    assert added[:3] == (
        Triple("second", "is defined in", "a.py", "SOURCE second"),
        Triple("second", "calls", "charge", "SOURCE second"),
        Triple("first", "calls", "helper59", "SOURCE first"),
    )
    assert entities[:4] == ("first", "second", "a.py", "charge")


def test_a_triple_needs_a_subject_that_is_shown_and_is_told_once() -> None:
    """It is backed by the piece that showed it first, however many show it."""
    evidence = [shown("first", 1), shown("first", 1, EvidenceKind.DOC), Evidence("page", EvidenceKind.DOC)]
    _, triples = gather(evidence, [*calls("hidden", "charge"), *calls("first", "charge", "refund", "charge")])

    assert {each.evidence_id for each in triples} == {"SOURCE first"}
    assert linearise(triples) == "first is defined in a.py\nfirst calls charge, refund"
