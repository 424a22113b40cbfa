"""Leases, by which readers tell which sets they read, as who collects sets sees them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

LONGEST = timedelta(days=1)
"""No reader leases a set for longer at a time (`lease_seconds` of the retriever)."""


@dataclass(frozen=True, slots=True)
class Lease:
    """
    A lease that is not over.

    Args:
        snapshot_id: Of the set that is read.
        shortened: What to keep in its place, where its end is further ahead than a lease is long: whoever dated it had
            a wrong clock, and would keep the set until then.
    """

    snapshot_id: str
    shortened: bytes | None = None


def decode_lease(data: bytes, now: datetime) -> Lease | None:
    """Return a lease, or None if it is over or nobody can read it."""
    try:
        lease = json.loads(data)
        expires, snapshot_id = datetime.fromisoformat(lease["expires"]), str(lease["snapshot_id"])
        if expires < now:
            return None
        is_credible = expires - now <= LONGEST
    except (ValueError, KeyError, TypeError):
        return None
    if is_credible:
        return Lease(snapshot_id)
    end = (now + LONGEST).isoformat().replace("+00:00", "Z")
    return Lease(snapshot_id, json.dumps({"snapshot_id": snapshot_id, "expires": end}).encode())
