"""Shows documentation: the pages that match the question."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import DocumentKind
from retriever.domain.views.pages import present_first
from retriever.usecases.evidence.drafting import MATCHES, card_draft, document_draft

if TYPE_CHECKING:
    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Judge, Snapshot

_WRITTEN = frozenset({DocumentKind.SECTION, DocumentKind.OVERVIEW})
"""Pages that people wrote; those of modules and packages are made from docstrings, which their source shows."""
_PAGES = 3
_CARDS = 20


class Documents:
    """Drafts pages; where no source may be shown, what the best ranked symbols say of themselves too."""

    name = "documents"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft, best first."""
        drafts = await asyncio.to_thread(_pages, context, snapshot, task)
        return context.with_drafts(drafts).with_step("documents")


def _pages(context: Context, snapshot: Snapshot, task: Task) -> list[Draft]:
    written = [each for each in context.ranking.documents if each.document.kind in _WRITTEN]
    pages = [
        document_draft(snapshot, each.document, MATCHES, score=each.score)
        for each in present_first(written, task.question)[:_PAGES]
    ]
    if Part.SOURCE not in task.off:
        return pages
    cards = [card_draft(snapshot, each.symbol, MATCHES, score=each.score) for each in context.ranking.symbols[:_CARDS]]
    return [*cards, *pages]
