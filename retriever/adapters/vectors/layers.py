"""Opens vectors layers by what stands in their folder: a packed shard, or the place of points in a server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from common.core.addresses import UNPROXIED_GRPC, is_loopback
from common.model.embedders import open_embedder
from retriever.adapters.vectors.edge import PACKED, EdgeShards, EdgeVectors
from retriever.adapters.vectors.query_embedding import QueryEmbedding

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AsyncExitStack
    from pathlib import Path

    from common.model.embedding_settings import EmbeddingSettings
    from common.model.metrics import EndpointMeter
    from retriever.adapters.snapshots.folder import Layer
    from retriever.adapters.snapshots.opening import OpenVectors
    from retriever.domain.values import SnapshotInfo

_LOG = structlog.get_logger(__name__)
_ATTEMPTS = 2


class VectorLayers:
    """
    Opens vectors layers.

    Args:
        in_server: Opens a layer that lives in a server, for a repository; None where no server is configured, and
            such layers are not searched.
    """

    def __init__(
        self,
        embedding: QueryEmbedding,
        shards: EdgeShards,
        in_server: Callable[[Layer, str], OpenVectors] | None = None,
    ) -> None:
        self._embedding = embedding
        self._shards = shards
        self._in_server = in_server

    def open(self, info: SnapshotInfo, layer: Layer) -> OpenVectors | None:
        """Return the vectors of a layer; None where its model or its server is not the configured one."""
        if layer.model != self._embedding.model:
            _LOG.info("vectors.other_model", layer_model=layer.model, query_model=self._embedding.model)
            return None
        if (layer.folder / PACKED).exists():
            return EdgeVectors(self._shards, layer, self._embedding)
        if self._in_server is not None:
            return self._in_server(layer, info.repository)
        _LOG.info("vectors.no_server", layer=layer.folder.name)
        return None


def open_vector_layers(
    settings: EmbeddingSettings,
    copies: Path,
    keep_open: int,
    stack: AsyncExitStack,
    *,
    query_seconds: float,
    meter: EndpointMeter | None,
) -> VectorLayers | None:
    """
    Return what opens vectors layers, closed with the stack; None where vectors are switched off.

    Args:
        copies: Folder for this process's copies of shards.
        keep_open: Shards kept open when nobody searches them.
        query_seconds: For one request to embed a query; nobody waits longer for the vector.
        meter: Hears of an embedding endpoint; None where there is none.
    """
    if settings.embedding_provider == "none":
        return None
    config = replace(settings.embedding, timeout_seconds=query_seconds, max_attempts=_ATTEMPTS)
    embedding = QueryEmbedding(open_embedder(config, meter=meter))
    stack.callback(embedding.close)
    shards = EdgeShards(keep_open=keep_open, folder=copies)
    stack.push_async_callback(asyncio.to_thread, shards.close)
    return VectorLayers(embedding, shards, _in_server(settings, embedding, stack) if settings.qdrant_host else None)


def _in_server(
    settings: EmbeddingSettings, embedding: QueryEmbedding, stack: AsyncExitStack
) -> Callable[[Layer, str], OpenVectors]:
    # Its client takes half a second to load, which every start would pay.
    from qdrant_client import AsyncQdrantClient

    from retriever.adapters.vectors.qdrant import QdrantVectors, read_location

    client = AsyncQdrantClient(
        host=settings.qdrant_host,
        grpc_port=settings.qdrant_grpc_port,
        https=settings.qdrant_tls,
        api_key=settings.qdrant_api_key or None,
        prefer_grpc=True,
        check_compatibility=False,
        grpc_options=dict([UNPROXIED_GRPC]) if is_loopback(settings.qdrant_host) else None,
    )
    stack.push_async_callback(client.close)
    return lambda layer, repository: QdrantVectors(client, read_location(layer, repository), embedding)
