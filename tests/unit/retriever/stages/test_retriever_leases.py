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


def test_only_what_is_read_is_remembered(tmp_path: Path) -> None:
    """Sets come and go as long as the process runs; one that is still read is leased anew after a third of the time."""
    clock = FakeClock()
    leases = Leases(clock, "me", lease_seconds=600.0)
    read = tmp_path / "leases" / f"me-{SNAPSHOT[:16]}.json"
    renewed = []
    for number in range(100):
        clock.advance(100.0)
        before = read.read_text() if number else ""
        leases.hold(tmp_path, SNAPSHOT)
        leases.hold(tmp_path, f"{number:064}")
        renewed.append(read.read_text() != before)

    assert renewed == [True, False] * 50
    assert len(leases._renewed) <= 3
