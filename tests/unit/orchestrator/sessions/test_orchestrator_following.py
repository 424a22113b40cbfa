"""What a follow-up means: what the answer before it was about, or nothing at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Setting, Span
from common.core.contract.question import Anchors
from common.core.contract.understanding import (
    EarlierReference,
    Intent,
    QuestionPart,
    ReferenceKind,
    Relation,
    Slot,
    SlotKind,
    Understanding,
)
from orchestrator.domain.evidence.names import is_called, is_spelled, last_part
from orchestrator.domain.evidence.piece import ContextSource, Evidence, EvidenceKind, SymbolRef, User, UserList
from orchestrator.domain.questions.following import meant, names_nothing, resolve
from orchestrator.domain.questions.question import AskOptions, Classification, Mode
from orchestrator.domain.questions.sessions import SessionMemory, by_use, question_key, recall

IT = EarlierReference(ReferenceKind.PRONOUN, "it")
GOES_ON = EarlierReference(ReferenceKind.CONTINUATION)
NONE = EarlierReference()
SUBJECT = (Slot(SlotKind.SUBJECT, "bank"),)
LIST = "Bag.take (bag.py:3) is called by 2 here:\n- Shop.sell\n- Shop.lend\n"


def source(name: str, path: str = "bag.py", mentions: tuple[SymbolRef, ...] = ()) -> Evidence:
    """Return the source of a definition."""
    return Evidence(
        f"ev-{name}", EvidenceKind.SOURCE, span=Span(path, 3, 9), symbol=SymbolRef(path, name), mentions=mentions
    )


def users() -> Evidence:
    """Return a list of who calls something, with its definition first among its mentions."""
    told = tuple(SymbolRef("shop.py", each) for each in ("Bag.take", "Shop.sell", "Shop.lend"))
    callers = tuple(User(each.qualified_name, each) for each in told[1:])
    found = UserList("Bag.take", Relation.CALLS, told[0], len(callers), callers)
    return Evidence("ev-list", EvidenceKind.FLOW, title="bag sell", text=LIST, mentions=told, users=found)


def test_the_same_words_about_another_thing_are_another_question() -> None:
    """What was shown for it is not shown again for the other."""
    options = AskOptions()
    one, other = (
        question_key("who calls it?", Mode.EXPLORATORY, options, (each,)) for each in ("Bag.take", "Shop.sell")
    )

    assert one != other
    assert question_key("who calls it?", Mode.EXPLORATORY, options) not in (one, other)


@pytest.mark.parametrize("name", ["Shop.sell", "Bag.take"])
def test_a_list_of_users_is_not_recalled(name: str) -> None:
    """It answers no other question, about another thing or the same one; its definition may be of use."""
    found = recall(
        (users(), source("Bag.take")),
        Understanding().terms("how is bag sell tested?"),
        Anchors(symbols=(name,)),
        max_tokens=100,
    )

    assert [each.evidence_id for each in found] == (["ev-Bag.take"] if name == "Bag.take" else [])


def test_a_list_of_a_retriever_of_before_is_neither_recalled_nor_shown_again() -> None:
    """The next retriever says as data what its text alone says; a tree of calls is as it was."""
    old = Evidence("ev-old", EvidenceKind.FLOW, title="bag sell", text=LIST)
    tree = Evidence("ev-tree", EvidenceKind.FLOW, title="bag sell", text="Bag.take\n  → Shop.sell\n")
    around = Evidence("ev-around", EvidenceKind.FLOW, ContextSource.GAPS, title="bag sell", text=LIST)
    memory = SessionMemory((old, tree, around, users()), shown={"who calls it": ("ev-tree", "ev-old", "ev-around")})
    wanted = Understanding().terms("how is bag sell tested?")

    recalled = recall(memory.evidence, wanted, Anchors(), max_tokens=100)
    again = memory.shown_for("who calls it", max_tokens=100)

    assert {each.evidence_id for each in recalled} == {"ev-tree", "ev-around"}
    assert [each.evidence_id for each in again] == ["ev-tree"]


def test_what_a_question_names_is_spoken_of_next() -> None:
    """Whatever the text began with; a list of users that was asked for comes before its definition."""
    page, take, other = Evidence("ev-page", EvidenceKind.DOC), source("Bag.take"), source("Box.take")
    evidence, cited = (take, page, other), ("ev-page", "ev-Bag.take", "ev-Box.take")

    def last(question: str, *symbols: str) -> Evidence:
        return by_use(question, Anchors(symbols=symbols), evidence, cited)[-1]

    assert last("How does Bag::take work?", "Bag::take") is take
    assert last("How does Box.take work?", "Box.take") is other
    assert last("How are bags filled?") is page
    assert last("and what is its limit?", "Bag.take") is take
    listed = (take, users())
    assert by_use("Who calls Bag.take?", Anchors(symbols=("Bag.take",)), listed, ("ev-list",))[-1] is listed[1]


def test_a_member_that_leads_is_spoken_of_rather_than_what_was_meant() -> None:
    """As in "what is a bag?", "how does it lend?", "who calls that?"."""
    bag, lend = source("Bag"), source("Bag.lend")

    assert by_use("how does it lend?", Anchors(symbols=("Bag",)), (bag, lend), ("ev-Bag.lend", "ev-Bag"))[-1] is lend


def test_names_are_compared_part_by_part() -> None:
    """In the manner of any language."""
    assert (last_part("Bag::take()"), last_part("Bag#take"), last_part("take")) == ("take", "take", "take")
    assert is_called("shop.Bag.take", "bag::Take")
    assert is_called("Bag.#take", "Bag.#take")
    assert is_called("Bag.#take", "take")
    assert is_called("Bag.take", "Bag#take")
    assert not is_called("Box.take", "Bag.take")
    assert is_spelled("Bag.take", "take")
    assert not is_spelled("Take", "take")


def read(intent: Intent, reference: EarlierReference, slots: tuple[Slot, ...] = ()) -> Classification:
    """Return a classification as the classifier reads a question of one part."""
    parts = (QuestionPart(intent, slots=slots, confidence=0.9),)
    return Classification(Mode.EXPLORATORY, understanding=Understanding(parts, reference=reference))


@pytest.mark.parametrize(
    ("question", "reference", "about"),
    [
        ("and who calls it?", IT, ("Bag.take",)),
        ("and the tests?", GOES_ON, ("Bag.take",)),
        ("why?", NONE, ("Bag.take",)),
        ("who calls the bank?", NONE, ()),
    ],
)
def test_a_question_that_refers_to_another_means_what_that_was_about(
    question: str, reference: EarlierReference, about: tuple[str, ...]
) -> None:
    """By a pronoun, by going on, or by having no word of its own; the classifier says which."""
    found = resolve(question, read(Intent.RELATION, reference), (source("Bag.take"), source("Shop.sell")))

    assert found.anchors.symbols == about
    assert meant(question, found.anchors) == about


def test_what_a_question_names_is_meant_whatever_came_before() -> None:
    """And nothing is, where the session spoke of nothing or of prose."""
    named = replace(read(Intent.RELATION, IT), anchors=Anchors(symbols=("pay",)))
    page = Evidence("p", EvidenceKind.DOC, title="How shops work")

    assert resolve("does pay call it?", named, (source("Bag.take"),)) is named
    assert resolve("who calls it?", read(Intent.RELATION, IT), ()).anchors == Anchors()
    assert resolve("who calls it?", read(Intent.RELATION, IT), (page, source("Bag.take"))).anchors == Anchors()


@pytest.mark.parametrize(
    ("piece", "name"),
    [
        (users(), "Bag.take"),
        (Evidence("f", EvidenceKind.FLOW, mentions=(SymbolRef("bag.py", "Bag.take"),)), "Bag.take"),
        (Evidence("s", EvidenceKind.SOURCE, setting=Setting(("limit",), "BAG_LIMIT", "4", 3)), "BAG_LIMIT"),
        (Evidence("d", EvidenceKind.DOC, title="Settings > ``bag_limit``"), "bag_limit"),
        (source("shop.Bag.Bag"), "shop.Bag"),
    ],
)
def test_each_kind_of_evidence_is_spoken_of_by_name(piece: Evidence, name: str) -> None:
    """A flow is about where it begins, a constructor about its class, a section about its heading."""
    assert resolve("who calls it?", read(Intent.RELATION, IT), (piece,)).anchors.symbols == (name,)


@pytest.mark.parametrize("relation", [Relation.NAMES, Relation.REGISTERS, Relation.HOLDS, Relation.COMMANDS])
def test_a_list_of_a_kind_is_about_no_thing(relation: Relation) -> None:
    """What "it" is nobody knows then."""
    listed = Evidence("l", EvidenceKind.FLOW, users=UserList("the code", relation))

    assert resolve("who calls it?", read(Intent.RELATION, IT), (listed,)).anchors == Anchors()


@pytest.mark.parametrize(
    ("found", "is_nothing"),
    [
        (read(Intent.OTHER, NONE), True),
        (read(Intent.RELATION, IT), True),
        (read(Intent.RELATION, IT, SUBJECT), False),
        (read(Intent.METHOD, IT), False),
        (read(Intent.RELATION, NONE), False),
        (replace(read(Intent.RELATION, IT), anchors=Anchors(symbols=("pay",))), False),
        (Classification(), False),
        (replace(read(Intent.OTHER, NONE), anchors=Anchors(paths=("bag.py",))), False),
    ],
)
def test_nothing_is_searched_for_where_nothing_is_asked(found: Classification, *, is_nothing: bool) -> None:
    """That is a courtesy, or a question for a thing that nobody knows; a whole project may be "it", too."""
    assert bool(names_nothing("and who calls it?", found)) is is_nothing


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        (EarlierReference(ReferenceKind.PRONOUN, "second", position=2), "Shop.lend"),
        (EarlierReference(ReferenceKind.PRONOUN, "last", position=-1), "Shop.lend"),
        (EarlierReference(ReferenceKind.PRONOUN, "ninth", position=9), "Bag.take"),
        (EarlierReference(ReferenceKind.PRONOUN, "sell"), "Shop.sell"),
        (EarlierReference(ReferenceKind.PRONOUN, "async"), "Bag.take"),
    ],
)
def test_one_of_several_is_told_by_its_place_or_a_word(reference: EarlierReference, name: str) -> None:
    """Of those that a list names; without such a one it is what the list is about."""
    assert resolve("who calls it?", read(Intent.RELATION, reference), (users(),)).anchors.symbols == (name,)


def test_that_file_is_the_one_that_was_shown() -> None:
    """It becomes the path, and the subject of what is asked about it."""
    that = EarlierReference(ReferenceKind.FILE, "file")
    found = resolve("what is in that file?", read(Intent.PLACE, that), (source("Bag.take", "shop/bag.py"),))

    assert found.anchors.paths == ("shop/bag.py",)
    assert found.understanding.parts[0].texts(SlotKind.SUBJECT) == ("shop/bag.py",)
    assert resolve("what is in that file?", read(Intent.PLACE, that), ()).anchors == Anchors()
