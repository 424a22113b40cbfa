"""What is left out of a prompt that would be too long."""

from __future__ import annotations

from orchestrator.domain.evidence import Evidence, EvidenceKind, SymbolRef
from orchestrator.domain.fitting import fit

# The source of a decorated function begins above the line that its documentation names.
WHOLE, NAMED = (SymbolRef("a.py", "Till.charge", start_line=line) for line in (7, 8))
OTHER = SymbolRef("b.py", "Till.close")
SOURCE = Evidence("source", EvidenceKind.SOURCE, symbol=WHOLE, tokens=100, pass_number=2)
TOLD = Evidence("told", EvidenceKind.DOC, symbol=NAMED, tokens=100, pass_number=1)
CARD = Evidence("card", EvidenceKind.DOC, symbol=OTHER, tokens=100, pass_number=1)
PAGE = Evidence("page", EvidenceKind.DOC, tokens=100, pass_number=1)


def test_documentation_of_what_is_shown_goes_first() -> None:
    """It says again what stands in the source; what came later says something new."""
    found = fit((TOLD, CARD, PAGE, SOURCE), 3 * 130)

    assert [each.evidence_id for each in found] == ["card", "page", "source"]


def test_it_stays_where_there_is_room() -> None:
    """Nothing is left out without need."""
    assert fit((TOLD, CARD, PAGE, SOURCE), 4 * 130) == (TOLD, CARD, PAGE, SOURCE)


def test_what_was_asked_for_stays_before_what_came_first() -> None:
    """Of what came first, the earlier."""
    found = fit((CARD, PAGE, SOURCE), 2 * 130)

    assert [each.evidence_id for each in found] == ["card", "source"]
