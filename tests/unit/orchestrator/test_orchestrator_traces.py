"""Answers about stack traces, and about what a change would touch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.answer import Confidence
from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.citations import resolve_citations
from orchestrator.domain.cleaning import without_colours
from orchestrator.domain.confidence import ConfidenceThresholds, grounds, judge_confidence
from orchestrator.domain.evidence import (
    Evidence,
    EvidenceKind,
    Relation,
    SnapshotInfo,
    Span,
    SymbolKind,
    SymbolRef,
    User,
    UserList,
)
from orchestrator.domain.following import referent
from orchestrator.domain.numbering import CitationNumberer
from orchestrator.domain.question import Anchors, Classification, Mode, StackFrame
from orchestrator.domain.writing import prose
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.raise_sites import raise_sites
from orchestrator.domain.writing.writer import write_answer

_ASK = """\
def ask(customer):
    book = open_book()
    if customer is None:
        raise BankError("nobody")
    return book.name.title()
"""


def shown(
    name: str,
    text: str,
    *,
    path: str = "shop/bank.py",
    basis: Basis | None = None,
    kind: SymbolKind = SymbolKind.FUNCTION,
) -> Evidence:
    """Return the source of a definition."""
    symbol = SymbolRef(path, name, kind, 10, 9 + text.count("\n"))
    return Evidence(
        f"ev-{path}-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title=name, basis=basis
    )


def listed(thing: SymbolRef, users: dict[SymbolRef, int], *, unsure: dict[SymbolRef, int] | None = None) -> Evidence:
    """Return a list of who uses a thing, or may, each with the line where it does so."""
    sure, likely = (
        tuple(User(each.qualified_name, each, Span(each.path, line, line)) for each, line in given.items())
        for given in (users, unsure or {})
    )
    found = UserList(thing.qualified_name, Relation.USES, thing, len(sure), sure, unsure=likely)
    return Evidence("users", EvidenceKind.FLOW, mentions=(thing, *users, *(unsure or {})), users=found)


def answer(question: str, *evidence: Evidence, mode: Mode = Mode.DIAGNOSTIC, anchors: Anchors | None = None) -> str:
    """Return what is written."""
    classification = Classification(mode, anchors=anchors or Anchors())
    return "".join(write_answer(Material(question, classification, label_evidence(evidence), ())))


def test_a_trace_is_answered_by_the_line_where_it_ends() -> None:
    """What another place raises does not lead, even if the words of the question are nearer to it."""
    ask = shown("ask", _ASK, basis=Basis(BasisKind.FRAME, line=14))
    pay = shown("pay", "def pay():\n    ask(None)\n", path="shop/cart.py", basis=Basis(BasisKind.FRAME, line=11))
    other = shown("title", "def title(book):\n    raise TypeError('title of book')\n", path="shop/title.py")
    anchors = Anchors(exceptions=("TypeError",), error_messages=("no title of book",))

    told = answer("TypeError: no title of book", ask, pay, other, anchors=anchors)

    assert told.startswith("In this code the trace ends in `ask`, at `shop/bank.py:14`: [E1]\n\n`shop/bank.py:12-14`\n")
    assert "    return book.name.title()\n```\n\nIt came there by `pay` [E2].\n\n" in told
    assert "raises" not in told


def test_a_raise_at_the_line_of_the_frame_leads() -> None:
    """It says under what condition; the way there follows."""
    ask = shown("ask", _ASK, basis=Basis(BasisKind.FRAME, line=13))
    pay = shown("pay", "def pay():\n    ask(None)\n", path="shop/cart.py", basis=Basis(BasisKind.FRAME, line=11))

    told = answer("BankError: nobody", ask, pay, anchors=Anchors(exceptions=("BankError",)))

    assert told.startswith("`ask` raises `BankError` under `if customer is None`: [E1]\n\n")
    assert "It came there by `pay` [E2]." in told


def test_a_trace_of_another_version_says_so() -> None:
    """The function is known, its lines are not."""
    ask = shown("ask", _ASK, basis=Basis(BasisKind.FRAME))

    told = answer("KeyError: name", ask, anchors=Anchors(exceptions=("KeyError",)))

    assert told.startswith(
        "In this code the trace ends in `ask`, at `shop/bank.py:10`, where this version of it has other"
    )


@pytest.mark.parametrize(
    ("line", "exception"),
    [
        ("  if (!card.isGood()) { throw new BadCard(card) }", "BadCard"),
        ("  } else if (none) throw new BadCard()", "BadCard"),
        ("    if none { throw BadCard }", "BadCard"),
    ],
)
def test_what_is_thrown_behind_its_condition_is_found(line: str, exception: str) -> None:
    """Short conditions stand in the same line."""
    evidence = shown("pay", f"function pay(card) {{\n{line}\n}}\n", path="pay.js")

    assert [each.exception for each in raise_sites(evidence)] == [exception]


def test_users_of_one_name_are_cited_each_with_its_place() -> None:
    """Handlers of routes are all called alike, and folders may have brackets of any kind."""
    one = SymbolRef("app/(main)/route.ts", "POST", SymbolKind.FUNCTION, 3, 5)
    two = SymbolRef("app/[id]/route.ts", "POST", SymbolKind.FUNCTION, 7, 9)
    ask = SymbolRef("bank.ts", "ask", SymbolKind.FUNCTION, 1, 2)
    users = listed(ask, {one: 4, two: 8})
    told = answer("What uses ask?", users, mode=Mode.EXPLORATORY)
    numberer = CitationNumberer((users,))

    written = numberer.feed(told) + numberer.finish()
    cited = resolve_citations(numberer.cited, (users,), SnapshotInfo())

    assert written.startswith("`ask` is used by `POST` [1], `POST` [2]. It stands at `bank.ts:1`.\n\n")
    assert [each.span for each in cited] == [one.span, two.span]
    assert [each.title for each in cited] == ["POST", "POST"]


def test_who_may_use_it_is_told_where_nobody_is_known_to() -> None:
    """Nothing found is no promise that nothing breaks."""
    ask = SymbolRef("shop/bank.py", "ask", SymbolKind.FUNCTION, 10, 14)
    pay = SymbolRef("shop/cart.py", "pay", SymbolKind.FUNCTION, 2, 4)

    told = answer("What would break if I change ask?", listed(ask, {}, unsure={pay: 3}), mode=Mode.ANALYTICAL)

    assert told.startswith(
        "`ask` at `shop/bank.py:10` is used by nothing that the index knows of. [E1:ask] "
        "What could not be resolved has its name in `pay` [E1:pay], at `shop/cart.py:3`.\n\n"
    )


def test_who_would_break_is_told_without_the_measures_of_the_structure() -> None:
    """Which modules are coupled is another question; nothing is called a step where nothing flows."""
    ask = SymbolRef("shop/bank.py", "ask", SymbolKind.FUNCTION, 10, 14)
    pay = SymbolRef("shop/cart.py", "pay", SymbolKind.FUNCTION, 10, 11)
    users = listed(ask, {pay: 11})
    measures = Evidence("m", EvidenceKind.METRICS, text="Structure of shop/\n\nCoupling:\n- bank: 3, 4\n")
    calls = shown("pay", "def pay():\n    ask(None)\n", path="shop/cart.py", basis=Basis(BasisKind.CALLS, "ask"))
    evidence = (users, measures, shown("ask", _ASK), calls)

    impact = answer("What would break if I change ask?", *evidence, mode=Mode.ANALYTICAL)
    callers = answer("What calls ask?", users, *evidence[2:], mode=Mode.EXPLORATORY)

    assert "Coupling" not in impact
    assert "Most coupled" not in impact
    assert "What else takes part:\n\n- `pay`" in impact
    assert "What else takes part:\n\n- `pay`" in callers
    assert "Step by step" not in callers
    assert "The lines that matter" not in callers
    assert "Coupling" in answer("How is ask coupled, and what uses ask?", *evidence, mode=Mode.ANALYTICAL)


def test_of_things_called_alike_those_of_one_class_are_compared() -> None:
    """One that shows how it is used, or another class's, is not meant."""
    a_class = "class {0}:\n    def {1}(self):\n        return 1\n"
    sample = shown("Main.send", '"""Show send."""\n' + a_class.format("Main", "send"), path="examples/main.py")
    other = shown("Box.keep", '"""Keep in a box."""\n' + a_class.format("Box", "keep"), path="shop/box.py")
    send = shown("Bank.send", '"""Send money."""\n' + a_class.format("Bank", "send"))
    keep = shown("Bank.keep", '"""Keep money."""\n' + a_class.format("Bank", "keep"))

    told = answer("What is the difference between send and keep?", sample, other, send, keep, mode=Mode.CONCEPTUAL)

    assert told.startswith("- `Bank.send` — Send money. [E3]\n- `Bank.keep` — Keep money. [E4]\n")


def test_lists_of_docstrings_run_into_their_sentence() -> None:
    """A number ends none; a sentence that leads on to code that is left out stands alone."""
    listing = '"""Handle it by:\n\n1. Closing the book.\n2. Asking again.\n"""\n'

    assert prose.opening_sentences("Handle it by:\n1. Closing the book.\n2. Asking again.\n", 2, 300) == (
        "Handle it by: Closing the book; Asking again."
    )
    assert "1" not in prose.summary(listing)
    assert prose.opening_sentences("Also supported:\n\nFor more see the docs.\n", 2, 300) == "Also supported:"


def test_links_and_boxes_of_a_page_are_read_out() -> None:
    """Where they lead means nothing elsewhere, and pictures say nothing."""
    text = "![badge](x.svg) See the [guide](docs/a_(b).md) or the [docs][d][\\*](http://a).\n\n- [ ] Run the build.\n"

    assert " ".join(prose.plain(text).split()) == "See the guide or the docs. Run the build."


def test_a_new_question_does_not_mean_what_was_spoken_of_before() -> None:
    """It may go on with "and": what was shown has to say something of it."""
    found = Classification(Mode.CONCEPTUAL)
    search = shown("Query.search", "def search(words):\n    return limit(words)\n")

    assert referent("And who starts the workers?", found, (search,)) == ""
    assert referent("And who sets the limit?", found, (search,)) == "Query.search"


def test_a_message_in_a_trace_asks_for_no_value() -> None:
    """ "maximum" may be a word of the program."""
    ask = shown("ask", _ASK)
    numberer = CitationNumberer((ask,))
    text = numberer.feed("`ask` raises `BankError`. [E1]") + numberer.finish()
    cited = resolve_citations(numberer.cited, (ask,), SnapshotInfo())
    question = "BankError: ask exceeded the maximum\n  at ask"

    def lacks(frames: tuple[StackFrame, ...]) -> bool:
        return grounds(question, Anchors(frames=frames), text, (ask,), cited, (), ()).lacks_value

    assert (lacks((StackFrame("shop/bank.py", 13),)), lacks(())) == (False, True)
    assert cited[0].span == Span("shop/bank.py", 10, 14)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("What does \x1b[31;1mask\x1b[0m do?", "What does ask do?"),
        ("\x1b]8;;http://a\x1b\\ask\x1b]8;;\x07?", "ask?"),
        ("\x1b[0m", "\x1b[0m"),
        ("limits[3m]", "limits[3m]"),
    ],
)
def test_colours_of_a_log_go(text: str, plain: str) -> None:
    """They would become words: "[31mask" names nothing."""
    assert without_colours(text) == plain


def test_a_question_in_other_words_is_answered_by_a_guess_that_says_so() -> None:
    """In another language than the code, whatever comes nearest says nothing."""
    guess = "Nothing that was found has a word of the question; what follows is a guess."
    ask = shown("ask", _ASK)

    assert answer("失败的任务如何重试?", ask, mode=Mode.CONCEPTUAL).startswith(guess)
    assert guess not in answer("Was macht ask?", ask, mode=Mode.CONCEPTUAL)
    assert guess not in answer("失败的任务", ask, mode=Mode.CONCEPTUAL, anchors=Anchors(symbols=("ask",)))


def test_a_variable_that_is_raised_says_nothing() -> None:
    """The line of the frame is shown with what stands around it."""
    text = "def ask(customer):\n    error = check(customer)\n    if error:\n        raise error\n"
    ask = shown("ask", text, basis=Basis(BasisKind.FRAME, line=13))

    told = answer("BankError: nobody", ask, anchors=Anchors(exceptions=("BankError",)))

    assert told.startswith("In this code the trace ends in `ask`, at `shop/bank.py:13`: [E1]\n\n`shop/bank.py:11-13`\n")


def judged(question: str, text: str, *evidence: Evidence, anchors: Anchors) -> tuple[Confidence, str]:
    """Return the confidence of a text that cites labels."""
    numberer = CitationNumberer(evidence)
    written = numberer.feed(text) + numberer.finish()
    cited = resolve_citations(numberer.cited, evidence, SnapshotInfo())
    return judge_confidence(grounds(question, anchors, written, evidence, cited, (), ()), ConfidenceThresholds())


def test_that_nobody_uses_it_is_never_sure() -> None:
    """Calls may be made in ways that are not resolved."""
    ask, pay = (
        SymbolRef("bank.py", "ask", SymbolKind.FUNCTION, 1, 2),
        SymbolRef("cart.py", "pay", start_line=1, end_line=2),
    )
    question, anchors = "What calls ask?", Anchors(symbols=("ask",))
    some = listed(ask, {pay: 2})
    nobody = replace(some, users=UserList("ask", Relation.CALLS, ask))

    level, reason = judged(question, "`ask` is called by nothing. [E1:ask] [E1:pay]", nobody, anchors=anchors)
    sure, _ = judged(question, "`ask` is called by `pay`. [E1:ask] [E1:pay]", some, anchors=anchors)

    assert (level, sure) == (Confidence.MEDIUM, Confidence.HIGH)
    assert reason.endswith("but there may be more that is not resolved.")


@pytest.mark.parametrize(
    ("heading", "level"), [("Examples of maps", Confidence.MEDIUM), ("Finding adapters", Confidence.HIGH)]
)
def test_a_section_about_something_else_is_not_exact(heading: str, level: Confidence) -> None:
    """It may name the thing in passing."""
    title, span = f"Guide > {heading}", Span("docs/guide.md", 1, 9)
    page = Evidence("page", EvidenceKind.DOC, title=title, span=span, text="TypeAdapter finds maps.")
    text = "`TypeAdapter` of maps is found by its bank. [E1] [E2]"
    anchors = Anchors(symbols=("TypeAdapter",))

    found, _ = judged("How does the bank find the TypeAdapter?", text, page, shown("ask", _ASK), anchors=anchors)

    assert found is level
