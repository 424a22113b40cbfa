"""Answers to questions that describe a definition by what it does."""

from __future__ import annotations

from orchestrator.domain.confidence import grounds
from orchestrator.domain.evidence import Citation, Evidence, EvidenceKind, SymbolKind, SymbolRef
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

_TOLD = "returns the encoding of a response"


def function(name: str, docstring: str, *, described: str = _TOLD, line: int = 1) -> Evidence:
    """Return the source of a function that was found by a description."""
    symbol = SymbolRef("web/models.py", name, SymbolKind.FUNCTION, line, line + 2)
    text = f'def {name}(response):\n    """{docstring}"""\n    return response.charset\n'
    return Evidence(name, EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text, described=described)


def answer(question: str, *evidence: Evidence) -> str:
    """Return what is written."""
    material = Material(question, Classification(Mode.CONCEPTUAL), label_evidence(evidence), ())
    return "".join(write_answer(material))


def test_what_says_of_itself_what_is_asked_comes_first() -> None:
    """Though another one was likelier by everything else."""
    likeliest = function("decode", "Decode the body of a response.")
    same = function("charset_of", "Return the encoding of a response.", line=9)

    told = answer(f"Which function {_TOLD}?", likeliest, same)

    assert told.startswith("`charset_of` — Return the encoding of a response. [E2]\n")
    assert "`decode`" in told


def test_the_likeliest_comes_first_where_none_says_so() -> None:
    """Undocumented code is described as well."""
    told = answer(f"Where is the code that {_TOLD}?", function("charset_of", ""), function("quote", "Quote a text."))

    assert told.startswith("`charset_of` is defined at `web/models.py:1`. [E1]\n")


def test_what_is_called_like_what_is_done_comes_first() -> None:
    """Though something else says of itself what the question says."""
    doer = function("encode", "Turn text into bytes.", described="is a response encoded")
    told_so = function("skip", "Tell whether a response is encoded.", described="", line=9)

    for word in ("How", "Where"):
        told = answer(f"{word} is a response encoded?", doer, told_so)
        assert told.startswith("`encode` — Turn text into bytes. [E1]\n")


def test_what_another_question_described_is_evidence_like_other() -> None:
    """A session tells again what it found before."""
    other = function("quote", "Quote a text for a header.", described="quotes a text for a header")
    asked = function("charset_of", "Return the encoding of a response.", described="", line=9)

    told = answer(f"Which function {_TOLD}?", other, asked)

    assert told.index("`charset_of` — Return the encoding") < told.index("`quote`")


def test_what_holds_all_values_lacks_none() -> None:
    """Its lines have them, though its first sentence has not."""
    asked = "settings does an app have by default"
    found = function("defaultConfiguration", "Set up the app.", described=asked)
    cited = [Citation(1, found.span, "", symbol=found.symbol, evidence_id="defaultConfiguration")] if found.span else []

    facts = grounds(
        f"Which {asked}?", Anchors(), "`defaultConfiguration` — Set up the app. [1]", [found], cited, (), ()
    )

    assert not facts.lacks_value
