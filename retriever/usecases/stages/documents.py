"""Shows documentation: of the files involved, and of what the question is about."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from retriever.domain.context import Context, Part, Task
from retriever.domain.question import Mode
from retriever.usecases.drafting import card_draft, document_draft

if TYPE_CHECKING:
    from retriever.domain.evidence import Draft
    from retriever.ports import Judge, Snapshot

_FILES = 5
_PAGES = 12
_CARDS = 20


class Documents:
    """
    Drafts pages and symbols' own documentation.

    For a conceptual question the two rankings alternate; otherwise the pages of the files involved come first.
    """

    name = "documents"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft, best first."""
        make = _of_question if task.mode == Mode.CONCEPTUAL else _of_files
        drafts = await asyncio.to_thread(make, context, snapshot)
        return replace(context.with_drafts(drafts), ran=(*context.ran, "documents"))


def _of_question(context: Context, snapshot: Snapshot) -> list[Draft]:
    cards = [
        card_draft(snapshot, each.symbol, "documents a match of the question", score=each.score)
        for each in context.ranking.symbols[:_CARDS]
    ]
    merged = chain.from_iterable(zip_longest(cards, _ranked_pages(context, snapshot)))
    return [draft for draft in merged if draft]


def _of_files(context: Context, snapshot: Snapshot) -> list[Draft]:
    shown = [draft.span.path for draft in context.drafts if draft.span]
    matched = [each.symbol.path for each in context.ranking.symbols]
    paths = list(dict.fromkeys([*shown, *matched]))[:_FILES]
    pages = [document_draft(snapshot, page, "documents a file involved") for page in snapshot.documents.at(paths)]
    merged = chain.from_iterable(zip_longest(_ranked_pages(context, snapshot), pages))
    return [draft for draft in merged if draft]


def _ranked_pages(context: Context, snapshot: Snapshot) -> list[Draft]:
    return [
        document_draft(snapshot, each.document, "matches the question", score=each.score)
        for each in context.ranking.documents[:_PAGES]
    ]
