"""Which lines of evidence can be quoted, and which of them decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Basis, BasisKind, LineRange, Span
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef
from orchestrator.domain.writing.excerpts import around, decisive, runs_of, whole

_SYMBOL = SymbolRef("bank.py", "ask", SymbolKind.FUNCTION, 10, 19)
_CUT = Evidence(
    "e",
    EvidenceKind.SOURCE,
    span=_SYMBOL.span,
    symbol=_SYMBOL,
    text="def ask(total):\n    check(total)\n... (5 lines left out)\n    book = open_book()\n    return book\n",
    truncated_lines=6,
    lines=(LineRange(10, 11), LineRange(17, 18)),
)


def piece(text: str, documentation: str = "") -> Evidence:
    """Return a function whose lines are all shown."""
    symbol = replace(_SYMBOL, end_line=9 + text.count("\n"))
    return Evidence("e", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, documentation=documentation)


def test_the_runs_are_those_that_the_evidence_tells() -> None:
    """The line between two of them is no line of the file."""
    assert [(each.start_line, each.lines) for each in runs_of(_CUT)] == [
        (10, ("def ask(total):", "    check(total)")),
        (17, ("    book = open_book()", "    return book")),
    ]
    assert whole(_CUT, 99) is None


@pytest.mark.parametrize(
    "evidence",
    [
        replace(_CUT, text=f"{_CUT.text}... (1 line left out)\n"),
        replace(_CUT, lines=(LineRange(10, 11),), text="def ask(total):\n    check(total)\n... (8 lines left out)\n"),
    ],
)
def test_a_text_may_end_with_what_is_left_out(evidence: Evidence) -> None:
    """Lines of the span follow there."""
    assert runs_of(evidence)[0].lines == ("def ask(total):", "    check(total)")


@pytest.mark.parametrize(
    "evidence",
    [
        replace(_CUT, lines=()),
        replace(_CUT, span=None),
        replace(_CUT, lines=(LineRange(10, 12), LineRange(17, 18))),
        replace(_CUT, lines=(LineRange(10, 10), LineRange(17, 18))),
        replace(_CUT, text="class Bank\n- ask(total)\n", truncated_lines=0, lines=()),
    ],
)
def test_what_is_no_copy_of_lines_is_not_quoted(evidence: Evidence) -> None:
    """An outline, or a text that has other lines than it says."""
    assert runs_of(evidence) == ()
    assert decisive(evidence, {"total": 1.0}, max_lines=3) is None


def test_a_release_before_does_not_tell_the_runs() -> None:
    """Its text is the span, if it has as many lines and nothing was cut."""
    found = whole(piece("def ask():\n    return 1\n"), 2)

    assert found is not None
    assert (found.start_line, found.end_line) == (10, 11)
    assert around(replace(_CUT, span=Span("a.txt"), text="one\ntwo\n", lines=(), truncated_lines=0), 2) is not None


def test_the_line_of_the_basis_decides() -> None:
    """With what stands around it, as far as that is shown."""
    found = decisive(replace(_CUT, basis=Basis(BasisKind.RAISES, "Shut", line=17)), {"check": 1.0}, max_lines=2)

    assert found is not None
    assert (found.start_line, found.end_line) == (17, 18)
    assert around(_CUT, 13) is None
    assert around(_CUT, 0) is None


def test_without_a_basis_the_lines_with_most_terms_decide() -> None:
    """Declaration and documentation have them too, and are told anyway; blank lines at the ends are left out."""
    text = (
        'def ask(book):\n    """Take the book."""\n\n    if shut:\n        return\n\n    take(book)\n\n    return 1\n'
    )
    found = decisive(piece(text, documentation="Take the book."), {"take": 1.0, "book": 1.0}, max_lines=2)

    assert found is not None
    assert found.lines == ("    take(book)",)
    none = decisive(piece(text), {"loan": 1.0}, max_lines=2)
    assert none is not None
    assert none.start_line == 10


def test_a_rare_term_decides_over_frequent_ones() -> None:
    """Each term counts its weight."""
    text = "def ask(book):\n    take(book, take)\n    book = take(book)\n    if shut:\n        return\n"
    found = decisive(piece(text), {"take": 0.1, "book": 0.1, "shut": 2.0}, max_lines=2)

    assert found is not None
    assert "    if shut:" in found.lines


def test_what_is_short_is_quoted_whole() -> None:
    """Nothing is chosen where everything has room."""
    text = "def ask(book):\n    take(book)\n    return 1\n"
    found = decisive(piece(text), {"take": 1.0}, max_lines=3)

    assert found is not None
    assert found.lines == tuple(text.splitlines())
