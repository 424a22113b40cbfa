"""Looks for the tests of a symbol: shows the best of them, and lists the next ones with how each was found."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapAspect, GapOutcome, Span
from common.core.contract.understanding import Relation
from retriever.domain.evidence.piece import ContextSource, EvidenceRole
from retriever.domain.tasks.gaps import Match, Wanted
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import lines_draft, list_draft, source_draft
from retriever.usecases.evidence.scope_cache import ScopeCache
from retriever.usecases.gaps.by_name import definitions_of
from retriever.usecases.using.edges import tests_of
from retriever.usecases.using.testing import cases_in, ranked_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask
    from retriever.usecases.using.found import Using
    from retriever.usecases.using.testing import RankedTest, ReadCases, TestCase

_SHOWN, _LISTED = 3, 6
"""Most tests whose lines are shown, and most tests that are listed, including the shown ones."""
_MOST = 600
"""Most tokens of one test."""
_LEAST, _FLOOR = 0.5, 0.1
"""Least worth of a test as a share of the best one's, and its least absolute worth."""
_TITLE_CHARS = 120
_FILES_KEPT = 256
"""Most files whose tests are cached."""
_BY_WORDS = "a test with words of the gap"
_UNTESTED = "That no test is known to call it says nothing of tests by a command line, an option, or what calls it."


class TestsOfSymbol:
    """Resolves a gap that asks for the tests of an existing symbol."""

    __test__ = False

    def __init__(self) -> None:
        self._cases: ScopeCache[list[TestCase]] = ScopeCache(_FILES_KEPT)

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Return the tests of each matching definition; None without any, so that later steps give the reason."""
        if wanted.gap.aspect is not GapAspect.TESTS:
            return None
        return await asyncio.to_thread(_tests, snapshot, wanted, task.question, self._read)

    def _read(self, snapshot: Snapshot, path: str) -> list[TestCase]:
        return self._cases.get(snapshot, path, cases_in)


def _tests(snapshot: Snapshot, wanted: Wanted, question: str, read: ReadCases) -> Match | None:
    meant = definitions_of(snapshot, wanted)
    if not meant:
        return None
    found = [tests_of(snapshot, each) for each in meant]
    ranked = [
        _worthwhile(ranked_tests(snapshot, using, symbol, wanted.gap.description, question, read))
        for using, symbol in zip(found, meant, strict=True)
    ]
    best: dict[tuple[str, int], RankedTest] = {}
    for each in sorted(chain.from_iterable(ranked), key=lambda test: -test.worth):
        best.setdefault(each.case.place, each)
    shown = _worthwhile(list(best.values()))[:_SHOWN]
    detail = ", ".join(f"{using.name} {using.relation.value} {len(using.uses)}" for using in found)
    strange = [test.case.title for test in shown if test.use is None]
    if strange:
        detail += f"; not known to call it, but with the words of the question: {', '.join(strange)}"
    lists = [_list(using, tests) for using, tests in zip(found, ranked, strict=True)]
    drafts = [_draft(snapshot, test) for test in shown]
    return Match(GapOutcome.RESOLVED, "users", detail, lists=(*drafts[:1], *lists, *drafts[1:]), most=_MOST)


def _worthwhile(tests: Sequence[RankedTest]) -> list[RankedTest]:
    """Keep the first tests, best first, whose worth reaches the absolute and the relative minimum."""
    return [each for each in tests[:_LISTED] if each.worth >= max(_FLOOR, _LEAST * tests[0].worth)]


def _draft(snapshot: Snapshot, test: RankedTest) -> Draft:
    case, reason = test.case, _reason(test)
    if case.symbol:
        return source_draft(snapshot, case.symbol, EvidenceRole.MATCH, reason, source=ContextSource.GAPS)
    span = Span(case.path, case.first_line, case.last_line)
    draft = lines_draft(snapshot, span, EvidenceRole.MATCH, reason, source=ContextSource.GAPS)
    return replace(draft, title=f"{_title(test)} ({case.path})")


def _reason(test: RankedTest) -> str:
    if test.use:
        return f"a test that reaches it through {test.use.through}" if test.use.through else "a test that uses it"
    return "a test named after it" if test.is_named_after else "a test with its name" if test.has_name else _BY_WORDS


def _list(found: Using, ranked: Sequence[RankedTest]) -> Draft:
    """Draft a list of the best tests, grouped by evidence: a use, their name, the symbol's name, or words."""
    strange = [each for each in ranked if not each.use]
    others = [each for each in strange if not each.is_named_after]
    notes = [f"? {_user(each).told()} is {_BY_WORDS}" for each in others if not each.has_name]
    notes += found.by_package()
    if not found.uses:
        notes.append(_UNTESTED)
    listing = UserList(
        found.name,
        Relation.TESTS,
        found.thing,
        len(found.uses),
        tuple(_user(each) for each in ranked if each.use),
        unsure=tuple(_user(each) for each in others if each.has_name),
        named_after=tuple(_user(each) for each in strange if each.is_named_after),
        notes=tuple(notes),
    )
    mentions = [each.case.symbol for each in ranked if each.case.symbol]
    return replace(list_draft(listing, mentions), source=ContextSource.GAPS)


def _user(test: RankedTest) -> User:
    case = test.case
    line = test.use.line if test.use else case.first_line
    return User(_title(test), case.symbol, Span(case.path, line, line), test.use.through if test.use else "")


def _title(test: RankedTest) -> str:
    title = test.case.title
    return title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1] + "…"
