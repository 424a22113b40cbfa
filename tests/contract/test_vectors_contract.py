"""One suite over both stores of vectors: the embedded engine, and a Qdrant server over the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient

from indexer.adapters.vectors.edge_shard import EdgeVectorBuilder
from indexer.adapters.vectors.embedding import EmbeddingLimits, UnitEmbedder
from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.adapters.vectors.qdrant_server import QdrantTarget, QdrantVectorBuilder
from indexer.domain.text.embedding import BuiltVectors, LeftOut
from indexer.ports import VectorBuilder
from retriever.adapters.snapshots.folder import Layer
from retriever.adapters.snapshots.opening import OpenVectors
from retriever.adapters.snapshots.problems import LayerProblemNotes
from retriever.adapters.vectors.edge import EdgeShards
from retriever.adapters.vectors.layers import VectorLayers
from retriever.adapters.vectors.qdrant import QdrantVectors, read_location
from retriever.adapters.vectors.query_embedding import QueryEmbedding
from retriever.domain.values import SnapshotInfo
from retriever.ports import Vectors
from tests.fakes.clock import FakeClock
from tests.fakes.core_layer import write_core
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.qdrant_server import QdrantServer

DEFAULT_LIMITS = EmbeddingLimits(points=1000, seconds=60.0)


@dataclass
class Store:
    """One kind of store, with what both of its sides need."""

    folder: Path
    server: QdrantServer | None

    @contextmanager
    def builder(
        self, embedder: FakeEmbedder | None = None, limits: EmbeddingLimits = DEFAULT_LIMITS
    ) -> Iterator[VectorBuilder]:
        """Yield the indexer's side."""
        cache = EmbeddingCache(self.folder / "embeddings.db", most_rows=1000)
        units = UnitEmbedder(embedder or FakeEmbedder(), cache, limits, FakeClock())
        with ExitStack() as stack:
            stack.callback(cache.close)
            if self.server is None:
                yield EdgeVectorBuilder(units)
                return
            client = QdrantClient(
                host="127.0.0.1", grpc_port=self.server.port, prefer_grpc=True, check_compatibility=False
            )
            stack.callback(client.close)
            yield QdrantVectorBuilder(units, QdrantTarget(client, sleep=lambda _: None))

    def build(
        self,
        name: str = "layer",
        *,
        repository: str = "shop",
        embedder: FakeEmbedder | None = None,
        limits: EmbeddingLimits = DEFAULT_LIMITS,
    ) -> tuple[BuiltVectors, Path]:
        """Build a layer of the small core into a folder of its own."""
        target = self.folder / name
        target.mkdir()
        with self.builder(embedder, limits) as builder:
            return builder.build(repository, write_core(self.folder / "core"), target, lambda *_: None), target

    @asynccontextmanager
    async def opened(
        self, built: BuiltVectors, folder: Path, *, repository: str = "shop", embedder: FakeEmbedder | None = None
    ) -> AsyncIterator[Vectors | None]:
        """Yield the retriever's side."""
        shards = EdgeShards(keep_open=1, folder=self.folder / "copies")
        embedding = QueryEmbedding(embedder or FakeEmbedder())
        client = None
        layers = VectorLayers(embedding, shards, LayerProblemNotes(FakeClock()))
        if self.server is not None:
            client = AsyncQdrantClient(
                host="127.0.0.1", grpc_port=self.server.port, prefer_grpc=True, check_compatibility=False
            )
            layers = VectorLayers(embedding, shards, LayerProblemNotes(FakeClock()), in_server(client, embedding))
        info = SnapshotInfo("id", repository, "source", "commit", False, "core", ("core", "vectors"))
        try:
            yield layers.open(info, Layer("vectors", folder, built.layer.digest, built.layer.model))
        finally:
            shards.close()
            if client is not None:
                await client.close()


def in_server(client: AsyncQdrantClient, embedding: QueryEmbedding) -> Callable[[Layer, str], OpenVectors]:
    """Return what opens a layer in the server."""
    return lambda layer, repository: QdrantVectors(client, read_location(layer, repository), embedding)


@pytest.fixture(params=["embedded", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store in turn."""
    if request.param == "embedded":
        yield Store(tmp_path, None)
        return
    with QdrantServer() as server:
        yield Store(tmp_path, server)


async def test_nearest_symbols_and_documents_come_back_by_row(store: Store) -> None:
    """A query finds the symbol and the page whose words it shares, nearest first, each once."""
    built, folder = store.build()

    async with store.opened(built, folder) as vectors:
        assert vectors is not None
        mail = await vectors.nearest("deliver an e-mail message", symbols=2, documents=0)
        deploy = await vectors.nearest("kubernetes containers behind a load balancer", symbols=0, documents=2)
        both = await vectors.nearest("database connections", symbols=3, documents=2)

    assert mail[0].symbol_id == 3
    assert mail[0].document_id is None
    assert mail[0].score > mail[1].score
    assert [hit.document_id for hit in deploy] == [2, 1]
    assert both[0].symbol_id == 5
    assert len(both) == 5
    assert [hit.score for hit in both] == sorted((hit.score for hit in both), reverse=True)


async def test_what_does_not_pay_is_left_out_and_counted(store: Store) -> None:
    """Tests and symbols without substance get no vector; the counts say so."""
    built, folder = store.build()

    async with store.opened(built, folder) as vectors:
        assert vectors is not None
        hits = await vectors.nearest("mail tiny hidden", symbols=50, documents=0)

    assert {hit.symbol_id for hit in hits} == {2, 3, 4, 5, 6}
    assert built.left_out == {LeftOut.TEST: 1, LeftOut.TRIVIAL: 3}
    assert built.points == 5 + 1 + 4


async def test_limit_keeps_pages_first(store: Store) -> None:
    """With room for few points only, pages come before symbols and the rest is counted."""
    built, _ = store.build(limits=EmbeddingLimits(points=6, seconds=60.0))

    assert built.points == 6
    assert built.left_out[LeftOut.LIMIT] == 4


async def test_equal_inputs_give_an_equal_layer(store: Store) -> None:
    """The digest follows from model and units; vectors that are known are not made again."""
    first, _ = store.build("first")
    second_embedder = FakeEmbedder()
    second, _ = store.build("second", embedder=second_embedder)

    assert first.layer.digest == second.layer.digest
    assert first.layer.model == "words"
    assert second_embedder.asked == []


async def test_time_that_is_over_leaves_texts_for_the_next_run(store: Store) -> None:
    """Without time only what the cache has gets a vector; the next run with time completes it."""
    early, _ = store.build("early", limits=EmbeddingLimits(points=1000, seconds=0.0))
    late, folder = store.build("late")

    async with store.opened(late, folder) as vectors:
        assert vectors is not None
        hits = await vectors.nearest("picture thumbnail", symbols=1, documents=0)

    assert early.points == 0
    assert early.left_out[LeftOut.TIME] == 10
    assert early.layer.digest != late.layer.digest
    assert LeftOut.TIME not in late.left_out
    assert hits[0].symbol_id == 6


async def test_a_layer_of_another_model_is_not_searched(store: Store) -> None:
    """Vectors of different models cannot be compared: the layer is not opened."""
    built, folder = store.build()

    async with store.opened(built, folder, embedder=FakeEmbedder(model="other")) as vectors:
        assert vectors is None


async def test_repositories_do_not_see_each_other(store: Store) -> None:
    """The same code indexed under two names stays apart, also after one of them is forgotten."""
    shop, shop_folder = store.build("shop")
    store.build("bank", repository="bank")
    with store.builder() as builder:
        builder.keep_only("bank", [])

    async with store.opened(shop, shop_folder) as vectors:
        assert vectors is not None
        hits = await vectors.nearest("database connections", symbols=10, documents=10)

    assert len(hits) == 7
    assert len({(hit.symbol_id, hit.document_id) for hit in hits}) == 7


async def test_layer_survives_being_searched(store: Store) -> None:
    """Searching changes nothing in the published folder, so that many retrievers can serve it."""
    built, folder = store.build()
    before = {path.name: path.read_bytes() for path in sorted(folder.rglob("*"))}

    async with store.opened(built, folder) as first, store.opened(built, folder) as second:
        assert first is not None
        assert second is not None
        assert await first.nearest("mail", symbols=3, documents=1) == await second.nearest(
            "mail", symbols=3, documents=1
        )

    assert {path.name: path.read_bytes() for path in sorted(folder.rglob("*"))} == before
