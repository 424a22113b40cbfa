"""Shows documentation: of the files involved, and of what the question is about."""

from __future__ import annotations

import asyncio
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, TypeVar

from retriever.domain.breadth import breadth_first, leaders
from retriever.domain.context import Context, Part, Task
from retriever.domain.pages import present_first
from retriever.domain.question import Mode
from retriever.usecases.drafting import card_draft, document_draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence import Draft
    from retriever.ports import Judge, Snapshot

T = TypeVar("T")

_FILES = 10
"""Files that speak before any speaks twice."""
_INVOLVED = 5
"""Files that are shown or matched and whose pages are offered."""
_PAGES = 12
_CARDS = 20
_CARDS_A_PAGE = 3
"""Symbols that speak before a page does: a page is as long as a dozen of them."""


class Documents:
    """
    Drafts pages and symbols' own documentation.

    Each of the best files speaks first, through the best of its symbols, before any file speaks twice. For a
    conceptual question some symbols and a page take turns; otherwise what a file that is not shown says about itself in
    short comes first, then pages.
    """

    name = "documents"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft, best first."""
        make = _of_question if task.mode == Mode.CONCEPTUAL else _of_files
        drafts = await asyncio.to_thread(make, context, snapshot, task.question)
        return context.with_drafts(drafts).with_step("documents")


def _of_question(context: Context, snapshot: Snapshot, question: str) -> list[Draft]:
    cards = [
        card_draft(snapshot, each.symbol, "documents a match of the question", score=each.score)
        for each in breadth_first(context.ranking, _FILES)[:_CARDS]
    ]
    turns = [cards[first : first + _CARDS_A_PAGE] for first in range(0, len(cards), _CARDS_A_PAGE)]
    pages = [[page] for page in _ranked_pages(context, snapshot, question)]
    return list(chain.from_iterable(_alternating(turns, pages)))


def _of_files(context: Context, snapshot: Snapshot, question: str) -> list[Draft]:
    shown = dict.fromkeys(draft.span.path for draft in context.drafts if draft.span)
    cards = [
        card_draft(snapshot, each.symbol, "best match of a file that is not shown", score=each.score, brief=True)
        for each in leaders(context.ranking, _FILES)
        if each.symbol.path not in shown
    ]
    matched = [each.symbol.path for each in context.ranking.symbols]
    paths = list(dict.fromkeys([*shown, *matched]))[:_INVOLVED]
    pages = [document_draft(snapshot, page, "documents a file involved") for page in snapshot.documents.at(paths)]
    return [*cards, *_alternating(_ranked_pages(context, snapshot, question), pages)]


def _alternating(first: Sequence[T], second: Sequence[T]) -> list[T]:
    return [each for each in chain.from_iterable(zip_longest(first, second)) if each is not None]


def _ranked_pages(context: Context, snapshot: Snapshot, question: str) -> list[Draft]:
    return [
        document_draft(snapshot, each.document, "matches the question", score=each.score)
        for each in present_first(context.ranking.documents, question)[:_PAGES]
    ]
