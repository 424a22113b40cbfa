"""What an answer without a model begins with where the question describes at length what it means."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import Evidence, EvidenceKind, Span, SymbolKind, SymbolRef
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

AT_LENGTH = "How does the client of the bank make sure that no order is ever charged twice when a customer tries again?"
SHORT = "How does the client of the bank charge an order?"
CLIENT = 'class Client:\n    """The client of the bank: charges the order of a customer, tries again."""\n'
CHARGE = 'def once(self, key):\n    """Keep a key."""\n    return self.keys.setdefault(key)\n'
OTHER = 'def each(self):\n    """Go through."""\n    return self.items\n'


def shown(name: str, text: str, score: float, kind: SymbolKind = SymbolKind.METHOD) -> Evidence:
    """Return the source of a definition with what the search thinks of it."""
    symbol = SymbolRef(f"shop/{name.partition('.')[0].lower()}.py", name, kind, 10, 9 + text.count("\n"))
    return Evidence(f"ev-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, score=score)


def answer(question: str, *evidence: Evidence, symbols: tuple[str, ...] = ()) -> str:
    """Return what is written."""
    classification = Classification(Mode.CONCEPTUAL, anchors=Anchors(symbols=symbols))
    return "".join(write_answer(Material(question, classification, label_evidence(evidence), ())))


CLASS = shown("Client", CLIENT, 1.0, SymbolKind.CLASS)
FIRST, SECOND = shown("Keys.once", CHARGE, 0.8), shown("Items.each", OTHER, 0.3)


def test_the_function_that_the_search_puts_first_leads() -> None:
    """It reads more out of a long text than what has many of its words; classes are ranked apart."""
    assert answer(AT_LENGTH, CLASS, SECOND, FIRST).startswith("`Keys.once` — Keep a key. [E3]")


def test_a_short_question_is_answered_by_what_has_its_words() -> None:
    """It says nothing else."""
    assert answer(SHORT, CLASS, SECOND, FIRST).startswith("`Client` — The client of the bank")


def test_of_a_type_that_is_named_a_member_leads() -> None:
    """Though the search puts another function before it."""
    member = shown("Client.pay", "def pay(self):\n    return 1\n", 0.2)

    text = answer(f"{AT_LENGTH} I mean Client.", CLASS, FIRST, member, symbols=("Client",))

    assert text.startswith("`Client.pay` is defined at `shop/client.py:10`. [E3]")


@pytest.mark.parametrize(
    "question",
    [
        "What is the role of the class Client in how the orders of a customer reach the bank?",
        "What is Client, and how does it make sure that orders are charged once?",
        "What does a `Client` do when the bank asks for the order of a customer again?",
        "Which code needs the purpose of Client when the bank asks for orders of a customer?",
    ],
)
def test_what_a_type_is_for_is_told_by_itself(question: str) -> None:
    """Not by the member that comes nearest."""
    member = shown("Client.pay", "def pay(self):\n    return 1\n", 0.2)

    assert answer(question, CLASS, FIRST, member, symbols=("Client",)).startswith("`Client` — The client of the bank")


def test_what_is_asked_of_a_member_is_not_asked_of_its_type() -> None:
    """A dot leads on."""
    question = "What is the role of Client.pay when the bank asks for the order of a customer again?"
    member = shown("Client.pay", "def pay(self):\n    return 1\n", 0.2)

    text = answer(question, CLASS, FIRST, member, symbols=("Client", "Client.pay"))

    assert text.startswith("`Client.pay` is defined at")


def test_where_no_member_of_it_is_shown_the_type_itself_leads() -> None:
    """What is named comes before what is found."""
    text = answer(f"{AT_LENGTH} I mean Client.", CLASS, FIRST, symbols=("Client",))

    assert text.startswith("`Client` — The client of the bank")


def test_where_the_search_scored_no_function_words_decide() -> None:
    """As of what another answer of the session showed."""
    assert answer(AT_LENGTH, CLASS, shown("Keys.once", CHARGE, 0.0)).startswith("`Client` — The client of the bank")


def test_a_page_that_says_the_default_which_is_asked_for_leads() -> None:
    """However long the question is."""
    question = "What is the default timeout seconds that bank client charges wait until every single retry gives up?"
    said = (
        "The default timeout of bank client charges that wait for retry seconds until it gives up every single is `30`."
    )
    page = Evidence("doc", EvidenceKind.DOC, title="Use", span=Span("docs/use.md", 1, 3), text=said)

    text = answer(question, CLASS, FIRST, page)

    assert text.startswith("The default timeout of bank client charges")


def test_a_report_begins_with_what_the_search_puts_first() -> None:
    """What its example names is what it was tried with."""
    report = f"{AT_LENGTH}\n\nclient = Client()\nclient.pay()\n"
    member = shown("Client.pay", "def pay(self):\n    return 1\n", 0.2)

    text = answer(report, CLASS, FIRST, member, symbols=("Client",))

    assert text.startswith("`Keys.once` — Keep a key. [E2]")


def test_a_constructor_stands_for_its_class() -> None:
    """Which says what it is for."""
    kept = shown("Keys", 'class Keys:\n    """Keys of orders."""\n', 0.1, SymbolKind.CLASS)
    made = shown("Keys.__init__", "def __init__(self):\n    self.order = {}\n", 0.9)

    assert answer(AT_LENGTH, SECOND, made, kept).startswith("`Keys` — Keys of orders. [E3]")
    assert answer(AT_LENGTH, SECOND, made).startswith("`Keys.__init__` is defined at")


def test_a_question_is_long_by_its_different_words() -> None:
    """Ten and more."""
    nine = "How does the client of the bank charge orders twice"

    assert answer(f"{nine}, {nine}?", CLASS, FIRST).startswith("`Client` ")
    assert answer(f"{nine} ever?", CLASS, FIRST).startswith("`Keys.once` ")


def test_its_file_is_the_first_place() -> None:
    """Before the files of what has words of the question."""
    question = "Where is the code which makes sure that orders of the bank are charged once, if tried again?"

    assert answer(question, CLASS, SECOND, FIRST).startswith("In `shop/keys.py` (`Keys.once` [E3])")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# shop.till\n    def charge(order)  # lines 3-9\n", ""),
        ('# shop.till\n    """Charges orders."""\n    def charge(order)  # lines 3-9\n', "Charges orders."),
        ("# Charges orders.\ndef charge(order):\n", "Charges orders."),
    ],
)
def test_the_heading_of_an_outline_says_nothing_of_a_module(text: str, summary: str) -> None:
    """It is its name; a comment in the same place tells what it is for."""
    module = SymbolRef("shop/till.py", "", SymbolKind.MODULE, 1, 200)
    (piece,) = label_evidence(
        [Evidence("e", EvidenceKind.SOURCE, title="shop.till", span=module.span, symbol=module, text=text)]
    )

    assert piece.summary == summary
