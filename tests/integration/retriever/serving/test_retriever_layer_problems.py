"""Layers that cannot be opened: said once in the log, listed for callers, forgotten when they open."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import structlog

from common.core.errors import DependencyUnavailable
from indexer.adapters.vectors.edge_shard import EdgeVectorBuilder
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from retriever.adapters.snapshots.folder import Layer
from retriever.adapters.snapshots.problems import LayerProblemNotes
from retriever.adapters.vectors.edge import PACKED, EdgeShards
from retriever.adapters.vectors.layers import VectorLayers
from retriever.adapters.vectors.query_embedding import QueryEmbedding
from retriever.domain.values import SnapshotInfo
from retriever.usecases.inspecting import ListLayerProblems
from tests.fakes.clock import FakeClock
from tests.fakes.core_layer import write_core
from tests.fakes.embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INFO = SnapshotInfo("id", "shop", "source", "commit", False, "core", ("core", "vectors"))


class _SeesNothing:
    def admits(self, repository: str) -> bool:
        return False

    def sees(self, repository: str) -> bool:
        return False


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    """A layer of the small core."""
    folder = tmp_path / "layer"
    folder.mkdir()
    with closing(EmbeddingCache(tmp_path / "e.db", most_rows=100)) as cache:
        units = UnitEmbedder(FakeEmbedder(), cache, EmbeddingLimits(1000, 60.0), FakeClock())
        built = EdgeVectorBuilder(units).build("shop", write_core(tmp_path / "core"), folder, lambda *_: None)
    return Layer("vectors", folder, built.layer.digest, built.layer.model)


@pytest.fixture
def shards(tmp_path: Path) -> Iterator[EdgeShards]:
    """Copies in a folder of the test."""
    opened = EdgeShards(keep_open=0, folder=tmp_path / "copies")
    yield opened
    opened.close()


async def test_a_damaged_layer_is_said_once_and_listed(layer: Layer, shards: EdgeShards, tmp_path: Path) -> None:
    """Each search fails; the log has the cause, and the list is empty again when the layer opens."""
    notes = LayerProblemNotes(FakeClock())
    vectors = VectorLayers(QueryEmbedding(FakeEmbedder()), shards, notes).open(INFO, layer)
    assert vectors is not None
    shutil.move(layer.folder / PACKED, tmp_path / "whole")
    (layer.folder / PACKED).write_bytes(b"damaged")
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            with pytest.raises(DependencyUnavailable):
                await vectors.nearest("warehouse", symbols=1, documents=0)
    listed, more = await ListLayerProblems(notes.all).run(0, 10)
    hidden, _ = await ListLayerProblems(notes.all, _SeesNothing()).run(0, 10)
    shutil.move(tmp_path / "whole", layer.folder / PACKED)
    await vectors.nearest("warehouse", symbols=1, documents=0)
    after, _ = await ListLayerProblems(notes.all).run(0, 10)

    [logged] = [each for each in logs if each["event"] == "layer.not_opened"]
    assert (logged["log_level"], logged["repository"]) == ("warning", "shop")
    assert logged["cause"].startswith("ReadError")
    assert [(each.repository, each.layer, each.problem) for each in listed] == [
        ("shop", "vectors", "the vectors layer cannot be opened")
    ]
    assert (more, hidden, after) == (False, (), ())


async def test_vectors_of_another_model_are_listed_with_what_to_do(layer: Layer, shards: EdgeShards) -> None:
    """The layer is there and cannot be searched: no silence, and no repeated log."""
    notes = LayerProblemNotes(FakeClock())
    layers = VectorLayers(QueryEmbedding(FakeEmbedder()), shards, notes)
    other = Layer("vectors", layer.folder, layer.digest, "other:model@4")
    with structlog.testing.capture_logs() as logs:
        opened = [layers.open(INFO, other) for _ in range(3)]
    [problem] = (await ListLayerProblems(notes.all).run(0, 10))[0]

    assert opened == [None] * 3
    assert "other:model@4" in problem.problem
    assert "index the repository again" in problem.problem
    assert len([each for each in logs if each["event"] == "layer.not_opened"]) == 1
