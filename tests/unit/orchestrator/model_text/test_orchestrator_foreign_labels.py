"""What stands in brackets in a repository cites nothing in an answer."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import Span
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef
from orchestrator.domain.model_text.numbering import CitationNumberer
from orchestrator.domain.questions.question import Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.prose import unlabelled
from orchestrator.domain.writing.writer import write_answer

DOC = Evidence(
    "doc",
    EvidenceKind.DOC,
    title="Guide > Charging [2]",
    span=Span("docs/a.md", 1, 9),
    text="The customer is charged by the bank [2]. See the charging rules [E2] for how the customer is charged.",
)
SOURCE = Evidence(
    "source",
    EvidenceKind.SOURCE,
    span=Span("a.py", 1, 2),
    symbol=SymbolRef("a.py", "charge", SymbolKind.FUNCTION, 1, 2),
    text='def charge():\n    """Charge the customer as in [1]_ and [E1, E2]."""',
)


@pytest.mark.parametrize("mode", Mode)
def test_references_of_a_page_are_no_citations(mode: Mode) -> None:
    """Each piece is cited for what it says itself, whatever numbers it has in brackets."""
    supplied = (SOURCE, DOC)
    material = Material("How is the customer charged?", Classification(mode), label_evidence(supplied), ())
    numberer = CitationNumberer(supplied)
    text = "".join(numberer.feed(each) for each in write_answer(material)) + numberer.finish()

    told = [line for line in text.splitlines() if "by the bank" in line]
    assert told
    assert all(line.count("[") == 1 for line in told)
    assert '    """Charge the customer as in [1]_ and [E1, E2]."""' in text
    assert {each.evidence_id for each in numberer.cited} == {"source", "doc"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("As in [1].", "As in (1)."),
        ("As in [12]_ and [E3, E4].", "As in (12) and (3, E4)."),
        ("Gives `items[0]` or ``x[E1]``.", "Gives `items[0]` or ``x[E1]``."),
        ("Gives items[0] [key] [a 1].", "Gives items[0] [key] [a 1]."),
    ],
)
def test_only_what_reads_like_a_label_changes(text: str, shown: str) -> None:
    """Code and other brackets stay."""
    assert unlabelled(text) == shown
