"""Resolves a gap that asks for lines of a file, or for the users or implementers of a symbol."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapAspect, GapOutcome
from common.core.contract.understanding import Relation
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.questions.names import parse
from retriever.domain.tasks.gaps import Match, Place, Wanted
from retriever.domain.values import SymbolKind
from retriever.usecases.evidence.drafting import list_draft, with_lines
from retriever.usecases.gaps.by_name import definitions_of
from retriever.usecases.gaps.by_text import places_draft
from retriever.usecases.locating.naming import find_files
from retriever.usecases.using import edges, implementing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.using.found import Using

_LISTED, _FOUND = 14, 200


class LinesOfFile:
    """Resolves a gap that names lines of an existing file."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return the lines, cut at the end of the file."""
        gap = wanted.gap
        if not (gap.path and gap.start_line):
            return None
        files = await asyncio.to_thread(find_files, snapshot, gap.path)
        if len(files) != 1:
            return None  # the steps for files give the reason
        file = files[0]
        if gap.start_line > file.lines:
            detail = f"{file.path} has {file.lines} lines, fewer than {gap.start_line}"
            return Match(GapOutcome.ABSENT, "lines", detail)
        last = min(max(gap.end_line, gap.start_line), file.lines)
        place = Place(file.path, tuple(range(gap.start_line, last + 1)))
        detail = f"lines {gap.start_line}-{last} of {file.path}"
        return Match(GapOutcome.RESOLVED, "lines", detail, places=(place,))


class Related:
    """Resolves a gap that asks for the users or implementers of an existing symbol."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return one list per matching definition; None without any, so that later steps give the reason."""
        if wanted.gap.aspect == GapAspect.UNSPECIFIED:
            return None
        return await asyncio.to_thread(_related, snapshot, wanted)


def _related(snapshot: Snapshot, wanted: Wanted) -> Match | None:
    meant = definitions_of(snapshot, wanted)
    if not meant:
        return _named_places(snapshot, wanted) if wanted.gap.aspect == GapAspect.USERS else None
    lists = _told_once(_of_definition(snapshot, each, wanted.gap.aspect) for each in meant)
    drafts = tuple(_users_draft(snapshot, each) for each in lists)
    return Match(GapOutcome.RESOLVED, "users", ", ".join(map(_counted, lists)), lists=drafts)


def _of_definition(snapshot: Snapshot, symbol: Symbol, aspect: GapAspect) -> Using:
    if aspect == GapAspect.USERS:
        return edges.users_of(snapshot, symbol, Relation.USES)
    if symbol.kind == SymbolKind.METHOD:
        return implementing.overriders_of(snapshot, symbol)
    return implementing.implementers_of(snapshot, symbol)


def _named_places(snapshot: Snapshot, wanted: Wanted) -> Match | None:
    """Return the places in code with the name of a parameter or attribute: the index has no definitions of these."""
    name = parse(wanted.gap.symbol)
    if name is None or not name.parts:
        return None
    written = f".{name.last}" if len(name.parts) > 1 else name.last
    found = snapshot.texts.find(written, limit=_FOUND)
    files = {path: file for path in {each.path for each in found} if (file := snapshot.files.at(path)) and file.parsed}
    hits = sorted((each for each in found if each.path in files), key=lambda each: files[each.path].is_test)[:_LISTED]
    if not hits:
        return None
    detail = f"{name.dotted} has no definition of its own; “{written}” stands at {len(hits)} places in code"
    return Match(GapOutcome.RESOLVED, "users", detail, lists=(places_draft(snapshot, written, hits),))


def _told_once(lists: Iterable[Using]) -> list[Using]:
    """Keep one of several definitions without known users if their possible users are the same."""
    return list({each.uses or each.unsure or each.name: each for each in lists}.values())


def _counted(found: Using) -> str:
    counted = f"{found.name} {found.relation.value} {len(found.uses)}"
    return counted if found.uses or not found.unsure else f"{counted}; {len(found.unsure)} with the name are listed"


def _users_draft(snapshot: Snapshot, found: Using) -> Draft:
    """Draft users, each with the line by which it uses the symbol, then how many of them each package has."""
    listing = found.listing(_LISTED)
    listing = replace(
        listing,
        listed=with_lines(snapshot, listing.listed),
        unsure=with_lines(snapshot, listing.unsure),
        notes=(*listing.notes, *found.by_package()),
    )
    return replace(
        list_draft(listing, [use.user for use in found.uses[:_LISTED]]),
        source=ContextSource.GAPS,
    )
