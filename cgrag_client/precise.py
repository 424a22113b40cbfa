"""Imports SCIP indexes and lists and removes imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence
    from pathlib import Path

    from cgrag_client.connecting.connection import Connection

CHUNK_BYTES = 1 << 20
PAGE_SIZE = 200
BATCH_IMPORTS = 100


class Precise:
    """
    Calls of the indexer about precise edges.

    Args:
        connection: To the indexer.
        import_timeout_seconds: For importing or withdrawing an index.
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

    async def list(self, repository: str) -> AsyncGenerator[indexer_pb2.PreciseImport]:
        """Yield what was imported, newest first. Raises ClientError."""
        request = indexer_pb2.ListPreciseImportsRequest(repository=repository, page_size=PAGE_SIZE)
        async for page in self._connection.pages(self._stub.ListPreciseImports, request):
            for each in page.imports:
                yield each

    async def remove(self, repository: str, import_ids: Sequence[str]) -> indexer_pb2.DeletePreciseImportsResponse:
        """
        Withdraw imports; return the response to the last batch, with the number of files of all batches.

        Up to 100 imports are withdrawn all or none; more are withdrawn in batches of 100, and if a batch fails, those
        before it stay withdrawn. Raises ClientError.
        """
        done = indexer_pb2.DeletePreciseImportsResponse()
        for start in range(0, len(import_ids), BATCH_IMPORTS):
            batch = import_ids[start : start + BATCH_IMPORTS]
            request = indexer_pb2.DeletePreciseImportsRequest(repository=repository, import_ids=batch)
            files = done.files
            done = await self._connection.call(
                self._stub.DeletePreciseImports, request, timeout_seconds=self._import_timeout_seconds
            )
            done.files += files
        return done


def _upload(repository: str, chunks: Iterator[bytes]) -> Iterator[indexer_pb2.ImportPreciseEdgesRequest]:
    header = indexer_pb2.ImportPreciseEdgesHeader(repository=repository)
    yield indexer_pb2.ImportPreciseEdgesRequest(header=header)
    for chunk in chunks:
        yield indexer_pb2.ImportPreciseEdgesRequest(chunk=chunk)
