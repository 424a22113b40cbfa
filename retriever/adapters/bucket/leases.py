"""Leases in object storage, which protect the snapshots that running answers read from garbage collection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import structlog

from common.core.errors import DependencyUnavailable
from retriever.adapters.snapshots.leases import Leases

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from common.core.clock import Clock
    from common.objects.bucket import Bucket

_LOG = structlog.get_logger(__name__)


class BucketLeases(Leases):
    """
    Writes leases into the bucket in the background: calls read the local cache, so none waits for its lease.

    Args:
        workers: Threads that write the leases.
    """

    def __init__(self, clock: Clock, holder: str, bucket: Bucket, workers: Executor, *, lease_seconds: float) -> None:
        super().__init__(clock, holder, lease_seconds=lease_seconds)
        self._bucket = bucket
        self._workers = workers

    def _write(self, folder: Path, name: str, content: str) -> None:
        self._workers.submit(self._put, folder.parent, name, content)

    def _put(self, repository: Path, name: str, content: str) -> None:
        try:
            self._bucket.write(f"repositories/{repository.name}/leases/{name}", content.encode())
        except DependencyUnavailable as error:
            snapshot_id = json.loads(content)["snapshot_id"]
            _LOG.warning("lease.not_written", snapshot_id=snapshot_id, problem=error.message)
            self.lost(repository, snapshot_id)
