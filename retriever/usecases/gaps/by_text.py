"""Looks for a gap by a text that it gives, in any file of the tree."""

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
"""Places of a text that are listed."""
_FEW = 3
"""Up to so many places are shown with the lines around them; of more than these the first is, and a list."""
_STATEMENT = 2
"""Of a variable of so few lines, such as a field, the lines around it say more than it does."""


class NamedText:
    """Decides if the gap gives a text."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """
        Return where it stands, in the gap's file before all others: definitions around it, and a list of places.

        Whole words go before parts of longer ones; another case counts only where no file has it as it is written, and
        quotation marks without the backslash before them only where no file has it at all.
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
    """Lines that are shown for hits, the definition around them, the first of the hits, and how many there are."""

    place: Place
    around: Symbol | None
    first: TextHit
    count: int


def _placed(snapshot: Snapshot, hits: Sequence[TextHit]) -> list[_Placed]:
    """Group hits by the function or short value around them, each with its statement; others stand for themselves."""
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
    """Fill up the places of whole words with those within longer words; in another case if there are none."""
    if len(whole) >= _HITS:
        return whole
    return list(dict.fromkeys((*whole, *snapshot.texts.containing(text, limit=_HITS))))[:_HITS]


def _order(around: Symbol | None, text: str) -> tuple[bool, bool, bool]:
    """Return the sort key of the definition around a place: one that is called like the text goes first."""
    name = around.name if around else ""
    return around is None, name != text, text not in name


def _manner(snapshot: Snapshot, text: str, hit: TextHit) -> str:
    """Return how a text stands at a place, if not as whole words in the case that is asked for."""
    content = snapshot.files.text(hit.path)
    if hit.line in lines_with(content, text):
        return ""
    return " within a longer word" if hit.line in lines_containing(content, text) else " in another case"


def _is_shown(around: Symbol) -> bool:
    """Return whether a definition is shown around a place; of classes and tables the lines around it say more."""
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
