"""Enumerations of the snapshot format: numbers that earlier releases wrote keep their meaning."""

from __future__ import annotations

from enum import IntEnum

import pytest

from common.core.contract import snapshot
from indexer.domain.snapshots.core import PageKind
from retriever.domain.values import DocumentKind

FACTS = (
    "RAISES MUTATES ERROR_STRING ENTRY_POINT RATIONALE ASSERTION VALUE ENVIRONMENT ROUTE CATCHES HANDED REQUIREMENT"
    " PROJECT COMMAND TEXT IMPLEMENTS PROPERTY"
)
ORIGINS = (
    "NONE ASSIGNED COMMENTED LOOKED_UP OPTION PASSED PARAMETER PAGE CONSTANT COMPUTED CONSTRUCTOR RAISED RETURNED"
    " DEVELOPMENT CONVENTION ASSERTED"
)
ROLES = "CODE EXAMPLE DOCUMENTATION BENCHMARK TOOL SUPPORT VENDORED GENERATED CHANGES STUB PROSE"


@pytest.mark.parametrize(
    ("kind", "members", "first"),
    [
        (snapshot.SymbolKind, "MODULE CLASS FUNCTION METHOD VARIABLE", 1),
        (snapshot.FactKind, FACTS, 1),
        (snapshot.Origin, ORIGINS, 0),
        (snapshot.EdgeKind, "CALL IMPORT INHERITS REFERENCES", 1),
        (snapshot.Resolution, "RESOLVED EXTERNAL UNRESOLVED", 1),
        (snapshot.Tier, "STATIC PROTOCOL CONTAINER ARGUMENT UNIQUE_NAME OVERRIDE PRECISE", 1),
        (snapshot.FileRole, ROLES, 0),
        (snapshot.Severity, "INFO LOW MEDIUM HIGH CRITICAL", 1),
        (PageKind, "OVERVIEW PACKAGE MODULE SECTION", 1),
        (DocumentKind, "OVERVIEW PACKAGE MODULE SECTION", 1),
    ],
)
def test_a_number_keeps_its_meaning(kind: type[IntEnum], members: str, first: int) -> None:
    """Members are numbered one after the other; a new one comes last."""
    assert {each.name: each.value for each in kind} == {
        name: number for number, name in enumerate(members.split(), first)
    }


def test_a_mark_keeps_its_bit() -> None:
    """Marks are bits of one number."""
    marks = ["CONSTRUCTOR", "IMPLICIT", "TEST", "STRUCTURAL", "BEGINS", "APART", "PACKAGE", "OPEN"]

    assert {each.name: each.value for each in snapshot.SymbolMark} == {name: 1 << at for at, name in enumerate(marks)}
