"""Imports what a compiler knows of references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cgrag_client.connection import Connection

CHUNK_BYTES = 1 << 20


class Precise:
    """
    Calls of the indexer about precise edges.

    Args:
        connection: To the indexer.
        import_timeout_seconds: For one index.
    """

    def __init__(self, connection: Connection, *, import_timeout_seconds: float = 900.0) -> None:
        self._connection = connection
        self._stub = indexer_pb2_grpc.IndexerServiceStub(connection.channel)
        self._import_timeout_seconds = import_timeout_seconds

    async def import_index(self, repository: str, file: Path) -> indexer_pb2.ImportPreciseEdgesResponse:
        """Import a SCIP index over the current snapshot; it is read as it is sent. Raises ClientError, OSError."""
        with file.open("rb") as opened:
            chunks = iter(lambda: opened.read(CHUNK_BYTES), b"")
            return await self._connection.send(
                self._stub.ImportPreciseEdges,
                _upload(repository, chunks),
                timeout_seconds=self._import_timeout_seconds,
            )


def _upload(repository: str, chunks: Iterator[bytes]) -> Iterator[indexer_pb2.ImportPreciseEdgesRequest]:
    header = indexer_pb2.ImportPreciseEdgesHeader(repository=repository)
    yield indexer_pb2.ImportPreciseEdgesRequest(header=header)
    for chunk in chunks:
        yield indexer_pb2.ImportPreciseEdgesRequest(chunk=chunk)
