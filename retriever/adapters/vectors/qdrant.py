"""Searches vectors layers that live in a Qdrant server: one search for each kind, within tenant and snapshot."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from common.core.errors import DependencyUnavailable
from retriever.adapters.vectors.hits import ROOM_FOR_CHUNKS, best_rows, hits_of, nearest_first

if TYPE_CHECKING:
    from common.model.embeddings import Vectors as Array
    from retriever.adapters.snapshots.folder import Layer
    from retriever.adapters.vectors.query_embedding import QueryEmbedding
    from retriever.ports import VectorHit

LOCATION = "location.json"
_TIMEOUT_SECONDS = 2.0
"""Time limit for all searches of one call; after it, the call continues without vectors."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where the points of a layer are: the collection, and the values for tenant and snapshot in their payload."""

    collection: str
    repository: str
    snapshot: str


def read_location(layer: Layer, repository: str) -> Location:
    """Read where a layer's points are. Raises DependencyUnavailable if the file is damaged."""
    try:
        named = json.loads((layer.folder / LOCATION).read_text(encoding="utf-8"))
        return Location(str(named["collection"]), repository, str(named["snapshot"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DependencyUnavailable("the vectors layer has no readable location; index the repository again") from error


class QdrantVectors:
    """
    The vectors of one snapshot.

    Args:
        client: Client of the server, over gRPC.
    """

    def __init__(self, client: AsyncQdrantClient, location: Location, embedding: QueryEmbedding) -> None:
        self._client = client
        self._location = location
        self._embedding = embedding

    async def nearest(self, text: str, *, symbols: int, documents: int) -> tuple[VectorHit, ...]:
        """Embed a text and return its neighbours, nearest first; ties by kind, then id."""
        vector = await self._embedding.vector(text)
        wanted = [(kind, limit) for kind, limit in (("symbol", symbols), ("doc", documents)) if limit > 0]
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                found = await asyncio.gather(*(self._search(vector, kind, limit) for kind, limit in wanted))
        except (grpc.RpcError, ResponseHandlingException, UnexpectedResponse, TimeoutError) as error:
            raise DependencyUnavailable("the vector server does not answer; check its address and health") from error
        return nearest_first(hit for each in found for hit in each)

    def close(self) -> None:
        """Do nothing: the client belongs to all snapshots."""

    async def _search(self, vector: Array, kind: str, limit: int) -> list[VectorHit]:
        place = {"repository": self._location.repository, "snapshot": self._location.snapshot, "kind": kind}
        conditions: list[models.Condition] = [
            models.FieldCondition(key=key, match=models.MatchValue(value=value)) for key, value in place.items()
        ]
        answer = await self._client.query_points(
            self._location.collection,
            query=vector.tolist(),
            query_filter=models.Filter(must=conditions),
            limit=limit * ROOM_FOR_CHUNKS[kind],
            with_payload=["row_id"],
        )
        rows = ((int((point.payload or {})["row_id"]), point.score) for point in answer.points)
        return list(hits_of(kind, best_rows(rows, limit)))
