"""What a session keeps of an answer, in which order, and what of it comes back."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import Gap, GapOutcome, Setting, Span
from common.core.contract.question import Anchors
from common.core.contract.understanding import Relation, Understanding
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, GapResult, SymbolRef, UserList
from orchestrator.domain.questions.sessions import SessionMemory, absences, by_use, recall


@pytest.mark.parametrize(
    ("cited", "order"),
    [((), ["a", "b", "c", "d"]), (("d", "b"), ["a", "c", "b", "d"]), (("d", "b", "d"), ["a", "c", "b", "d"])],
    ids=["nothing", "two", "one twice"],
)
def test_what_was_cited_is_remembered_as_used_last(cited: tuple[str, ...], order: list[str]) -> None:
    """The first one last; what was shown besides goes first when room is needed."""
    evidence = [Evidence(name) for name in "abcd"]

    assert [each.evidence_id for each in by_use("How?", Anchors(), evidence, cited)] == order


def test_of_several_things_that_are_named_each_is_remembered_as_used_last() -> None:
    """Also if the answer begins with a page; what was meant besides is not, and neither is a list cited later."""
    page, users = Evidence("page", EvidenceKind.DOC), Evidence("users", users=UserList("Cart", Relation.CALLS))
    code = [Evidence(name, symbol=SymbolRef("a.py", name)) for name in ("Bank", "Cart", "Till")]
    anchors = Anchors(symbols=("Bank", "Cart", "Till"))

    kept = by_use("Do Bank and Cart differ?", anchors, (*code, users, page), ("page", "users", "Till", "Cart", "Bank"))

    assert [each.evidence_id for each in kept] == ["Till", "users", "page", "Bank", "Cart"]


def test_the_setting_that_an_answer_begins_with_is_spoken_of_next() -> None:
    """Rather than what the question names."""
    setting = Evidence("limit", EvidenceKind.SOURCE, setting=Setting(("limit",), "LIMIT", "9"))
    cart = Evidence("cart", symbol=SymbolRef("a.py", "Cart"))

    kept = by_use("What is the limit of Cart?", Anchors(symbols=("Cart",)), (setting, cart), ("limit", "cart"))

    assert kept == (cart, setting)


def test_what_another_question_may_settle_is_not_remembered_as_absent() -> None:
    """Of two things of one name the next question may say which; what is not there is not there for it either."""
    kept = absences(GapResult(Gap("g"), outcome) for outcome in GapOutcome)

    assert {each.outcome for each in kept} == {
        GapOutcome.ABSENT,
        GapOutcome.EXTERNAL,
        GapOutcome.OUT_OF_COVERAGE,
        GapOutcome.BELOW_FLOOR,
    }


def test_a_mentioned_file_is_recalled_and_none_whose_name_ends_alike() -> None:
    """
    Without its folders it is the same file, and "store.py" is not "datastore.py".

    It counts for the first pass, and what another question's search thought of it does not count.
    """
    paths = ("shop/datastore.py", "shop/store.py")
    cached = [Evidence(path, span=Span(path, 1, 9), text="x", tokens=10, pass_number=2, score=1.0) for path in paths]

    found = recall(cached, Understanding().terms("And there?"), Anchors(paths=("store.py",)), max_tokens=10)

    assert [(each.evidence_id, each.pass_number, each.score) for each in found] == [("shop/store.py", 1, 0.0)]


@pytest.mark.parametrize(
    ("anchors", "recalled"),
    [
        (Anchors(symbols=("Bank.Charge",)), ["code"]),
        (Anchors(symbols=("charge()",)), ["code"]),
        (Anchors(exceptions=("bank.declined",)), ["page"]),
        (Anchors(exceptions=("Refused",)), []),
    ],
)
def test_what_is_mentioned_is_recalled_in_whatever_case(anchors: Anchors, recalled: list[str]) -> None:
    """By the last part of its name, or by the heading of a page."""
    cached = [
        Evidence("code", symbol=SymbolRef("a.py", "Till.charge"), tokens=1),
        Evidence("page", EvidenceKind.DOC, title="Errors > `Declined`", tokens=1),
        Evidence("other", symbol=SymbolRef("b.py", "Till.close"), tokens=1),
    ]

    assert [
        each.evidence_id for each in recall(cached, Understanding().terms("And that?"), anchors, max_tokens=10)
    ] == recalled


def test_what_has_more_of_the_question_is_recalled_first() -> None:
    """In its title above all; what the question mentions comes before that."""
    few = Evidence("few", title="cart", text="cart checkout bank", tokens=1)
    many = Evidence("many", title="cart checkout bank", tokens=1)
    named = Evidence("named", symbol=SymbolRef("a.py", "settle"), tokens=1)

    found = recall(
        (few, many, named),
        Understanding().terms("Does the cart checkout ask the bank?"),
        Anchors(symbols=("settle",)),
        max_tokens=10,
    )

    assert [each.evidence_id for each in found] == ["named", "many", "few"]


@pytest.mark.parametrize(("share", "count"), [(0.5, 1), (0.51, 0)])
def test_the_share_of_the_question_that_is_enough_may_be_met_exactly(share: float, count: int) -> None:
    """One of two words is half of them."""
    cached = [Evidence("e", title="cart", text="of a shop", tokens=1)]

    assert (
        len(recall(cached, Understanding().terms("cart checkout"), Anchors(), max_tokens=10, min_share=share)) == count
    )


def test_words_in_a_text_alone_recall_nothing() -> None:
    """One of them must be in its title, symbol or path: a long text has some word of every question."""
    text = "charge the invoice of a cart"
    named, long = (
        Evidence("named", title="Invoice", text=text, tokens=1),
        Evidence("long", title="x", text=text, tokens=1),
    )

    found = recall(
        (long, named), Understanding().terms("How is an invoice charged to the cart?"), Anchors(), max_tokens=10
    )

    assert [each.evidence_id for each in found] == ["named"]


def test_what_was_shown_comes_back_up_to_what_does_not_fit() -> None:
    """What follows would begin another prompt; what fits exactly does. It counts for the first pass."""
    cached = tuple(Evidence(name, tokens=10, pass_number=2) for name in "abc")
    memory = SessionMemory(cached, shown={"key": ("a", "b", "c")})

    assert [len(memory.shown_for("key", max_tokens=most)) for most in (9, 10, 29, 30)] == [0, 1, 2, 3]
    assert [each.pass_number for each in memory.shown_for("key", max_tokens=30)] == [1, 1, 1]
