"""Drafts lines that a gap leads to: alone, and with what they belong to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import LineRange, Span
from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceRole
from retriever.domain.packing.growth import widened
from retriever.domain.packing.passages import WHOLE
from retriever.domain.values import SymbolKind
from retriever.usecases.evidence.drafting import lines_draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.tasks.gaps import Place
    from retriever.domain.values import Document
    from retriever.ports import Snapshot


_SECTION = 30
"""A section of at most this many lines is one thing."""
_LINE = 2
"""A definition of so few lines, such as a field, is nothing to stop at."""


def narrow_draft(snapshot: Snapshot, place: Place, reason: str) -> Draft:
    """Draft the lines of a place, from the first to the last."""
    return _draft(snapshot, place, LineRange(place.lines[0], place.lines[-1]), reason)


def wider_drafts(snapshot: Snapshot, place: Place, reason: str) -> Iterator[Draft]:
    """Yield drafts of a place with what it belongs to, widest first; those to one side last."""
    asked = LineRange(place.lines[0], place.lines[-1])
    grown = _grown(snapshot, place, asked)
    behind, before = LineRange(asked.start_line, grown.end_line), LineRange(grown.start_line, asked.end_line)
    for lines in dict.fromkeys((grown, behind, before)):
        if lines != asked:
            yield _draft(snapshot, place, lines, reason)


def _grown(snapshot: Snapshot, place: Place, asked: LineRange) -> LineRange:
    """Return what lines are widened to; those that do not follow each other only to a short definition or section."""
    if place.symbol and place.symbol.lines <= WHOLE:
        return LineRange(place.symbol.start_line, place.symbol.end_line)
    if len(place.lines) == asked.end_line - asked.start_line + 1:
        return widened(asked, _wholes(snapshot, place.path), snapshot.files.text(place.path).split("\n"))
    section = section_of(snapshot, place.path, asked.end_line)
    return LineRange(section.start_line, section.end_line) if section and _is_short(section) else asked


def section_of(snapshot: Snapshot, path: str, line: int) -> Document | None:
    """Return the section of a page in which a line stands; None for files of another kind."""
    pages = (each for each in snapshot.documents.at((path,)) if each.symbol_id is None)
    return next((each for each in pages if each.start_line and each.start_line <= line <= each.end_line), None)


def _wholes(snapshot: Snapshot, path: str) -> tuple[LineRange, ...]:
    """Return the definitions of a file that have several lines; of a page its short sections."""
    symbols = [each for each in snapshot.symbols.in_file(path) if each.kind != SymbolKind.MODULE]
    if symbols:
        return tuple(LineRange(each.start_line, each.end_line) for each in symbols if each.lines > _LINE)
    pages = (each for each in snapshot.documents.at((path,)) if each.start_line)
    return tuple(LineRange(each.start_line, each.end_line) for each in pages if _is_short(each))


def _is_short(section: Document) -> bool:
    return section.end_line - section.start_line < _SECTION


def _draft(snapshot: Snapshot, place: Place, lines: LineRange, reason: str) -> Draft:
    span = Span(place.path, lines.start_line, lines.end_line)
    draft = lines_draft(snapshot, span, EvidenceRole.MATCH, reason, symbol=place.symbol, source=ContextSource.GAPS)
    section = None if place.symbol else section_of(snapshot, place.path, place.lines[-1])
    return replace(draft, title=section.title) if section else draft
