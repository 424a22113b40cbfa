"""What an indexer that brings snapshots into a bucket finds after a loss of power, or from a wrong clock."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.integration.object_store.world import World


def test_what_is_owed_survives_a_loss_of_power(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The note is on disk before the data folder changes, and one note before the other one goes."""
    flushed: list[str] = []
    flush = os.fsync

    def remembered(descriptor: int) -> None:
        flushed.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", remembered)
    world.uploads.owe("shop")
    noted = list(flushed)
    world.uploads.bring("shop")

    assert noted == ["owed"]
    assert "begun" in flushed


def test_a_lease_of_a_wrong_clock_keeps_its_set_for_a_day(world: World) -> None:
    """It ends in a hundred years by itself, and is shortened where it is seen."""
    first = world.publish("one.py")
    expires = (world.clock.now() + timedelta(days=36500)).isoformat()
    world.bucket.write(
        "repositories/shop/leases/r-1.json", json.dumps({"snapshot_id": first, "expires": expires}).encode()
    )
    for name in ("two.py", "three.py", "four.py"):
        world.publish(name)
    kept = f"repositories/shop/sets/{first}.json" in world.bucket.listed("repositories/shop/sets")
    world.clock.advance(86_401)
    world.publish("five.py")

    assert kept
    assert f"repositories/shop/sets/{first}.json" not in world.bucket.listed("repositories/shop/sets")
    assert world.bucket.listed("repositories/shop/leases") == []
