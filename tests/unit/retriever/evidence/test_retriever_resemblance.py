"""What the text of units has in common with a question."""

from __future__ import annotations

from common.core.contract.evidence import Span
from retriever.domain.packing.resemblance import TEXT_INPUTS, Wanted, resemble
from retriever.domain.packing.units import Unit
from retriever.domain.values import Symbol, SymbolKind

_FIRST = """def lend(book):
    if book.is_lost:
        raise NoBook(book)
    step()
    step()
    step()
    step()
    step()
    return book.lent_to(reader)"""
_OTHER = """def sweep(room):
    return room.broom"""
_RARITY = {"lost": 3.0, "book": 1.0, "reader": 2.0, "lend": 2.0}


def _unit(name: str, lines: int) -> Unit:
    key = len(name)
    owner = Symbol(
        key, 1, None, SymbolKind.FUNCTION, "lab/shelf.py", "lab.shelf", "python", False, name, name, 1, lines, "", ""
    )
    return Unit(owner, Span("lab/shelf.py", 1, lines))


def _rows(question: str, *parts: str) -> tuple[list[dict[str, float]], list[tuple[str, int]]]:
    wanted = Wanted.of(question, parts or (question,), _RARITY)
    rows, focuses = resemble(wanted, [_unit("lend", 9), _unit("sweep", 2)], [_FIRST, _OTHER])
    return [dict(zip(TEXT_INPUTS, row, strict=True)) for row in rows.tolist()], [(x.part, x.at) for x in focuses]


def test_a_unit_has_the_share_of_the_question_that_its_text_has() -> None:
    """Rare terms weigh more; name and path count apart, and what the other units lack counts among these."""
    (lend, sweep), _ = _rows("lend a lost book")

    assert (lend["body"], sweep["body"]) == (1.0, 0.0)
    assert lend["around"] == _RARITY["lend"] / 6
    assert lend["window"] > lend["body"]
    assert (lend["rare"], sweep["rare"]) == (1.0, 0.0)
    assert (lend["terms"], lend["documentation"]) == (3.0, 0.0)


def test_neighbours_in_the_question_count_where_they_are_neighbours_in_the_text() -> None:
    """Whatever stands between words of a question that say nothing."""
    (together, _), _ = _rows("is it lent to the reader")
    (apart, _), _ = _rows("what has a reader lent")

    assert together["pairs"] > apart["pairs"]


def test_a_unit_tells_the_part_of_the_question_that_it_has_most_of() -> None:
    """With the first of the lines that have it."""
    _, focuses = _rows("what of a lost book and who is the reader", "what of a lost book", "who is the reader")
    _, of_reader = _rows("who is the reader", "who is the reader")

    assert focuses[0] == ("what of a lost book", 0)
    assert of_reader[0][1] == len(_FIRST.split("\n")) - 6
