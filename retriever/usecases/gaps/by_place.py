"""Looks for a gap by what it points at: lines of a file, a text of some file, the users or tests of a symbol."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import ContextSource
from retriever.domain.questions.names import parse
from retriever.domain.questions.relations import Relation
from retriever.domain.tasks.gaps import GapAspect, GapOutcome, Match, Wanted
from retriever.domain.values import LineRange, Span, SymbolKind
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft
from retriever.usecases.locating.naming import closest, enclosing, find_files, find_symbols
from retriever.usecases.using import edges, implementing
from retriever.usecases.using.tests_by_words import test_scores, tests_about

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol, TextHit
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.using.found import Using

_HITS = 12
"""Places of a text that are listed."""
_AROUND = 8
"""Lines before and after the first place of a text that are shown where no definition is around it."""
_LISTED = 14
_CALL_CHARS = 140
"""Characters of a line that uses a symbol."""
_PACKAGES = 10
_UNTESTED = "That no test is known to call it says nothing of tests by a command line, an option, or what calls it."
_TESTING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_TESTS_SHOWN = 2
"""Tests of a symbol that are shown in full, in addition to the list."""
_MEANT = 3
"""Definitions of one name whose users are listed."""


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
        """Return where it stands: the definition around the first place, and a list of the places."""
        text = wanted.gap.text.strip()
        return await asyncio.to_thread(_of_text, snapshot, text) if text else None


class Related:
    """Decides if the gap asks for the users, tests or implementers of a symbol that is there."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """
        Return a list for each definition that is meant; None where none is, so that later steps say why.

        Of tests, those that have most of the words of question and gap are shown before the list.
        """
        name = parse(wanted.gap.symbol)
        if wanted.gap.aspect == GapAspect.UNSPECIFIED or name is None or not name.parts:
            return None
        return await asyncio.to_thread(_related, snapshot, wanted, task.question)


def _of_text(snapshot: Snapshot, text: str) -> Match:
    hits = snapshot.texts.find(text, limit=_HITS)
    if not hits:
        left_out = snapshot.coverage.may_hold(text)
        if left_out:
            detail = f"“{text}” may stand in {left_out.path}, which is not covered because it {left_out.why}"
            return Match(GapOutcome.OUT_OF_COVERAGE, "text", detail)
        return Match(GapOutcome.ABSENT, "text", f"no file of this repository has the text “{text}”")
    first = hits[0]
    around = enclosing(snapshot, first.path, first.line)
    if around is not None and around.kind == SymbolKind.CLASS:
        around = None  # the lines around the place are more useful than the head of the class
    lines = snapshot.files.at(first.path)
    last = min(first.line + _AROUND, lines.lines if lines else first.line)
    span = None if around else Span(first.path, max(1, first.line - _AROUND), last)
    more = f" and {len(hits) - 1} more" if len(hits) > 1 else ""
    detail = f"“{text}” stands at {first.path}:{first.line}{more}"
    return Match(
        GapOutcome.RESOLVED,
        "text",
        detail,
        (around,) if around else (),
        span,
        lists=(_hits_draft(snapshot, text, hits),) if len(hits) > 1 else (),
        focus=LineRange(first.line, first.line),
    )


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


def _related(snapshot: Snapshot, wanted: Wanted, question: str) -> Match | None:
    name = parse(wanted.gap.symbol)
    assert name
    found = closest(find_symbols(snapshot, replace(name, path=wanted.gap.path or name.path)), name)
    meant = [each for each in found if each.kind != SymbolKind.MODULE][:_MEANT]
    if not meant:
        return None
    lists = [_of_definition(snapshot, each, wanted.gap.aspect) for each in meant]
    drafts = tuple(_users_draft(snapshot, each) for each in lists)
    counts = ", ".join(f"{each.name} {each.relation.value} {len(each.uses)}" for each in lists)
    if wanted.gap.aspect != GapAspect.TESTS:
        return Match(GapOutcome.RESOLVED, "users", counts, lists=drafts)
    shown, is_listed = _telling_tests(snapshot, lists, f"{name.dotted} {question} {wanted.gap.description}")
    if shown and not is_listed:
        counts += "; shown are tests that have the words of the question, none of them is known to call it"
    return Match(GapOutcome.RESOLVED, "users", counts, shown, lists=drafts)


def _telling_tests(snapshot: Snapshot, lists: Sequence[Using], text: str) -> tuple[tuple[Symbol, ...], bool]:
    """
    Return the tests that have most of the words of a text, best first, and whether they are of the lists.

    Where the lists have none, tests from anywhere are returned: calls may go through a command line or an operator.
    """
    uses = [use for each in lists for use in (*each.uses, *each.unsure, *each.named_after)]
    listed = dict.fromkeys(use.user for use in uses if use.user.is_test and use.user.kind in _TESTING)
    if listed:
        scores = test_scores(snapshot, text)
        return tuple(sorted(listed, key=lambda each: -scores.get(each.id, 0.0))[:_TESTS_SHOWN]), True
    return tests_about(snapshot, text, _TESTS_SHOWN), False


def _of_definition(snapshot: Snapshot, symbol: Symbol, aspect: GapAspect) -> Using:
    if aspect == GapAspect.TESTS:
        return edges.tests_of(snapshot, symbol)
    if aspect == GapAspect.USERS:
        return edges.users_of(snapshot, symbol, Relation.USES)
    if symbol.kind == SymbolKind.METHOD:
        return implementing.overriders_of(snapshot, symbol)
    return implementing.implementers_of(snapshot, symbol)


def _users_draft(snapshot: Snapshot, found: Using) -> Draft:
    """Draft users, each with the line by which it uses the symbol, then how many of them each package has."""
    by_package = Counter(_package(use.path) for use in found.uses)
    counts = ", ".join(f"{name} {count}" for name, count in by_package.most_common(_PACKAGES))
    is_untested = found.relation is Relation.TESTS and not found.uses
    listing = found.listing(_LISTED)
    listing = replace(
        listing,
        listed=_with_code(snapshot, listing.listed),
        notes=(
            *listing.notes,
            *([f"By package: {counts}"] if len(by_package) > 1 else ()),
            *([_UNTESTED] if is_untested else ()),
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
