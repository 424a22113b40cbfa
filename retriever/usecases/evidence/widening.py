"""Drafts the lines at which a gap is resolved: alone, and with the definition or section around them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import LineRange, Span
from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceRole
from retriever.domain.packing.growth import widened
from retriever.domain.packing.passages import WHOLE
from retriever.domain.values import DocumentKind, SymbolKind
from retriever.usecases.evidence.drafting import lines_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.tasks.gaps import Place
    from retriever.domain.values import Document
    from retriever.ports import Snapshot


_SECTION = 30
"""A section of at most this many lines is shown whole."""
_LINE = 2
"""A definition of at most this many lines, such as a field, does not bound the widening."""


def narrow_draft(snapshot: Snapshot, place: Place, reason: str) -> Draft:
    """Draft the lines of a place, from the first to the last."""
    return _draft(snapshot, place, LineRange(place.lines[0], place.lines[-1]), reason)


def wider_drafts(snapshot: Snapshot, place: Place, reason: str) -> Iterator[Draft]:
    """Yield drafts of a place with the lines around it: first on both sides, then only after, then only before."""
    asked = LineRange(place.lines[0], place.lines[-1])
    grown = _grown(snapshot, place, asked)
    behind, before = LineRange(asked.start_line, grown.end_line), LineRange(grown.start_line, asked.end_line)
    for lines in dict.fromkeys((grown, behind, before)):
        if lines != asked:
            yield _draft(snapshot, place, lines, reason)


def _grown(snapshot: Snapshot, place: Place, asked: LineRange) -> LineRange:
    """Return the short definition or section around lines, else the block; lines with gaps have no block."""
    symbol, ends = place.symbol, (asked.start_line, asked.end_line)
    if symbol and symbol.lines <= WHOLE:
        return LineRange(symbol.start_line, symbol.end_line)
    pages = [page for line in ends if (page := section_of(snapshot, place.path, line))]
    short = [each for each in pages if each.end_line - each.start_line < _SECTION]
    if short:
        return LineRange(min(ends[0], short[0].start_line), max(ends[1], short[-1].end_line))
    if len(place.lines) < ends[1] - ends[0] + 1:
        return asked
    symbols = (each for each in snapshot.symbols.in_file(place.path) if each.kind != SymbolKind.MODULE)
    wholes = (LineRange(each.start_line, each.end_line) for each in symbols if each.lines > _LINE)
    return widened(asked, wholes, snapshot.files.text(place.path).split("\n"))


def section_of(snapshot: Snapshot, path: str, line: int) -> Document | None:
    """Return the section of a page that contains a line; None for files that are not pages."""
    pages = (each for each in snapshot.documents.at((path,)) if each.kind is DocumentKind.SECTION)
    return next((each for each in pages if each.start_line <= line <= each.end_line), None)


def _draft(snapshot: Snapshot, place: Place, lines: LineRange, reason: str) -> Draft:
    span = Span(place.path, lines.start_line, lines.end_line)
    draft = lines_draft(snapshot, span, EvidenceRole.MATCH, reason, symbol=place.symbol, source=ContextSource.GAPS)
    section = None if place.symbol else section_of(snapshot, place.path, place.lines[-1])
    return replace(draft, title=section.title) if section else draft
