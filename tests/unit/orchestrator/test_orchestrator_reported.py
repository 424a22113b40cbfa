"""What an answer to a report of a failure is sure of: messages that the code makes, and types that it raises."""

from __future__ import annotations

import pytest

from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.confidence import grounds
from orchestrator.domain.evidence import Citation, Evidence, EvidenceKind, Relation, Span, SymbolRef, UserList
from orchestrator.domain.question import Anchors


@pytest.mark.parametrize(
    ("question", "anchors", "reason"),
    [
        ("ValueError", Anchors(exceptions=("ValueError",)), "for another reason"),
        ("ValueError when I book a table twice", Anchors(exceptions=("ValueError",)), "for another reason"),
        ("ValueError when I start the bank", Anchors(exceptions=("ValueError",)), "for another reason"),
        ("ValueError when a card is declined", Anchors(exceptions=("ValueError",)), ""),
        ("KeyError when a card is declined", Anchors(exceptions=("KeyError",)), "does not speak of KeyError"),
        ("TypeError when I book a table twice", Anchors(exceptions=("TypeError",)), ""),
        ("Declined when I book a table twice", Anchors(exceptions=("bank.Declined",)), ""),
        ("ValueError: no money", Anchors(exceptions=("ValueError",), error_messages=("no money",)), ""),
    ],
)
def test_a_type_of_elsewhere_may_be_raised_for_another_reason(question: str, anchors: Anchors, reason: str) -> None:
    """What is said besides must be spoken of too, not by a path; one that the code defines is raised for its name."""
    text = "`charge` raises `ValueError` under `if card.declined` at `bank/start.py:7`. [1]"
    evidence = [
        Evidence("e", title="charge", text="raise ValueError from TypeError"),
        Evidence("f", symbol=SymbolRef("bank.py", "Declined")),
    ]

    facts = grounds(question, anchors, text, evidence, [Citation(1, Span("a.py", 1, 2), evidence_id="e")], (), ())

    assert facts.other_failure.endswith(reason)
    assert bool(facts.other_failure) is bool(reason)


_LIKE = Basis(BasisKind.NEAR_MESSAGE, text="card is declined")


@pytest.mark.parametrize(
    ("cited", "unseen"),
    [
        (Evidence("e", text='raise Declined(f"card {number} declined")'), 0),
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.MESSAGE, text="card {} declined")), 0),
        (Evidence("e", text="fail(DECLINED)", basis=Basis(BasisKind.CONSTANT, "DECLINED", "card declined")), 0),
        (Evidence("e", text="card = read()\nif declined():\n    retry()"), 1),
        (Evidence("e", text="pay()", basis=Basis(BasisKind.CALLS, "cards")), 1),
        (Evidence("e", text="if card_declined(code):"), 1),
        (Evidence("e", kind=EvidenceKind.DOC, text="It says 'card declined' then."), 1),
        (Evidence("e", text="raise Declined('card is declined')", basis=_LIKE), 1),
        (Evidence("e", users=UserList("Declined: card {} declined", Relation.RAISES, None, 3)), 0),
    ],
)
def test_a_message_is_seen_where_one_line_holds_it(cited: Evidence, unseen: int) -> None:
    """Words that are scattered over the evidence do not make the message."""
    citations = [Citation(1, Span("a.py", 1, 2), evidence_id="e")]
    anchors = Anchors(error_messages=("card declined",))
    facts = grounds("Why is it declined?", anchors, "There: [1]", [cited], citations, (), ())

    assert (facts.unseen_messages, facts.is_exact) == (unseen, not unseen)
