"""Vectors of queries: made in a thread, remembered while they are asked again."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from common.model.embeddings import Purpose

if TYPE_CHECKING:
    from common.model.embeddings import Embedder, Vectors


class QueryEmbedding:
    """
    Embeds queries with the model that embeds the index.

    Args:
        embedder: Must be the same model as that of the vectors searched.
        size: Queries remembered, least recently used out.
    """

    def __init__(self, embedder: Embedder, *, size: int = 512) -> None:
        self._embedder = embedder
        self._size = size
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def model(self) -> str:
        """Return the model: vectors of another one cannot be searched."""
        return self._embedder.model

    async def vector(self, text: str) -> Vectors:
        """Return the unit vector of a text, one dimension; raises ModelFailed."""
        return await asyncio.to_thread(self._vector, text)

    def _vector(self, text: str) -> Vectors:
        with self._lock:
            known = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
                return known
        vector: Vectors = self._embedder.embed([text], Purpose.QUERY)[0]
        with self._lock:
            self._known[text] = vector
            while len(self._known) > self._size:
                self._known.popitem(last=False)
        return vector
