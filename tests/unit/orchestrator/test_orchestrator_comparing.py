"""Both things whose difference is asked for are told of."""

from __future__ import annotations

from orchestrator.domain.evidence import Evidence, EvidenceKind, Span, SymbolKind, SymbolRef
from orchestrator.domain.opening import Opening
from orchestrator.domain.question import Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer


def shown(name: str, summary: str, path: str = "shop/bank.py") -> Evidence:
    """Return a function that says what it does."""
    symbol = SymbolRef(path, name, SymbolKind.FUNCTION, 10, 12)
    text = f'def {symbol.name}(self):\n    """{summary}"""\n    return 1\n'
    return Evidence(f"{path}-{name}", EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, title=name)


def page(title: str, text: str) -> Evidence:
    """Return a section of the documentation."""
    return Evidence(f"doc-{title}", EvidenceKind.DOC, title=title, span=Span("README.md", 5, 9), text=text)


def answer(question: str, *evidence: Evidence) -> str:
    """Return what is written."""
    return "".join(write_answer(Material(question, Classification(Mode.CONCEPTUAL), label_evidence(evidence), ())))


def test_one_that_is_not_defined_here_is_told_by_the_section_that_is_headed_so() -> None:
    """One of elsewhere has no definition, and its section says what it is for."""
    text = answer(
        "What is the difference between Token and Signal?",
        page("Ending > About a Signal, and more", "It says more of all that.\n"),
        page("Ending > Signal (new)", "A signal ends an order from outside.\n\nIt has more.\n"),
        shown("Token", "Ends an order that was begun."),
    )

    assert text.startswith(
        "- `Token` — Ends an order that was begun. [E3]\n"
        "- “Signal (new)” — A signal ends an order from outside. It has more. (`README.md:5` [E2])\n"
    )


def test_where_nothing_tells_of_one_the_other_leads_as_ever() -> None:
    """Half of a list compares nothing."""
    text = answer("What is the difference between Token and Signal?", shown("Token", "Ends an order that was begun."))

    assert text.startswith("`Token` — Ends an order that was begun. [E1]")


def test_beside_a_member_what_is_said_alone_is_no_member() -> None:
    """Though a member of another thing stands nearer to it."""
    text = answer(
        "What is the difference between get and Session.get?",
        shown("Session.get", "Get by a session."),
        shown("Jar.get", "Get a cookie."),
        shown("get", "Get at once.", path="shop/api.py"),
    )

    assert text.startswith("- `get` — Get at once. [E3]\n- `Session.get` — Get by a session. [E1]\n")


def test_names_with_humps_are_spoken_of_as_they_are_written() -> None:
    """The words of a name that is written in one are not those of its parts."""
    opening = Opening("`Queue.onIdle` and `Queue.onEmpty` differ.")

    assert not opening.lacks_any(("onIdle", "onEmpty"))
    assert opening.lacks_any(("onIdle", "onStart"))
