"""A lost connection is tried again where a second call means the same as the first, and nowhere else."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from google.protobuf.message import Message

from cgrag_client.connecting.connection import Connection
from cgrag_client.errors import ServiceUnreachable
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

CASES: list[tuple[str, Message, int]] = [
    ("GetAnswer", orchestrator_pb2.GetAnswerRequest(), 3),
    ("ListRepositories", indexer_pb2.ListRepositoriesRequest(), 3),
    ("StartIndexing", indexer_pb2.StartIndexingRequest(request_id="r1"), 3),
    ("DeleteSession", orchestrator_pb2.DeleteSessionRequest(), 1),
    ("DeleteRepository", indexer_pb2.DeleteRepositoryRequest(), 1),
    ("DeletePreciseImports", indexer_pb2.DeletePreciseImportsRequest(), 1),
    ("CreateSession", orchestrator_pb2.CreateSessionRequest(), 1),
    ("RollbackSnapshot", indexer_pb2.RollbackSnapshotRequest(), 1),
]


class Forgetful(SuiteServer):
    """Does what it is asked, and is gone before it can say so."""

    def _lose(self, request: Any, context: Any) -> Any:
        self._remember(request, context)

    GetAnswer = StartIndexing = ListRepositories = _lose
    DeleteSession = DeleteRepository = DeletePreciseImports = RollbackSnapshot = CreateSession = _lose


@pytest.mark.parametrize(("method", "request_", "times"), CASES)
async def test_only_what_means_the_same_is_called_again(method: str, request_: Message, times: int) -> None:
    """To roll back twice is to go back two snapshots, and what was deleted is not there to be deleted."""
    with Forgetful(Script(failure=Failure(grpc.StatusCode.UNAVAILABLE))) as server:
        connection = Connection(server.address)
        stubs = (
            orchestrator_pb2_grpc.OrchestratorServiceStub(connection.channel),
            indexer_pb2_grpc.IndexerServiceStub(connection.channel),
        )
        call = next(getattr(stub, method) for stub in stubs if hasattr(stub, method))
        with pytest.raises(ServiceUnreachable):
            await connection.call(call, request_)
        await connection.close()

    assert len(server.asked) == times
