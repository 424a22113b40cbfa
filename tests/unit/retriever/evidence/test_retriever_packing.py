"""Packing: short definitions whole, long ones by passages, no line twice, and never over a cap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.evidence import LineRange, Span
from common.core.words.terms import count_terms
from retriever.domain.evidence.budget import Ledger
from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole
from retriever.domain.packing.lines import ShownLines, render, runs_of
from retriever.domain.packing.packer import Offer, Packed, Packer, TextLimits
from retriever.domain.packing.passages import WHOLE, Parts, Passage, documentation_of, split
from retriever.domain.packing.texts import cut
from retriever.domain.packing.units import units_of
from retriever.domain.values import Symbol, SymbolKind
from retriever.domain.views.structure import Dependency, mermaid
from tests.fakes.counting import WordCounter

_LIMITS = TextLimits(source_lines=1000)


def _draft(path: str, first: int, lines: int, *, word: str = "word") -> Draft:
    text = "".join(f"{word} {number}\n" for number in range(first, first + lines))
    span = Span(path, first, first + lines - 1)
    return Draft(EvidenceKind.SOURCE, ContextSource.CODE, EvidenceRole.MATCH, path, text, "because", span=span)


def _offer(path: str, first: int, lines: int, worth: float = 0.5, *, best: int = 0) -> Offer:
    """Offer lines in passages of ten; the passage that holds the line `best` is worth as much as the whole."""
    draft = _draft(path, first, lines)
    starts = range(first, first + lines, 10)
    passages = tuple(Passage(start, min(start + 9, first + lines - 1), 0.0, 0.0) for start in starts)
    worths = tuple(worth if best in passage.lines else worth / 10 for passage in passages)
    return Offer(draft, worth, passages, worths)


def _pack(offers: list[Offer], tokens: int, supplied: tuple[Span, ...] = (), limits: TextLimits = _LIMITS) -> Packed:
    packer = Packer(_ledger(tokens), WordCounter(), limits, ShownLines(supplied))
    packer.place_best(offers)
    return packer.packed


def _ledger(tokens: int) -> Ledger:
    return Ledger(tokens, dict.fromkeys(ContextSource, tokens))


def _shown(packed: Packed) -> list[tuple[str, list[tuple[int, int]]]]:
    return [(each.draft.title, [(run.start_line, run.end_line) for run in each.lines]) for each in packed.evidence]


def test_a_definition_may_be_too_small_for_its_label() -> None:
    """Its room goes to others, and it counts as left out; passages of long definitions have a label already."""
    small, long = _offer("small.py", 1, 4, 0.9), _offer("long.py", 1, 100, 0.5, best=55)
    packer = Packer(_ledger(60), WordCounter(), _LIMITS, least=40)

    packer.place_best([small, long])

    assert [each.draft.title for each in packer.packed.evidence] == ["long.py"]
    assert [draft.title for draft, _ in packer.packed.left_out] == ["small.py"]


def test_a_short_definition_is_shown_whole_or_not_at_all() -> None:
    """One that does not fit leaves its room to a smaller one."""
    big, small = _offer("big.py", 1, 50, 0.9), _offer("small.py", 1, 10, 0.1)

    packed = _pack([big, small], 100)

    assert _shown(packed) == [("small.py", [(1, 10)])]
    assert packed.left_out == ((big.draft, "over budget"),)


def test_every_line_costs_its_number_too() -> None:
    """An engine sees numbers, so that three words are spent on a line of two."""
    (piece,) = _pack([_offer("a.py", 1, 10)], 100).evidence

    assert piece.tokens == 30
    assert piece.text.startswith("word 1\nword 2\n")


def test_of_a_long_definition_the_passages_that_are_worth_most_are_shown() -> None:
    """The declaration comes with them, and lines in place of the rest say how many there are."""
    (piece,) = _pack([_offer("a.py", 1, 200, best=145)], 60).evidence

    assert piece.lines == (LineRange(1, 4), LineRange(141, 150))
    assert piece.text.split("\n")[4] == "... (136 lines cut)"
    assert piece.text.split("\n")[-2] == "... (50 lines cut)"
    assert piece.truncated_lines == 186


def test_a_long_documentation_string_goes_before_the_body() -> None:
    """A definition that is short enough without it is shown whole otherwise."""
    told = [f"    told {number}" for number in range(20)]
    body = [f"    does {number}" for number in range(WHOLE - 10)]
    text = "\n".join(["def call():", '    """', *told, '    """', *body]) + "\n"
    symbol = _symbol("call", 1, 3 + len(told) + len(body), docstring="\n".join(told))
    draft = Draft(
        EvidenceKind.SOURCE, ContextSource.CODE, EvidenceRole.MATCH, "call", text, "", span=symbol.span, symbol=symbol
    )
    offer = Offer(draft, 0.5, (Passage(1, symbol.end_line, 0.0, 0.0),), (0.5,))

    (piece,) = _pack([offer], 1000, limits=TextLimits(docstring_chars=20)).evidence

    assert piece.text.startswith('def call():\n    """\n    told 0\n    told 1\n    told 2\n... (18 lines cut)\n')
    assert piece.text.endswith(f"does {WHOLE - 11}\n")


def test_what_is_worth_more_for_its_tokens_is_chosen_and_what_is_worth_most_comes_first() -> None:
    """A small piece is chosen before one of three times its size that is worth little more; the tags of both count."""
    offers = [_offer("big.py", 1, 40, 0.6), _offer("small.py", 1, 10, 0.5)]

    assert [title for title, _ in _shown(_pack(offers, 130))] == ["small.py"]
    assert [title for title, _ in _shown(_pack(offers, 1000))] == ["big.py", "small.py"]


def test_no_line_is_shown_twice() -> None:
    """Of what lies around a piece that is shown, only the other lines are shown; what lies inside is not again."""
    packed = _pack([_offer("a.py", 1, 30, 0.5), _offer("a.py", 11, 10, 0.9), _offer("a.py", 12, 3, 0.1)], 1000)

    assert _shown(packed) == [("a.py", [(11, 20)]), ("a.py", [(1, 10), (21, 30)])]
    assert [reason for _, reason in packed.left_out] == ["shown by other evidence"]


def test_lines_that_are_supplied_already_are_left_out_and_cost_nothing() -> None:
    """The rest of a piece is supplied; one that was supplied whole says so."""
    offers = [_offer("a.py", 1, 30), _offer("b.py", 1, 10)]

    packed = _pack(offers, 1000, supplied=(Span("a.py", 1, 20), Span("b.py", 0, 0)))

    assert _shown(packed) == [("a.py", [(21, 30)])]
    assert packed.evidence[0].tokens == 34  # ten lines, and four words that say how many are left out
    assert packed.left_out == ((offers[1].draft, "supplied already"),)


def test_what_was_cut_has_an_identity_of_its_own() -> None:
    """A part that is asked for later is new evidence, though it is of the same definition."""
    offer = _offer("a.py", 1, 200, best=145)

    first = _pack([offer], 60).evidence[0]
    second = _pack([offer], 60, supplied=(Span("a.py", 1, 4), Span("a.py", 141, 150))).evidence[0]

    assert first.evidence_id != second.evidence_id
    assert {first.evidence_id, second.evidence_id}.isdisjoint({offer.draft.evidence_id})


def test_what_is_placed_first_takes_a_third_of_what_remains() -> None:
    """Something that answers by itself leaves room for what an answer rests on, unless it is told what it may take."""
    for most, lines in ((None, 160), (900, 290)):
        packer = Packer(_ledger(1500), WordCounter(), _LIMITS)
        packer.place_first(_offer("a.py", 1, 400, best=1), most=most)

        (piece,) = packer.packed.evidence
        shown = sum(run.end_line - run.start_line + 1 for run in piece.lines)
        assert shown == lines


@pytest.mark.parametrize(("room", "is_shown"), [(30, False), (60, True)])
def test_a_text_of_which_hardly_anything_is_left_is_left_out(room: int, is_shown: bool) -> None:
    """A few lines of a page say too little to be worth their place."""
    page = Draft(EvidenceKind.DOC, ContextSource.DOCS, EvidenceRole.DOCUMENT, "page", "one two three\n" * 90, "matches")
    packer = Packer(_ledger(room), WordCounter(), _LIMITS)
    packer.place_text(page)

    assert bool(packer.packed.evidence) == is_shown


def test_a_diagram_that_was_cut_stays_one() -> None:
    """The line that says how much is missing is a comment to mermaid."""
    drawn = mermaid([Dependency(f"a{number}", f"b{number}", 1) for number in range(40)], 40)

    shown = cut(drawn, 40, WordCounter(), comment="%% ")

    assert shown is not None
    assert shown.text.rstrip("\n").split("\n")[-1].startswith("%% ... (")


def _symbol(name: str, first: int, last: int, *, kind: SymbolKind = SymbolKind.FUNCTION, docstring: str = "") -> Symbol:
    return Symbol(
        first, 1, None, kind, "a.py", "a", "python", False, name, name, first, last, f"def {name}():", docstring
    )


def test_a_file_is_parted_at_its_functions() -> None:
    """A function within another belongs to that; what stands between the functions of a class is the class's own."""
    text = [
        "import os",
        "",
        "class Bag:",
        "    size = 1",
        "",
        "    def add(self):",
        "        def one():",
        "            pass",
    ]
    text += ["        one()", "", "    last = 2", "", "def free():", "    pass"]
    symbols = [
        _symbol("Bag", 3, 11, kind=SymbolKind.CLASS),
        _symbol("Bag.add", 6, 9, kind=SymbolKind.METHOD),
        _symbol("Bag.add.one", 7, 8),
        _symbol("free", 13, 14),
    ]

    units = units_of("a.py", symbols, text)

    assert [(unit.owner.name if unit.owner else "", unit.span.start_line, unit.span.end_line) for unit in units] == [
        ("", 1, 1), ("Bag", 3, 4), ("Bag.add", 6, 9), ("Bag", 11, 11), ("free", 13, 14),
    ]  # fmt: skip
    assert [unit.is_function for unit in units] == [False, False, True, False, True]


def test_a_passage_begins_where_the_nesting_is_shallow() -> None:
    """None begins within a block, and a few lines at the end stay with the passage before."""
    text = ["def run():"] + [f"    {'    ' * (number % 5 > 0) * 2}step{number}()" for number in range(32)]

    parts = split(text)

    assert parts[0][0] == 0
    assert parts[-1][1] == len(text)
    assert all(one[1] == other[0] for one, other in pairwise(parts))
    assert all(text[start].startswith("    step") for start, _ in parts[1:])
    assert parts[-1][1] - parts[-1][0] >= 5


def test_a_passage_is_told_apart_by_the_words_that_others_lack() -> None:
    """A word that stands in every passage says nothing of one of them."""
    text = [f"    value = convert(value)  # {'timezone' if number == 25 else 'plain'}" for number in range(40)]

    parts = Parts.of(text, split(text), range(0))

    passages = parts.passages(1, count_terms("convert the timezone value").keys())

    best = max(passages, key=lambda each: each.overlap)
    assert 26 in best.lines
    assert best.overlap == 1.0
    assert all(each.overlap < 0.8 for each in passages if each is not best)


def test_documentation_is_found_by_its_text() -> None:
    """Quotes and signs of comments around it are no matter, and what only looks like a line of it elsewhere is none."""
    text = ["def run():", '    """', "    Run all.", "", "    Then stop.", '    """', "    return", "    # Run all."]

    assert documentation_of(text, "Run all.\n\nThen stop.") == range(2, 6)
    assert documentation_of(text, "") == range(8, 8)


@given(st.sets(st.integers(1, 60)))
def test_runs_are_the_lines_that_they_are_made_of(lines: set[int]) -> None:
    """Joined runs are apart from each other and hold the lines, no more."""
    runs = runs_of(sorted(lines))

    assert {line for run in runs for line in range(run.start_line, run.end_line + 1)} == lines
    assert all(one.end_line + 1 < other.start_line for one, other in pairwise(runs))


@given(st.sets(st.integers(5, 44), min_size=1))
def test_what_is_rendered_has_each_line_with_its_number(lines: set[int]) -> None:
    """What is left out before, between and behind the lines is counted, and adds up."""
    text = [f"line {number}" for number in range(5, 45)]

    written = render(text, 5, lines, numbered=True).rstrip("\n").split("\n")

    assert [line for line in written if not line.startswith("...")] == [f"{n} line {n}" for n in sorted(lines)]
    assert sum(int(line.split("(")[1].split()[0]) for line in written if line.startswith("...")) == 40 - len(lines)


_offers = st.lists(
    st.builds(_offer, st.sampled_from(["a.py", "b.py"]), st.integers(1, 80), st.integers(1, 150), st.floats(0.01, 1.0)),
    max_size=8,
)


@given(_offers, st.integers(0, 900), st.integers(1, 200))
def test_no_budget_is_exceeded_and_no_line_shown_twice(offers: list[Offer], tokens: int, source_lines: int) -> None:
    """Whatever is offered, what is spent is what the numbered lines cost."""
    packed = _pack(offers, tokens, limits=TextLimits(source_lines=source_lines))

    shown = [
        (piece.draft.title, line)
        for piece in packed.evidence
        for run in piece.lines
        for line in range(run.start_line, run.end_line + 1)
    ]
    assert len(shown) == len(set(shown))
    assert sum(piece.tokens for piece in packed.evidence) <= tokens
    assert len(packed.evidence) + len(packed.left_out) == len(offers)
