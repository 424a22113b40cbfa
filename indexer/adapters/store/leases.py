"""Decodes the leases with which readers keep snapshot sets from deletion, for the code that deletes old sets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

LONGEST = timedelta(days=1)
"""Longest lease that a reader takes at a time (`lease_seconds` of the retriever)."""


@dataclass(frozen=True, slots=True)
class Lease:
    """
    A lease that keeps its set.

    Args:
        snapshot_id: Of the set that is read.
        changed: New content of the lease file if its end is to change; None if it stays as it is.
        is_over: The lease is found to be expired for the first time. If the new end can be written, it keeps its set
            for its length once more: a clock that was set forward makes all leases expire at once, and within that
            time a reader that is still running renews its lease.
    """

    snapshot_id: str
    changed: bytes | None = None
    is_over: bool = False


def decode_lease(data: bytes, now: datetime) -> Lease | None:
    """
    Return a lease; None if it has expired for good or is malformed.

    A lease that ends more than `LONGEST` after `now` was dated by a wrong clock and is shortened to `LONGEST`. A lease
    without a length, as readers of the previous release write it, is not extended when it has expired.
    """
    try:
        lease = json.loads(data)
        expires, snapshot_id = datetime.fromisoformat(lease["expires"]), str(lease["snapshot_id"])
        length = timedelta(seconds=lease.get("seconds", 0))
        if expires < now:
            is_told = timedelta() < length <= LONGEST
            return Lease(snapshot_id, _ending(snapshot_id, now + length), is_over=True) if is_told else None
        is_credible = expires - now <= LONGEST
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None
    return Lease(snapshot_id, None if is_credible else _ending(snapshot_id, now + LONGEST))


def _ending(snapshot_id: str, end: datetime) -> bytes:
    """Return the content of a lease with this end; it has no length, so it is not extended again."""
    return json.dumps({"snapshot_id": snapshot_id, "expires": end.isoformat().replace("+00:00", "Z")}).encode()
