"""
A Qdrant server for wire tests: the client's own generated servicers over embedded shards, one for each collection.

It answers the unmodified client over gRPC as far as this project calls it; anything else is UNIMPLEMENTED.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Self

import grpc
import qdrant_edge as edge
from qdrant_client import grpc as wire
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc, grpc_to_payload, payload_to_grpc


@dataclass
class QdrantServer:
    """
    The server; listens within its `with` block on a free port of the loopback address.

    `failures` are status codes of the next calls that write or search, used up one by one; `keys` are those shown;
    `nodes` are told to be there, each with a copy of a shard, as far as the collection asks for copies.
    """

    failures: list[grpc.StatusCode] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    upserted: list[str] = field(default_factory=list)
    created: dict[str, Any] = field(default_factory=dict)
    indexes: dict[str, Any] = field(default_factory=dict)
    shards: dict[str, edge.EdgeShard] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    nodes: int = 1
    port: int = 0
    home: str = ""

    def __enter__(self) -> Self:
        """Start to listen."""
        self._home = tempfile.TemporaryDirectory()
        self.home = self._home.name
        self._server = grpc.server(ThreadPoolExecutor(4))
        wire.add_PointsServicer_to_server(_Points(self), self._server)  # type: ignore[no-untyped-call]  # generated
        wire.add_CollectionsServicer_to_server(_Collections(self), self._server)  # type: ignore[no-untyped-call]  # too
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and remove all collections."""
        self._server.stop(None).wait()
        for shard in self.shards.values():
            shard.close()
        self._home.cleanup()

    def create(self, name: str, size: int) -> None:
        """Make a collection of vectors compared by cosine."""
        config = edge.EdgeConfig(vectors=edge.EdgeVectorParams(size=size, distance=edge.Distance.Cosine))
        self.shards[name] = edge.EdgeShard.create(f"{self.home}/{name}", config)

    def enter(self, method: str, context: grpc.ServicerContext) -> None:
        """Count a call, and fail it if the script says so."""
        self.calls[method] += 1
        self.keys.update(str(value) for name, value in context.invocation_metadata() if name == "api-key")
        if self.failures:
            context.abort(self.failures.pop(0), "scripted failure")


class _Collections(wire.CollectionsServicer):
    def __init__(self, server: QdrantServer) -> None:
        self._server = server

    def CollectionExists(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.enter("CollectionExists", context)
        exists = wire.CollectionExists(exists=request.collection_name in self._server.shards)
        return wire.CollectionExistsResponse(result=exists)

    def List(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.enter("List", context)
        names = [wire.CollectionDescription(name=name) for name in self._server.shards]
        return wire.ListCollectionsResponse(collections=names)

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.enter("Create", context)
        self._server.created[request.collection_name] = request
        self._server.create(request.collection_name, request.vectors_config.params.size)
        return wire.CollectionOperationResponse(result=True)

    def CollectionClusterInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        asked = self._server.created[request.collection_name]
        active, shards = wire.ReplicaState.Active, range(asked.shard_number)
        others = range(1, min(asked.replication_factor, self._server.nodes))
        return wire.CollectionClusterInfoResponse(
            peer_id=1,
            shard_count=asked.shard_number,
            local_shards=[wire.LocalShardInfo(shard_id=shard, state=active) for shard in shards],
            remote_shards=[
                wire.RemoteShardInfo(shard_id=shard, peer_id=1 + other, state=active)
                for shard in shards
                for other in others
            ],
        )

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.enter("Delete", context)
        self._server.shards.pop(request.collection_name).close()
        shutil.rmtree(f"{self._server.home}/{request.collection_name}")
        return wire.CollectionOperationResponse(result=True)


class _Points(wire.PointsServicer):
    def __init__(self, server: QdrantServer) -> None:
        self._server = server

    def CreateFieldIndex(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.indexes[request.field_name] = request
        keyword = edge.PayloadSchemaType.Keyword
        self._shard(request, context).update(edge.UpdateOperation.create_field_index(request.field_name, keyword))
        return _done()

    def Upsert(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.enter("Upsert", context)
        points = [
            edge.Point(point.id.uuid, list(_dense(point.vectors.vector)), grpc_to_payload(point.payload))
            for point in request.points
        ]
        self._shard(request, context).update(edge.UpdateOperation.upsert_points(points))
        self._server.upserted.extend(point.id.uuid for point in request.points)
        return _done()

    def Count(self, request: Any, context: grpc.ServicerContext) -> Any:
        counted = self._shard(request, context).count(edge.CountRequest(filter=_filter(request.filter)))
        return wire.CountResponse(result=wire.CountResult(count=counted))

    def Get(self, request: Any, context: grpc.ServicerContext) -> Any:
        found = self._shard(request, context).retrieve([each.uuid for each in request.ids], False, False)
        ids = [wire.PointId(uuid=str(each.id)) for each in found]
        return wire.GetResponse(result=[wire.RetrievedPoint(id=each) for each in ids])

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        chosen = _filter(request.points.filter)
        self._shard(request, context).update(edge.UpdateOperation.delete_points_by_filter(chosen))
        return _done()

    def Query(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._server.enter("Query", context)
        query = edge.QueryRequest(
            limit=request.limit,
            query=edge.Query.Nearest(list(request.query.nearest.dense.data)),
            filter=_filter(request.filter),
            with_payload=True,
        )
        return wire.QueryResponse(
            result=[
                wire.ScoredPoint(
                    id=wire.PointId(uuid=str(point.id)),
                    score=point.score,
                    payload=payload_to_grpc(point.payload or {}),
                )
                for point in self._shard(request, context).query(query)
            ]
        )

    def _shard(self, request: Any, context: grpc.ServicerContext) -> edge.EdgeShard:
        shard = self._server.shards.get(request.collection_name)
        if shard is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such collection")
        return shard


def _done() -> Any:
    return wire.PointsOperationResponse(result=wire.UpdateResult(operation_id=1, status=wire.UpdateStatus.Completed))


def _dense(vector: Any) -> Any:
    return vector.dense.data if vector.HasField("dense") else vector.data


def _filter(message: Any) -> edge.Filter:
    rest = GrpcToRest.convert_filter(message)
    assert RestToGrpc.convert_filter(rest) == message, "the fake knows every condition that the client sends"
    return edge.Filter(must=_conditions(rest.must), must_not=_conditions(rest.must_not))


def _conditions(given: Any) -> list[Any]:
    conditions = given if isinstance(given, list) else [given] if given else []
    return [edge.FieldCondition(each.key, match=_match(each.match)) for each in conditions]


def _match(match: Any) -> Any:
    return edge.MatchAny(list(match.any)) if hasattr(match, "any") else edge.MatchValue(match.value)
