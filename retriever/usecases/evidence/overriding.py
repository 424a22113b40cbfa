"""Adds to shown methods where subclasses have their own: what a reader of the base class alone would miss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.values import SymbolKind
from retriever.usecases.using.implementing import overriding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.evidence.piece import Evidence
    from retriever.ports import Snapshot

_MOST = 4


def with_overriders(snapshot: Snapshot, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return the evidence, each method with at most four that override it, those of tests left out."""
    return tuple(_with_overriders(snapshot, each) for each in evidence)


def _with_overriders(snapshot: Snapshot, piece: Evidence) -> Evidence:
    symbol = piece.draft.symbol
    if not piece.lines or symbol is None or symbol.kind != SymbolKind.METHOD:
        return piece
    found = tuple(use.user for use in overriding(snapshot, symbol) if not use.user.is_test)[:_MOST]
    return replace(piece, draft=replace(piece.draft, overriders=found)) if found else piece
