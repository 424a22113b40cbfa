"""What a pass is shown where not all has room, and the numbers of its lines."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import LineRange, Span
from orchestrator.domain.evidence.lines import numbered_lines, without_lines
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind
from orchestrator.domain.loop.fitting import fit

FIRST = Evidence("first", EvidenceKind.SOURCE, tokens=100, pass_number=1)
OTHER = Evidence("other", EvidenceKind.SOURCE, tokens=100, pass_number=1)
ASKED = Evidence("asked", EvidenceKind.SOURCE, tokens=100, pass_number=2)
LAST = Evidence("last", EvidenceKind.SOURCE, tokens=100, pass_number=3)
PIECE = Evidence(
    "a",
    EvidenceKind.SOURCE,
    span=Span("a.py", 1, 10),
    text="... (2 lines cut)\nthree\nfour\n... (1 line cut)\nsix\n... (4 lines cut)\n",
    tokens=40,
    truncated_lines=7,
    lines=(LineRange(3, 4), LineRange(6, 6)),
)


def _fitting(evidence: tuple[Evidence, ...], count: int, cited: frozenset[str] = frozenset()) -> list[str]:
    return [each.evidence_id for each in fit(evidence, count * 130, cited)]


def test_all_stays_where_there_is_room() -> None:
    """Nothing is left out without need, and the order of supply stays."""
    evidence = (FIRST, OTHER, ASKED)

    assert fit(evidence, 3 * 130) is evidence


def test_what_a_pass_has_kept_stays() -> None:
    """What was asked for last, and last in its pass, is the first for which there is no room."""
    assert _fitting((FIRST, OTHER, ASKED, LAST), 1) == ["first"]
    assert _fitting((FIRST, OTHER, ASKED, LAST), 2) == ["first", "other"]
    assert _fitting((FIRST, OTHER, ASKED, LAST), 3) == ["first", "other", "asked"]


def test_what_the_last_answer_cites_goes_before_the_rest() -> None:
    """It was of use."""
    assert _fitting((FIRST, OTHER, ASKED), 1, frozenset({"other"})) == ["other"]


def test_a_piece_that_does_not_fit_leaves_its_room_to_a_smaller_one() -> None:
    """Order is only what is tried first."""
    large = Evidence("large", EvidenceKind.SOURCE, tokens=1000, pass_number=2)

    assert _fitting((FIRST, large), 2) == ["first"]


def test_each_line_has_its_number_and_what_is_left_out_has_none() -> None:
    """Lines that tell how much is missing stand before, between and behind the runs."""
    text = "... (2 lines cut)\nthree\n... is said here\n... (1 line cut)\nsix\n... (4 lines cut)\n"
    lines = (LineRange(3, 4), LineRange(6, 6))
    piece = Evidence("a", EvidenceKind.SOURCE, span=Span("a.py", 1, 10), text=text, lines=lines)

    assert [number for number, _ in numbered_lines(piece)] == [0, 3, 4, 0, 6, 0]


def test_what_is_no_copy_of_lines_has_no_numbers() -> None:
    """Lists, trees of calls and pages."""
    piece = Evidence("a", EvidenceKind.FLOW, span=Span("a.py", 1, 10), text="one\ntwo\n")

    assert list(numbered_lines(piece)) == [(0, "one"), (0, "two")]


@pytest.mark.parametrize(
    ("unneeded", "text", "lines"),
    [
        ([LineRange(1, 3)], "...\nfour\n...\nsix\n...\n", (LineRange(4, 4), LineRange(6, 6))),
        ([LineRange(4, 4)], "...\nthree\n...\nsix\n...\n", (LineRange(3, 3), LineRange(6, 6))),
        ([LineRange(4, 10**12)], "...\nthree\n...\n", (LineRange(3, 3),)),
        ([LineRange(6, 6), LineRange(3, 3)], "...\nfour\n...\n", (LineRange(4, 4),)),
    ],
)
def test_lines_that_are_not_needed_leave_their_room(
    unneeded: list[LineRange], text: str, lines: tuple[LineRange, ...]
) -> None:
    """The others keep their numbers, and what is left out is marked once at each place."""
    left = without_lines(PIECE, unneeded)

    assert left is not None
    assert (left.text, left.lines, left.evidence_id) == (text, lines, "a")
    assert left.tokens < PIECE.tokens
    assert left.truncated_lines == PIECE.truncated_lines + sum(
        each not in {number for run in lines for number in range(run.start_line, run.end_line + 1)}
        for each in (3, 4, 6)
    )
    assert [line for number, line in numbered_lines(left) if number] == [
        line for line in text.split("\n") if line.strip(".")
    ]


def test_a_piece_without_one_of_its_lines_is_none() -> None:
    """Lines that it does not show cost nothing, and a piece that is no copy of lines is left as it is."""
    pages = Evidence("a", EvidenceKind.FLOW, span=Span("a.py", 1, 10), text="one\n", tokens=4)

    assert without_lines(PIECE, [LineRange(1, 10)]) is None
    assert without_lines(PIECE, [LineRange(7, 9)]) is PIECE
    assert without_lines(pages, [LineRange(1, 10)]) is pages
