"""Nothing is told twice in an answer without a model, and nothing that is not so."""

from __future__ import annotations

import pytest

from orchestrator.domain.basis import Basis, BasisKind
from orchestrator.domain.evidence import Evidence, EvidenceKind, Span, SymbolKind, SymbolRef
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.writing import prose, source_text
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.points import point
from orchestrator.domain.writing.writer import write_answer


def shown(name: str, text: str, *, line: int = 10, path: str = "shop/bank.py", basis: Basis | None = None) -> Evidence:
    """Return the source of a definition."""
    symbol = SymbolRef(path, name, SymbolKind.FUNCTION, line, line - 1 + text.count("\n"))
    return Evidence(
        f"ev-{path}-{name}-{line}",
        EvidenceKind.SOURCE,
        span=symbol.span,
        symbol=symbol,
        text=text,
        title=name,
        basis=basis,
    )


def page(title: str, text: str, *, line: int = 1) -> Evidence:
    """Return a section of the documentation."""
    return Evidence(f"doc-{line}", EvidenceKind.DOC, title=title, span=Span("docs/use.md", line, line + 5), text=text)


def material(question: str, *evidence: Evidence) -> Material:
    """Return what an answer is written from."""
    return Material(question, Classification(Mode.CONCEPTUAL), label_evidence(evidence), ())


@pytest.mark.parametrize("documented", ["Raises StartupError.", "Wait, then it raises `StartupError`."])
def test_a_reason_that_the_documentation_says_is_left_out(documented: str) -> None:
    """Another reason is told behind it."""
    begin = shown("begin", f'def begin():\n    """{documented}"""\n')
    given = material("How does the bank begin?", begin)
    (piece,) = given.pieces

    assert point(given, piece, "raises StartupError").casefold().count("raises") == 1
    assert "Calls `begin_all`." in point(given, piece, "calls `begin_all`")


def test_overloads_that_say_the_same_are_told_once() -> None:
    """They have one name and one documentation."""
    one = shown("Bank.open", 'def open(self, a):\n    """Open the bank."""\n')
    two = shown("Bank.open", 'def open(self, b):\n    """Open the bank."""\n', line=20)
    other = shown("Bank.reopen", 'def reopen(self):\n    """Open the bank again."""\n', line=30)

    text = "".join(write_answer(material("How do I open the bank?", one, two, other)))

    assert text.count("Open the bank.") == 1
    assert text.count("Open the bank again.") == 1


def test_pages_that_say_the_same_are_told_once() -> None:
    """The first has the word."""
    said = "A bank is opened by the first customer who has a key.\n"

    text = "".join(write_answer(material("Who opens a bank?", page("Banks", said), page("Doors", said, line=40))))

    assert text.count("first customer") == 1


def test_what_is_compared_is_told_once() -> None:
    """Both are told at the beginning; one without documentation by its declaration, and a page that contrasts first."""
    safe = shown("Safe", 'class Safe:\n    """Keeps money."""\n')
    till = shown("Till", "class Till(Safe):\n    pass\n", line=20)
    contrast = page("Money", "A safe is only opened at night, while a till is open all day long.\n")
    question = "What is the difference between Safe and Till?"

    plain = "".join(write_answer(material(question, safe, till)))
    set_off = "".join(write_answer(material(question, safe, till, contrast)))

    assert plain.startswith(
        "- `Safe` — Keeps money. [E1]\n- `Till` is declared at `shop/bank.py:20` as `class Till(Safe)`"
    )
    assert plain.count("Keeps money.") == 1
    assert set_off.startswith("A safe is only opened at night, while")


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("res.send = function send(body) {\n  var chunk = body;\n", "res.send = function send(body)"),
        ("app.handle = async (req, res) => {\n  let x = 1;\n", "app.handle = async (req, res) =>"),
        ("def pay(x=(1)):\n    y = (1)\n", "def pay(x=(1))"),
    ],
)
def test_a_declaration_is_not_what_stands_in_its_body(text: str, declared: str) -> None:
    """Functions of JavaScript that are put somewhere have no word before them."""
    assert source_text.signature(text) == declared


def test_what_a_page_tells_its_renderer_is_no_prose() -> None:
    """It stands before all else, between rules."""
    assert prose.plain('---\ntitle: "How it works"\nweight: 1\n---\nIt works.\n').strip() == "It works."
    assert prose.plain("It works.\n\n---\nweight: 1\n").strip().startswith("It works.")


def test_a_message_is_quoted_where_it_is_made_and_not_where_something_else_is_raised() -> None:
    """One function may raise one thing and report another by a function of its own."""
    text = "def parse(args):\n    if not args:\n        raise NoArgs(args)\n    if rest:\n        self.say(\n"
    text += '            "Got unexpected extra argument ({rest})"\n        )\n'
    parse = shown("parse", text, basis=Basis(BasisKind.MESSAGE, text="Got unexpected extra argument ({})"))
    other = shown("init", 'def init():\n    raise TypeError("unexpected keyword argument")\n', line=40)
    anchors = Anchors(error_messages=("Got unexpected extra argument",))
    classification = Classification(Mode.DIAGNOSTIC, anchors=anchors)

    given = Material("Why that?", classification, label_evidence((parse, other)), ())
    answer = "".join(write_answer(given))

    assert answer.startswith(
        "The message is made in `parse`: [E1]\n\n`shop/bank.py:14-15`\n```python\n        self.say(\n"
    )
    assert "NoArgs" not in answer
    assert "`init` raises" not in answer


def test_of_a_message_of_several_makers_each_line_is_that_of_its_own_part() -> None:
    """The retriever says which text it found; what an assertion or a docstring shares with all of it is none."""
    text = 'def read(text):\n    """Read, or fail with "cannot parse" and where."""\n    assert text, "no format"\n'
    text += '    context = f"cannot parse{where}"\n    raise failure\n'
    read = shown("read", text, basis=Basis(BasisKind.TEXT, text="cannot parse{where}"))
    anchors = Anchors(error_messages=("error: cannot format file.py: Cannot parse: 1:4: foo bar",))

    given = Material("Why?", Classification(Mode.DIAGNOSTIC, anchors=anchors), label_evidence((read,)), ())
    answer = "".join(write_answer(given))

    assert answer.startswith("The message is made in `read`: [E1]\n\n`shop/bank.py:12-13`\n")
    assert "raises" not in answer


def test_code_that_a_page_sets_off_is_no_prose() -> None:
    """What stands behind two colons, at a margin, up to the next line without one."""
    text = "You can ask twice, as here::\n\n    ask(bank)\n\n    ask(bank)\n\nThen it answers.\n  Indented::\n  stays\n"

    plain = " ".join(prose.plain(text).split())

    assert plain == "You can ask twice, as here: Then it answers. Indented:: stays"


def test_a_sentence_that_only_leads_on_is_not_told_by_itself() -> None:
    """What it leads on to is code, and left out."""
    text = "".join(
        write_answer(material("How do I ask a bank?", page("Asking a bank", "You can ask a bank like this::\n")))
    )

    assert "like this" not in text
