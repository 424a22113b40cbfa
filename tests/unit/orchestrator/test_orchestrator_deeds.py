"""Whether something does something: what does not speak of the deed is no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.answer import Confidence
from orchestrator.domain.confidence import ConfidenceThresholds, grounds, judge_confidence
from orchestrator.domain.deeds import deed, how_done, together, unsaid_deed, unsaid_event, unsaid_way
from orchestrator.domain.evidence import Citation, Evidence, EvidenceKind, Span, SymbolKind, SymbolRef
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does shop retry?", ("retry",)),
        ("Does the shop automatically retry failed orders?", ("retry", "failed", "orders")),
        ("Does it have a circuit breaker?", ("circuit", "breaker")),
        ("Can a lock be released?", ("released",)),
        ("Can I set a timeout?", ()),
        ("Does anybody know the timeout?", ()),
        ("Does it never retry?", ()),
        ("What does it retry?", ()),
        ("Does it work?", ()),
    ],
)
def test_the_words_of_a_deed_are_those_behind_who_does_it(question: str, words: tuple[str, ...]) -> None:
    """Verbs that are said of anything tell nothing, and who asks what one can do asks for use."""
    assert deed(question) == words


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("Does it retry?", "class RetryPolicy", ()),
        ("Does it retry?", "Orders are retried twice.", ()),
        ("Does it retry?", "def retrieve(self)", ("retry",)),
        ("Does it persist cookies?", "Provides cookie persistence.", ()),
        ("Does it persist cookies?", "Keeps cookies.", ("persist",)),
        ("Does it retry failed orders of buyers?", "Retries an order that failed.", ()),
        ("Does it retry failed orders of buyers?", "A failed order of a buyer.", ("retry",)),
        ("Does it throttle orders?", "Limits the rate of orders.", ()),
        ("Does it throttle orders?", "The limit of orders.", ("throttle",)),
        ("Does it support compression?", "Sends orders through gzip.", ()),
    ],
)
def test_a_text_speaks_of_a_deed_in_any_form_of_its_words(question: str, text: str, missing: tuple[str, ...]) -> None:
    """The first word has to be there, of more than two half of all."""
    assert unsaid_deed(question, text) == missing


def test_words_that_are_said_apart_are_told_together() -> None:
    """Nobody is told that nothing is about a word which something is about."""
    assert together(("cache", "orders"), ["A cache.", "An order."]) == "“cache” together with “orders”"
    assert together(("cache", "orders"), ["An order."]) == "“cache”"


def shown(name: str, summary: str) -> Evidence:
    """Return a function that says of itself what it does."""
    symbol = SymbolRef("shop/orders.py", name, SymbolKind.FUNCTION, 10, 12)
    text = f'def {name}(order):\n    """{summary}"""\n    return retry(order)\n'
    return Evidence(f"ev-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title=name)


def told(
    question: str, *evidence: Evidence, anchors: Anchors | None = None, mode: Mode = Mode.CONCEPTUAL
) -> tuple[str, Confidence]:
    """Return the answer and how sure it is."""
    classification = Classification(mode, anchors=anchors or Anchors())
    text = "".join(write_answer(Material(question, classification, label_evidence(evidence), ())))
    citations = [
        Citation(number, each.span or Span("a.md", 1, 1), each.title, symbol=each.symbol, evidence_id=each.evidence_id)
        for number, each in enumerate(evidence, 1)
    ]
    facts = grounds(question, classification.anchors, text.replace("[E", "["), evidence, citations, (), ())
    return text, judge_confidence(facts, ConfidenceThresholds())[0]


def test_an_answer_says_first_that_nothing_is_about_the_deed() -> None:
    """What is nearest comes behind it, at a low confidence."""
    text, level = told("Does shop retry orders?", shown("send_order", "Send orders of the shop."))

    assert text.startswith("No definition or page that was found is about “retry”; what follows is what comes nearest.")
    assert "Send orders of the shop." in text
    assert level is Confidence.LOW


def test_what_is_about_the_deed_leads() -> None:
    """Though another one says more of all else."""
    text, level = told(
        "Does shop retry orders?",
        shown("send_order", "Send orders of the shop, which has many orders."),
        shown("again", "Retry orders that failed."),
    )

    assert text.startswith("`again` — Retry orders that failed. [E2]")
    assert level is not Confidence.LOW


def test_the_lines_of_what_a_question_names_may_do_it() -> None:
    """Their text counts: it is about the right thing."""
    text, level = told(
        "Does send_order retry orders?", shown("send_order", "Send orders."), anchors=Anchors(symbols=("send_order",))
    )

    assert text.startswith("`send_order` — Send orders.")
    assert level is not Confidence.LOW


@pytest.mark.parametrize(
    ("question", "name", "share"),
    [
        ("How are routes matched?", "Route.matches", 1.0),
        ("How are routes matched?", "NoMatchFound", 0.0),
        ("How are error handlers found?", "App._find_error_handler", 1.0),
        ("In which order are error handlers looked up?", "App.look_up_error_handler", 1.0),
        ("How are null fields serialized?", "Builder.serializeNulls", 0.5),
        ("How are null fields serialized?", "Adapter.serialize", 0.0),
        ("How does the server get the handlers sent to it?", "send_handler", 0.0),
        ("How is an order of a buyer written to disk?", "OrderStore.write", 0.5),
        ("How is an order written to disk?", "Page.write", 0.0),
        ("How are orders turned into responses?", "Order.into_response", 1.0),
        ("How is an order converted to JSON?", "Order.toJson", 1.0),
        ("How are orders turned into responses?", "Order.response", 0.0),
        ("How are orders turned into responses?", "total_response", 0.0),
        ("How does the router match a route?", "Route.matches", 1.0),
        ("How does Router match a path?", "Router.match", 1.0),
        ("How does Router match a path?", "Router.match_any", 0.0),
        ("How does the parallel walker share work between threads?", "share_work", 1.0),
        ("How does the shop round a price?", "Shop.#roundPrice", 1.0),
        ("How does the order book open a page?", "OrderBook.open_page", 1.0),
        ("How do price strategies combine?", "Price.combine", 0.0),
        ("How does a bag process items?", "process_items", 1.0),
        ("How does it work?", "work", 0.0),
        ("How does connection pooling work?", "Connection.work", 0.0),
        ("How do I match a route?", "Route.matches", 0.0),
        ("How does a job get its queue?", "Job.get_queue", 0.0),
        ("How does the shop decide whether to close an order?", "Shop.should_close", 1.0),
        ("How does the shop decide whether to close an order?", "shouldClose", 1.0),
        ("How does the shop decide whether to close an order?", "Order.is_closed", 0.8),
        ("How does the shop decide whether to close an order?", "Shop.is_closed", 0.0),
        ("How does the shop decide whether to close an order?", "Order.close", 0.5),
        ("How does the shop decide whether to close an order?", "should_open", 0.0),
        ("How does the shop determine which orders are shipped?", "can_ship", 1.0),
        ("How does the shop know if it should retry an order?", "needs_retry", 1.0),
        ("How does the shop choose when to take a snapshot?", "shouldSnapshot", 1.0),
        ("How does the shop choose which orders to ship?", "ship_orders", 0.5),
    ],
)
def test_a_function_does_what_its_name_says(question: str, name: str, share: float) -> None:
    """With the name of what it belongs to."""
    asked = how_done(question)

    assert (asked.is_done_by(name) if asked else 0.0) == share


def test_who_does_it_leads_before_a_failure_of_it() -> None:
    """What is raised where it fails shares as many words with the question, and says nothing of the way."""
    failure = SymbolRef("shop/routing.py", "NoMatchFound", SymbolKind.CLASS, 1, 3)
    text = 'class NoMatchFound(Exception):\n    """Raised if no matching route exists for routes."""\n'
    raised = Evidence("ev-1", EvidenceKind.SOURCE, span=failure.span, symbol=failure, text=text, title="NoMatchFound")
    method = SymbolRef("shop/routing.py", "Route.matches", SymbolKind.METHOD, 5, 6)
    body = "def matches(self, path):\n    return self.regex.match(path)\n"
    does = Evidence("ev-2", EvidenceKind.SOURCE, span=method.span, symbol=method, text=body, title="Route.matches")

    text, level = told("How are routes matched?", raised, does)

    assert text.startswith("`Route.matches` is defined at `shop/routing.py:5`. [E2]")
    assert "return self.regex.match(path)" in text
    assert level is not Confidence.LOW


def _source(name: str, kind: SymbolKind, text: str) -> Evidence:
    symbol = SymbolRef("shop/bag.py", name, kind, 1, 4)
    return Evidence(f"ev-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title=name)


def test_what_does_it_leads_before_the_type_that_is_named() -> None:
    """By its own name; what another type is called says nothing of the one that is named."""
    bag = _source(
        "OrderBag", SymbolKind.CLASS, 'class OrderBag:\n    """A bag of items, with an order for each item."""\n'
    )
    borrow = _source("OrderBag.borrow", SymbolKind.METHOD, "def borrow(self):\n    return self.items.pop()\n")
    rent = _source("Item.borrow_pen", SymbolKind.METHOD, "def borrow_pen(self):\n    return Pen()\n")
    anchors = Anchors(symbols=("OrderBag",))

    text, level = told("How does OrderBag borrow an item?", bag, rent, borrow, anchors=anchors)
    other, unsure = told("How does OrderBag borrow an item?", bag, anchors=anchors)

    assert text.startswith("`OrderBag.borrow` is defined at `shop/bag.py:1`.")
    assert level is Confidence.HIGH
    assert other.startswith("`OrderBag` — A bag of items")
    assert unsure is not Confidence.HIGH


def test_an_answer_that_says_nothing_of_the_way_is_unsure() -> None:
    """Neither by name nor text; what is said of any thing need not be repeated."""
    before = shown("before_price", "Log the price of orders.")

    assert told("How is the price of orders rounded?", before)[1] is Confidence.LOW
    assert unsaid_way("How is the price of orders rounded?", "round_price") == ""
    assert unsaid_way("How is the price of orders rounded?", "price") == "rounded"
    assert unsaid_way("How are prices stored?", "price") == ""


def test_who_speaks_of_the_deed_is_seen_behind_many_who_do_not() -> None:
    """Those that are called like the rest of the question stand before it, and are more than are looked at."""
    others = [shown(f"support_shop_{number}", "Support of the shop for orders.") for number in range(9)]

    text, level = told("Does shop support compression?", *others, shown("gzip", "Compress what the shop sends."))

    assert text.startswith("`gzip` — Compress what the shop sends. [E10]")
    assert level is not Confidence.LOW


def test_a_page_that_has_the_deed_alone_is_about_it() -> None:
    """Its sentences need no other word of the question: the name of the project stands in few."""
    span = Span("docs/zip.md", 1, 3)
    page = Evidence("ev-p", EvidenceKind.DOC, span=span, text="Files are compressed with zip.\n", title="zip.md")

    text, level = told("Does shop support files being compressed?", page, shown("send_order", "Send an order."))

    assert text.startswith("Files are compressed with zip.")
    assert level is not Confidence.LOW


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("What happens when a buyer disconnects?", "GetBuyerName returns the name of the buyer.", "disconnects"),
        ("What happens when a buyer disconnects?", "def connection_lost(self, buyer)", ""),
        ("What happens when the pool is exhausted?", "class Pool", "exhausted"),
        ("What happens when the pool is exhausted?", "The pool is full.", ""),
        ("What happens when a worker dies in the middle of an order?", "Kill the worker.", ""),
        ("What happens when take is called?", "class Pool", ""),
        ("What happens when an order is given?", "class Pool", ""),
        ("What happens to orders?", "class Pool", ""),
    ],
)
def test_what_happens_has_to_be_said(question: str, text: str, missing: str) -> None:
    """In any form, or in another way."""
    assert unsaid_event(question, text) == missing


def test_a_flow_that_says_nothing_of_what_happens_is_unsure() -> None:
    """Though it is called like whom it happens to."""
    step = SymbolRef("shop/pool.py", "Pool.take", SymbolKind.METHOD, 3, 5)
    flow = Evidence("ev-f", EvidenceKind.FLOW, text="Pool.take (shop/pool.py:3)\n", mentions=(step,))
    said = replace(flow, text="Pool.take (shop/pool.py:3)\n  → PoolExhausted (shop/pool.py:9)\n")

    levels = [told("What happens when the pool is exhausted?", each, mode=Mode.EXPLORATORY)[1] for each in (flow, said)]

    assert levels == [Confidence.LOW, Confidence.MEDIUM]


def test_a_page_on_something_else_says_nothing_of_the_way() -> None:
    """Where somebody does it; one on what it is done to may lead."""
    method = SymbolRef("shop/orders.py", "Order.into_response", SymbolKind.METHOD, 5, 6)
    text = "def into_response(self):\n    return Response(self.price)\n"
    does = Evidence(
        "ev-1", EvidenceKind.SOURCE, span=method.span, symbol=method, text=text, title="Order.into_response"
    )
    span = Span("docs/use.md", 1, 3)
    page = Evidence(
        "ev-2", EvidenceKind.DOC, span=span, title="Use", text="A string is turned into a response first.\n"
    )
    own = replace(page, text="An order is turned into a response by its price.\n")

    assert told("How are orders turned into responses?", page, does)[0].startswith("`Order.into_response` is defined")
    assert told("How are orders turned into responses?", own, does)[0].startswith("An order is turned into a response")


def test_a_page_may_write_the_deed_in_another_form() -> None:
    """Of its sentences the one counts that says it so."""
    text = "Prices hold for a day. Orders will be retried twice. A failed buyer comes back.\n"
    page = Evidence("ev-p", EvidenceKind.DOC, span=Span("docs/use.md", 1, 3), text=text, title="use.md")

    assert told("Does shop retry failed orders?", page)[0].startswith("Orders will be retried twice.")


@pytest.mark.parametrize(
    ("question", "name", "level"),
    [
        ("How does shop decide whether to close orders?", "should_close_orders", Confidence.HIGH),
        ("How does shop decide whether to close orders?", "close_orders", Confidence.MEDIUM),
        ("How does shop close orders?", "close_orders", Confidence.HIGH),
    ],
)
def test_who_does_it_decides_nothing(question: str, name: str, level: Confidence) -> None:
    """Where it is asked how something is decided, who does it may do whatever others have decided."""
    other = replace(shown("open_orders", "Opens orders."), text="def open_orders(orders): ...")

    assert told(question, shown(name, "Close orders of the shop."), other)[1] is level


@pytest.mark.parametrize(
    ("heading", "is_exact"), [("Why should I use shop?", False), ("Shop > Print", True), ("Print at the shop", True)]
)
def test_a_page_is_about_what_its_heading_says(heading: str, *, is_exact: bool) -> None:
    """That the name of the project stands in it says nothing of how something is done there."""
    page = Evidence("e", EvidenceKind.DOC, title=heading)
    cited = [Citation(1, Span("a.md", 1, 1), heading, evidence_id="e")]
    text = f"It prints them. (“{heading}”, `a.md:1` [1])"
    facts = grounds("How does shop print files?", Anchors(), text, [page], cited, (), ())

    assert facts.is_exact is is_exact
