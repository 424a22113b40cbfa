"""Copies of shards: kept while they are used, closed when too many, removed even after a crash."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from common.core.errors import DependencyUnavailable
from indexer.adapters.vectors.edge_shard import EdgeVectorBuilder
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from retriever.adapters.snapshots.folder import Layer
from retriever.adapters.vectors.edge import EdgeShards, EdgeVectors
from retriever.adapters.vectors.query_embedding import QueryEmbedding
from tests.fakes.clock import FakeClock
from tests.fakes.core_layer import write_core
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.small_disk import mounted_disk

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[4]
CRASH = """
import os, sys
from pathlib import Path
from retriever.adapters.snapshots.folder import Layer
from retriever.adapters.vectors.edge import EdgeShards
shards = EdgeShards(keep_open=1, folder=Path(sys.argv[1]))
with shards.using(Layer("vectors", Path(sys.argv[2]), "digest", "words")):
    os._exit(9)
"""


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    """A layer of the small core."""
    folder = tmp_path / "layer"
    folder.mkdir()
    with closing(EmbeddingCache(tmp_path / "e.db", most_rows=100)) as cache:
        units = UnitEmbedder(FakeEmbedder(), cache, EmbeddingLimits(1000, 60.0), FakeClock())
        built = EdgeVectorBuilder(units).build("shop", write_core(tmp_path / "core"), folder, lambda *_: None)
    return Layer("vectors", folder, built.layer.digest, built.layer.model)


def test_many_start_at_once_over_what_was_left(tmp_path: Path) -> None:
    """Several retrievers of one data folder sweep the same leftovers; each removes what is there, none fails."""
    for number in range(40):
        left = tmp_path / f"cgrag-vectors-{number}"
        left.mkdir()
        (left / "claim").touch()

    def start(_: int) -> EdgeShards:
        return EdgeShards(keep_open=1, folder=tmp_path)

    with ThreadPoolExecutor(8) as pool:
        started = list(pool.map(start, range(8)))

    assert len(list(tmp_path.glob("cgrag-vectors-*/claim"))) == 8
    for each in started:
        each.close()


def copies(folder: Path) -> int:
    """Count shards that are unpacked."""
    return len(list(folder.glob("*/*/shard")))


def test_only_so_many_stay_open(layer: Layer, tmp_path: Path) -> None:
    """A shard in use is never closed; when nobody uses them, the least recently used go first."""
    shards = EdgeShards(keep_open=1, folder=tmp_path / "copies")
    other = Layer("vectors", layer.folder, "another digest", layer.model)

    with shards.using(layer), shards.using(other):
        both = copies(tmp_path / "copies")
    after = copies(tmp_path / "copies")
    shards.close()

    assert (both, after) == (2, 1)
    assert list((tmp_path / "copies").iterdir()) == []


async def test_a_closed_snapshot_leaves_no_copy(layer: Layer, tmp_path: Path) -> None:
    """Its vectors' copy goes with it, unless another snapshot of the same layer is searching."""
    shards = EdgeShards(keep_open=2, folder=tmp_path / "copies")
    vectors = EdgeVectors(shards, layer, QueryEmbedding(FakeEmbedder()))
    await vectors.nearest("warehouse", symbols=1, documents=0)
    searched = copies(tmp_path / "copies")

    with shards.using(layer):
        vectors.close()
        in_use = copies(tmp_path / "copies")
    vectors.close()
    closed = copies(tmp_path / "copies")
    again = await vectors.nearest("warehouse", symbols=1, documents=0)
    shards.close()

    assert (searched, in_use, closed, len(again)) == (1, 1, 0, 1)


def test_copies_of_a_crashed_process_are_removed(layer: Layer, tmp_path: Path) -> None:
    """What a killed process left behind goes when the next one starts; copies in use stay."""
    folder = tmp_path / "copies"
    living = EdgeShards(keep_open=1, folder=folder)
    with living.using(layer):
        crashed = subprocess.run(
            [sys.executable, "-c", CRASH, str(folder), str(layer.folder)], cwd=ROOT, check=False
        ).returncode
        left = copies(folder)
        EdgeShards(keep_open=1, folder=folder).close()
        swept = copies(folder)
    living.close()

    assert crashed == 9
    assert (left, swept) == (2, 1)


def test_damaged_layer_is_unavailable_and_leaves_nothing(layer: Layer, tmp_path: Path) -> None:
    """A file that is no shard is told as one error, every time, and takes no room."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "shard.tar.gz").write_bytes(b"not an archive")
    shards = EdgeShards(keep_open=1, folder=tmp_path / "copies")

    for _ in range(2):
        with (
            pytest.raises(DependencyUnavailable),
            shards.using(Layer("vectors", broken, "digest", layer.model)),
        ):
            pass
    shards.close()

    assert copies(tmp_path / "copies") == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of six megabytes; skipped where that is not allowed."""
    with mounted_disk(tmp_path / "disk", 6) as disk:
        yield disk


def test_a_disk_without_room_for_the_engine_is_told_and_ends_nothing(layer: Layer, small_disk: Path) -> None:
    """The copy would fit, with its holes; the engine fills some of them, and a process that cannot is killed."""
    script = CRASH.replace("os._exit(9)", "pass")
    arguments = [sys.executable, "-c", script, str(small_disk), str(layer.folder)]
    ended = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)

    assert ended.returncode == 1
    assert ended.stderr.endswith("the vectors layer cannot be opened; free space on the retriever's disk\n")
    assert copies(small_disk) == 0
