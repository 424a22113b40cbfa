"""Shows the definitions that hold all defaults, if the question asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, QuestionPart
from retriever.domain.declared.default_names import holds_defaults
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Origin, SymbolKind
from retriever.usecases.evidence.drafting import lines_draft, source_draft
from retriever.usecases.locating.naming import is_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_TOLD = 2
_LINES = 40
"""Most lines of a block that are shown."""
_REASON = "holds what is set by default"


class Defaults:
    """Drafts definitions and blocks named as defaults, the best matches first; examples only if there are no others."""

    name = "defaults"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for defaults; nothing if the question does not ask for all of them."""
        parts = (part for part in task.understanding.of(Intent.SETTINGS) if part.choice == "default")
        asked = next(parts, QuestionPart()).asked(task.question)
        if not asked or context.tells_users or snapshot.lexical.problem:
            return context
        place = {each.file.path: position for position, each in enumerate(context.ranking.files)}
        found = await asyncio.to_thread(lambda: [*_blocks(snapshot, asked), *_definitions(snapshot, asked)])
        found = [each for each in found if each.span and not is_aside(snapshot, each.span.path)] or found
        found.sort(key=lambda each: (place.get(each.span.path, len(place)), each.span.path) if each.span else (0, ""))
        drafts = [replace(each, described=asked) for each in found[:_TOLD]]
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _definitions(snapshot: Snapshot, asked: str) -> Iterator[Draft]:
    names = [each for each in snapshot.lexical.corpus().symbols.by_name if holds_defaults(each, asked)]
    for symbol in (each for name in names for each in snapshot.symbols.named(name)):
        if symbol.kind != SymbolKind.MODULE and _is_meant(symbol):
            yield source_draft(snapshot, symbol, EvidenceRole.MATCH, _REASON, score=1.0)


def _is_meant(symbol: Symbol) -> bool:
    """Return whether a definition is no test and has at least three lines: shorter ones only delegate."""
    return not symbol.is_test and symbol.end_line > symbol.start_line + 1


def _blocks(snapshot: Snapshot, asked: str) -> Iterator[Draft]:
    names = [each for each in snapshot.values.names() if holds_defaults(each.rpartition(".")[2], asked)]
    for each in (each for name in names for each in snapshot.values.named(name) if each.name == name):
        if each.end_line > each.line and each.origin == Origin.ASSIGNED:
            span = Span(each.path, each.line, min(each.end_line, each.line + _LINES))
            draft = lines_draft(snapshot, span, EvidenceRole.MATCH, _REASON)
            yield replace(draft, title=each.keys[-1])
