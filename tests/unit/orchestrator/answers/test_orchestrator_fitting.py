"""What a pass is shown where not all has room, and the numbers of its lines."""

from __future__ import annotations

from common.core.contract.evidence import LineRange, Span
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind
from orchestrator.domain.loop.fitting import fit, numbered_lines

FIRST = Evidence("first", EvidenceKind.SOURCE, tokens=100, pass_number=1)
OTHER = Evidence("other", EvidenceKind.SOURCE, tokens=100, pass_number=1)
ASKED = Evidence("asked", EvidenceKind.SOURCE, tokens=100, pass_number=2)
LAST = Evidence("last", EvidenceKind.SOURCE, tokens=100, pass_number=3)


def _fitting(evidence: tuple[Evidence, ...], count: int, cited: frozenset[str] = frozenset()) -> list[str]:
    return [each.evidence_id for each in fit(evidence, count * 130, cited)]


def test_all_stays_where_there_is_room() -> None:
    """Nothing is left out without need, and the order of supply stays."""
    evidence = (FIRST, OTHER, ASKED)

    assert fit(evidence, 3 * 130) is evidence


def test_what_was_asked_for_last_comes_first() -> None:
    """Of what came first, the earlier."""
    assert _fitting((FIRST, OTHER, ASKED, LAST), 1) == ["last"]
    assert _fitting((FIRST, OTHER, ASKED, LAST), 2) == ["asked", "last"]
    assert _fitting((FIRST, OTHER, ASKED, LAST), 3) == ["first", "asked", "last"]


def test_what_the_last_answer_cites_goes_before_the_rest() -> None:
    """It was of use."""
    assert _fitting((FIRST, OTHER, ASKED), 2, frozenset({"other"})) == ["other", "asked"]


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
