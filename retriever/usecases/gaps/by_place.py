"""Looks for a gap by what it points at: lines of a file, a text of some file, the users or implementers of a symbol."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapAspect, GapOutcome, Span
from common.core.contract.understanding import Relation
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.packing.passages import WHOLE
from retriever.domain.questions.names import parse
from retriever.domain.tasks.gaps import Match, Wanted
from retriever.domain.values import SymbolKind, TextHit
from retriever.domain.views.listing import User, UserList
from retriever.domain.views.text_places import lines_with
from retriever.usecases.evidence.drafting import list_draft
from retriever.usecases.gaps.by_name import definitions_of
from retriever.usecases.locating.naming import enclosing, find_files
from retriever.usecases.using import edges, implementing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.using.found import Using

_HITS = 12
"""Places of a text that are listed."""
_AROUND = 8
"""Lines before and after the first place of a text that are shown where no definition is around it."""
_LISTED, _FOUND = 14, 200
_CALL_CHARS = 140
"""Characters of a line that uses a symbol."""
_PACKAGES = 10
_TESTING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_SHOWN_AROUND = 3
"""Definitions with a text that are shown of the file that is asked for."""


class LinesOfFile:
    """Decides if the gap names lines of a file that is there."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return the lines; those behind the end of the file do not count."""
        gap = wanted.gap
        if not (gap.path and gap.start_line):
            return None
        files = await asyncio.to_thread(find_files, snapshot, gap.path)
        if len(files) != 1:
            return None  # the steps for files say why
        file = files[0]
        if gap.start_line > file.lines:
            detail = f"{file.path} has {file.lines} lines, fewer than {gap.start_line}"
            return Match(GapOutcome.ABSENT, "lines", detail)
        last = min(max(gap.end_line, gap.start_line), file.lines)
        span = Span(file.path, gap.start_line, last)
        return Match(GapOutcome.RESOLVED, "lines", f"lines {gap.start_line}-{last} of {file.path}", span=span)


class NamedText:
    """Decides if the gap gives a text that stands in a file."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return where it stands, in the gap's file before all others: definitions around it, and a list of places."""
        text = wanted.gap.text.strip()
        return await asyncio.to_thread(_of_text, snapshot, text, wanted.gap.path) if text else None


class Related:
    """Decides if the gap asks for the users or implementers of a symbol that is there."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return a list for each definition that is meant; None where none is, so that later steps say why."""
        if wanted.gap.aspect == GapAspect.UNSPECIFIED:
            return None
        return await asyncio.to_thread(_related, snapshot, wanted)


def _of_text(snapshot: Snapshot, text: str, path: str) -> Match:
    within = [
        TextHit(file.path, line)
        for file in (find_files(snapshot, path) if path else ())
        for line in lines_with(snapshot.files.text(file.path), text)
    ]
    hits = within[:_HITS] or snapshot.texts.find(text, limit=_HITS)
    if not hits:
        left_out = snapshot.coverage.may_hold(text)
        if left_out:
            detail = f"“{text}” may stand in {left_out.path}, which is not covered because it {left_out.why}"
            return Match(GapOutcome.OUT_OF_COVERAGE, "text", detail)
        return Match(GapOutcome.ABSENT, "text", f"no file of this repository has the text “{text}”")
    placed = [(hit, enclosing(snapshot, hit.path, hit.line)) for hit in hits]
    if not within:  # every place is meant only in the file that is asked for
        placed = sorted(placed, key=lambda each: (each[1] is None, each[1] is not None and each[1].name != text))[:1]
    shown = dict.fromkeys(symbol for _, symbol in placed if symbol is not None and _is_shown(symbol))
    bare = [hit for hit, symbol in placed if symbol is not None and symbol not in shown]
    bare = bare or ([] if shown else [hit for hit, _ in placed])
    first = placed[0][0]
    more = f" and {len(hits) - 1} more" if len(hits) > 1 else ""
    subject = f"“{text}” does not stand in {path}; it" if path and not within else f"“{text}”"
    return Match(
        GapOutcome.RESOLVED,
        "text",
        f"{subject} stands at {first.path}:{first.line}{more}",
        tuple(shown)[:_SHOWN_AROUND],
        _lines_around(snapshot, bare[0]) if bare else None,
        lists=(_hits_draft(snapshot, text, hits),) if len(hits) > 1 else (),
        focus=tuple(hit.line for hit, _ in placed),
    )


def _is_shown(around: Symbol) -> bool:
    """Return whether a definition is shown around a place; of classes and tables the lines around it say more."""
    return around.kind in _TESTING or (around.kind == SymbolKind.VARIABLE and around.lines <= WHOLE)


def _lines_around(snapshot: Snapshot, hit: TextHit) -> Span:
    file = snapshot.files.at(hit.path)
    last = min(hit.line + _AROUND, file.lines if file else hit.line)
    return Span(hit.path, max(1, hit.line - _AROUND), last)


def _hits_draft(snapshot: Snapshot, text: str, hits: Sequence[TextHit]) -> Draft:
    """Draft the places of a text, each with the enclosing definition; the list has no subject."""
    found = tuple(_hit(snapshot, hit) for hit in hits)
    title = f"Where “{text}” stands"
    listed = UserList("", Relation.UNSPECIFIED, None, len(found), _with_code(snapshot, found))
    draft = list_draft(listed, [each.symbol for each in found if each.symbol], title=title)
    return replace(draft, source=ContextSource.GAPS, text=listed.text(f"{title}:"), reason="places of the text")


def _hit(snapshot: Snapshot, hit: TextHit) -> User:
    around = enclosing(snapshot, hit.path, hit.line)
    symbol = around if around and around.qualified_name else None
    return User(symbol.qualified_name if symbol else hit.path, symbol, Span(hit.path, hit.line, hit.line))


def _with_code(snapshot: Snapshot, users: Iterable[User]) -> tuple[User, ...]:
    return tuple(replace(each, code=_line(snapshot, each.place)) for each in users)


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
    """Return the places in code with the name of a parameter or attribute, which have no definitions of their own."""
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
    return Match(GapOutcome.RESOLVED, "users", detail, lists=(_hits_draft(snapshot, written, hits),))


def _told_once(lists: Iterable[Using]) -> list[Using]:
    """Leave out a definition without known users if another one of its name has the same possible ones."""
    return list({each.uses or each.unsure or each.name: each for each in lists}.values())


def _counted(found: Using) -> str:
    counted = f"{found.name} {found.relation.value} {len(found.uses)}"
    return counted if found.uses or not found.unsure else f"{counted}; {len(found.unsure)} with the name are listed"


def _users_draft(snapshot: Snapshot, found: Using) -> Draft:
    """Draft users, each with the line by which it uses the symbol, then how many of them each package has."""
    by_package = Counter(_package(use.path) for use in found.uses)
    counts = ", ".join(f"{name} {count}" for name, count in by_package.most_common(_PACKAGES))
    listing = found.listing(_LISTED)
    listing = replace(
        listing,
        listed=_with_code(snapshot, listing.listed),
        unsure=_with_code(snapshot, listing.unsure),
        notes=(
            *listing.notes,
            *([f"By package: {counts}"] if len(by_package) > 1 else ()),
        ),
    )
    return replace(
        list_draft(listing, [use.user for use in found.uses[:_LISTED]]),
        source=ContextSource.GAPS,
    )


def _line(snapshot: Snapshot, place: Span) -> str:
    text = snapshot.files.lines(place.path, place.start_line, place.start_line).strip() if place.start_line else ""
    return text if len(text) <= _CALL_CHARS else text[: _CALL_CHARS - 1] + "…"


def _package(path: str) -> str:
    """Return the first two folders of a path."""
    return "/".join(path.split("/")[:-1][:2]) or "."
