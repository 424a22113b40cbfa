"""The evidence-only writer: its table of sections by intent, and what each of them says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import (
    Absence,
    Basis,
    BasisKind,
    Gap,
    GapOutcome,
    Mention,
    Occurrence,
    Span,
    UnheldWords,
)
from common.core.contract.question import Anchors
from common.core.contract.understanding import (
    Intent,
    MentionKind,
    NamedThing,
    QuestionPart,
    Relation,
    Slot,
    SlotKind,
    Understanding,
)
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.evidence.piece import (
    ContextSource,
    Evidence,
    EvidenceKind,
    GapResult,
    SymbolKind,
    SymbolRef,
    User,
    UserList,
)
from orchestrator.domain.questions.question import Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import SECTIONS, support_of, write_answer
from tests.fakes.reading import classification_of

ASK = """\
def ask(customer, total):
    if total > customer.limit:
        raise PaymentError("limit exceeded")
    return bank.book(customer, total)
"""
PAGE_SPAN = Span("docs/use.md", 1, 9)
PAGE = Evidence(
    "page", EvidenceKind.DOC, title="Guide > Asking banks", span=PAGE_SPAN, text="Banks are asked once a day."
)


def function(name: str, text: str = ASK, *, path: str = "shop/bank.py", start: int = 10, **fields: object) -> Evidence:
    """Return source evidence of a function or, of a name with a capital, a class."""
    kind = SymbolKind.CLASS if name[0].isupper() and "." not in name else SymbolKind.FUNCTION
    symbol = SymbolRef(path, name, kind, start, start + text.count("\n") - 1)
    given = {"source": ContextSource.CODE, "title": name} | fields
    return Evidence(f"ev-{path}-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, **given)  # type: ignore[arg-type]


def read(intent: Intent, **slots: str) -> Classification:
    """Return a classification of one part with slots by kind."""
    given = tuple(Slot(SlotKind[kind.upper()], text) for kind, text in slots.items())
    parts = (QuestionPart(intent, slots=given, confidence=1),)
    return Classification(Mode.CONCEPTUAL, understanding=Understanding(parts))


def material(
    found: Classification, *evidence: Evidence, question: str = "?", results: tuple[GapResult, ...] = ()
) -> Material:
    """Return the material of an answer."""
    return Material(question, found, label_evidence(evidence), results)


def written(
    found: Classification, *evidence: Evidence, question: str = "?", results: tuple[GapResult, ...] = ()
) -> str:
    """Return the answer written from evidence."""
    return "".join(write_answer(material(found, *evidence, question=question, results=results)))


def test_the_table_has_a_row_for_every_intent() -> None:
    """A new one is a new row."""
    assert set(SECTIONS) == set(Intent)


@pytest.mark.parametrize("intent", list(Intent))
def test_every_intent_says_when_there_is_nothing(intent: Intent) -> None:
    """Without evidence nothing is claimed, and nothing is sure."""
    text = written(read(intent))

    assert text.startswith(("Nothing in the indexed code", "That asks nothing"))
    assert "[E" not in text
    assert support_of(material(read(intent))).level is Confidence.LOW


@pytest.mark.parametrize("intent", [each for each in Intent if each is not Intent.OTHER])
def test_every_intent_falls_back_on_what_to_read(intent: Intent) -> None:
    """What has no list, value or place is told by the packer's pieces, and never surely."""
    found = material(read(intent, condition="the moon is full"), function("ask"), PAGE)
    text = "".join(write_answer(found))

    unsure = "says that it does" if intent is Intent.SUPPORT else "is sure to answer this"
    assert text.startswith(f"Nothing that was found {unsure}; the nearest is ")
    assert "Read next, in this order:\n\n1. " in text
    assert support_of(found).level is Confidence.LOW


def test_what_to_read_is_told_with_its_place_its_purpose_and_its_lines() -> None:
    """In the order of the packer, pages last, with the lines that decide."""
    lines = Basis(BasisKind.DECIDES, text="How is the bank asked", line=11, certainty=0.7)
    ask = function("ask", documentation="Ask the bank for money.", basis=lines)
    book = replace(function("book", start=40), reason="raises PaymentError")
    question = "How is the bank asked?"
    text = written(read(Intent.METHOD, verb="asked", object="bank"), PAGE, ask, book, question=question)

    assert text.startswith(
        "`ask`, at `shop/bank.py:10-13`, is where this most likely happens: Ask the bank for money. [E2]\n\n"
        "`shop/bank.py:10-13`\n```py\ndef ask"
    )
    assert text.index("Read next, in this order:\n\n1. `book`, `shop/bank.py:40-43` (raises PaymentError) [E3]") < (
        text.index("2. “Asking banks”, `docs/use.md:1-9`: Banks are asked once a day. [E1]")
    )


def test_where_the_first_place_is_not_likely_the_next_are_named_at_once() -> None:
    """So that a reader who looks at the first sentences only has the right one more often."""
    basis = Basis(BasisKind.DECIDES, text="How is the bank asked", line=11, certainty=0.3)
    others = function("book", start=40), function("pay", start=60)
    text = written(read(Intent.METHOD), function("ask", basis=basis), *others)

    assert text.startswith(
        "Nothing that was found is sure to answer this; the nearest is `ask`, at `shop/bank.py:10-13`. [E1]"
        " The next are `book` (`shop/bank.py:40-43`) [E2] and `pay` (`shop/bank.py:60-63`) [E3].\n\n"
    )


def test_of_several_parts_each_begins_with_its_own_lines() -> None:
    """The evidence says which words of the question its lines are about; among these its order stays."""
    first, second = "how is it paid", "what if it fails"
    parts = (
        QuestionPart(Intent.METHOD, confidence=1, start=0, end=len(first)),
        QuestionPart(Intent.CONSEQUENCE, confidence=1, start=len(first) + 1, end=len(first) + 1 + len(second)),
    )
    found = Classification(Mode.CONCEPTUAL, understanding=Understanding(parts))
    fail = function("fail", start=40, basis=Basis(BasisKind.DECIDES, text=second, line=41))
    pay, worse = (
        function(name, start=start, basis=Basis(BasisKind.DECIDES, text=first, line=start + 1))
        for name, start in (("pay", 90), ("pray", 70))
    )
    text = written(found, fail, pay, worse, question=f"{first} {second}")

    assert text.startswith("Nothing that was found is sure to answer this; the nearest is `pay`,")
    assert text.index("1. `pray`") < text.index("the nearest is `fail`")


def test_a_page_says_how_something_is_used() -> None:
    """It goes before source that has as many words of the question; tests come last."""
    test = function("test_ask_bank", path="tests/test_bank.py")
    text = written(read(Intent.USAGE, verb="ask", object="banks"), test, function("ask"), PAGE)

    assert text.startswith(
        "“Asking banks”, at `docs/use.md:1-9`, most likely says how: Banks are asked once a day. [E3]"
    )
    assert text.index("1. `ask`") < text.index("2. `test_ask_bank`")


def test_what_the_evidence_says_is_described_comes_first() -> None:
    """Where the question has these words."""
    found = function("settle", start=40, described="asks the bank")
    text = written(read(Intent.FIND), function("book"), found, question="which function asks the bank?")

    assert "the nearest is `settle`" in text or text.startswith("`settle`")
    assert "1. `book`" in text


@pytest.mark.parametrize(
    ("intent", "first"),
    [
        (Intent.MEANING, "`Bank` is defined at `shop/bank.py:3`: Lends money. [E1]"),
        (Intent.LOCATION, "`Bank` is defined at `shop/bank.py:3`. [E1]"),
    ],
)
def test_a_named_thing_is_told_by_its_definition(intent: Intent, first: str) -> None:
    """Its constructor bears the name of its class and is not meant, and a test of its name is not either."""
    bank = function("Bank", "class Bank:\n    pass\n", start=3, documentation="Lends money.")
    others = function("Bank.Bank", start=5), function("Bank", path="tests/bank.py")
    found = material(read(intent, subject="Bank"), bank, *others)

    assert "".join(write_answer(found)).startswith(first)
    assert support_of(found).level is Confidence.HIGH


def test_every_place_of_a_name_is_told() -> None:
    """None is preferred where the question does not say which."""
    found = material(read(Intent.LOCATION, subject="ask"), function("Bank.ask"), function("Till.ask", path="till.py"))
    text = "".join(write_answer(found))

    assert text.startswith(
        "`ask` is defined in 2 places:\n\n- `Bank.ask`, at `shop/bank.py:10` [E1]\n- `Till.ask`, at `till.py:10` [E2]\n"
    )
    assert support_of(found).level is Confidence.MEDIUM


@pytest.mark.parametrize(("documented", "level"), [("Keeps it.", Confidence.HIGH), ("", Confidence.MEDIUM)])
def test_two_things_are_told_side_by_side(documented: str, level: Confidence) -> None:
    """Whatever the words of the question were; both are quoted."""
    pair = function("lend", documentation="Lends money."), function("keep", start=40, documentation=documented)
    found = material(read(Intent.COMPARISON, subject="lend", object="keep"), *pair)
    text = "".join(write_answer(found))

    assert text.startswith("- `lend`, at `shop/bank.py:10`: Lends money. [E1]\n- `keep`, at `shop/bank.py:40`")
    assert text.count("```py\n") >= 2
    assert support_of(found).level is level


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        (BasisKind.MESSAGE, "“limit exceeded” comes from `ask`, at `shop/bank.py:12`. [E1] "),
        (BasisKind.NEAR_MESSAGE, "“limit exceeded” is nearly the message that comes from `ask`"),
        (BasisKind.TEXT, "“limit exceeded” comes from `ask`, at `shop/bank.py:12`. [E1] "),
    ],
)
def test_a_message_is_told_by_the_line_that_makes_it(kind: BasisKind, first: str) -> None:
    """With the condition of its branch; what leads there has to be read, in the lines above it."""
    basis = Basis(kind, text="limit exceeded", line=12, condition="sum > limit")
    found = material(read(Intent.MESSAGE), function("ask", basis=basis))
    text = "".join(write_answer(found))

    assert text.startswith(first)
    assert f"This happens where `sum > limit`.\n\n`shop/bank.py:10-13`\n```py\n{ASK}" in text
    assert support_of(found).level is Confidence.MEDIUM


@pytest.mark.parametrize(("intent", "level"), [(Intent.MESSAGE, Confidence.MEDIUM), (Intent.LOCATION, Confidence.HIGH)])
def test_a_message_is_sure_where_only_its_place_is_asked_for(intent: Intent, level: Confidence) -> None:
    """Of two places, which it was is not sure."""
    basis = Basis(BasisKind.MESSAGE, text="limit exceeded", line=12)
    found = function("ask", basis=basis), function("pay", path="till.py", basis=basis)

    assert support_of(material(read(intent), found[0])).level is level
    assert support_of(material(read(intent), *found)).level is Confidence.MEDIUM


@pytest.mark.parametrize("intent", [Intent.DIAGNOSIS, Intent.ROUTE])
def test_a_trace_is_told_by_the_line_where_it_ends_and_by_its_message(intent: Intent) -> None:
    """Then by the way there; a path of a frame may have been taken for a route."""
    ask = function("ask", basis=Basis(BasisKind.FRAME, line=12))
    pay = function("pay", "def pay():\n    ask()\n", path="till.py", basis=Basis(BasisKind.FRAME, line=11))
    other = function("title", basis=Basis(BasisKind.MESSAGE, text="no title", line=12), path="title.py")
    text = written(read(intent), ask, pay, other)

    assert text.startswith(
        "In this code the trace ends in `ask`, at `shop/bank.py:12`. [E1]\n\n“no title” comes from `title`, at "
    )
    assert "It came there by `pay` [E2]." in text


@pytest.mark.parametrize(
    ("anchors", "named"),
    [
        (Anchors(exceptions=("bank.PaymentError",)), ()),
        (Anchors(), (NamedThing(MentionKind.EXCEPTION, "bank.PaymentError"),)),
    ],
    ids=["in a trace", "by name"],
)
def test_an_error_is_told_by_the_code_that_raises_it(anchors: Anchors, named: tuple[NamedThing, ...]) -> None:
    """Before its definition, which has more words of the question; tests come last."""
    found = read(Intent.DIAGNOSIS)
    found = replace(found, anchors=anchors, understanding=replace(found.understanding, mentions=named))
    basis = Basis(BasisKind.RAISES, "PaymentError", line=12)
    test = function("test_ask", path="tests/test_bank.py", basis=basis)
    text = written(found, function("PaymentError"), test, function("ask", basis=basis))

    assert text.startswith("`ask` raises `PaymentError`, at `shop/bank.py:12`. [E3]\n\n`shop/bank.py:10-13`\n```py\n")
    assert text.index("`test_ask` raises `PaymentError`") < text.index("What else to read:\n\n1. `PaymentError`")


def test_a_trace_of_another_version_says_so() -> None:
    """The function is known, its lines are not."""
    found = material(read(Intent.DIAGNOSIS), function("ask", basis=Basis(BasisKind.FRAME)))

    assert "where this version of it has other lines" in "".join(write_answer(found))
    assert support_of(found).level is Confidence.MEDIUM


def test_a_name_that_no_definition_bears_is_told_where_it_is() -> None:
    """Before what only shares words with the question."""
    place = Span("shop/bank.py", 10, 10)
    found = Occurrence("ask.limit", Mention.PARAMETER, "ask", place)
    result = GapResult(
        Gap("g", symbol="limit"), GapOutcome.RESOLVED, evidence_ids=("ev-shop/bank.py-ask",), occurrence=found
    )
    text = written(read(Intent.MEANING, subject="limit"), function("ask"), results=(result,))

    assert text.startswith("`ask.limit` is a parameter of `ask` (`shop/bank.py:10`). [E1]\n\n`shop/bank.py:10-12`\n")


@pytest.mark.parametrize(
    ("question", "unheld", "words"),
    [
        (
            "kafka transactions",
            UnheldWords(("kafka", "transactions"), Absence.TOGETHER),
            "“kafka” together with “trans",
        ),
        ("GraphQL or SOAP", UnheldWords(("GraphQL", "SOAP"), Absence.EACH), "“GraphQL” or “SOAP”"),
        ("GraphQL alone", UnheldWords(("GraphQL", "SOAP"), Absence.EACH), ""),
        ("GraphQL", UnheldWords(("GraphQL",), Absence.UNSPECIFIED), ""),
    ],
)
def test_what_nothing_speaks_of_is_said_first(question: str, unheld: UnheldWords, words: str) -> None:
    """Where the question has all of the words: a session remembers those of others."""
    told = Evidence("e", EvidenceKind.METRICS, title="What the index does not hold", unheld=unheld)
    found = material(read(Intent.SUPPORT), told, PAGE, question=f"Does it support {question}?")
    text = "".join(write_answer(found))

    assert text.startswith(f"Nothing in the indexed code or its documentation speaks of {words}") is bool(words)
    assert "Banks are asked" in text
    assert support_of(found).level is Confidence.LOW


def test_a_question_of_two_parts_is_answered_by_both() -> None:
    """And no surer than the part that is answered worse."""
    subject = (Slot(SlotKind.SUBJECT, "ask"),)
    parts = (
        QuestionPart(Intent.LOCATION, slots=subject, confidence=0.9),
        QuestionPart(Intent.RELATION, Relation.CALLS, subject, 0.9),
    )
    found = Classification(understanding=Understanding(parts, (NamedThing(MentionKind.SYMBOL, "ask"),)))
    ask = function("ask")
    calls = UserList("ask", Relation.CALLS, ask.symbol, 1, (User("pay", None, Span("till.py", 4, 4)),))
    given = ask, Evidence("u", EvidenceKind.FLOW, users=calls)
    text = written(found, *given)

    assert text.startswith("`ask` is defined at `shop/bank.py:10`. [E1]\n\n`ask` is called by `pay`.")
    assert support_of(material(found, *given)).level is Confidence.HIGH
    assert support_of(material(found, ask)).level is Confidence.LOW


def test_an_intent_that_is_hardly_likely_is_not_answered() -> None:
    """What was found is told as for a question that was not understood."""
    unsure = Classification(understanding=Understanding((QuestionPart(Intent.LOCATION, confidence=0.3),)))

    assert written(unsure, function("ask")).startswith("Nothing that was found is sure to answer this")


def test_differing_words_for_one_question_are_answered_alike() -> None:
    """The classifier reads both; here nothing looks at the words."""
    pair = function("lend", documentation="Lends."), function("keep", start=40, documentation="Keeps.")
    asked = ("What is the difference between lend and keep?", "How does lend differ from keep?")
    first, second = (written(classification_of(each, Mode.CONCEPTUAL), *pair, question=each) for each in asked)

    assert first == second


def test_says_what_was_not_found_and_what_wrote_it() -> None:
    """A name that the question is about leads, others follow; the reader learns that no model was asked."""
    results = tuple(GapResult(Gap(name, symbol=name), GapOutcome.ABSENT) for name in ("vanish", "besides"))
    text = written(read(Intent.MEANING, subject="vanish"), function("ask"), results=results)

    assert text.startswith("`vanish` is not defined in the indexed code. What follows is what comes nearest.\n\n")
    assert "Looked for and not found:\n\n- `besides` is not defined in the indexed code." in text
    assert "no model was asked" in text


def test_a_message_that_nothing_makes_is_said_first() -> None:
    """Unless a trace shows the way by itself."""
    found = replace(read(Intent.MESSAGE), anchors=Anchors(error_messages=("unknown ledger [3]",)))

    escaped = function("ask", 'def ask(it):\n    say("unknown \\"ledger\\" [3]")\n')

    assert written(found, function("ask")).startswith("“unknown ledger (3)” is in no line that was found.")
    assert "in no line" not in written(found, escaped)
