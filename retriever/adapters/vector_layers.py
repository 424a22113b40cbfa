"""Opens vectors layers by what stands in their folder: a packed shard, or the place of points in a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from retriever.adapters.vectors_edge import PACKED, EdgeVectors
from retriever.adapters.vectors_qdrant import LOCATION, QdrantVectors, read_location

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient

    from retriever.adapters.query_embedding import QueryEmbedding
    from retriever.adapters.snapshot_folder import Layer
    from retriever.adapters.vectors_edge import EdgeShards
    from retriever.domain.values import SnapshotInfo
    from retriever.ports import Vectors

_LOG = structlog.get_logger(__name__)


class VectorLayers:
    """
    Opens vectors layers.

    Args:
        server: None where no server is configured; layers that live in one are then not searched.
    """

    def __init__(self, embedding: QueryEmbedding, shards: EdgeShards, server: AsyncQdrantClient | None = None) -> None:
        self._embedding = embedding
        self._shards = shards
        self._server = server

    def open(self, info: SnapshotInfo, layer: Layer) -> Vectors | None:
        """Return the vectors of a layer; None where its model or its server is not the configured one."""
        if layer.model != self._embedding.model:
            _LOG.info("vectors.other_model", layer_model=layer.model, query_model=self._embedding.model)
            return None
        if (layer.folder / PACKED).exists():
            return EdgeVectors(self._shards, layer, self._embedding)
        if self._server is not None and (layer.folder / LOCATION).exists():
            return QdrantVectors(self._server, read_location(layer, info.repository), self._embedding)
        _LOG.info("vectors.no_server", layer=layer.folder.name)
        return None
