"""Leases by which readers keep snapshot sets from being deleted, as the collector of old sets reads them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

LONGEST = timedelta(days=1)
"""No reader leases a set for longer at a time (`lease_seconds` of the retriever)."""


@dataclass(frozen=True, slots=True)
class Lease:
    """
    A lease that keeps its set.

    Args:
        snapshot_id: Of the set that is read.
        changed: What to keep in its place, where its end is another one now; None leaves it as it is.
        is_over: It is found over for the first time, and keeps its set for its length once more if that can be written
            down: a clock that was set forward lets all leases end at once, and who still reads renews his by then.
    """

    snapshot_id: str
    changed: bytes | None = None
    is_over: bool = False


def decode_lease(data: bytes, now: datetime) -> Lease | None:
    """
    Return a lease, or None if it is over for good or nobody can read it.

    One that ends further ahead than a lease is long was dated by a wrong clock, and would keep its set until then: it
    is shortened. One whose length is not told, as readers of the release before write them, is over when it ends.
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
    """Return a lease that ends then, for good."""
    return json.dumps({"snapshot_id": snapshot_id, "expires": end.isoformat().replace("+00:00", "Z")}).encode()
