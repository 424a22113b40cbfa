"""Lists what analyzers and scanners found, and imports reports."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from cgrag_client.connecting.connection import Connection

CHUNK_BYTES = 1 << 20
PAGE_SIZE = 500


class Findings:
    """
    Calls of the indexer about findings.

    Args:
        connection: To the indexer.
        import_timeout_seconds: For one report.
    """

    def __init__(self, connection: Connection, *, import_timeout_seconds: float = 300.0) -> None:
        self._connection = connection
        self._stub = indexer_pb2_grpc.IndexerServiceStub(connection.channel)
        self._import_timeout_seconds = import_timeout_seconds

    async def list(
        self,
        repository: str,
        *,
        min_severity: indexer_pb2.Severity.ValueType = indexer_pb2.SEVERITY_UNSPECIFIED,
        category: indexer_pb2.FindingCategory.ValueType = indexer_pb2.FINDING_CATEGORY_UNSPECIFIED,
        path_prefix: str = "",
    ) -> AsyncGenerator[indexer_pb2.Finding]:
        """Yield findings, worst first, then by path and line; pages are fetched as they are needed."""
        request = indexer_pb2.ListFindingsRequest(
            repository=repository,
            min_severity=min_severity,
            category=category,
            path_prefix=path_prefix,
            page_size=PAGE_SIZE,
        )
        async for page in self._connection.pages(self._stub.ListFindings, request):
            for finding in page.findings:
                yield finding

    async def import_report(
        self, repository: str, report: bytes, *, request_id: str = ""
    ) -> indexer_pb2.ImportFindingsResponse:
        """Import a SARIF 2.1.0 file instead of earlier reports of the same tools. Raises ClientError."""
        requests = _upload(repository, report, request_id or uuid.uuid4().hex)
        return await self._connection.send(
            self._stub.ImportFindings, requests, timeout_seconds=self._import_timeout_seconds
        )


def _upload(repository: str, report: bytes, request_id: str) -> Iterator[indexer_pb2.ImportFindingsRequest]:
    header = indexer_pb2.ImportFindingsHeader(repository=repository, request_id=request_id)
    yield indexer_pb2.ImportFindingsRequest(header=header)
    for start in range(0, len(report), CHUNK_BYTES):
        yield indexer_pb2.ImportFindingsRequest(chunk=report[start : start + CHUNK_BYTES])
