"""Leases: files that tell the indexer which snapshots are being read, so that it does not collect them."""

from __future__ import annotations

import json
import os
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from pathlib import Path

    from common.core.clock import Clock

_LOG = structlog.get_logger(__name__)


class Leases:
    """
    Keeps one lease for each snapshot that this process reads.

    A lease is renewed at most once in a third of its length, so that reading costs nothing in between. If the data
    folder cannot be written, the lease is missing but the snapshot is read all the same.

    Args:
        holder: Name of this process, unique among those that share the data folder.
    """

    def __init__(self, clock: Clock, holder: str, *, lease_seconds: float) -> None:
        self._clock = clock
        self._holder = holder
        self._lease_seconds = lease_seconds
        self._lock = threading.Lock()
        self._renewed: dict[tuple[Path, str], float] = {}

    def hold(self, repository: Path, snapshot_id: str) -> None:
        """Write or renew the lease of a snapshot, unless that was done recently."""
        now = self._clock.monotonic()
        key = (repository, snapshot_id)
        with self._lock:
            self._forget(now - self._lease_seconds / 3)
            if key in self._renewed:
                return
            self._renewed[key] = now
        expires = self._clock.now() + timedelta(seconds=self._lease_seconds)
        content = {
            "snapshot_id": snapshot_id,
            "expires": expires.isoformat().replace("+00:00", "Z"),
            "seconds": self._lease_seconds,
        }
        try:
            self._write(repository / "leases", f"{self._holder}-{snapshot_id[:16]}.json", json.dumps(content))
        except OSError as error:
            _LOG.warning("lease.not_written", snapshot_id=snapshot_id, problem=error.strerror)

    def lost(self, repository: Path, snapshot_id: str) -> None:
        """Renew the lease of a snapshot at its next use, since this renewal was not written."""
        with self._lock:
            self._renewed.pop((repository, snapshot_id), None)

    def _forget(self, until: float) -> None:
        """Drop renewals up to a time, oldest first, so that these leases are renewed at the next use."""
        while self._renewed and (oldest := next(iter(self._renewed.items())))[1] <= until:
            del self._renewed[oldest[0]]

    def _write(self, folder: Path, name: str, content: str) -> None:
        folder.mkdir(exist_ok=True)
        beside = folder / f".{name}.{os.getpid()}.{threading.get_ident()}"
        try:
            beside.write_text(content, encoding="utf-8")
            beside.replace(folder / name)
        except OSError:
            beside.unlink(missing_ok=True)  # a partly written file would occupy a full disk
            raise
