"""What a bucket that others can write makes a retriever do: never anything outside of its cache."""

from __future__ import annotations

import json

import pytest

from retriever.domain.errors import SnapshotDamaged
from tests.integration.object_store.world import World


@pytest.mark.parametrize("absolute", [False, True])
async def test_a_set_that_names_a_folder_elsewhere_is_refused(world: World, *, absolute: bool) -> None:
    """A layer that is not whole is removed to be fetched anew: whoever names it must not choose what is removed."""
    key = f"repositories/shop/sets/{world.publish('one.py')}.json"
    outside = world.folder / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    named = json.loads(world.bucket.read(key) or b"")
    named["layers"][0]["folder"] = str(outside) if absolute else "../../../outside"
    world.bucket.write(key, json.dumps(named).encode())

    with pytest.raises(SnapshotDamaged, match="elsewhere"):
        await world.replica().paths()
    assert (outside / "kept").exists()
