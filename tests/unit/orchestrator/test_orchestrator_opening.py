"""What an answer says first decides how sure it may be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.evidence import (
    Citation,
    Evidence,
    EvidenceKind,
    Relation,
    Span,
    SymbolKind,
    SymbolRef,
    UserList,
)
from orchestrator.domain.opening import Opening
from orchestrator.domain.question import Anchors

CART = SymbolRef("shop/cart.py", "Cart", SymbolKind.CLASS, 1, 9)
EVIDENCE = (Evidence("e1", title="Cart", text="class Cart: items of a basket"), Evidence("e2", title="Sale", text=""))
CITATIONS = (
    Citation(1, Span("shop/cart.py", 1, 9), "Cart (shop/cart.py)", CART, evidence_id="e1"),
    Citation(2, Span("docs/sale.md", 3, 9), "Guide > Limits of a sale", evidence_id="e2"),
)


def opening(text: str) -> Opening:
    """Cut the opening out of an answer that may cite a class and a page."""
    return Opening.of(text, CITATIONS, EVIDENCE)


def test_it_ends_with_the_first_paragraph_that_says_something() -> None:
    """A short answer before it belongs to it, and so do the lines that it leads on to; what follows does not."""
    assert opening("Most coupled are these four parts of it: some.\n\n- [1]").text.endswith("some.")
    assert opening("Yes.\n\n`Cart` sells. [1]\n\nMore [2]").text == "Yes.\n`Cart` sells. [1]"
    assert opening("It fails: [1]\n\n`a.py:1`\n\nMore [2]").text == "It fails: [1]\n`a.py:1`"


def test_it_covers_what_is_asked_and_not_how_it_is_asked() -> None:
    """Words for what is wanted of a thing need not be repeated; what is cited first counts only where it is shown."""
    found = opening("A `Cart` is filled. [1]")

    assert found.coverage("Where is the cart stored?") == 1.0
    assert found.coverage("Where is the basket of a cart stored?") == 0.5
    assert found.shown_coverage("Where is the basket of a cart stored?") == 1.0
    assert opening("A `Cart`. [1]").coverage(" ".join(f"cart term{n:03}" for n in range(30))) == 0.1
    assert opening("Nothing. [2]").coverage("Which functions are the most complex?") == 1.0


@pytest.mark.parametrize(
    ("text", "question", "anchors", "named"),
    [
        ("`Cart` holds items. [1]", "what is a Cart?", Anchors(), True),
        ("`Cart.add` holds items. [1]", "What is a wish list?", Anchors(), False),
        ("They have limits. [2]", "What are the limits of a sale?", Anchors(), True),
        ("They have limits. [2]", "What are the limits of a discount?", Anchors(), False),
        ("`Cart` is used by `Sale` [1].", "Who uses the Cart?", Anchors(), True),
        ("`Cart` holds items. [1]", "How do Cart and Wish differ?", Anchors(symbols=("Cart", "Wish")), False),
        ("`Cartwheel` turns. [1]", "What does a Cart do?", Anchors(symbols=("Cart",)), False),
        ("`shop.Cart.add()` fills it. [1]", "What does Cart.add() do?", Anchors(symbols=("Cart.add()",)), True),
        ("`Map.operator[]` finds it. [1]", "What is Map.operator[]?", Anchors(symbols=("Map.operator[]",)), True),
        ("`Cart`, not `Wish`. [1]", "How do Cart and Wish differ?", Anchors(symbols=("Cart", "Wish")), True),
    ],
)
def test_it_is_exact_where_it_is_about_the_very_name(text: str, question: str, anchors: Anchors, named: bool) -> None:
    """All names of the question, or a name or heading made of its words, stand in what comes first."""
    assert opening(text).is_named(question, anchors) is named


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("`Cart` takes items. [1]", True),
        ("`Cart` stands at `shop/cart.py:12`. (“Part 3”, `docs/a.md:4` [1])", True),
        ("Default: 20 items. [1]", False),
        ("It is `ttl`, None unless set. [1]", False),
        ("There is no limit. [1]", False),
    ],
)
def test_a_question_for_a_value_wants_one_first(text: str, lacks: bool) -> None:
    """Numbers of lines, citations and headings are no values; who asks for none lacks none."""
    assert opening(text).lacks_value("What is the default limit of a cart?") is lacks
    assert not opening(text).lacks_value("What is a cart?")


def test_a_flow_is_astray_that_starts_at_what_the_question_does_not_speak_of() -> None:
    """By the name of its first step, or of what that belongs to in full; definitions and lists of users are none."""
    step = SymbolRef("shop/cart.py", "CartReader.peek", SymbolKind.METHOD, 3, 5)
    flow = Evidence("f1", EvidenceKind.FLOW, title="Calls of Cart.peek", text="Cart.peek\n", mentions=(step,))
    cited = Citation(1, step.span, "Cart.peek (shop/cart.py)", step, evidence_id="f1")
    text = "The flow starts at `Cart.peek` [1]."
    listed = replace(flow, users=UserList("Cart", Relation.CALLS, None, 1))

    assert Opening.of(text, [cited], [flow]).is_astray("What happens when a number does not fit into the cart?")
    assert not Opening.of(text, [cited], [flow]).is_astray("What happens when one peeks?")
    assert not Opening.of(text, [cited], [flow]).is_astray("Trace how CartReader works")
    assert not Opening.of(text, [cited], [listed]).is_astray("What happens when a number does not fit?")
    assert not opening("`Cart` holds items. [1]").is_astray("What happens when a number does not fit?")


@pytest.mark.parametrize(
    ("text", "lacks"),
    [("It is retried by default. [1]", True), ("It is retried twice. [1]", False), ("It is tried 3 times. [1]", False)],
)
def test_how_many_asks_for_a_number(text: str, *, lacks: bool) -> None:
    """That something is so by default tells a default, and no number."""
    assert opening(text).lacks_value("How many times is it retried by default?") is lacks
    assert not opening("It is on by default. [1]").lacks_value("What is the default?")


def test_what_happens_at_a_limit_asks_for_no_value() -> None:
    """And a text or a list that something is set to is one."""
    assert not Opening("The flow starts at `refuse`.").lacks_value("What happens when an order is over the limit?")
    assert Opening("The flow starts at `refuse`.").lacks_value("What is the limit of orders?")
    assert not Opening('`SIGN` is set to `Signs.COMMA`, which is `","`.').lacks_value("What is the default sign?")
    assert not Opening("`CODES` is set to `[408, 413]`.").lacks_value("Which codes are the default?")
    assert not Opening("`MAX_LEN` is set to `20_000`.").lacks_value("What is the default length?")
    assert not Opening("`MAX_LEN` is set to `-1L`.").lacks_value("What is the default length?")
    assert Opening("`sign` is set to `this.get('sign')`.").lacks_value("What is the default sign?")


def test_other_forms_of_a_word_speak_of_it() -> None:
    """What is retried is told by a retry; how many times asks for a number, not for times."""
    assert Opening("`ORDER_RETRIES` is set to `3`.").coverage("How many times is an order retried?") == 1.0
