"""Shows documentation: the pages that match the question."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.question import RankedDocument
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import DocumentKind
from retriever.domain.views.pages import present_first
from retriever.usecases.evidence.drafting import MATCHES, card_draft, document_draft
from retriever.usecases.locating.naming import lists_of_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Judge, Snapshot

_WRITTEN = frozenset({DocumentKind.SECTION, DocumentKind.OVERVIEW})
"""Kinds of pages that people wrote; pages of modules and packages repeat docstrings, which the source shows."""
_PAGES = 3
_CARDS = 20
_SEARCHED, _NAMING = 20, 2
"""Most pages searched for the name of a setting, and most paragraphs of them that are shown."""
_AT_START = range(12)
"""Columns, without markup, in which a name must start if the paragraph is about it and does not only mention it."""


class Documents:
    """Drafts the best pages; if source is switched off, also the documentation of the best ranked symbols."""

    name = "documents"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft the pages, best first."""
        drafts = await asyncio.to_thread(_pages, context, snapshot, task)
        return context.with_drafts(drafts).with_step("documents")


def _naming(snapshot: Snapshot, task: Task, changes: frozenset[str]) -> Iterator[RankedDocument]:
    """Yield the paragraph about each setting whose value the question asks for."""
    names = task.understanding.named(MentionKind.SETTING) if any(task.understanding.of(Intent.VALUE)) else ()
    for name in names:
        hits = (RankedDocument(*hit) for hit in snapshot.documents.search([name.lower()], _SEARCHED))
        for page, score in ((each.document, each.score) for each in present_first(hits, task.question, changes)):
            lines = snapshot.files.lines(page.path, page.start_line, page.end_line).split("\n") if page.path else []
            at = next((at for at, line in enumerate(lines) if line.strip("#*&`~ ").find(name) in _AT_START), None)
            if page.kind in _WRITTEN and at is not None:
                end = next((end for end in range(at + 2, len(lines)) if not lines[end].strip()), len(lines))
                first = page.start_line + at
                told = replace(
                    page, body="\n".join(lines[at:end]), start_line=first, end_line=page.start_line + end - 1
                )
                yield RankedDocument(told, score)
                break


def _pages(context: Context, snapshot: Snapshot, task: Task) -> list[Draft]:
    written = [each for each in context.ranking.documents if each.document.kind in _WRITTEN]
    changes = lists_of_changes(snapshot)
    ranked = present_first(written, task.question, changes)
    named = tuple(islice(_naming(snapshot, task, changes), _NAMING))
    pages = [document_draft(snapshot, each.document, MATCHES, score=each.score) for each in (*named, *ranked[:_PAGES])]
    pages[: len(named)] = [replace(each, role=EvidenceRole.SETTING) for each in pages[: len(named)]]  # shown whole
    if Part.SOURCE not in task.off:
        return pages
    cards = [card_draft(snapshot, each.symbol, MATCHES, score=each.score) for each in context.ranking.symbols[:_CARDS]]
    return [*cards, *pages]
