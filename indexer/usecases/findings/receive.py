"""Receives the report of a scanner and has it imported, one report at a time."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from common.core.runtime.concurrency import run_to_completion

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.domain.findings.finding import ImportOutcome
    from indexer.usecases.snapshots import Snapshots


class ImportFindings:
    """
    Imports reports, one at a time: an import needs many times the report's size of memory.

    Args:
        take: Imports a report, given repository, request id and content; raises what `ApplyFindingsImport` does, or
            ImportFailed.
    """

    def __init__(self, snapshots: Snapshots, take: Callable[[str, str, bytes], ImportOutcome]) -> None:
        self._snapshots = snapshots
        self._take = take
        self._turn = asyncio.Lock()

    async def run(self, repository: str, request_id: str, report: bytes) -> ImportOutcome:
        """
        Publish a set with the report's findings instead of earlier ones of the same tools.

        Raises InvalidArgument, RepositoryNotFound, IndexNotReady, RequestIdReused, StateForbids, StorageFull,
        ImportFailed.
        """
        await self._snapshots.get(repository, "")
        async with self._turn:
            # A cancelled caller keeps the lock until its import has ended: the thread cannot be interrupted.
            return await run_to_completion(partial(self._take, repository, request_id, report))
