"""Opens vectors layers: a packed shard, or a reference to points in a server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from common.core.addresses import UNPROXIED_GRPC, is_loopback
from common.core.contract.snapshot import LayerKind
from common.model.embedders import open_embedder
from retriever.adapters.vectors.edge import PACKED, EdgeShards, EdgeVectors
from retriever.adapters.vectors.query_embedding import QueryEmbedding

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AsyncExitStack

    from common.core.errors import DependencyUnavailable
    from common.model.embedding_settings import EmbeddingSettings
    from common.model.metrics import EndpointMeter
    from retriever.adapters.snapshots.folder import Layer
    from retriever.adapters.snapshots.opening import OpenVectors
    from retriever.adapters.snapshots.problems import LayerProblemNotes
    from retriever.domain.values import SnapshotInfo
    from retriever.settings import RetrieverSettings

_ATTEMPTS = 2


class VectorLayers:
    """
    Opens vectors layers.

    Args:
        in_server: Opens a layer of a repository whose points are in a server; None where no server is configured, so
            that such layers are not searched.
    """

    def __init__(
        self,
        embedding: QueryEmbedding,
        shards: EdgeShards,
        problems: LayerProblemNotes,
        in_server: Callable[[Layer, str], OpenVectors] | None = None,
    ) -> None:
        self._embedding = embedding
        self._shards = shards
        self._problems = problems
        self._in_server = in_server

    def open(self, info: SnapshotInfo, layer: Layer) -> OpenVectors | None:
        """Return the vectors of a layer; None where its model or its server is not the configured one."""
        if layer.model != self._embedding.model:
            problem = (
                f"its vectors are of {layer.model}, and the retriever's embedding_* settings name"
                f" {self._embedding.model}; index the repository again, or set them alike"
            )
            self._problems.note(info.repository, LayerKind.VECTORS, problem)
            return None
        if (layer.folder / PACKED).exists():
            return EdgeVectors(self._shards, layer, self._embedding, partial(self._told, info.repository))
        if self._in_server is not None:
            self._problems.clear(info.repository, LayerKind.VECTORS)
            return self._in_server(layer, info.repository)
        problem = "its vectors are in a Qdrant server; set qdrant_host of the retriever"
        self._problems.note(info.repository, LayerKind.VECTORS, problem)
        return None

    def _told(self, repository: str, error: DependencyUnavailable | None) -> None:
        """Record whether a shard could be opened."""
        if error is None:
            self._problems.clear(repository, LayerKind.VECTORS)
        else:
            self._problems.note(repository, LayerKind.VECTORS, error.message, error.__cause__)


def open_vector_layers(
    settings: RetrieverSettings, stack: AsyncExitStack, *, meter: EndpointMeter | None, problems: LayerProblemNotes
) -> VectorLayers | None:
    """
    Return the opener of vectors layers, closed with the stack; None where vectors are switched off.

    Args:
        meter: Measures calls of the embedding endpoint; None for no metrics.
        problems: Records layers that cannot be used.
    """
    if settings.provider == "none":
        return None
    # Embedding a query may take no longer than the whole search by vectors.
    config = replace(settings.embedding, timeout_seconds=settings.vector_seconds, max_attempts=_ATTEMPTS)
    embedding = QueryEmbedding(open_embedder(config, meter=meter))
    stack.callback(embedding.close)
    copies = settings.data_dir / "retriever" / "vectors"
    shards = EdgeShards(keep_open=settings.open_snapshots, folder=copies)
    stack.push_async_callback(asyncio.to_thread, shards.close)
    in_server = _in_server(settings, embedding, stack) if settings.qdrant_host else None
    return VectorLayers(embedding, shards, problems, in_server)


def _in_server(
    settings: EmbeddingSettings, embedding: QueryEmbedding, stack: AsyncExitStack
) -> Callable[[Layer, str], OpenVectors]:
    # Imported only here, since the import takes half a second.
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
