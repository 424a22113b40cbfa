"""The first stage of every strategy: ranks files, symbols and documents for the words of the question."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.asked.subject import subject_of
from retriever.domain.context import Context, Part, Task, decide
from retriever.domain.question import Mode, SearchQuery
from retriever.domain.values import Span
from retriever.usecases.indexed_synonyms import indexed_synonyms

if TYPE_CHECKING:
    from retriever.domain.question import Ranking
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.hybrid import Ranker

_FILES, _SYMBOLS, _DOCUMENTS = 100, 200, 30
_LOGGED = 20
"""Ranks that are logged one by one; below, the log would say nothing that the ranking does not."""


class Searching:
    """Runs the search and keeps its ranking for the stages after it."""

    name = "search"
    needs = frozenset[Part]()

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Rank; only within the scope where the mode is about a part of the code."""
        indexed = Part.CODE_INDEX not in task.off
        instead = await asyncio.to_thread(indexed_synonyms, snapshot, task.question) if indexed else ()
        query = SearchQuery(
            text=" ".join((subject_of(task.question, task.mode), *instead)),
            anchors=task.anchors,
            path_prefix=context.scope if task.mode == Mode.ANALYTICAL else "",
            max_files=2 * _FILES if indexed else 0,
            max_symbols=2 * _SYMBOLS if indexed else 0,
            max_docs=_DOCUMENTS,
            include_tests=True,
            use_vectors=Part.VECTORS not in task.off,
        )
        with_tests = await self._ranker.run(snapshot, query)
        if not indexed:
            with_tests = replace(with_tests, files=(), symbols=())
        ranking = _without_tests(with_tests)
        decisions = [
            decide(
                self.name,
                "symbols",
                each.symbol.span,
                _why(each.signals),
                name=each.symbol.qualified_name,
                score=each.score,
            )
            for each in ranking.symbols[:_LOGGED]
        ]
        decisions += [
            decide(
                self.name,
                "documents",
                Span(each.document.path, each.document.start_line, each.document.end_line),
                "text",
                score=each.score,
            )
            for each in ranking.documents[:_LOGGED]
        ]
        context = replace(
            context,
            ranking=ranking,
            with_tests=with_tests,
            ran=context.ran + ranking.ran,
            skipped=context.skipped + ranking.skipped,
        )
        return context.with_decisions(decisions)


def _without_tests(ranking: Ranking) -> Ranking:
    files = [each for each in ranking.files if not each.file.is_test]
    symbols = [each for each in ranking.symbols if not each.symbol.is_test]
    return replace(ranking, files=tuple(files[:_FILES]), symbols=tuple(symbols[:_SYMBOLS]))


def _why(signals: tuple[str, ...]) -> str:
    return ", ".join(signals) or "ranked"
