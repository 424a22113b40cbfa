"""Chooses by the settings what makes vectors layers, and closes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qdrant_client import QdrantClient

from common.core.clock import SystemClock
from common.model.embeddings import open_embedder
from indexer.adapters.vectors.edge_shard import EdgeVectorBuilder
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.adapters.vectors.qdrant_server import QdrantTarget, QdrantVectorBuilder

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    from common.model.embedding_settings import EmbeddingSettings
    from indexer.ports import VectorBuilder


@dataclass(frozen=True, slots=True)
class VectorOptions:
    """
    What only the side that makes vectors is told.

    Args:
        cache_file: Where vectors of texts are kept.
        cache_rows: So many at most.
        limits: Bounds of one layer.
        quantization: Of collections made in a server: "none", "scalar" or "binary".
    """

    cache_file: Path
    cache_rows: int
    limits: EmbeddingLimits
    quantization: str = "scalar"


def open_vector_builder(settings: EmbeddingSettings, options: VectorOptions, stack: ExitStack) -> VectorBuilder | None:
    """Return the builder, closed with the stack; None where vectors are switched off."""
    if settings.vectors == "off":
        return None
    embedder = open_embedder(settings.embedding)
    stack.callback(embedder.close)
    cache = EmbeddingCache(options.cache_file, options.cache_rows)
    stack.callback(cache.close)
    units = UnitEmbedder(embedder, cache, options.limits, SystemClock())
    if settings.vectors == "embedded":
        return EdgeVectorBuilder(units)
    client = QdrantClient(
        host=settings.qdrant_host,
        grpc_port=settings.qdrant_port,
        https=settings.qdrant_tls,
        api_key=settings.qdrant_api_key or None,
        prefer_grpc=True,
        check_compatibility=False,
    )
    stack.callback(client.close)
    return QdrantVectorBuilder(units, QdrantTarget(client, quantization=options.quantization))
