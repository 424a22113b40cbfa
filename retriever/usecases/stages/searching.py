"""The first stage of every strategy: ranks files, symbols and documents for the words of the question."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.questions.question import Mode, SearchQuery
from retriever.domain.tasks.context import Context, Part, Task, decide
from retriever.usecases.searching.indexed_synonyms import indexed_synonyms

if TYPE_CHECKING:
    from retriever.domain.questions.question import Ranking
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.searching.hybrid import Ranker

_FILES, _SYMBOLS, _DOCUMENTS = 100, 200, 30
_LOGGED = 20
"""How many ranked results are logged one by one."""


class Searching:
    """Runs the search and keeps its ranking for the stages after it."""

    name = "search"
    needs = frozenset[Part]()

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Rank files, symbols and documents; only within the scope if the mode is about a part of the code."""
        indexed = Part.CODE_INDEX not in task.off
        instead = await asyncio.to_thread(indexed_synonyms, snapshot, task.question) if indexed else ()
        query = SearchQuery(
            text=" ".join((task.question, *instead)),
            path_prefix=context.scope if task.mode == Mode.ANALYTICAL else "",
            max_files=_FILES if indexed else 0,
            max_symbols=_SYMBOLS if indexed else 0,
            max_docs=_DOCUMENTS,
            use_vectors=Part.VECTORS not in task.off,
        )
        ranking, with_tests = await self._both(snapshot, query) if indexed else await self._documents(snapshot, query)
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

    async def _both(self, snapshot: Snapshot, query: SearchQuery) -> tuple[Ranking, Ranking]:
        """
        Rank without tests, for the stages, and with tests, for what is shown.

        Ranked tests displace other code: for 265 questions the first 50 functions would contain 75.3 % of the right
        ones instead of 78.8 %. The vector search runs once for both rankings.
        """
        ranking = await self._ranker.run(snapshot, query)
        wider = replace(
            query,
            max_files=2 * _FILES,
            max_symbols=2 * _SYMBOLS,
            max_docs=0,
            include_tests=True,
            use_vectors=False,
            near=ranking.near,
        )
        return ranking, await self._ranker.run(snapshot, wider)

    async def _documents(self, snapshot: Snapshot, query: SearchQuery) -> tuple[Ranking, Ranking]:
        ranking = replace(await self._ranker.run(snapshot, query), files=(), symbols=())
        return ranking, ranking


def _why(signals: tuple[str, ...]) -> str:
    return ", ".join(signals) or "ranked"
