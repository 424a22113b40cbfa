"""Shows where all that is set by default stands, if the question asks for that."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.context import Context, Part, Task
from retriever.domain.default_names import holds_defaults
from retriever.domain.evidence import EvidenceRole
from retriever.domain.understanding import Intent, QuestionPart
from retriever.domain.values import Span, SymbolKind
from retriever.usecases.drafting import lines_draft, source_draft
from retriever.usecases.occurrences import ASIDE, files_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.evidence import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_TOLD = 2
_LINES = 40
"""Lines of a block that are shown."""
_BLOCK = re.compile(
    r"^(?P<margin>[ \t]*)(?:[\w<>\[\],?]+ )*?(?:self\.|this\.)?(?P<name>\w*[Dd][Ee][Ff][Aa][Uu][Ll][Tt]\w*)\s*"
    r"(?::[^=\n]{0,80})?=\s*[^\n]{0,80}[({\[]\s*$",
    re.MULTILINE,
)
"""A name that is given a block of values."""
_REASON = "holds what is set by default"


class Defaults:
    """Drafts definitions and blocks that are called so, the best matches first; those of examples where all are."""

    name = "defaults"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for them; asks for nothing where the question does not."""
        parts = (part for part in task.understanding.of(Intent.SETTINGS) if part.choice == "default")
        asked = next(parts, QuestionPart()).asked(task.question)
        if not asked or context.tells_users or snapshot.lexical.problem:
            return context
        place = {each.file.path: position for position, each in enumerate(context.ranking.files)}
        found = await asyncio.to_thread(lambda: [*_blocks(snapshot, asked), *_definitions(snapshot, asked)])
        found = [each for each in found if each.span and not ASIDE.search(each.span.path)] or found
        found.sort(key=lambda each: (place.get(each.span.path, len(place)), each.span.path) if each.span else (0, ""))
        drafts = [replace(each, described=asked) for each in found[:_TOLD]]
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _definitions(snapshot: Snapshot, asked: str) -> Iterator[Draft]:
    names = [each for each in snapshot.lexical.corpus().symbols.by_name if holds_defaults(each, asked)]
    for symbol in (each for name in names for each in snapshot.symbols.named(name)):
        if symbol.kind != SymbolKind.MODULE and _is_meant(symbol):
            yield source_draft(snapshot, symbol, EvidenceRole.MATCH, _REASON, score=1.0)


def _is_meant(symbol: Symbol) -> bool:
    """Tell code itself from tests, and a definition of several lines from one that only passes something on."""
    return not symbol.is_test and symbol.end_line > symbol.start_line + 1


def _blocks(snapshot: Snapshot, asked: str) -> Iterator[Draft]:
    for file in files_with(snapshot, "default"):
        text = snapshot.files.text(file.path)
        for found in _BLOCK.finditer(text):
            # A variable of a function that is called no more than that may hold anything.
            if holds_defaults(found["name"], asked) and not (found["margin"] and found["name"].lower() == "defaults"):
                first = text.count("\n", 0, found.start("name")) + 1
                last = _end(text.split("\n"), first)
                draft = lines_draft(snapshot, Span(file.path, first, last), EvidenceRole.MATCH, _REASON)
                yield replace(draft, title=found["name"])


def _end(lines: list[str], first: int) -> int:
    """Return the last line of a block, as far as it is shown: the first with no more of a margin that closes it."""
    margin = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    for number in range(first + 1, min(len(lines), first + _LINES) + 1):
        line = lines[number - 1]
        if line.strip() and len(line) - len(line.lstrip()) <= margin:
            return number if line.strip()[0] in ")]}" else number - 1
    return min(len(lines), first + _LINES)
