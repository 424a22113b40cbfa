"""A set is of a core, whatever else is in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from indexer.adapters.store.manifests import decode_set, encode_set
from indexer.domain.snapshots.snapshot import Counts, Layer, SnapshotSet

CORE, VECTORS = Layer("core", "c" * 64, 1), Layer("vectors", "v" * 64, 1, "tiny")


def of(*layers: Layer) -> SnapshotSet:
    return SnapshotSet("shop", "s", "", False, datetime(2026, 1, 1, tzinfo=UTC), Counts(), layers)


def test_a_set_without_a_core_is_none() -> None:
    """It is refused as any other damage when it is read, so that who has a set need not ask."""
    assert decode_set(encode_set(of(CORE, VECTORS))).core == CORE
    with pytest.raises(ValueError, match="no core"):
        decode_set(encode_set(of(VECTORS)))


def test_a_layer_that_is_left_out_leaves_the_others() -> None:
    """What is left is published at the time that is given, with the counts that hold then."""
    time, counts = datetime(2026, 1, 2, tzinfo=UTC), Counts(files=3)
    left = of(CORE, VECTORS).without_layer("vectors", counts, time)

    assert (left.layers, left.counts, left.publish_time) == ((CORE,), counts, time)
    assert left.layer("vectors") is None
    assert left.snapshot_id == of(CORE).snapshot_id
