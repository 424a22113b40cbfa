"""Whether something does something: what does not speak of the deed is no answer."""

from __future__ import annotations

import pytest

from orchestrator.domain.answer import Confidence
from orchestrator.domain.confidence import ConfidenceThresholds, grounds, judge_confidence
from orchestrator.domain.deeds import deed, together, unsaid_deed
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


def told(question: str, *evidence: Evidence, anchors: Anchors | None = None) -> tuple[str, Confidence]:
    """Return the answer and how sure it is."""
    classification = Classification(Mode.CONCEPTUAL, anchors=anchors or Anchors())
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
