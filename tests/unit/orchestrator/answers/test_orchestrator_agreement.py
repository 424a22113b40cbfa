"""How far an answer and its shadow agree."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from common.core.contract.evidence import Span
from orchestrator.domain.answers.agreement import Agreement, Comparison, compare
from orchestrator.domain.answers.answer import Answer, Confidence, LoopMetadata, StopReason
from orchestrator.domain.evidence.piece import Citation, SearchQuality, SymbolRef
from orchestrator.domain.questions.question import Classification


def answer(*cited: str, confidence: Confidence = Confidence.HIGH, degraded: tuple[str, ...] = ()) -> Answer:
    """Return an answer that cites "file" or "file:symbol"."""
    return Answer(
        answer_id="a",
        repository="r",
        snapshot_id="s",
        session_id="ses",
        question="q",
        text="t",
        citations=tuple(citation(number, each) for number, each in enumerate(cited, 1)),
        confidence=confidence,
        confidence_reason="",
        disclaimer="",
        classification=Classification(),
        quality=SearchQuality(),
        metadata=LoopMetadata(),
        gaps=(),
        claims=(),
        degraded=degraded,
        engine="evidence",
        model="",
        sufficiency=None,
        complete_time=datetime(2026, 1, 1, tzinfo=UTC),
        evidence=(),
    )


def citation(number: int, place: str) -> Citation:
    path, _, name = place.partition(":")
    return Citation(number, Span(path, number, number + 1), symbol=SymbolRef(path, name) if name else None)


def test_the_same_places_with_the_same_confidence_are_the_same() -> None:
    """Whatever the order, the lines and the words."""
    found = compare(answer("a.py:f", "b.py:g"), replace(answer("b.py:g", "a.py:f"), text="other words"))

    assert found == Comparison(Agreement.SAME, 1.0, 1.0)


def test_another_confidence_is_similar_at_best() -> None:
    """Who rests on the same and is less sure says something else."""
    found = compare(answer("a.py:f"), answer("a.py:f", confidence=Confidence.MEDIUM))

    assert found.agreement is Agreement.SIMILAR


@pytest.mark.parametrize(
    ("served", "shadow", "files", "symbols", "agreement"),
    [
        (["a.py:f"], ["a.py:g"], 1.0, 0.0, Agreement.SIMILAR),
        (["a.py:f", "b.py:g"], ["a.py:f", "c.py:h"], 0.5, 0.5, Agreement.SIMILAR),
        (["a.py:f", "b.py:g", "c.py:h"], ["a.py:f", "d.py:i", "e.py:j"], 1 / 3, 1 / 3, Agreement.DIFFERENT),
        (["a.py:f"], ["b.py:f"], 0.0, 0.0, Agreement.DIFFERENT),
        (["a.md"], ["a.md"], 1.0, None, Agreement.SAME),
        (["a.md", "b.md"], ["a.md", "b.md", "c.md"], 0.8, None, Agreement.SAME),
        (["a.md", "b.md"], ["a.md", "c.md", "d.md"], 0.4, None, Agreement.SIMILAR),
        ([*"abcd"], [*"abce"], 0.75, None, Agreement.SIMILAR),
        ([*"abcdefgh"], [*"abcijklm"], 0.375, None, Agreement.DIFFERENT),
        (["a.py:f"], ["a.py"], 1.0, 0.0, Agreement.SIMILAR),
        (["a.md"], [], 0.0, None, Agreement.DIFFERENT),
        ([], [], 1.0, None, Agreement.SAME),
    ],
)
def test_the_overlap_decides(
    served: list[str], shadow: list[str], files: float, symbols: float | None, agreement: Agreement
) -> None:
    """Twice what both cite over what each cites, for files and symbols; the same either way round."""
    expected = Comparison(agreement, files, symbols)

    assert compare(answer(*served), answer(*shadow)) == expected
    assert compare(answer(*shadow), answer(*served)) == expected


def test_what_is_no_disagreement_does_not_count() -> None:
    """Fewer passes stop for another reason, and search degrades for both."""
    shadow = replace(answer("a.py:f", degraded=("vectors",)), metadata=LoopMetadata(stop_reason=StopReason.PASSES_USED))

    assert compare(answer("a.py:f"), shadow).agreement is Agreement.SAME
