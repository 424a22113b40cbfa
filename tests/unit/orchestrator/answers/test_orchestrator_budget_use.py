"""What an answer says of its budget: of each cap, what its fetches used together and what they were allowed."""

from __future__ import annotations

from orchestrator.domain.answers.events import Classified, Event, EvidenceSupplied, PassFinished, PassStarted, Started
from orchestrator.domain.answers.state import fold
from orchestrator.domain.evidence.piece import BudgetUse, ContextSource
from orchestrator.domain.questions.question import Classification

CODE, GAPS = ContextSource.CODE, ContextSource.GAPS


def test_never_more_is_used_than_allowed() -> None:
    """Two fetches may use twice what one may, and both numbers say so."""
    events: list[Event] = [
        Started("a"),
        Classified(Classification()),
        EvidenceSupplied(1, budget_use=(BudgetUse(CODE, 1000, 900),)),
        *(PassStarted(1), PassFinished(1)),
        EvidenceSupplied(2, budget_use=(BudgetUse(CODE, 800, 700), BudgetUse(GAPS, 1000, 1000))),
        *(PassStarted(2), PassFinished(2)),
        EvidenceSupplied(3, budget_use=(BudgetUse(GAPS, 750, 600),)),
    ]

    assert fold(events).budget_use == (BudgetUse(CODE, 1800, 1600), BudgetUse(GAPS, 1750, 1600))
