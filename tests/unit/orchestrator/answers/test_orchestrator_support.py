"""How far evidence carries an answer: slots of the question against what was found, and claims that are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Basis, BasisKind, CheckedClaim, Claim, ClaimKind, ClaimVerdict, Span
from common.core.contract.question import Anchors
from common.core.contract.understanding import Intent, QuestionPart, Relation, Slot, SlotKind, Understanding
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.answers.confidence import (
    ConfidenceThresholds,
    Support,
    decide_confidence,
    high,
    low,
    medium,
    of_definitions,
    of_list,
    of_reading,
)
from orchestrator.domain.evidence.piece import Evidence, SymbolKind, SymbolRef, User, UserList
from orchestrator.domain.loop.messages import unseen_messages

_ASK = SymbolRef("bank.py", "Bank.ask", SymbolKind.METHOD, 1, 3)
_USER = User("Till.pay", None, Span("till.py", 4, 4))
_CALLS = UserList("Bank.ask", Relation.CALLS, _ASK, 1, (_USER,))


def part(intent: Intent, relation: Relation = Relation.UNSPECIFIED, **slots: str) -> QuestionPart:
    """Return a part of a question with its slots by kind."""
    given = tuple(Slot(SlotKind[kind.upper()], text) for kind, text in slots.items())
    return QuestionPart(intent, relation, given, 0.9)


@pytest.mark.parametrize(
    ("asked", "lists", "level", "words"),
    [
        (part(Intent.RELATION, Relation.CALLS, subject="Bank.ask"), (_CALLS,), Confidence.HIGH, "lists them"),
        (part(Intent.RELATION, Relation.CALLS, subject="ask"), (_CALLS,), Confidence.HIGH, "lists them"),
        (part(Intent.RELATION, Relation.SETS, subject="Bank.ask"), (_CALLS,), Confidence.LOW, "another relation"),
        (part(Intent.RELATION, Relation.CALLS, subject="Till.ask"), (_CALLS,), Confidence.MEDIUM, "does not name"),
        (
            part(Intent.RELATION, Relation.CALLS, subject="Bank.ask"),
            (replace(_CALLS, count=0, listed=()),),
            Confidence.MEDIUM,
            "knows of none",
        ),
        (
            part(Intent.RELATION, Relation.CALLS, subject="Bank.ask"),
            (replace(_CALLS, unsure=(_USER,)),),
            Confidence.MEDIUM,
            "1 further place",
        ),
        (
            part(Intent.RELATION, Relation.CALLS, subject="Bank.ask"),
            (replace(_CALLS, notes=("and its name stands in 2 more files, in ways that are not resolved: a.rs",)),),
            Confidence.MEDIUM,
            "not resolved",
        ),
        (
            part(Intent.IMPACT, Relation.CALLS, subject="Bank.ask"),
            (_CALLS, replace(_CALLS, definition=replace(_ASK, path="other.py"))),
            Confidence.MEDIUM,
            "2 definitions are called `Bank.ask`",
        ),
        (
            part(Intent.KINDS, kind="storage backends"),
            (UserList("StorageBackend", Relation.IMPLEMENTS, None, 1, (_USER,)),),
            Confidence.HIGH,
            "lists",
        ),
        (
            part(Intent.KINDS, kind="commands"),
            (UserList("*Command", Relation.NAMES, None, 1, (_USER,)),),
            Confidence.MEDIUM,
            "by their names alone",
        ),
    ],
)
def test_a_list_is_sure_of_the_relation_and_the_thing_that_are_asked_for(
    asked: QuestionPart, lists: tuple[UserList, ...], level: Confidence, words: str
) -> None:
    """And where nothing beside it is unresolved; the reason says what to check otherwise."""
    found = of_list(asked, Understanding((asked,)), lists)

    assert (found.level, words in found.reason) == (level, True), found.reason


@pytest.mark.parametrize(
    ("written", "paths", "level"),
    [
        ("Bank.ask", ("bank.py",), Confidence.HIGH),
        ("bank.ASK", ("bank.py",), Confidence.MEDIUM),
        ("Bank.ask", ("bank.py", "other.py"), Confidence.MEDIUM),
    ],
)
def test_a_definition_is_sure_where_one_alone_has_the_name(
    written: str, paths: tuple[str, ...], level: Confidence
) -> None:
    """In its exact spelling."""
    assert of_definitions(written, [replace(_ASK, path=path) for path in paths]).level is level


@pytest.mark.parametrize(
    ("asked", "certainty", "level", "words"),
    [
        (part(Intent.METHOD, verb="renewed", object="lease"), 0.6, Confidence.MEDIUM, "right in 60% of the questions"),
        (part(Intent.METHOD, verb="renewed", object="lease"), 0.59, Confidence.LOW, "right in 59% of the questions"),
        (part(Intent.METHOD, verb="renewed", object="lease"), 0.0, Confidence.LOW, "merely the nearest"),
        (part(Intent.VALUE, subject="lease"), 0.9, Confidence.LOW, "no list or value"),
    ],
)
def test_code_is_likely_by_the_certainty_of_its_place(
    asked: QuestionPart, certainty: float, level: Confidence, words: str
) -> None:
    """Never sure: what its code does has to be read, and a value is no function."""
    found = of_reading(asked, ("lease",), _ASK, "", certainty=certainty)

    assert (found.level, words in found.reason) == (level, True), found.reason


@pytest.mark.parametrize(
    ("asked", "said", "level"),
    [
        (part(Intent.METHOD, verb="renewed", object="lease"), "Renew a lease", Confidence.MEDIUM),
        (part(Intent.METHOD, verb="renewed", object="lease"), "Drop a lease", Confidence.LOW),
        (part(Intent.METHOD, verb="renewed", object="lease of a worker"), "Renew a lease", Confidence.LOW),
        (part(Intent.METHOD, object="lease"), "Leases", Confidence.LOW),
    ],
)
def test_a_page_is_likely_by_the_verb_and_the_words_of_the_slots(
    asked: QuestionPart, said: str, level: Confidence
) -> None:
    """A single word is no sign that the page answers."""
    found = of_reading(asked, tuple(slot.text for slot in asked.slots), None, said)

    assert found.level is level, found.reason


def test_what_is_missing_is_named() -> None:
    """In the words of the question."""
    asked = part(Intent.METHOD, verb="pick", object="next job")
    found = of_reading(asked, ("pick", "next job"), None, "Ask a bank")

    assert "“pick”, “next”, “job”" in found.reason


@pytest.mark.parametrize(
    ("support", "verdicts", "level", "words"),
    [
        (high("it is listed"), (), Confidence.HIGH, "It is listed; 3 places cited."),
        (high("it is listed"), ("CONTRADICTED", "VERIFIED"), Confidence.MEDIUM, "the index contradicts 1 statement"),
        (medium("check it"), ("CONTRADICTED",), Confidence.LOW, "The index contradicts 1 statement"),
        (Support(Confidence.MEDIUM, "likely", 0.2), (), Confidence.LOW, "Likely"),
        (low("nearest"), ("VERIFIED",) * 9, Confidence.LOW, "Nearest"),
    ],
)
def test_claims_that_are_refuted_lower_the_confidence(
    support: Support, verdicts: tuple[str, ...], level: Confidence, words: str
) -> None:
    """Verified ones raise none: they are about names."""
    claims = [CheckedClaim(Claim(ClaimKind.EXISTS, "ask"), ClaimVerdict[each]) for each in verdicts]
    found, reason = decide_confidence(support, 3, claims, ConfidenceThresholds())

    assert (found, words in reason) == (level, True), reason


@pytest.mark.parametrize(
    ("cited", "unseen"),
    [
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.MESSAGE, text="card {} declined")), 1),
        (Evidence("e", text="fail(DECLINED)", basis=Basis(BasisKind.CONSTANT, "DECLINED", "card declined")), 1),
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.NEAR_MESSAGE, text="card declines")), 2),
        (Evidence("e", text="fail('limit exceeded')", basis=Basis(BasisKind.MESSAGE, text="card {} declined")), 0),
        (Evidence("e", text="fail(code)", basis=Basis(BasisKind.MESSAGE, text="no such customer")), 2),
    ],
)
def test_of_several_messages_each_is_to_be_seen(cited: Evidence, unseen: int) -> None:
    """A place that makes one says nothing of the other, unless it has that word for word."""
    anchors = Anchors(error_messages=("card declined", "limit exceeded"))

    assert len(unseen_messages(anchors, [cited])) == unseen
