"""Gaps that ask for lines: they come first and whole, then what they belong to; and every gap has one outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.retriever.conftest import Retriever

if TYPE_CHECKING:
    from pathlib import Path

_BODY = "".join(f"    step_{number} = load(step_{number - 1}, {number})\n" for number in range(1, 40))
_TILL = f"def shut(step_0):\n{_BODY}\n\ndef count(step_0):\n{_BODY}"


def _runs(piece: evidence_pb2.Evidence) -> list[tuple[int, int]]:
    return [(each.start_line, each.end_line) for each in piece.lines]


def _asked(*ranges: tuple[int, int], path: str = "till.py") -> pb.ResolveGapsRequest:
    gaps = [evidence_pb2.Gap(path=path, start_line=first, end_line=last) for first, last in ranges]
    return pb.ResolveGapsRequest(repository="lines", gaps=gaps)


@pytest.fixture
def lines(retriever: Retriever) -> Retriever:
    """Serve a file of two functions of forty lines."""
    SnapshotBuilder().python("till.py", _TILL).publish(retriever.data, "lines")
    return retriever


async def test_lines_come_with_the_definition_that_they_are_of(lines: Retriever) -> None:
    """The detail names what was asked for; lines that are shown elsewhere are left out."""
    request = _asked((10, 12))
    whole = await lines.stub.ResolveGaps(request)
    request.shown.append(code_pb2.Span(path="till.py", start_line=20, end_line=30))
    rest = await lines.stub.ResolveGaps(request)

    assert [_runs(each) for each in whole.evidence] == [[(1, 40)]]
    assert whole.results[0].detail == "lines 10-12 of till.py"
    assert [_runs(each) for each in rest.evidence] == [[(1, 19), (31, 40)]]
    assert rest.results[0].supply == evidence_pb2.GAP_SUPPLY_WHOLE


async def test_a_small_budget_is_for_the_lines_that_are_asked_for(lines: Retriever) -> None:
    """They come whole before anything around them, and the piece is no more than they are then."""
    request = _asked((10, 30))
    all_of_it = sum(each.tokens for each in (await lines.stub.ResolveGaps(request)).evidence)
    request.budget.gap_tokens = all_of_it - 40
    without = await lines.stub.ResolveGaps(request)
    request.budget.gap_tokens = 60
    little = await lines.stub.ResolveGaps(request)

    [piece] = without.evidence
    [(first, last)] = _runs(piece)
    assert (piece.span.start_line, piece.span.end_line, piece.truncated_lines) == (first, last, 0)
    assert first <= 10
    assert last >= 30
    assert without.results[0].supply == evidence_pb2.GAP_SUPPLY_WHOLE
    assert little.results[0].supply in (evidence_pb2.GAP_SUPPLY_PART, evidence_pb2.GAP_SUPPLY_NO_ROOM)


async def test_what_every_gap_asks_for_goes_before_what_is_around_any(lines: Retriever) -> None:
    """The first gap does not grow into what the last one needs."""
    request = _asked((5, 14), (50, 59))
    alone = sum(each.tokens for each in (await lines.stub.ResolveGaps(_asked((5, 14)))).evidence)
    request.budget.gap_total_tokens = alone

    response = await lines.stub.ResolveGaps(request)

    shown = {line for piece in response.evidence for first, last in _runs(piece) for line in range(first, last + 1)}
    assert {*range(5, 15), *range(50, 60)} <= shown
    assert [each.supply for each in response.results] == [evidence_pb2.GAP_SUPPLY_WHOLE] * 2
    assert response.budget_use[0].used_tokens <= alone


async def test_two_gaps_of_one_function_share_it(lines: Retriever) -> None:
    """Each line is shown once, and no two pieces have one identity."""
    response = await lines.stub.ResolveGaps(_asked((5, 8), (20, 22), (5, 8)))

    shown = [line for piece in response.evidence for first, last in _runs(piece) for line in range(first, last + 1)]
    assert sorted(shown) == list(range(1, 41))
    assert len({each.evidence_id for each in response.evidence}) == len(response.evidence) == 2
    assert response.results[2].supply == evidence_pb2.GAP_SUPPLY_BEFORE


async def test_nothing_is_supplied_under_the_identity_of_what_is_known(lines: Retriever) -> None:
    """A caller leaves out what it has: lines that are widened to a known definition come as another piece."""
    [whole] = (await lines.stub.ResolveGaps(_asked((10, 12)))).evidence
    request = _asked((10, 12))
    request.known_evidence_ids.append(whole.evidence_id)
    request.shown.append(code_pb2.Span(path="till.py", start_line=20, end_line=40))

    [piece] = (await lines.stub.ResolveGaps(request)).evidence

    assert piece.evidence_id != whole.evidence_id
    assert {10, 11, 12} <= {line for first, last in _runs(piece) for line in range(first, last + 1)}


async def test_lines_of_a_page_come_with_their_section(retriever: Retriever, tmp_path: Path) -> None:
    """So does a text: its heading says which release a line of a change log is about."""
    old = "".join(f"- Mend fault {number}.\n" for number in range(1, 6))
    new = "".join(f"- Add feature {number}.\n" for number in range(1, 41))
    files = {"CHANGELOG.md": f"# Changes\n\n## 2.0\n\n{new}\n## 1.9\n\n{old}", "a.py": "A = 1\n"}
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="page")
    gaps = [
        evidence_pb2.Gap(path="CHANGELOG.md", start_line=50, end_line=51),
        evidence_pb2.Gap(text="Add feature 33"),
    ]

    section, feature = (await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="page", gaps=gaps))).evidence

    assert section.text.startswith("## 1.9\n")
    assert section.text.endswith("fault 5.\n")
    assert feature.title == "Changes > 2.0"
    assert feature.text.startswith("## 2.0\n")
    assert "- Add feature 33.\n- Add feature 34.\n" in feature.text


@pytest.mark.parametrize("tokens", [1, 60, 200, 1000, 6000])
async def test_every_gap_has_one_outcome(lines: Retriever, tokens: int) -> None:
    """In the order asked, whatever the budget; what has no room says where it stands."""
    kinds: list[dict[str, object]] = [
        {"symbol": "shut"},
        {"symbol": "count", "path": "till.py"},
        {"symbol": "count", "aspect": evidence_pb2.GAP_ASPECT_USERS},
        {"path": "till.py"},
        {"path": "till.py", "start_line": 3, "end_line": 20},
        {"path": "till.py", "start_line": 900},
        {"text": "load(step_6, 7)"},
        {"text": 'none("of it")'},
        {"symbol": "Till.nothing"},
        {"description": "how tidal forces bend the crust of a small moon"},
    ]
    gaps = [evidence_pb2.Gap(gap_id=f"g{at}", **kind) for at, kind in enumerate(kinds * 2)]  # type: ignore[arg-type]  # fields of a gap
    request = pb.ResolveGapsRequest(repository="lines", gaps=gaps)
    request.budget.gap_total_tokens = tokens

    response = await lines.stub.ResolveGaps(request)

    assert [each.gap.gap_id for each in response.results] == [each.gap_id for each in gaps]
    assert sum(each.tokens for each in response.evidence) == response.budget_use[0].used_tokens <= tokens
    for result in response.results:
        assert result.outcome
        assert result.detail
        if result.outcome == evidence_pb2.GAP_OUTCOME_RESOLVED:
            assert result.supply, result
        if result.supply == evidence_pb2.GAP_SUPPLY_NO_ROOM:
            assert "the budget has no room for till.py:" in result.detail or "the list" in result.detail
