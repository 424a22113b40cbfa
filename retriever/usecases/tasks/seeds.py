"""Finds where a task starts: what it mentions, where its errors come from, and what matches its words."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.question import Anchors
from retriever.domain.questions.names import likely_names, marked_names, parse, paths_in_text, quoted_names
from retriever.domain.questions.question import SearchQuery
from retriever.domain.tasks.context import decide, nothing_found
from retriever.domain.tasks.task import ContextTier, Gathered, ScopedFile, TaskContext, is_definition
from retriever.domain.values import FactKind
from retriever.usecases.locating.frames import find_frame
from retriever.usecases.locating.messages import LOOKED_UP, matching_messages
from retriever.usecases.locating.naming import closest, find_files, find_symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retriever.domain.evidence.piece import Decision
    from retriever.domain.questions.names import Name
    from retriever.domain.questions.question import Ranking
    from retriever.domain.values import File, Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.searching.hybrid import Ranker

_RANKED = 60
_FEW = 3
"""Seed files below which the best files of the search are seeds too."""
_SHOWN = 80
"""Characters of a message that a relation repeats."""
_TELLING = 8
"""A name or message that is found in more places than this identifies none of them."""


class Seeds:
    """
    The step before all stages, which extend its result.

    Where the caller did not say what the task mentions, the names in its text are looked up.
    """

    name = "seeds"

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker

    async def run(self, gathered: Gathered, snapshot: Snapshot, task: TaskContext, _judge: Judge) -> Gathered:
        """Look up mentions, then search; a mention always goes before a match of words."""
        query = SearchQuery(task.text, max_files=_RANKED, max_symbols=_RANKED, max_docs=0)
        ranking = await self._ranker.run(snapshot, query)
        return await asyncio.to_thread(self._seeds, gathered, snapshot, task, ranking)

    def _seeds(self, gathered: Gathered, snapshot: Snapshot, task: TaskContext, ranking: Ranking) -> Gathered:
        named = list(_mentioned(snapshot, task))
        files = [ScopedFile(path, ContextTier.SEED, why) for path, why in _files(snapshot, task)]
        files += [ScopedFile(symbol.path, ContextTier.SEED, why) for symbol, why in named]
        found = gathered.with_files(files)
        best = [each.file.path for each in ranking.files[: max(0, _FEW - len(found.files))]]
        found = found.with_files(ScopedFile(path, ContextTier.SEED, "best match of the task's words") for path in best)
        found = replace(
            found,
            mentioned=tuple(dict.fromkeys(symbol.id for symbol, _ in named)),
            ranked=tuple(each.symbol.id for each in ranking.symbols if is_definition(each.symbol)),
        )
        return found.with_decisions(self._decisions(found, named))

    def _decisions(self, found: Gathered, named: Iterable[tuple[Symbol, str]]) -> list[Decision]:
        files = [decide(self.name, each.tier.value, Span(each.path, 0, 0), each.relation) for each in found.files]
        symbols = {symbol.id: (symbol, why) for symbol, why in named}
        files += [
            decide(self.name, ContextTier.SEED.value, symbol.span, why, name=symbol.qualified_name)
            for symbol, why in symbols.values()
        ]
        return files or [nothing_found(self.name)]


def anchors_in(text: str) -> Anchors:
    """Find paths and names in a task by their form alone."""
    names = (*quoted_names(text), *marked_names(text), *likely_names(text))
    return Anchors(paths=paths_in_text(text), symbols=tuple(dict.fromkeys(name.dotted for name in names)))


def error_symbols(snapshot: Snapshot, message: str) -> tuple[Symbol, ...]:
    """Return code that holds an error message or raises an exception of that name, at most a few places."""
    facts = [fact for fact, _ in matching_messages(snapshot, message)]
    name = parse(message.partition(":")[0])
    if name and name.parts:
        facts += snapshot.facts.with_value(FactKind.RAISES, name.last)
    found = snapshot.symbols.get(list(dict.fromkeys(fact.symbol_id for fact in facts)))
    return tuple(each for each in found if not each.is_test)[:_TELLING]


def raises(message: str) -> str:
    """Say that a symbol is where an error comes from."""
    line = message.strip().partition("\n")[0]
    return f"raises {line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'!r}"


def meant_symbols(snapshot: Snapshot, name: Name) -> tuple[Symbol, ...]:
    """Return the definitions that a name means most directly; none if it could be too many."""
    found = closest(find_symbols(snapshot, name), name)
    return found if len(found) <= _TELLING else ()


def meant_files(snapshot: Snapshot, written: str) -> tuple[File, ...]:
    """Return the files that a path means; none if it could be too many."""
    found = find_files(snapshot, written)
    return found if len(found) <= _TELLING else ()


def _files(snapshot: Snapshot, task: TaskContext) -> Iterator[tuple[str, str]]:
    for written in task.anchors.paths:
        yield from ((file.path, "mentioned in the task") for file in meant_files(snapshot, written))


def _mentioned(snapshot: Snapshot, task: TaskContext) -> Iterator[tuple[Symbol, str]]:
    for frame in reversed(task.anchors.frames):
        symbol = find_frame(snapshot, frame)
        if symbol:
            yield symbol, "stands in the stack trace"
    for written in task.anchors.symbols:
        name = parse(written)
        found: Sequence[Symbol] = meant_symbols(snapshot, name) if name and name.parts else ()
        yield from ((symbol, f"defines {written}, mentioned in the task") for symbol in found)
    for message in (*task.anchors.error_messages[:LOOKED_UP], *task.anchors.exceptions[:LOOKED_UP]):
        yield from ((symbol, raises(message)) for symbol in error_symbols(snapshot, message))
