"""An embedding model that hangs: the threads that everything else needs stay free, and a stop does not wait for it."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from common.model.embeddings import Purpose
from retriever.adapters.vectors.query_embedding import QueryEmbedding
from tests.fakes.embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.model.embeddings import Vectors

MORE_THAN_ANY_POOL = 64


class HungEmbedder(FakeEmbedder):
    """Answers when it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = threading.Event()

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        """Wait for the end."""
        self.closed.wait(30)
        return super().embed(texts, purpose)

    def close(self) -> None:
        """Let go."""
        self.closed.set()


async def test_what_hangs_holds_no_thread_of_others() -> None:
    """While more queries wait for their vectors than there are threads, files and databases are read."""
    embedder = HungEmbedder()
    embedding = QueryEmbedding(embedder)
    waiting = [asyncio.create_task(embedding.vector(f"query {number}")) for number in range(MORE_THAN_ANY_POOL)]
    try:
        async with asyncio.timeout(20):
            read = await asyncio.gather(*(asyncio.to_thread(int, "7") for _ in range(MORE_THAN_ANY_POOL)))
        still_waiting = [task for task in waiting if not task.done()]
    finally:
        embedding.close()
        await asyncio.gather(*waiting, return_exceptions=True)

    assert read == [7] * MORE_THAN_ANY_POOL
    assert len(still_waiting) == MORE_THAN_ANY_POOL


async def test_who_gave_up_is_not_embedded_for() -> None:
    """Queries whose time was over before a thread was free cost the model nothing."""
    embedder = HungEmbedder()
    embedding = QueryEmbedding(embedder)
    waiting = [asyncio.create_task(embedding.vector(f"query {number}")) for number in range(MORE_THAN_ANY_POOL)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    embedder.closed.set()
    late = await embedding.vector("in time")
    embedding.close()

    assert late.any()
    assert len(embedder.asked) < MORE_THAN_ANY_POOL / 2
