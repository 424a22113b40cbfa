"""Embeds queries in separate threads, with a cache of recent ones."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from common.model.embeddings import Purpose

if TYPE_CHECKING:
    from common.model.embeddings import Embedder, Vectors

_THREADS = 4
_REMEMBERED = 512
"""Cached queries; the least recently used are dropped."""


class QueryEmbedding:
    """
    Embeds queries with the model that embeds the index.

    It has threads of its own: the default ones, which read snapshots, must not wait for an embedding endpoint.

    Args:
        embedder: Must use the model of the searched vectors; it is closed with this object.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="query-embedding")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def model(self) -> str:
        """The name of the embedding model; vectors of another model cannot be searched."""
        return self._embedder.model

    async def vector(self, text: str) -> Vectors:
        """Return the unit vector of a text, one dimension; raises ModelFailed."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._vector, text)

    def close(self) -> None:
        """Close the embedder, which wakes waiting callers, and end the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._embedder.close()

    def _vector(self, text: str) -> Vectors:
        with self._lock:
            known = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
                return known
        vector: Vectors = self._embedder.embed([text], Purpose.QUERY)[0]
        with self._lock:
            self._known[text] = vector
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return vector
