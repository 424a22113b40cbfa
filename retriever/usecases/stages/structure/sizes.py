"""Names the largest files, folders, classes or functions, where the question asks for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.understanding import Intent
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import SymbolKind
from retriever.usecases.evidence.drafting import structure_draft
from retriever.usecases.locating.naming import module_of

if TYPE_CHECKING:
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot


class Sized(Enum):
    """What may be asked for by its size; the values name it in the plural."""

    FILES = "files"
    FOLDERS = "folders"
    CLASSES = "classes"
    FUNCTIONS = "functions"


_ASKED = {"file": Sized.FILES, "module": Sized.FOLDERS, "class": Sized.CLASSES, "function": Sized.FUNCTIONS}
_LISTED = 8
_SAMPLES = 3
_KINDS = {Sized.CLASSES: (SymbolKind.CLASS,), Sized.FUNCTIONS: (SymbolKind.FUNCTION, SymbolKind.METHOD)}


class Sizes:
    """Counts lines within the scope, without tests."""

    name = "sizes"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft a list, the largest first; nothing where no size is asked for."""
        asked = next(task.understanding.of(Intent.SIZES), None)
        sized = _ASKED.get(asked.choice) if asked else None
        if sized is None or snapshot.lexical.problem:
            return context
        if sized in _KINDS:
            symbols = await asyncio.to_thread(_longest, snapshot, sized, context.scope)
            lines = [f"{each.qualified_name} ({each.path}:{each.start_line}): {count} lines" for each, count in symbols]
        else:
            counted, symbols = await asyncio.to_thread(_largest, snapshot, sized, context.scope), []
            lines = [f"{path} ({path}): {count} lines" for path, count in counted]
            if sized is Sized.FILES:
                modules = [(module_of(snapshot, path), count) for path, count in counted]
                symbols = [(module, count) for module, count in modules if module]
        title = f"Largest {sized.value}"
        listed = [f"{title}: {len(lines)}", *(f"- {line}" for line in lines)]
        draft = structure_draft(title, listed, "sizes by lines", (symbol for symbol, _ in symbols))
        samples = [
            Candidate(symbol, EvidenceRole.SAMPLE, "sizes", f"{count} lines") for symbol, count in symbols[:_SAMPLES]
        ]
        return context.with_drafts([draft]).with_candidates(self.name, samples).with_step(self.name)


def _longest(snapshot: Snapshot, sized: Sized, scope: str) -> list[tuple[Symbol, int]]:
    """Return the definitions of a kind with most lines; ties go to the first by path and line."""
    corpus = snapshot.lexical.corpus()
    columns, rows = corpus.symbols, corpus.files.rows
    lengths = columns.end_line - columns.start_line + 1
    meant = np.isin(columns.kind, [int(kind) for kind in _KINDS[sized]])
    places = np.flatnonzero(meant)[np.argsort(-lengths[meant], kind="stable")]
    files = (rows[int(columns.file[place])] for place in places)
    found = [
        int(place)
        for place, file in zip(places, files, strict=True)
        if file.path.startswith(scope) and not file.is_test
    ][:_LISTED]
    symbols = snapshot.symbols.get(columns.ids[found].tolist()) if found else ()
    return [(each, each.end_line - each.start_line + 1) for each in symbols]


def _largest(snapshot: Snapshot, sized: Sized, scope: str) -> list[tuple[str, int]]:
    """Return the files, or folders by the files directly in them, with most lines of code; ties go by path."""
    lines: Counter[str] = Counter()
    for file in snapshot.files.all():
        if file.parsed and not file.is_test and file.path.startswith(scope):
            lines[file.path if sized is Sized.FILES else file.path.rpartition("/")[0] or "."] += file.lines
    return sorted(lines.items(), key=lambda each: (-each[1], each[0]))[:_LISTED]
