"""Enumerations of the snapshot format: the indexer writes the numbers that the retriever reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.domain import model, roles
from indexer.domain.snapshots import core
from retriever.domain import facts, values

if TYPE_CHECKING:
    from enum import IntEnum, IntFlag


def numbers(kind: type[IntEnum] | type[IntFlag]) -> dict[str, int]:
    """Return the members with their numbers."""
    return {name: int(member) for name, member in kind.__members__.items()}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param(model.SymbolKind, values.SymbolKind, id="kinds of symbols"),
        pytest.param(model.SymbolMark, facts.SymbolMark, id="marks of symbols"),
        pytest.param(model.FactKind, facts.FactKind, id="kinds of facts"),
        pytest.param(model.Origin, facts.Origin, id="origins of values"),
        pytest.param(model.EdgeKind, values.EdgeKind, id="kinds of edges"),
        pytest.param(model.Resolution, values.Resolution, id="resolutions"),
        pytest.param(model.Tier, values.Tier, id="tiers"),
        pytest.param(core.PageKind, values.DocumentKind, id="kinds of pages"),
        pytest.param(roles.FileRole, facts.FileRole, id="roles of files"),
    ],
)
def test_what_is_written_is_read(written: type[IntEnum], read: type[IntEnum]) -> None:
    """Both sides have the same members with the same numbers."""
    assert numbers(written) == numbers(read)
