"""What only the server's side has: faults on the wire, resumed builds, collections and clean-up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import grpc
import pytest
import qdrant_edge

from common.core.errors import DependencyUnavailable, ModelUnavailable
from common.core.settings import load
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.adapters.vectors.qdrant_server import LOCATION, QdrantVectorBuilder, open_target
from indexer.settings import IndexerSettings
from tests.contract.test_vectors_contract import Store
from tests.fakes.clock import FakeClock
from tests.fakes.core_layer import write_core
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.qdrant_server import QdrantServer


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    """A server of its own for each test."""
    with QdrantServer() as running:
        yield running


@pytest.fixture
def store(server: QdrantServer, tmp_path: Path) -> Store:
    """The store on that server."""
    return Store(tmp_path, server)


async def test_collection_belongs_to_the_model_and_has_a_tenant_key(store: Store, server: QdrantServer) -> None:
    """One collection for each model; its repository field is the tenant; graphs are per tenant; int8 vectors."""
    store.build()

    assert list(server.created) == ["cgrag_words"]
    request = server.created["cgrag_words"]
    assert request.hnsw_config.m == 0
    assert request.hnsw_config.payload_m == 16
    assert request.quantization_config.HasField("scalar")
    assert set(server.indexes) == {"repository", "snapshot", "kind"}
    assert server.indexes["repository"].field_index_params.keyword_index_params.is_tenant


def test_collections_are_spread_and_kept_as_the_settings_say(server: QdrantServer, tmp_path: Path) -> None:
    """A shard for each node and two nodes for each shard; one of one by default. The key comes from its file."""
    server.nodes = 3
    key = tmp_path / "key"
    key.write_text("a-key\n", encoding="utf-8")
    where = {"qdrant_host": "127.0.0.1", "qdrant_grpc_port": server.port, "qdrant_api_key_file": str(key)}
    for name, more in (("plain", {}), ("spread", {"qdrant_shards": 3, "qdrant_replicas": 2})):
        table = {**where, "qdrant_prefix": name, **more}
        with pytest.warns(UserWarning, match="insecure connection"):
            build_as(load(IndexerSettings, "indexer", environ={}, file={"indexer": table}), tmp_path / name)
    found = {name: (each.shard_number, each.replication_factor) for name, each in server.created.items()}

    assert found == {"plain_words": (1, 1), "spread_words": (3, 2)}
    assert server.keys == {"a-key"}


def test_a_collection_is_not_left_with_fewer_copies_than_it_is_to_have(server: QdrantServer, tmp_path: Path) -> None:
    """The server would make it of the nodes that have joined, and leave it so: it is made when there are enough."""
    table = {"qdrant_host": "127.0.0.1", "qdrant_grpc_port": server.port, "qdrant_shards": 3, "qdrant_replicas": 2}
    settings = load(IndexerSettings, "indexer", environ={}, file={"indexer": table})
    with pytest.raises(DependencyUnavailable, match="qdrant_replicas"):
        build_as(settings, tmp_path / "alone")
    left = dict(server.shards)
    server.nodes = 2
    build_as(settings, tmp_path / "together")

    assert left == {}
    assert list(server.shards) == ["cgrag_words"]
    assert _count(server) == 10


async def test_transient_faults_are_tried_again(store: Store, server: QdrantServer) -> None:
    """A server that is away for a moment costs waiting, not the build; nothing is written twice."""
    server.failures = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED]

    built, _ = store.build()

    assert built.points == len(server.upserted) == 10


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (grpc.StatusCode.UNAVAILABLE, "check its address"),
        (grpc.StatusCode.UNAUTHENTICATED, "qdrant_api_key"),
        (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT"),
    ],
)
async def test_lasting_faults_are_told(store: Store, server: QdrantServer, code: grpc.StatusCode, told: str) -> None:
    """After the last attempt, or at once where trying again is no use, the build says what is wrong."""
    server.failures = [code] * 5

    with pytest.raises(DependencyUnavailable, match=told):
        store.build()


async def test_indexes_that_a_broken_build_left_out_are_made(store: Store, server: QdrantServer) -> None:
    """Without them every search would read the whole collection."""
    server.create("cgrag_words", FakeEmbedder().dimensions)

    store.build()

    assert set(server.indexes) == {"repository", "snapshot", "kind"}


async def test_build_that_broke_off_is_taken_up(store: Store, server: QdrantServer) -> None:
    """Only the points that are missing are sent, under the ids that they would have had."""
    store.build("first")
    lost = server.upserted[4:7]
    server.shards["cgrag_words"].update(qdrant_edge.UpdateOperation.delete_points([*lost]))
    server.upserted.clear()

    store.build("again")

    assert sorted(server.upserted) == sorted(lost)
    assert _count(server) == 10


async def test_forgotten_snapshots_leave_the_server(store: Store, server: QdrantServer) -> None:
    """Points of layers that are gone are removed, those of layers that stay are not."""
    _, kept = store.build("kept")
    with store.builder() as builder:
        builder.keep_only("shop", [kept])
        after_keeping = _count(server)
        builder.keep_only("shop", [])

    assert after_keeping == 10
    assert _count(server) == 0


async def test_nothing_leaves_the_server_while_a_layer_cannot_be_read(store: Store, server: QdrantServer) -> None:
    """Which points it has is not known then, and some of them may be searched."""
    _, damaged = store.build()
    (damaged / LOCATION).write_text("{", encoding="utf-8")
    with store.builder() as builder:
        builder.keep_only("shop", [damaged])

    assert _count(server) == 10


async def test_forgotten_snapshots_of_a_former_model_leave_the_server(store: Store, server: QdrantServer) -> None:
    """Another model has another collection; what nobody reads any more leaves that one too."""
    former = FakeEmbedder(model="former")
    store.build(embedder=former)
    _, kept = store.build("kept")

    with store.builder() as builder:
        builder.keep_only("shop", [kept])

    assert server.shards["cgrag_former"].count(qdrant_edge.CountRequest()) == 0
    assert _count(server) == 10


async def test_search_on_a_server_that_is_gone_is_unavailable(store: Store, server: QdrantServer) -> None:
    """The retriever is told in one error that vectors cannot be had, and can go on without."""
    built, folder = store.build()

    async with store.opened(built, folder) as vectors:
        assert vectors is not None
        server.failures = [grpc.StatusCode.UNAVAILABLE]
        with pytest.raises(DependencyUnavailable):
            await vectors.nearest("mail", symbols=3, documents=0)


async def test_embedder_that_fails_keeps_what_was_made(store: Store) -> None:
    """An embedding endpoint that fails ends the build with its own error."""
    with pytest.raises(ModelUnavailable):
        store.build(embedder=FakeEmbedder(error=ModelUnavailable("down")))


def build_as(settings: IndexerSettings, folder: Path) -> None:
    """Build a layer as an indexer with these settings does."""
    folder.mkdir()
    with open_target(settings) as target, closing(EmbeddingCache(folder / "embeddings.db", most_rows=1000)) as cache:
        units = UnitEmbedder(FakeEmbedder(), cache, EmbeddingLimits(points=1000, seconds=60.0), FakeClock())
        QdrantVectorBuilder(units, target).build("shop", write_core(folder / "core"), folder, lambda *_: None)


def _count(server: QdrantServer) -> int:
    return server.shards["cgrag_words"].count(qdrant_edge.CountRequest())
