"""Leases that cannot be written: the answer is served without, and nothing is left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from structlog.testing import capture_logs

from retriever.adapters.snapshots.leases import Leases
from tests.fakes.clock import FakeClock

if TYPE_CHECKING:
    from pathlib import Path

SNAPSHOT = "a" * 64


def test_what_was_written_of_a_lease_goes_with_its_failure(tmp_path: Path) -> None:
    """A folder that takes no more files, or no more of this name, is not filled with attempts; the log tells why."""
    taken = tmp_path / "leases" / f"me-{SNAPSHOT[:16]}.json"
    taken.mkdir(parents=True)
    with capture_logs() as logs:
        Leases(FakeClock(), "me", lease_seconds=600.0).hold(tmp_path, SNAPSHOT)

    assert [each.name for each in taken.parent.iterdir()] == [taken.name]
    assert [(each["event"], each["snapshot_id"]) for each in logs] == [("lease.not_written", SNAPSHOT)]
