"""Receives an index in the SCIP format and has it imported by a process of its own."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from common.core.errors import InvalidArgument, Violation

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from indexer.domain.precise.sites import PreciseOutcome
    from indexer.ports import PreciseImporter
    from indexer.usecases.snapshots import Snapshots


class ImportPrecise:
    """
    Imports indexes.

    Args:
        max_bytes: Of one index.
    """

    def __init__(self, snapshots: Snapshots, importer: PreciseImporter, *, max_bytes: int) -> None:
        self._snapshots = snapshots
        self._importer = importer
        self._max_bytes = max_bytes

    async def run(self, repository: str, chunks: AsyncIterator[bytes]) -> PreciseOutcome:
        """
        Publish a set whose precise layer has the edges of the index that comes in chunks.

        Raises InvalidArgument, IndexMalformed, RepositoryNotFound, IndexNotReady, StateForbids, StorageFull,
        ImportFailed.
        """
        await self._snapshots.get(repository, "")
        async with aclosing(self._bounded(chunks)) as bounded:
            return await self._importer.run(repository, bounded)

    async def _bounded(self, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if size > self._max_bytes:
                raise _wrong(f"the file must have at most {self._max_bytes >> 20} MiB (precise_max_mb of the indexer)")
            yield chunk
        if not size:
            raise _wrong("the file must not be empty")


def _wrong(description: str) -> InvalidArgument:
    return InvalidArgument.of([Violation("chunk", description)])
