"""
A vectors layer in a Qdrant server: one collection for each embedding model, a tenant for each repository.

The layer's folder contains only the location of the points. They are written in a fixed order under ids derived from
their content, so that an interrupted build is resumed, and a batch that is sent twice changes nothing.
"""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import grpc
import structlog
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from common.core.addresses import UNPROXIED_GRPC, is_loopback
from common.core.errors import DependencyUnavailable
from indexer.adapters.store.disk import sync
from indexer.adapters.vectors.edge_shard import payload
from indexer.adapters.vectors.embedding import finish
from indexer.domain.text.embedding import vectors_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from indexer.adapters.vectors.embedding import Embedded, UnitEmbedder
    from indexer.domain.text.embedding import BuiltVectors, Unit
    from indexer.settings import IndexerSettings

T = TypeVar("T")

LOCATION = "location.json"
_LOG = structlog.get_logger(__name__)
_NAMESPACE = uuid.UUID("6f6f2a3e-5b0c-4f57-9a3c-7d5b9f1c2e11")
_ATTEMPTS = 5
_FIRST_WAIT_SECONDS = 0.2
_TRANSIENT = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}
)
_SCALAR = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, always_ram=True)
)
_BINARY = models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
QUANTIZATIONS = {"none": None, "scalar": _SCALAR, "binary": _BINARY}


@dataclass(frozen=True, slots=True)
class QdrantTarget:
    """
    The server, and the options of collections that are created in it.

    Args:
        collection_prefix: Collections are named `<prefix>_<model>`. The prefix has no underscore: otherwise that of one
            suite could match collections of another, whose points would be removed.
        quantization: "none", "scalar" or "binary".
        shards: Number of shards of a collection, spread over the nodes of the server.
        replicas: Number of nodes that keep each shard.
        sleep: Waits between attempts.
    """

    client: QdrantClient
    collection_prefix: str = "cgrag"
    quantization: str = "scalar"
    shards: int = 1
    replicas: int = 1
    sleep: Callable[[float], object] = time.sleep

    def call(self, call: Callable[[], T]) -> T:
        """Call the server, with up to five attempts at transient errors. Raises DependencyUnavailable."""
        wait = _FIRST_WAIT_SECONDS
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return call()
            except (grpc.RpcError, ResponseHandlingException, UnexpectedResponse) as error:
                if attempt == _ATTEMPTS or not _is_transient(error):
                    raise DependencyUnavailable(_what_is_wrong(error)) from error
            self.sleep(wait)
            wait *= 2
        raise AssertionError("the last attempt returns or raises")


@contextmanager
def open_target(settings: IndexerSettings) -> Iterator[QdrantTarget]:
    """Yield the server that the settings configure; its connection is closed at the end."""
    client = QdrantClient(
        host=settings.qdrant_host,
        grpc_port=settings.qdrant_grpc_port,
        https=settings.qdrant_tls,
        api_key=settings.qdrant_api_key or None,
        prefer_grpc=True,
        check_compatibility=False,
        grpc_options=dict([UNPROXIED_GRPC]) if is_loopback(settings.qdrant_host) else None,
    )
    with closing(client):
        yield QdrantTarget(
            client,
            settings.qdrant_prefix,
            settings.qdrant_quantization,
            settings.qdrant_shards,
            settings.qdrant_replicas,
        )


def collection_name(prefix: str, model: str) -> str:
    """Return the name of a model's collection: letters, digits, dots, dashes and underscores."""
    return f"{prefix}_" + "".join(each if each.isalnum() or each in ".-_" else "-" for each in model)


class QdrantVectorBuilder:
    """Writes vectors layers into a server. Raises DependencyUnavailable when it does not answer."""

    def __init__(self, embedder: UnitEmbedder, target: QdrantTarget) -> None:
        self._embedder = embedder
        self._target = target
        self._collection = collection_name(target.collection_prefix, embedder.model)

    def build(self, repository: str, core: Path, folder: Path, advance: Callable[[int, int], None]) -> BuiltVectors:
        """Embed the planned units of code.db in `core`, write points to the server and their location to `folder`."""
        plan = self._embedder.plan(core)
        self._prepare_collection()
        # The digest is of the whole plan, not of the units done, so that a resumed build finds its points.
        snapshot = vectors_digest(self._embedder.model, plan.units)
        tenant = _filter(repository, snapshot)
        begun = self._target.call(partial(self._target.client.count, self._collection, count_filter=tenant)).count > 0
        done: list[Unit] = []
        for embedded in self._embedder.embed(plan.units, advance):
            done.extend(embedded.units)
            self._write(_points(embedded, repository, snapshot), begun=begun)
        _write_location(folder / LOCATION, self._collection, snapshot)
        return finish(plan, done, self._embedder.model, folder)

    def keep_only(self, repository: str, layers: Sequence[Path]) -> None:
        """
        Remove the points of a repository to which none of these layer folders refers, of former models too.

        If one of the folders cannot be read, no points are removed, as its points may still be searched.
        """
        try:
            kept = sorted(snapshot for folder in layers for snapshot in _named_by(folder))
        except (OSError, ValueError, KeyError, TypeError) as error:
            _LOG.warning("vectors.not_tidied", repository=repository, problem=f"{type(error).__name__}: {error}")
            return
        others = models.FieldCondition(key="snapshot", match=models.MatchAny(any=kept))
        doomed = models.Filter(must=[_matches("repository", repository)], must_not=[others] if kept else None)
        _delete(self._target, doomed)

    def _write(self, points: Sequence[models.PointStruct], *, begun: bool) -> None:
        client = self._target.client
        if begun:
            ids = [point.id for point in points]
            there = self._target.call(partial(client.retrieve, self._collection, ids, with_payload=False))
            known = {str(record.id) for record in there}
            points = [point for point in points if str(point.id) not in known]
        if points:
            self._target.call(partial(client.upsert, self._collection, points, wait=True))

    def _prepare_collection(self) -> None:
        client = self._target.client
        if not self._target.call(partial(client.collection_exists, self._collection)):
            self._create_collection()
        # Each time, as an interrupted build may not have created them; creating an existing one changes nothing.
        keyword = models.KeywordIndexType.KEYWORD
        tenant, plain = models.KeywordIndexParams(type=keyword, is_tenant=True), models.KeywordIndexParams(type=keyword)
        for field, schema in (("repository", tenant), ("snapshot", plain), ("kind", plain)):
            self._target.call(partial(client.create_payload_index, self._collection, field, schema))

    def _create_collection(self) -> None:
        client, replicas = self._target.client, self._target.replicas
        self._target.call(
            partial(
                client.create_collection,
                self._collection,
                vectors_config=models.VectorParams(size=self._embedder.dimensions, distance=models.Distance.COSINE),
                # Graphs are built within each tenant only: no search ever crosses repositories.
                hnsw_config=models.HnswConfigDiff(payload_m=16, m=0),
                shard_number=self._target.shards,
                replication_factor=replicas,
                quantization_config=QUANTIZATIONS[self._target.quantization],
            )
        )
        if replicas == 1:
            return
        found = self._target.call(partial(client.collection_cluster_info, self._collection))
        here, elsewhere = found.local_shards, found.remote_shards
        copies = Counter([*(each.shard_id for each in here), *(each.shard_id for each in elsewhere)])
        if min(copies.values(), default=0) < replicas:
            # Replicas are assigned once, to the nodes that have joined; the new collection is still empty.
            self._target.call(partial(client.delete_collection, self._collection))
            raise DependencyUnavailable(
                f"The vector server has too few nodes yet to keep each shard on {replicas} of them (qdrant_replicas);"
                " index again when all have joined."
            )


def remove_repository(target: QdrantTarget, repository: str) -> None:
    """Remove the points of a repository from the collections of all models. Raises DependencyUnavailable."""
    _delete(target, models.Filter(must=[_matches("repository", repository)]))


def _delete(target: QdrantTarget, doomed: models.Filter) -> None:
    """Delete points from the collections of all models."""
    selector = models.FilterSelector(filter=doomed)
    found = target.call(target.client.get_collections).collections
    for name in sorted(each.name for each in found if each.name.startswith(f"{target.collection_prefix}_")):
        target.call(partial(target.client.delete, name, selector, wait=True))


def _what_is_wrong(error: Exception) -> str:
    code = _code(error)
    if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        return "The vector server refuses the key; check the setting qdrant_api_key."
    if code is None or code in _TRANSIENT:
        return "The vector server does not answer; check its address and health, then try again."
    return (
        f"The vector server refused a call ({code.name}); if the length of vectors changed under the same model's name,"
        " give the collections another qdrant_prefix."
    )


def _code(error: Exception) -> grpc.StatusCode | None:
    code = getattr(error, "code", None)
    found = code() if callable(code) else None
    return found if isinstance(found, grpc.StatusCode) else None


def _is_transient(error: Exception) -> bool:
    return isinstance(error, ResponseHandlingException) or _code(error) in _TRANSIENT


def _matches(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


def _filter(repository: str, snapshot: str) -> models.Filter:
    return models.Filter(must=[_matches("repository", repository), _matches("snapshot", snapshot)])


def _points(embedded: Embedded, repository: str, snapshot: str) -> Sequence[models.PointStruct]:
    return [
        models.PointStruct(
            id=str(uuid.uuid5(_NAMESPACE, f"{repository}\0{snapshot}\0{unit.kind}\0{unit.row_id}\0{unit.chunk}")),
            vector=vector.tolist(),
            payload={**payload(unit), "repository": repository, "snapshot": snapshot},
        )
        for unit, vector in zip(embedded.units, embedded.vectors, strict=True)
    ]


def _named_by(folder: Path) -> Sequence[str]:
    """Return the `snapshot` value of a layer's points in a list; [] for a layer that is not in a server."""
    file = folder / LOCATION
    return [str(json.loads(file.read_text(encoding="utf-8"))["snapshot"])] if file.exists() else []


def _write_location(file: Path, collection: str, snapshot: str) -> None:
    file.write_text(json.dumps({"collection": collection, "snapshot": snapshot}), encoding="utf-8")
    sync(file)
