"""What is supplied for gaps that ask for the users of fields and parameters, and for lines with blank ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import evidence_pb2

from tests.integration.indexer.indexing import Indexing, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.retriever.conftest import Retriever


async def test_users_of_fields_and_parameters_are_the_lines_with_their_names(
    retriever: Retriever, tmp_path: Path
) -> None:
    """No edge leads to them: of fields of one name each place is told once, of parameters those with the name."""
    files = {
        "store.go": "package store\n\ntype Store struct {\n\tkeepAll bool\n\tlevels []int\n}\n\n"
        "func Open() *Store {\n\treturn &Store{keepAll: true}\n}\n\n"
        "func (s *Store) Prune(force_all bool) {\n\tif s.keepAll || force_all {\n\t\treturn\n\t}\n"
        "\ts.levels = nil\n}\n",
        "db.go": "package store\n\ntype DB struct {\n\tkeepAll bool\n}\n\n"
        "func (db *DB) Close(levels int) {\n\tif db.keepAll {\n\t\tPrune(true, levels)\n\t}\n}\n",
    }
    Indexing(retriever.data).run(write_tree(tmp_path, files), name="fields")
    gaps = [
        evidence_pb2.Gap(gap_id=name, symbol=name, aspect=evidence_pb2.GAP_ASPECT_USERS)
        for name in ("keepAll", "Store.levels", "force_all", "nowhere_all")
    ]

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="fields", gaps=gaps))

    field, plain, parameter = (each.text for each in response.evidence)
    assert [field.count(each) for each in ("{keepAll: true}", "if s.keepAll", "if db.keepAll", "keepAll bool")] == [
        *(1, 1, 1),
        0,
    ]
    assert "s.levels = nil" in plain
    assert "Prune(true, levels)" not in plain
    assert ("if s.keepAll || force_all" in parameter, "func (s *Store) Prune(force_all bool)" in parameter) == (
        True,
        True,
    )
    assert [each.outcome for each in response.results[:3]] == [evidence_pb2.GAP_OUTCOME_RESOLVED] * 3
    assert "3 with the name are listed" in response.results[0].detail
    assert response.results[3].outcome == evidence_pb2.GAP_OUTCOME_ABSENT


@pytest.mark.parametrize(("first", "last"), [(1, 4), (2, 4), (4, 4), (4, 5), (7, 8), (1, 8)])
async def test_lines_that_end_in_blank_ones_are_shown(
    retriever: Retriever, tmp_path: Path, first: int, last: int
) -> None:
    """Blank lines have nothing to show; what stands before and behind them has."""
    Indexing(retriever.data).run(write_tree(tmp_path, {"a.rs": "fn a() {\n}\n\n\nfn b() {\n}\n\n\n"}), name="blank")
    gap = evidence_pb2.Gap(path="a.rs", start_line=first, end_line=last)

    response = await retriever.stub.ResolveGaps(pb.ResolveGapsRequest(repository="blank", gaps=[gap]))

    shown = {
        line for each in response.evidence for run in each.lines for line in range(run.start_line, run.end_line + 1)
    }
    assert response.results[0].outcome == evidence_pb2.GAP_OUTCOME_RESOLVED
    assert {1, 2, 5, 6} & set(range(first, last + 1)) <= shown
