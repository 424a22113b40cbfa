"""
Says in a bucket which indexer writes there, so that a second one keeps out.

The claim is an object that its holder writes anew while it lives. Whoever finds another's looks by its own monotonic
clock how long that has not changed: no two clocks have to agree. A claim belongs to a data folder, so that a process
which was killed comes back at once. Each writing of it has a proof of its own that the folder keeps, too: a copy of the
folder knows only those of before it was made.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import secrets
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from common.objects.bucket import ObjectStoreUnavailable
from indexer.adapters.store.disk import storage_errors, sync_file

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from common.core.clock import Clock
    from common.objects.bucket import Bucket, MarkedObject

_LOG = structlog.get_logger(__name__)
_NAME = re.compile(r"[0-9a-f]{32}")

KEY = "INDEXER"
LEASE_SECONDS = 90.0
"""A claim that has not been renewed for this long has expired."""

_BEAT_SECONDS = 30.0
_PROOFS_BYTES = 66


@dataclass(frozen=True, slots=True)
class _Said:
    """What a claim says; all is "" of one that cannot be read, and the proof of one that an earlier release wrote."""

    name: str = ""
    host: str = ""
    time: str = ""
    proof: str = ""


class BucketClaim:
    """
    The claim of one data folder on a bucket.

    Args:
        file: Keeps the name of this data folder, which is made up when it is first needed; beside it are the proofs.
    """

    def __init__(self, bucket: Bucket, file: Path, clock: Clock) -> None:
        self._bucket = bucket
        self._file = file
        self._clock = clock
        self._seen = ("", 0.0)
        self._has_shown = False

    def hold(self) -> None:
        """Return if the bucket is this indexer's, or is now. Raises ObjectStoreUnavailable, which names another one."""
        mine = self._name()
        with _alone(self._file.with_name(f"{self._file.name}.proof")) as proofs:
            found = self._bucket.look(KEY)
            is_mine = _is_of(found, mine, proofs)
            if is_mine and self._has_shown:
                return
            if found is not None and not is_mine and not self._is_left(found.mark):
                raise self._taken(found, mine)
            # Also what is mine, once: of a folder and its copy only one writes over what both know.
            if not self._write(found if is_mine else None, mine, proofs, "" if found is None else found.mark):
                found = self._bucket.look(
                    KEY
                )  # another writer was first, or an attempt of ours that seemed to fail succeeded
                if not _is_of(found, mine, proofs):
                    raise self._taken(found, mine)
            self._has_shown = True

    def beat(self) -> None:
        """Show that the holder lives, if that is this indexer. Raises ObjectStoreUnavailable."""
        if not (mine := self._kept()):
            return
        with _alone(self._file.with_name(f"{self._file.name}.proof")) as proofs:
            found = self._bucket.look(KEY)
            if found is not None and _is_of(found, mine, proofs):
                self._write(found, mine, proofs, found.mark)

    async def keep(self, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        """Renew the claim until cancelled; failures are ignored, as others report an unreachable bucket."""
        while True:
            await sleep(_BEAT_SECONDS)
            try:
                await asyncio.to_thread(self.beat)
            except ObjectStoreUnavailable:
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
                    self._file.hardlink_to(beside)  # the first writer wins
                beside.unlink()
            return self._kept()

    def _kept(self) -> str:
        """Return the name in the file; "" if there is none."""
        try:
            said = self._file.read_text("ascii")
        except (FileNotFoundError, UnicodeDecodeError):
            return ""
        return said if _NAME.fullmatch(said) else ""

    def _write(self, known: MarkedObject | None, mine: str, proofs: _Proofs, mark: str) -> bool:
        """Write the claim over what has a mark; `known` is that, if it is mine. Tell whether it was still there."""
        new = secrets.token_hex(16)
        # Before the bucket has it, and without forgetting the one there: either may be what is found after a crash.
        proofs.keep(_said(known).proof, new)
        time = self._clock.now().isoformat().replace("+00:00", "Z")
        said = {"indexer": mine, "host": socket.gethostname(), "time": time, "proof": new}
        return self._bucket.write_over(KEY, json.dumps(said).encode(), mark)

    def _is_left(self, mark: str) -> bool:
        now = self._clock.monotonic()
        if self._seen[0] != mark:
            self._seen = mark, now
        return now - self._seen[1] >= LEASE_SECONDS

    def _taken(self, found: MarkedObject | None, mine: str) -> ObjectStoreUnavailable:
        said = _said(found)
        whose = "the indexer of a copy of this data folder" if said.name == mine else "another indexer"
        return self._bucket.refusal(
            f"is written by {whose}, on host {said.host or 'unknown'}, heard of at {said.time or 'an unknown time'}:"
            f" stop that one, which frees it after {LEASE_SECONDS:.0f} s, or give each a prefix of its own"
        )


class _Proofs:
    """
    The last proofs that a data folder knows: the one that was there, and the one that was to take its place.

    Args:
        descriptor: Of the file that keeps them. It is written over in place, so that a full disk takes no claim away.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def knows(self, proof: str) -> bool:
        """Return whether a proof is stored."""
        return proof in os.pread(self._descriptor, _PROOFS_BYTES, 0).decode("ascii", "replace").split()

    def keep(self, old: str, new: str) -> None:
        """Store the two latest proofs."""
        with storage_errors():
            os.pwrite(self._descriptor, f"{old:-<32}\n{new}\n".encode(), 0)
            os.fsync(self._descriptor)


@contextmanager
def _alone(file: Path) -> Iterator[_Proofs]:
    """Keep other processes of the data folder from showing its claim meanwhile."""
    with storage_errors():
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield _Proofs(descriptor)
    finally:
        os.close(descriptor)


def _is_of(found: MarkedObject | None, name: str, proofs: _Proofs) -> bool:
    said = _said(found)
    return said.name == name and (not said.proof or proofs.knows(said.proof))


def _said(found: MarkedObject | None) -> _Said:
    try:
        said = json.loads(found.data) if found else {}
        return _Said(str(said["indexer"]), str(said["host"]), str(said["time"]), str(said.get("proof", "")))
    except (ValueError, KeyError, TypeError, AttributeError):
        return _Said()
