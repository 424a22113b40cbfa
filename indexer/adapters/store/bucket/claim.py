"""
Marks in a bucket which indexer writes to it, so that no second indexer does.

The claim is an object that its holder rewrites regularly. An indexer that finds a claim of another one measures with
its own monotonic clock how long the object has not changed: no clocks need to agree. A claim belongs to a data folder,
so an indexer that was killed has it again at once after a restart. Each rewrite contains a new random proof, which is
stored in the data folder too: a copy of the folder does not have the proofs that were made after it was copied.
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
from indexer.adapters.store.disk import storage_errors, sync

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
    """The fields of a claim: all "" if it cannot be read; `proof` is "" if an earlier release wrote it."""

    name: str = ""
    host: str = ""
    time: str = ""
    proof: str = ""


class BucketClaim:
    """
    The claim of one data folder on a bucket.

    Args:
        file: Holds the random name of this data folder, made at first use; the proofs are in a file beside it.
    """

    def __init__(self, bucket: Bucket, file: Path, clock: Clock) -> None:
        self._bucket = bucket
        self._file = file
        self._clock = clock
        self._seen = ("", 0.0)
        self._has_shown = False

    def hold(self) -> None:
        """Take the claim, once per process. Raises ObjectStoreUnavailable, naming the holder, if it is taken."""
        mine = self._name()
        with _alone(self._file.with_name(f"{self._file.name}.proof")) as proofs:
            found = self._bucket.look(KEY)
            is_mine = _is_of(found, mine, proofs)
            if is_mine and self._has_shown:
                return
            if found is not None and not is_mine and not self._is_left(found.mark):
                raise self._taken(found, mine)
            # Also if the claim is ours: of a data folder and its copy, both with the proof, only one write succeeds.
            if not self._write(found if is_mine else None, mine, proofs, "" if found is None else found.mark):
                found = self._bucket.look(
                    KEY
                )  # another writer was first, or an attempt of ours that seemed to fail succeeded
                if not _is_of(found, mine, proofs):
                    raise self._taken(found, mine)
            self._has_shown = True

    def beat(self) -> None:
        """Renew the claim if this indexer holds it. Raises ObjectStoreUnavailable."""
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
                sync(beside)
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
        """Write the claim if its object still has `mark`; return whether it had. `known`: our claim, if found."""
        new = secrets.token_hex(16)
        # Stored before the upload, together with the proof in the bucket: after a crash the bucket may hold either.
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
    The last two proofs of a data folder: the one found in the bucket, and the one written to replace it.

    Args:
        descriptor: Of their file, which is overwritten in place, so that a full disk does not cost the claim.
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
    """Lock the file of proofs, so that no other process of the data folder writes the claim meanwhile."""
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
