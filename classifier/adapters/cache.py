"""Caches the verdicts of an engine that costs time and money."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classifier.domain.values import Engine, Verdict
    from classifier.ports import ModeEngine
    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding


class CachedEngine:
    """
    Caches another engine's verdicts by the text of the question; the least recently used are dropped.

    Args:
        engine: The engine that decides questions that are not cached.
        size: Most verdicts in the cache; failures are not cached.
    """

    def __init__(self, engine: ModeEngine, *, size: int) -> None:
        self._engine = engine
        self._size = size
        self._kept: OrderedDict[bytes, Verdict] = OrderedDict()

    @property
    def kind(self) -> Engine:
        """Return the kind of the engine whose verdicts are cached."""
        return self._engine.kind

    async def decide(self, question: str, anchors: Anchors, understanding: Understanding) -> Verdict:
        """Return the cached verdict on the same text, or a new one."""
        key = hashlib.sha256(question.encode(errors="surrogatepass")).digest()
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        verdict = await self._engine.decide(question, anchors, understanding)
        self._kept[key] = verdict
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return verdict
