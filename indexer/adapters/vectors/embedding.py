"""Embeds units, with vectors from the cache where possible, within a time limit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.snapshot import LayerKind
from common.model.embeddings import Purpose
from indexer.adapters.store.disk import sync, write_files
from indexer.adapters.vectors.core_rows import read_pages, read_symbols
from indexer.domain.snapshots.snapshot import Layer
from indexer.domain.text.embedding import BuiltVectors, EmbeddingPlan, LeftOut, Unit, plan_embedding, vectors_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from common.core.clock import Clock
    from common.model.embeddings import Embedder, Vectors
    from indexer.adapters.vectors.embedding_cache import EmbeddingCache

SUMMARY = "summary.json"
BATCH = 256
"""Units of one batch; a shard should get at most 1000 points at once."""


@dataclass(frozen=True, slots=True)
class EmbeddingLimits:
    """
    Bounds of one run.

    Args:
        points: Greatest number of vectors.
        seconds: After this time no more texts are embedded; units whose vectors are not cached are left out.
    """

    points: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Embedded:
    """Units with their vectors as rows."""

    units: tuple[Unit, ...]
    vectors: Vectors


class UnitEmbedder:
    """Embeds the units of a core layer."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache, limits: EmbeddingLimits, clock: Clock) -> None:
        self._embedder = embedder
        self._cache = cache
        self._limits = limits
        self._clock = clock

    @property
    def model(self) -> str:
        """Return the identity of the embedding model."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimensions

    def plan(self, core: Path) -> EmbeddingPlan:
        """Choose the units of code.db in the folder `core`."""
        return plan_embedding(read_symbols(core), read_pages(core), most=self._limits.points)

    def embed(self, units: Sequence[Unit], advance: Callable[[int, int], None]) -> Iterator[Embedded]:
        """
        Yield units with their vectors, in order, in batches.

        After the time limit, only units whose vectors are cached are yielded.

        Args:
            advance: Called with (0, total) at first, and with (size of the batch, total) after each batch.
        """
        deadline = self._clock.monotonic() + self._limits.seconds
        advance(0, len(units))
        for start in range(0, len(units), BATCH):
            batch = units[start : start + BATCH]
            known = dict(self._cache.get(self._embedder.model, [unit.text for unit in batch]))
            if self._clock.monotonic() < deadline:
                known.update(self._embed_new(list(dict.fromkeys(u.text for u in batch if u.text not in known))))
            done = tuple(unit for unit in batch if unit.text in known)
            if done:
                yield Embedded(done, np.stack([known[unit.text] for unit in done]))
            advance(len(batch), len(units))

    def _embed_new(self, texts: Sequence[str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        vectors = self._embedder.embed(texts, Purpose.DOCUMENT)
        self._cache.put(self._embedder.model, texts, vectors)
        return dict(zip(texts, vectors, strict=True))


def finish(plan: EmbeddingPlan, done: Sequence[Unit], model: str, folder: Path) -> BuiltVectors:
    """Write the manifest of a layer, with counts of left-out units, and return it."""
    missing = len(plan.units) - len(done)
    left_out = dict(plan.left_out) | ({LeftOut.TIME: missing} if missing else {})
    summary = {"points": len(done), "left_out": {str(reason): count for reason, count in sorted(left_out.items())}}
    write_files(folder, {SUMMARY: json.dumps(summary)})
    sync(folder)
    size = sum(file.stat().st_size for file in folder.iterdir())
    return BuiltVectors(Layer(LayerKind.VECTORS, vectors_digest(model, done), size, model), len(done), left_out)
