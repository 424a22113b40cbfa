"""Looks for a gap by a text that it gives, in any file of the tree."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome, Span
from common.core.contract.understanding import Relation
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.packing.passages import WHOLE
from retriever.domain.tasks.gaps import Match, Wanted
from retriever.domain.values import SymbolKind, TextHit
from retriever.domain.views.listing import User, UserList
from retriever.domain.views.text_places import lines_containing, lines_with
from retriever.usecases.evidence.drafting import list_draft, with_lines
from retriever.usecases.locating.naming import FUNCTIONS, enclosing, find_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask

_HITS = 12
"""Places of a text that are listed."""
_AROUND = 8
"""Lines before and after the first place of a text that are shown where no definition is around it."""
_SHOWN_AROUND = 3
"""Definitions with a text that are shown of the file that is asked for."""


class NamedText:
    """Decides if the gap gives a text."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """
        Return where it stands, in the gap's file before all others: definitions around it, and a list of places.

        Whole words go before parts of longer ones; another case counts only where no file has it as it is written.
        """
        text = wanted.gap.text.strip()
        return await asyncio.to_thread(_of_text, snapshot, text, wanted.gap.path) if text else None


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
    placed = [(hit, enclosing(snapshot, hit.path, hit.line)) for hit in hits]
    if not within:  # every place is meant only in the file that is asked for
        placed = sorted(placed, key=lambda each: (bool(whole) and each[0] not in whole, *_order(each[1], text)))[:1]
    shown = dict.fromkeys(symbol for _, symbol in placed if symbol is not None and _is_shown(symbol))
    bare = [hit for hit, symbol in placed if symbol is not None and symbol not in shown]
    bare = bare or ([] if shown else [hit for hit, _ in placed])
    first = placed[0][0]
    more = f" and {len(hits) - 1} more" if len(hits) > 1 else ""
    subject = f"“{text}” does not stand in {path}; it" if path and not within else f"“{text}”"
    return Match(
        GapOutcome.RESOLVED,
        "text",
        f"{subject} stands{_manner(snapshot, text, first)} at {first.path}:{first.line}{more}",
        tuple(shown)[:_SHOWN_AROUND],
        _lines_around(snapshot, bare[0]) if bare else None,
        lists=(_hits_draft(snapshot, text, hits),) if len(hits) > 1 else (),
        focus=tuple(hit.line for hit, _ in placed),
    )


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
    return around.kind in FUNCTIONS or (around.kind == SymbolKind.VARIABLE and around.lines <= WHOLE)


def _lines_around(snapshot: Snapshot, hit: TextHit) -> Span:
    file = snapshot.files.at(hit.path)
    last = min(hit.line + _AROUND, file.lines if file else hit.line)
    return Span(hit.path, max(1, hit.line - _AROUND), last)


def _hits_draft(snapshot: Snapshot, text: str, hits: Sequence[TextHit]) -> Draft:
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
