"""The yes or no of questions that want one, where the index carries it."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import Evidence, EvidenceKind, Relation, Span, SymbolKind, SymbolRef, User, UserList
from orchestrator.domain.evidence_data import Setting
from orchestrator.domain.question import Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.verdicts import asks_for_being, by_default
from orchestrator.domain.writing.writer import write_answer

TAKE = SymbolRef("bank.py", "Bank.take", SymbolKind.METHOD, 5, 9)
LEND = SymbolRef("desk.py", "Desk.lend", SymbolKind.METHOD, 3, 4)


def answer(question: str, found: UserList) -> str:
    """Return what is written of a list."""
    users = Evidence("ev", EvidenceKind.FLOW, title="bank take", text="bank take", mentions=(TAKE, LEND), users=found)
    return "".join(write_answer(Material(question, Classification(Mode.EXPLORATORY), label_evidence((users,)), ())))


def callers(relation: Relation = Relation.CALLS, count: int = 1) -> UserList:
    """Return a list of one, of as many as there are."""
    return UserList("Bank.take", relation, TAKE, count, (User("Desk.lend", LEND, Span("desk.py", 4, 4)),))


@pytest.mark.parametrize(
    ("question", "relation", "told"),
    [
        (
            "Does Desk.lend call take?",
            Relation.CALLS,
            "Yes: `Desk.lend` [E1:Desk.lend] calls `Bank.take`, at `desk.py:4`.\n",
        ),
        ("Is Desk.lend a subclass of Bank.take?", Relation.INHERITS, "Yes: `Desk.lend` [E1:Desk.lend] extends"),
        (
            "Does Shop.sell call take?",
            Relation.CALLS,
            "`Shop.sell` is not among those known to call `Bank.take` themselves.",
        ),
        ("Does Shop.sell extend take?", Relation.INHERITS, "`Bank.take` is extended by"),
        ("Does Desk.lend not call take?", Relation.CALLS, "`Bank.take` is called by"),
        ("Who calls take?", Relation.CALLS, "`Bank.take` is called by"),
        ("Is Bank.take called? What calls Bank.take?", Relation.CALLS, "`Bank.take` is called by"),
        ("Does anything call take?", Relation.CALLS, "`Bank.take` is called by"),
        ("Is Desk.lend a test of take?", Relation.TESTS, "`Bank.take` is tested by"),
        ("Does Desk call take?", Relation.CALLS, "`Bank.take` is called by"),
    ],
)
def test_who_is_on_a_list_answers_with_yes(question: str, relation: Relation, told: str) -> None:
    """Who is not may do so in another way, and what is denied is not answered by one word."""
    assert answer(question, callers(relation)).startswith(told)


def test_who_may_be_among_those_that_are_not_listed_is_not_spoken_of() -> None:
    """The list has more than it shows."""
    assert answer("Does Shop.sell call take?", callers(count=9)).startswith("`Bank.take` is called by")


@pytest.mark.parametrize(
    ("question", "name", "value", "verdict"),
    [
        ("Does the client follow redirects by default?", "Client.follow_redirects", "True", "Yes, by default: "),
        ("Does it serialize nulls?", "Builder.DEFAULT_SERIALIZE_NULLS", "false", "Not by default: "),
        ("Is span on in Bell.ring?", "Bell.ring(span)", "true", "Yes, by default: "),
        ("Does it not follow redirects?", "follow_redirects", "True", ""),
        ("Does it escape HTML?", "disableHtmlEscaping", "false", ""),
        ("Does it follow redirects?", "follow_all_redirects", "True", ""),
        ("Does it follow redirects?", "follow_redirects", "5", ""),
        ("What follows redirects?", "follow_redirects", "True", ""),
    ],
)
def test_a_switch_says_whether_something_is_done(question: str, name: str, value: str, verdict: str) -> None:
    """Where the question has all of its name, and nothing turns the meaning round."""
    assert by_default(question, Setting(("x",), name, value, 3)) == verdict


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("Does Bank.take still exist?", True),
        ("Is there a method called take?", True),
        ("Is there a Bank.take?", True),
        ("Is there a bank that takes?", False),
        ("Does Box.take exist?", False),
        ("Is there a take in the shop?", False),
    ],
)
def test_a_definition_answers_whether_there_is_one(question: str, is_asked: bool) -> None:
    """Of its full name, or the end of it."""
    assert asks_for_being(question, "Bank.take") is is_asked
