"""
Says in a bucket which indexer writes there, so that a second one keeps out.

The claim is an object that its holder writes anew while it lives. Whoever finds another's looks by its own monotonic
clock how long that has not changed: no two clocks have to agree. A claim belongs to a data folder, so that a process
which was killed comes back at once.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from common.objects.bucket import ObjectStoreAway
from indexer.adapters.store.disk import storage_errors, sync_file

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from common.core.clock import Clock
    from common.objects.bucket import Bucket

_LOG = structlog.get_logger(__name__)
_NAME = re.compile(r"[0-9a-f]{32}")

KEY = "INDEXER"
LEASE_SECONDS = 90.0
"""A claim that has not changed for so long is nobody's."""

_BEAT_SECONDS = 30.0


class BucketClaim:
    """
    The claim of one data folder on a bucket.

    Args:
        file: Keeps the name of this data folder, which is made up when it is first needed.
    """

    def __init__(self, bucket: Bucket, file: Path, clock: Clock) -> None:
        self._bucket = bucket
        self._file = file
        self._clock = clock
        self._seen = ("", 0.0)

    def hold(self) -> None:
        """Return if the bucket is this indexer's, or is now. Raises ObjectStoreAway, which names another one."""
        mine = self._name()
        found = self._bucket.look(KEY)
        if found is not None and _said(found.data)[0] == mine:
            return
        if found is not None and not self._is_left(found.mark):
            raise self._taken(found.data)
        if not self._bucket.write_over(KEY, self._content(mine), "" if found is None else found.mark):
            found = self._bucket.look(KEY)  # somebody was quicker, or it was written by an attempt that seemed to fail
            if found is None or _said(found.data)[0] != mine:
                raise self._taken(b"" if found is None else found.data)

    def beat(self) -> None:
        """Show that the holder lives, if that is this indexer. Raises ObjectStoreAway."""
        mine = self._kept()
        found = self._bucket.look(KEY) if mine else None
        if found is not None and _said(found.data)[0] == mine:
            self._bucket.write_over(KEY, self._content(mine), found.mark)

    async def keep(self, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        """Show it until cancelled, whatever fails; whether the bucket can be reached, others tell."""
        while True:
            await sleep(_BEAT_SECONDS)
            try:
                await asyncio.to_thread(self.beat)
            except ObjectStoreAway:
                continue
            except Exception:  # noqa: BLE001 (nobody would notice that the loop ended until another indexer came)
                _LOG.exception("bucket.claim_not_renewed")

    def _name(self) -> str:
        with storage_errors():
            if not self._kept():
                self._file.parent.mkdir(parents=True, exist_ok=True)
                beside = self._file.with_name(f".{self._file.name}.{secrets.token_hex(4)}")
                beside.write_text(secrets.token_hex(16), encoding="ascii")
                sync_file(beside)
                if self._file.exists() and not self._kept():
                    self._file.unlink()  # what a loss of power left of it is no name, and whoever was quicker left one
                with suppress(FileExistsError):
                    self._file.hardlink_to(beside)  # whoever comes first
                beside.unlink()
            return self._kept()

    def _kept(self) -> str:
        """Return the name that the file keeps; "" if there is none."""
        try:
            said = self._file.read_text("ascii")
        except (FileNotFoundError, UnicodeDecodeError):
            return ""
        return said if _NAME.fullmatch(said) else ""

    def _content(self, name: str) -> bytes:
        time = self._clock.now().isoformat().replace("+00:00", "Z")
        # Two that are written within the resolution of a clock must differ, too.
        said = {"indexer": name, "host": socket.gethostname(), "time": time, "beat": secrets.token_hex(8)}
        return json.dumps(said).encode()

    def _is_left(self, mark: str) -> bool:
        now = self._clock.monotonic()
        if self._seen[0] != mark:
            self._seen = mark, now
        return now - self._seen[1] >= LEASE_SECONDS

    def _taken(self, data: bytes) -> ObjectStoreAway:
        _, host, time = _said(data)
        return self._bucket.refusal(
            f"is written by another indexer, on host {host or 'unknown'}, heard of at {time or 'an unknown time'}: stop"
            f" that one, which frees it after {LEASE_SECONDS:.0f} s, or give each a prefix of its own"
        )


def _said(data: bytes) -> tuple[str, str, str]:
    try:
        said = json.loads(data)
        return str(said["indexer"]), str(said["host"]), str(said["time"])
    except (ValueError, KeyError, TypeError):
        return "", "", ""
