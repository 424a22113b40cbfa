"""Looks for a gap by what it points at: lines of a file, the users or tests of a symbol."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapAspect, GapOutcome
from common.core.contract.understanding import Relation
from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.evidence.piece import ContextSource
from retriever.domain.questions.names import parse
from retriever.domain.tasks.gaps import Match, Place, Wanted
from retriever.domain.values import SymbolKind
from retriever.usecases.evidence.drafting import list_draft, with_lines
from retriever.usecases.gaps.by_text import places_draft
from retriever.usecases.locating.naming import closest, find_files, find_symbols, symbols_by_id
from retriever.usecases.using import edges, implementing
from retriever.usecases.using.tests_by_words import test_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.questions.names import Name
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.using.found import Using

_LISTED, _FOUND = 14, 200
_PACKAGES = 10
_UNTESTED = "That no test is known to call it says nothing of tests by a command line, an option, or what calls it."
_TESTING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_TESTS_SHOWN = 2
"""Tests of a symbol that are shown in full, in addition to the list."""
_READ = 16
"""Tests by words that are looked at."""
_OF_LISTED, _OF_FIRST = 0.8, 0.15
"""What it counts that a test is known to use the symbol, and that it is the first of these."""
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
        place = Place(file.path, tuple(range(gap.start_line, last + 1)))
        detail = f"lines {gap.start_line}-{last} of {file.path}"
        return Match(GapOutcome.RESOLVED, "lines", detail, places=(place,))


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


def _related(snapshot: Snapshot, wanted: Wanted, question: str) -> Match | None:
    name = parse(wanted.gap.symbol)
    assert name
    found = closest(find_symbols(snapshot, replace(name, path=wanted.gap.path or name.path)), name)
    groups = grouped_by_name(each for each in found if each.kind != SymbolKind.MODULE)
    meant = [shown_of(group)[0] for group in groups[:_MEANT]]
    if not meant:
        return _named_places(snapshot, name) if wanted.gap.aspect == GapAspect.USERS else None
    lists = _told_once(_of_definition(snapshot, each, wanted.gap.aspect) for each in meant)
    drafts = tuple(_users_draft(snapshot, each) for each in lists)
    counts = ", ".join(map(_counted, lists))
    if wanted.gap.aspect != GapAspect.TESTS:
        return Match(GapOutcome.RESOLVED, "users", counts, lists=drafts)
    shown, strange = _telling_tests(snapshot, lists, f"{name.dotted} {wanted.gap.description or question}", question)
    if strange:
        counts += f"; not known to call it, but with the words of the question: {', '.join(strange)}"
    return Match(GapOutcome.RESOLVED, "users", counts, shown, lists=drafts)


def _telling_tests(
    snapshot: Snapshot, lists: Sequence[Using], asked: str, question: str
) -> tuple[tuple[Symbol, ...], list[str]]:
    """
    Return the tests that say most, best first, and the names of those that are not in the lists.

    What a gap asks for counts twice as much as the question. A listed test goes first unless another one has far more
    of the words: calls may go through a command line, an operator or a method that many classes have.
    """
    uses = (use for each in lists for use in (*each.uses, *each.unsure, *each.named_after))
    listed = dict.fromkeys(_outermost(snapshot, use.user) for use in uses if use.user.is_test)
    worth: dict[int, float] = defaultdict(float)
    for text, weight in ((asked, 1.0), (question, 0.5)):
        scores = test_scores(snapshot, text)
        best = max(scores.values(), default=1.0)
        for key, score in scores.items():
            worth[key] += weight * score / best
    others = symbols_by_id(snapshot, sorted(worth, key=lambda each: (-worth[each], each))[:_READ])
    # Tests that are named after a thing are listed first.
    sure = {test: _OF_LISTED + _OF_FIRST / position for position, test in enumerate(listed, 1)}
    tests = dict.fromkeys((*listed, *(_outermost(snapshot, each) for each in others.values())))
    functions = [each for each in tests if each.kind in _TESTING] or list(tests)
    found = sorted(functions, key=lambda each: -worth[each.id] - sure.get(each, 0.0))[:_TESTS_SHOWN]
    return tuple(found), [each.qualified_name or each.path for each in found if each not in listed]


def _outermost(snapshot: Snapshot, symbol: Symbol) -> Symbol:
    """Return the function around a function within it, or the symbol itself."""
    while symbol.parent_id is not None:
        outer = next(iter(snapshot.symbols.get([symbol.parent_id])), None)
        if outer is None or outer.kind not in _TESTING:
            break
        symbol = outer
    return symbol


def _of_definition(snapshot: Snapshot, symbol: Symbol, aspect: GapAspect) -> Using:
    if aspect == GapAspect.TESTS:
        return edges.tests_of(snapshot, symbol)
    if aspect == GapAspect.USERS:
        return edges.users_of(snapshot, symbol, Relation.USES)
    if symbol.kind == SymbolKind.METHOD:
        return implementing.overriders_of(snapshot, symbol)
    return implementing.implementers_of(snapshot, symbol)


def _named_places(snapshot: Snapshot, name: Name) -> Match | None:
    """Return the places in code with the name of a parameter or attribute, which have no definitions of their own."""
    written = f".{name.last}" if len(name.parts) > 1 else name.last
    found = snapshot.texts.find(written, limit=_FOUND)
    files = {path: file for path in {each.path for each in found} if (file := snapshot.files.at(path)) and file.parsed}
    hits = sorted((each for each in found if each.path in files), key=lambda each: files[each.path].is_test)[:_LISTED]
    if not hits:
        return None
    detail = f"{name.dotted} has no definition of its own; “{written}” stands at {len(hits)} places in code"
    return Match(GapOutcome.RESOLVED, "users", detail, lists=(places_draft(snapshot, written, hits),))


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
    is_untested = found.relation is Relation.TESTS and not found.uses
    listing = found.listing(_LISTED)
    listing = replace(
        listing,
        listed=with_lines(snapshot, listing.listed),
        unsure=with_lines(snapshot, listing.unsure),
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


def _package(path: str) -> str:
    """Return the first two folders of a path."""
    return "/".join(path.split("/")[:-1][:2]) or "."
