"""The evidence-only writer, and how it notices what is missing."""

from __future__ import annotations

import pytest

from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.evidence import (
    ContextSource,
    Evidence,
    EvidenceKind,
    Gap,
    GapOutcome,
    GapResult,
    SymbolKind,
    SymbolRef,
)
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.references import Reference, missing_definitions
from orchestrator.domain.writing import prose, source_text
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

ASK = '''\
def ask(customer, total):
    """
    Ask the bank for money.

    Args:
        total: In cents.
    """
    if total > customer.limit:
        raise PaymentError(
            "limit exceeded"
        )
    return bank.book(customer, total)
'''


def function(name: str, text: str, *, start: int = 10, **fields: object) -> Evidence:
    """Return source evidence of a function."""
    end = start + text.count("\n") - 1
    symbol = SymbolRef("shop/bank.py", name, SymbolKind.FUNCTION, start, end)
    given = {"source": ContextSource.CODE, "pass_number": 1, "title": name} | fields
    return Evidence(f"ev-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, **given)  # type: ignore[arg-type]


def card(name: str, text: str) -> Evidence:
    """Return the documentation of a function, without its source."""
    symbol = SymbolRef("shop/bank.py", name, SymbolKind.FUNCTION, 10, 21)
    return Evidence(f"card-{name}", EvidenceKind.DOC, span=symbol.span, symbol=symbol, text=text, title=name)


def written(
    mode: Mode,
    *evidence: Evidence,
    question: str = "How do we ask the bank?",
    results: tuple[GapResult, ...] = (),
    exceptions: tuple[str, ...] = (),
    messages: tuple[str, ...] = (),
) -> str:
    """Return the answer written from evidence."""
    classification = Classification(mode, anchors=Anchors(exceptions=exceptions, error_messages=messages))
    return "".join(write_answer(Material(question, classification, label_evidence(evidence), results)))


def test_an_error_is_answered_by_where_and_when_it_is_raised() -> None:
    """Diagnostic answers lead with the raising place, its condition and its lines, and say what is around it."""
    text = written(Mode.DIAGNOSTIC, function("ask", ASK), exceptions=("PaymentError",))

    assert text.startswith("`ask` raises `PaymentError` under `if total > customer.limit`: [E1]")
    assert "`shop/bank.py:17-20`\n```python\n    if total > customer.limit:\n        raise PaymentError(\n" in text
    assert "Ask the bank for money." in text


def test_a_thing_is_answered_by_what_it_says_of_itself() -> None:
    """Conceptual answers lead with name and summary, then declaration, then the lines that matter."""
    text = written(Mode.CONCEPTUAL, function("ask", ASK), question="What does ask do with the limit?")

    assert text.startswith("`ask` — Ask the bank for money. [E1]")
    assert "as `def ask(customer, total)`" in text
    assert "if total > customer.limit:" in text


def test_documentation_alone_is_enough_to_begin() -> None:
    """A symbol of which only the documentation was found is told by it, and its source is asked for."""
    evidence = card("ask", "def ask(customer, total)\n\nAsk the bank for money.\n\nRaises: PaymentError\n")

    text = written(Mode.CONCEPTUAL, evidence)
    gaps = missing_definitions((evidence,), (), "How do we ask the bank?", Classification(), pass_number=1)

    assert text.startswith("`ask` — Ask the bank for money. [E1]")
    assert [(gap.symbol, gap.path) for gap in gaps] == [("ask", "shop/bank.py")]


def test_a_flow_is_answered_by_its_steps() -> None:
    """Exploratory answers name the chain, show the tree, and go through the steps."""
    steps = (SymbolRef("shop/cart.py", "checkout", start_line=1, end_line=4), SymbolRef("shop/bank.py", "ask"))
    tree = Evidence("flow", EvidenceKind.FLOW, ContextSource.CODE, text="checkout\n  ask\n", mentions=steps)

    text = written(Mode.EXPLORATORY, tree, function("ask", ASK, basis=Basis(BasisKind.CALLED, "checkout")))

    assert text.startswith("The flow starts at `checkout` [E1:checkout] and goes on, in this order, to `ask` [E1:ask].")
    assert "```text\ncheckout\n  ask\n```" in text
    assert "1. `ask` (`shop/bank.py:10`): Ask the bank for money. `checkout` calls `ask`. [E2]" in text


def test_structure_is_answered_by_its_numbers_and_diagram() -> None:
    """Analytical answers give measures with citations of what they name, findings, and the diagram."""
    hot = SymbolRef("shop/bank.py", "ask", start_line=10, end_line=21)
    metrics = Evidence(
        "m", EvidenceKind.METRICS, text="Hotspots: 1\n- ask (shop/bank.py): 30 callers\n", mentions=(hot,)
    )
    diagram = Evidence("d", EvidenceKind.DIAGRAM, text="flowchart LR\n a --> b\n")

    text = written(Mode.ANALYTICAL, metrics, diagram)

    assert "- ask (shop/bank.py): 30 callers [E1:ask]" in text
    assert "```mermaid\nflowchart LR" in text


def test_what_was_fetched_is_told_with_why() -> None:
    """A definition that a gap asked for is cited, with the call that led to it."""
    gap = Gap("g1", "`ask` calls `book` at line 21, and its definition is not shown", "book")
    book = function(
        "book", "def book(customer, total):\n    pass\n", start=40, source=ContextSource.GAPS, pass_number=2
    )
    results = (GapResult(gap, GapOutcome.RESOLVED, evidence_ids=("ev-book",)),)

    text = written(Mode.DIAGNOSTIC, function("ask", ASK), book, results=results, exceptions=("PaymentError",))

    assert "`ask` calls `book` at line 21" in text
    assert "[E2]" in text


def test_says_what_was_not_found_and_what_wrote_it() -> None:
    """Absent things are named, and the reader learns that no model was asked."""
    results = (GapResult(Gap("g1", symbol="vanish"), GapOutcome.ABSENT),)

    text = written(Mode.CONCEPTUAL, function("ask", ASK), results=results)

    assert "`vanish` is not defined in the indexed code." in text
    assert "no model was asked" in text


def test_says_that_no_line_holds_the_message() -> None:
    """Who asks about a message learns that it was not found, whatever else was."""
    found = written(Mode.DIAGNOSTIC, function("ask", ASK), messages=("limit exceeded",))
    missing = written(Mode.DIAGNOSTIC, function("ask", ASK), messages=("unknown ledger [3]",))

    assert "in no line" not in found
    assert "“unknown ledger (3)” is in no line that was found." in missing


def test_source_is_summed_up_by_documentation_that_stands_above_it() -> None:
    """Java documents a class before what is shown of it; the card of the same symbol has the words."""
    source = function("ask", "int ask(int total) {\n    return bank.book(total);\n}\n")
    assert source.symbol
    told = Evidence(
        "card", EvidenceKind.DOC, span=source.span, symbol=source.symbol, text="Asks the bank.", title="ask"
    )

    assert "`ask` — Asks the bank. [E2]" in written(Mode.CONCEPTUAL, told, source)


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_says_when_there_is_nothing(mode: Mode) -> None:
    """Without evidence nothing is claimed."""
    text = written(mode)

    assert text.startswith("Nothing in the indexed code")
    assert "[E" not in text


def test_says_so_where_what_was_found_says_nothing() -> None:
    """A page about something else is quoted nowhere; an answer of its last line alone would be none."""
    page = Evidence("d", EvidenceKind.DOC, title="Lids", text="Lids are round.\n")

    assert written(Mode.CONCEPTUAL, page, question="make me a sandwich").startswith("Nothing in the indexed code")


def test_the_overload_with_a_body_stands_for_all() -> None:
    """A signature alone shows nothing."""
    first = function("ask", "function ask(total: number): void;\n", start=3)
    body = function("ask", "function ask(total: any) {\n    return bank.book(total);\n}\n", start=5)

    assert "`ask` is defined at `shop/bank.py:5`. [E2]" in written(Mode.CONCEPTUAL, first, body)


TAGS_READ_OUT = "Takes a lid off `box`. See `Box.open(int)`."


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (ASK, "Ask the bank for money."),
        ("/** Asks the bank. @param x */\nfunction ask(x) {}\n", "Asks the bank."),
        ("// Ask asks the bank.\nfunc Ask() {}\n", "Ask asks the bank."),
        ("def f():\n    return 1\n", ""),
        ("int f(void) {\n    /* Only where the lock is held. */\n    return 1;\n}\n", ""),
        ("/** Takes a {@link Box#lid lid} off {@code box}. <p>See {@link Box#open(int)}. */\n", TAGS_READ_OUT),
        ("final class Box {\n  int lid;\n", ""),
        ("#[test]\nfn opens() {}\n", ""),
        ("// Opens a box.", "Opens a box."),
        ("#include <box.h>\nint f();\n", ""),
        ("# Opens a box.\nopen() {\n", "Opens a box."),
        ("#open(): number {\n  return 1;\n", ""),
        ("// Opens a box.\n#open() {\n", "Opens a box."),
        ("#open = 1;\n#shut;\n", ""),
        ("/** Reads RFC 8259</a> of a <a href='x'>kind</a>. */\n", "Reads RFC 8259 of a kind."),
        ('def f():\n    """Tells. Both of\n... (3 lines cut)\n', "Tells."),
        ("/** Tells the type. Examples: */\nfunction f() {}\n", "Tells the type."),
    ],
)
def test_summaries_come_from_docstrings_and_comments(text: str, summary: str) -> None:
    """The first sentences count, whatever the language."""
    assert prose.summary(text).partition(" @")[0] == summary


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("exports.json = function(req, res){\n  res.json(users);\n};\n", "exports.json = function(req, res)"),
        ("@Override\nprivate Field made(\n    Gson gson,\n    int at) {\n", "private Field made(Gson gson, int at)"),
        ("static robj *lookup(redisDb *db,\n    robj *key)\n{\n", "static robj *lookup(redisDb *db, robj *key)"),
        ("# What follows is data.\n1, 2, 3\n", ""),
        ("#open(): number {\n  const key = this.#key();\n", "#open(): number"),
        ("open(at: string): Promise<Box | void> {\n  const key = 1;\n", "open(at: string): Promise<Box | void>"),
        ("async #open(at) {\n  const key = 1;\n", "async #open(at)"),
        ("public void end() throws IOException {\n    if (stackSize > 0) {\n", "public void end() throws IOException"),
    ],
)
def test_signatures_of_languages_without_a_word_for_functions(text: str, signature: str) -> None:
    """The first line that is no comment and no annotation declares something if it has parameters."""
    assert source_text.signature(text) == signature


def test_the_place_that_holds_the_message_leads() -> None:
    """Others that raise the same exception come behind the one whose text was seen."""
    other = function("check", 'def check():\n    raise PaymentError("no bank")\n')
    holder = function(
        "ask", ASK.replace("PaymentError", "ValueError"), basis=Basis(BasisKind.MESSAGE, text="limit {}"), start=40
    )

    text = written(
        Mode.DIAGNOSTIC, other, holder, question="PaymentError: limit exceeded", exceptions=("PaymentError",)
    )

    assert text.startswith("`ask` raises `ValueError`")


def test_an_assertion_is_a_place_that_raises() -> None:
    """What it says is what was seen; it comes before another AssertionError of other words."""
    other = function("errors", 'def errors():\n    raise AssertionError("call is_valid first")\n')
    text = 'def save():\n    assert hasattr(self, "_errors"), (\n        "call is_valid before save"\n    )\n'
    saving = function("save", text, start=40, basis=Basis(BasisKind.MESSAGE, text="call is_valid before save"))

    answer = written(Mode.DIAGNOSTIC, other, saving, messages=("call is_valid before save",))

    assert answer.startswith("`save` raises `AssertionError`: [E2]")
    assert '    assert hasattr(self, "_errors"), (\n        "call is_valid before save"\n    )\n' in answer


def test_a_message_that_is_only_logged_leads() -> None:
    """Not every message is of an exception."""
    other = function("ask", ASK)
    text = 'def settle():\n    for each in open_ones():\n        log.error("bank is closed for %s", each)\n'
    logging = function("settle", text, start=40, basis=Basis(BasisKind.MESSAGE, text="bank is closed for {}"))

    answer = written(Mode.DIAGNOSTIC, other, logging, messages=("bank is closed for 7",))

    assert answer.startswith("The message is made in `settle`: [E2]")
    assert 'log.error("bank is closed for %s", each)' in answer


def test_a_message_over_some_lines_leads_before_one_like_it() -> None:
    """Who makes one like it raises something else, which is no reason to be told of first."""
    text = 'def {0}(name):\n    warn(\n        "{1} bank closed "\n        "early, counts coins "\n'
    text += '        "until morning"\n    )\n'
    message = "{} bank closed early, counts coins until morning"
    settling = function(
        "settle", text.format("settle", "old"), basis=Basis(BasisKind.MESSAGE, text=message.format("old"))
    )
    like = text.format("look", "new") + "    raise AttributeError(name)\n"
    looking = function("look", like, start=40, basis=Basis(BasisKind.MESSAGE, text=message.format("new")))

    answer = written(Mode.DIAGNOSTIC, settling, looking, messages=(message.format("old"),))

    assert answer.startswith("The message is made in `settle`: [E1]")
    assert "AttributeError" not in answer


def test_code_that_has_code_marks_itself_takes_no_citation_in() -> None:
    """Raw strings of Go and templates of JavaScript stand between longer marks, and a cut one of prose is closed."""
    text = "func settle() {\n\tbank(`the BANK is`)\n}\n"

    steps = written(Mode.EXPLORATORY, function("ask", ASK), function("settle", text))

    assert "`` bank(`the BANK is`) `` at line 11 [E2]" in steps
    assert prose.unlabelled("takes `a and") == "takes `a and`"


@pytest.mark.parametrize(
    "declaration", ["public partial class Bag : IBag", "private readonly struct Bag", "data class Bag", "def bag(x)"]
)
def test_a_card_is_summed_up_without_its_declaration(declaration: str) -> None:
    """Whatever words a language puts before one."""
    assert prose.card_summary(f"{declaration}\n\nHolds parameters.") == "Holds parameters."


CALLER = function("checkout", "def checkout(cart):\n    helper(cart)\n    return charge(cart)\n")


def reference(name: str, *, path: str = "shop/pay.py") -> Reference:
    """Return a call of `checkout`."""
    assert CALLER.symbol
    return Reference(CALLER.symbol, SymbolRef(path, name, SymbolKind.FUNCTION, 1, 3), 12)


def asked(*references: Reference, pass_number: int = 1, limit: int = 3) -> list[str]:
    """Return the symbols that are asked for."""
    question = "How is a cart charged?"
    gaps = missing_definitions((CALLER,), references, question, Classification(), pass_number=pass_number, limit=limit)
    return [gap.symbol for gap in gaps]


def test_asks_for_undefined_helpers_most_relevant_first() -> None:
    """What shares terms with the question comes before what does not; both are asked for in the first pass."""
    assert asked(reference("helper"), reference("charge")) == ["charge", "helper"]


def test_asks_for_few_things_and_in_later_passes_only_for_relevant_ones() -> None:
    """A limit bounds a pass, and what has nothing to do with the question is not asked for in the second."""
    assert asked(reference("helper"), reference("charge"), limit=1) == ["charge"]
    assert asked(reference("helper"), pass_number=2) == []


def test_does_not_ask_for_what_is_not_named_in_the_text_or_is_a_test() -> None:
    """An edge whose line was cut away, and code of tests, are no gaps."""
    assert asked(reference("elsewhere"), reference("charge", path="tests/test_pay.py")) == []


def test_a_name_of_the_question_that_nothing_shows_comes_first() -> None:
    """What the question itself mentions is looked for before anything else."""
    classification = Classification(anchors=Anchors(symbols=("vanish",)))

    gaps = missing_definitions((CALLER,), (reference("charge"),), "What of vanish?", classification, pass_number=1)

    assert [gap.symbol for gap in gaps] == ["vanish", "charge"]


def test_a_declaration_is_not_asked_for_once_its_definition_is_shown() -> None:
    """A header repeats what the source shows."""
    shown = function("charge", "int charge(int total) {\n    return total;\n}\n")
    header = SymbolRef("shop/bank.h", "charge", SymbolKind.FUNCTION, 3, 3)
    documented = Evidence("card", EvidenceKind.DOC, span=header.span, symbol=header, text="Charges.", title="charge")

    def asked_for(*evidence: Evidence) -> list[str]:
        return [
            gap.path
            for gap in missing_definitions(evidence, (), "What does charge do?", Classification(), pass_number=1)
        ]

    assert asked_for(documented) == ["shop/bank.h"]
    assert asked_for(shown, documented) == []


def test_lists_and_relations_of_a_page_are_no_prose() -> None:
    """What a module's page lists, and what it ends with, is left out of what it says."""
    listed = "Public symbols:\n- final class Cart: Holds items.\n  - void add(Item item)"
    page = f"Counts what is sold.\n\n{listed}\n\nUses: shop.cart\n\nPart of: shop\nConcepts: cart, items"

    assert prose.opening_sentences(prose.plain(page), 2, 300) == "Counts what is sold."
