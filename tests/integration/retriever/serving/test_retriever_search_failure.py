"""A search that fails leaves nothing running behind it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retriever.adapters.core.documents import SqliteDocuments
from retriever.adapters.core.graph import SqliteGraph
from retriever.adapters.learned import read_describing_model, read_ranking_model, read_reranker_models
from retriever.domain.questions.question import SearchQuery
from retriever.usecases.searching.by_words import ByWords
from retriever.usecases.searching.rerank import Rerank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.core.database import Database
    from retriever.domain.ranking.corpus import Floats
    from retriever.domain.values import Document, EdgeKind
    from tests.integration.retriever.conftest import Retriever
from tests.integration.retriever.opened_tree import opened_current

_TURNS = 100
"""Of the event loop, by which a search that does not wait would long be over."""


class _DamagedGraph(SqliteGraph):
    """Edges that cannot be read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.failed = threading.Event()

    def pairs(self, ids: Sequence[int], kinds: Sequence[EdgeKind]) -> Floats:
        self.failed.set()
        raise sqlite3.DatabaseError("malformed")


class _SlowDocuments(SqliteDocuments):
    """Pages that are still looked for long after the edges have failed."""

    def __init__(self, database: Database, failed: threading.Event) -> None:
        super().__init__(database)
        self.finished = False
        self._failed = failed
        self._loop = asyncio.get_running_loop()

    def search(self, words: Sequence[str], limit: int, prefix: str = "") -> tuple[tuple[Document, float], ...]:
        self._failed.wait(timeout=30)
        asyncio.run_coroutine_threadsafe(_turns(), self._loop).result(timeout=30)
        found = super().search(words, limit, prefix)
        self.finished = True
        return found


async def _turns() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


async def test_a_failed_search_is_over_when_it_raises(retriever: Retriever) -> None:
    """Its caller lets go of the snapshot then, so no thread may go on reading it."""
    with closing(opened_current(retriever.data)) as opened:
        graph = _DamagedGraph(opened.database)
        documents = _SlowDocuments(opened.database, graph.failed)
        snapshot = replace(opened.snapshot, graph=graph, documents=documents)

        by_words = ByWords(read_ranking_model(), Rerank(read_reranker_models(), read_describing_model()))
        with pytest.raises(sqlite3.DatabaseError, match="malformed"):
            await by_words.run(snapshot, SearchQuery("how is the order reserved in the warehouse"))

        assert documents.finished
