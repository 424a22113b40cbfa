"""What a model writes, and what stands in a file, is read in time that grows with its length alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from common.core.contract.evidence import Span
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef
from orchestrator.domain.model_text.answer_format import AnswerParser
from orchestrator.domain.model_text.cleaning import as_data
from orchestrator.domain.model_text.numbering import CitationNumberer
from orchestrator.domain.questions.question import Classification, Mode
from orchestrator.domain.writing.markdown import fenced
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer
from tests.fakes.latency import within

# Each of these took from ten seconds to longer than anybody waited; now it is some milliseconds.
_MOST_SECONDS = 2.0
_BLANKS = " " * 4000
_LINES = "\n" * 8000


def _parse(text: str) -> None:
    parser = AnswerParser()
    for at in range(0, len(text), 400):
        parser.feed(text[at : at + 400])
    parser.finish()


def _number(text: str) -> None:
    numberer = CitationNumberer((Evidence("e", span=Span("a.py", 1, 2)),))
    for at in range(0, len(text), 400):
        numberer.feed(text[at : at + 400])
    numberer.finish()


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (_parse, f"Blank{_LINES}lines."),
        (_parse, f"Less <{_BLANKS * 2}than."),
        (_parse, f"<gaps><gap {'a' * 19_000}>x</gap></gaps>"),
        (_parse, f"<gaps>{'<gap ' * 4000}</gaps>"),
        (_parse, f"<gaps>-{_BLANKS * 4}\n</gaps>"),
        (_parse, f"<gaps>{_LINES * 2}</gaps>"),
        (_number, f"Blank{_LINES}lines."),
        (_number, f"Never closed: [{','.join(['E1:a' + ' ' * 20] * 12)},{'x' * 300}"),
        (_number, f"Never closed: [E1{_BLANKS}{'x' * 300}"),
        (as_data, f"<{_BLANKS * 10}x"),
        (as_data, f"<{_BLANKS * 5}/{_BLANKS * 5}x"),
    ],
)
def test_long_runs_are_read_at_once(read: Callable[[str], object], text: str) -> None:
    """No text holds up the answers of others: all of them share one event loop."""
    with within(_MOST_SECONDS):
        read(text)


@pytest.mark.parametrize(
    ("kind", "symbol", "text"),
    [
        (EvidenceKind.DOC, "f.charge", f"- {_LINES * 2}x"),
        (EvidenceKind.DOC, "", ":" * 16_000),
        (EvidenceKind.SOURCE, "f.charge", f"def f({_BLANKS * 20}x"),
        (EvidenceKind.SOURCE, "f.charge", f"{_BLANKS * 20}x"),
    ],
)
def test_an_answer_is_written_from_long_runs_at_once(kind: EvidenceKind, symbol: str, text: str) -> None:
    """A file of a repository may hold nothing but blanks: some thousand of them are a few tokens."""
    lines = text.count("\n") + 1
    about = SymbolRef("a.py", symbol, SymbolKind.FUNCTION, 1, lines) if symbol else None
    piece = Evidence("e", kind, title="charge", span=Span("a.py", 1, lines), symbol=about, text=text)
    material = Material("How does charge work?", Classification(Mode.ANALYTICAL), label_evidence((piece,)), ())
    with within(_MOST_SECONDS):
        list(write_answer(material))


@pytest.mark.parametrize("line", ["x", "```", "````", "a `````` b"])
def test_no_quoted_line_closes_its_block(line: str) -> None:
    """The fence is longer than any run of backticks in what it holds."""
    mark = fenced((line,), "").splitlines()[0]

    assert len(mark) >= 3
    assert mark not in line


@pytest.mark.parametrize("text", ["[E1,\nE1]", "[ E1 ;\n\n E1:Bank.ask ]", "a [\nE1\n] b"])
def test_labels_over_lines_are_numbered_however_the_stream_is_cut(text: str) -> None:
    """A line break within brackets does not depend on where a chunk ends."""
    whole, cut = (CitationNumberer((Evidence("e", span=Span("a.py", 1, 2)),)) for _ in range(2))

    assert "E1" not in whole.feed(text) + whole.finish()
    assert "E1" not in "".join(cut.feed(letter) for letter in text) + cut.finish()
