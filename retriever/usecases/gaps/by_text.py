"""Resolves a gap that quotes a text, by searching all files of the tree."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome, Span
from common.core.contract.understanding import Relation
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.packing.growth import statement
from retriever.domain.packing.passages import WHOLE
from retriever.domain.tasks.gaps import Match, Place, Wanted
from retriever.domain.values import Symbol, SymbolKind, TextHit
from retriever.domain.views.listing import User, UserList
from retriever.domain.views.text_places import lines_containing, lines_with
from retriever.usecases.evidence.drafting import list_draft, with_lines
from retriever.usecases.evidence.widening import section_of
from retriever.usecases.locating.naming import FUNCTIONS, enclosing, find_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask

_HITS = 12
"""Most places of a text that are listed."""
_FEW = 3
"""Up to this many places are all shown with the lines around them; of more, only the first, with a list."""
_STATEMENT = 2
"""A variable of at most this many lines, such as a field, is not shown itself but the lines around it."""


class NamedText:
    """Resolves a gap that quotes a text."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """
        Return the definitions around the text and a list of its places; only in the gap's file if it has the text.

        Whole words come before parts of longer words. Case is ignored only if no file has the text as written;
        backslashes before quotation marks are dropped only if no file has the text at all.
        """
        text = wanted.gap.text.strip()
        bare = text.replace('\\"', '"').replace("\\'", "'")
        match: Match | None = None
        for each in dict.fromkeys(filter(None, (text, bare))):
            if match is None or match.outcome is GapOutcome.ABSENT:
                match = await asyncio.to_thread(_of_text, snapshot, each, wanted.gap.path)
        return match


def _of_text(snapshot: Snapshot, text: str, path: str) -> Match:
    within = [
        TextHit(file.path, line)
        for file in (find_files(snapshot, path) if path else ())
        for line in _lines_of(snapshot.files.text(file.path), text)
    ]
    whole = () if within else snapshot.texts.find(text, limit=_HITS)
    hits = within[:_HITS] or _with_parts(snapshot, text, whole)
    if not hits:
        left_out = snapshot.coverage.may_hold(text)
        if left_out:
            detail = f"“{text}” may stand in {left_out.path}, which is not covered because it {left_out.why}"
            return Match(GapOutcome.OUT_OF_COVERAGE, "text", detail)
        return Match(GapOutcome.ABSENT, "text", f"no file of this repository has the text “{text}”")
    placed = _placed(snapshot, hits)
    if not within:
        placed.sort(key=lambda each: (bool(whole) and each.first not in whole, *_order(each.around, text)))
        if len(placed) > _FEW:
            placed = placed[:1]
    shown = placed[:_FEW]
    first = shown[0].first
    more = f" and {len(hits) - 1} more" if len(hits) > 1 else ""
    subject = f"“{text}” does not stand in {path}; it" if path and not within else f"“{text}”"
    return Match(
        GapOutcome.RESOLVED,
        "text",
        f"{subject} stands{_manner(snapshot, text, first)} at {first.path}:{first.line}{more}",
        tuple(each.place.symbol for each in shown if each.place.symbol),
        lists=(places_draft(snapshot, text, hits),) if len(hits) > sum(each.count for each in shown) else (),
        places=tuple(each.place for each in shown),
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """Hits that are shown together: their lines, the definition around them, the first hit, and the count."""

    place: Place
    around: Symbol | None
    first: TextHit
    count: int


def _placed(snapshot: Snapshot, hits: Sequence[TextHit]) -> list[_Placed]:
    """Group hits, each with its whole statement, by the function or short value around them; others stay single."""
    grouped: dict[Symbol | TextHit, list[TextHit]] = {}
    for hit in hits:
        around = enclosing(snapshot, hit.path, hit.line)
        grouped.setdefault(around if around and _is_shown(around) else hit, []).append(hit)
    return [
        _Placed(_place(snapshot, key, found), enclosing(snapshot, found[0].path, found[0].line), found[0], len(found))
        for key, found in grouped.items()
    ]


def _place(snapshot: Snapshot, key: Symbol | TextHit, hits: Sequence[TextHit]) -> Place:
    path = hits[0].path
    text = snapshot.files.text(path).split("\n")
    statements = (statement(hit.line, text) for hit in hits)
    lines = {line for each in statements for line in range(each.start_line, each.end_line + 1)}
    if isinstance(key, Symbol):
        return Place(path, tuple(sorted(line for line in lines if key.start_line <= line <= key.end_line)), key)
    section = section_of(snapshot, path, key.line)
    return Place(path, tuple(sorted(lines | ({section.start_line} if section else set()))))


def _lines_of(content: str, text: str) -> Sequence[int]:
    """Return the lines that have a text, those that have it as whole words first."""
    return list(dict.fromkeys((*lines_with(content, text), *lines_containing(content, text))))


def _with_parts(snapshot: Snapshot, text: str, whole: Sequence[TextHit]) -> Sequence[TextHit]:
    """Fill up the whole-word places with places within longer words; without any of either, ignore case."""
    if len(whole) >= _HITS:
        return whole
    return list(dict.fromkeys((*whole, *snapshot.texts.containing(text, limit=_HITS))))[:_HITS]


def _order(around: Symbol | None, text: str) -> tuple[bool, bool, bool]:
    """Return the sort key of the definition around a place: one with the text as its name comes first."""
    name = around.name if around else ""
    return around is None, name != text, text not in name


def _manner(snapshot: Snapshot, text: str, hit: TextHit) -> str:
    """Return how a text matches at a place, "" if as whole words in the same case."""
    content = snapshot.files.text(hit.path)
    if hit.line in lines_with(content, text):
        return ""
    return " within a longer word" if hit.line in lines_containing(content, text) else " in another case"


def _is_shown(around: Symbol) -> bool:
    """Return whether the definition around a place is shown; in classes and large tables the near lines are."""
    return around.kind in FUNCTIONS or (around.kind == SymbolKind.VARIABLE and _STATEMENT < around.lines <= WHOLE)


def places_draft(snapshot: Snapshot, text: str, hits: Sequence[TextHit]) -> Draft:
    """Draft the places of a text, each with the enclosing definition; the list has no subject."""
    found = tuple(_hit(snapshot, hit) for hit in hits)
    title = f"Where “{text}” stands"
    listed = UserList("", Relation.UNSPECIFIED, None, len(found), with_lines(snapshot, found))
    draft = list_draft(listed, [each.symbol for each in found if each.symbol], title=title)
    return replace(draft, source=ContextSource.GAPS, text=listed.text(f"{title}:"), reason="places of the text")


def _hit(snapshot: Snapshot, hit: TextHit) -> User:
    around = enclosing(snapshot, hit.path, hit.line)
    symbol = around if around and around.qualified_name else None
    return User(symbol.qualified_name if symbol else hit.path, symbol, Span(hit.path, hit.line, hit.line))
