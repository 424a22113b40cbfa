"""What becomes of a data folder whose files were damaged: indexing again makes everything whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from indexer.adapters.store.manifests import intact
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.service import refused, running

FILES = ("CURRENT", "sets/*.json", "layers/core-*/code.db", "layers/core-*/manifest.json", "scan.cache")
EDIT = {"shop/cart.py": "def cart():\n    return 1\n"}


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


def is_whole(indexing: Indexing) -> bool:
    """Tell whether every layer of the current set is what was written."""
    home = indexing.data / "repositories/shop/layers"
    return all(intact(layer, home / layer.folder) for layer in indexing.current().layers)


@pytest.mark.parametrize("damage", [None, lambda _: b"", lambda data: data[: len(data) // 2], flipped])
@pytest.mark.parametrize("edit", [{}, EDIT])
def test_indexing_again_mends_every_file(
    indexing: Indexing, shop: Path, damage: Callable[[bytes], bytes] | None, edit: dict[str, str | bytes]
) -> None:
    """Whichever file is gone, empty, cut off or flipped, whether the source changed or not: whole, and as if fresh."""
    indexing.run(shop)
    kept = shutil.copytree(indexing.data, indexing.data.with_name("kept"))
    write_tree(shop, edit)
    fresh = Indexing(indexing.data.with_name("fresh"))
    wanted = fresh.run(shop).snapshot.snapshot_id
    got = {}
    for pattern in FILES:
        shutil.rmtree(indexing.data)
        shutil.copytree(kept, indexing.data)
        for file in (indexing.data / "repositories/shop").glob(pattern):
            data = file.read_bytes()
            file.unlink()
            if damage is not None:
                file.write_bytes(damage(data))
        indexing.run(shop)
        got[pattern] = (indexing.current().snapshot_id, is_whole(indexing))

    assert got == dict.fromkeys(FILES, (wanted, True))


async def test_a_damaged_later_layer_is_made_again(indexing: Indexing, shop: Path) -> None:
    """Reading it is a clear error until then; the job over the unchanged source makes it anew."""
    async with running(indexing.data) as indexer:
        before = await indexer.index(shop, repository="shop")
        (findings,) = (indexing.data / "repositories/shop/layers").glob("findings-*/summary.json")
        findings.write_bytes(findings.read_bytes()[:-9])
        damaged = await refused(indexer.stub.ListFindings(pb.ListFindingsRequest(repository="shop")))
        again = await indexer.index(shop, repository="shop")
        await indexer.stub.ListFindings(pb.ListFindingsRequest(repository="shop"))

    assert damaged == (grpc.StatusCode.DATA_LOSS, "ERROR_REASON_SNAPSHOT_DAMAGED")
    assert (again.state, again.snapshot_id) == (pb.INDEX_JOB_STATE_SUCCEEDED, before.snapshot_id)
    assert is_whole(indexing)


def test_a_pointer_out_of_the_repository_leads_nowhere(indexing: Indexing, shop: Path) -> None:
    """CURRENT names a set of its repository, nothing else."""
    indexing.run(shop)
    (indexing.data / "repositories/shop/CURRENT").write_text("../../other/sets/x\n")
    indexing.run(shop)

    assert is_whole(indexing)
