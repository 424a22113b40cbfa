"""The indexer over gRPC, asked which files changed since they were indexed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import grpc
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc

from common.core.clock import SystemClock
from common.core.runtime.breaker import BreakerPolicy, Dependency
from common.rpc.client.channels import open_channel, service_config
from common.rpc.client.deadlines import child_timeout
from common.rpc.status import errors_from_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.rpc.client.renewing import RenewedCredentials
    from orchestrator.domain.answers.orders import Pin

_SECONDS = 1.0
_SHARE = 0.25
"""Share of the call's remaining time: the answer matters more than the list of its changed files."""
_POLICY = BreakerPolicy(failures=3, open_seconds=30.0)
_SERVICE = indexer_pb2.DESCRIPTOR.services_by_name["IndexerService"].full_name


class FreshnessClient:
    """Implements `Freshness`."""

    def __init__(self, address: str, *, credentials: RenewedCredentials | None = None) -> None:
        config = service_config(_SERVICE, ("ListChangedFiles",))
        self._channel = open_channel(address, config=config, credentials=credentials)
        self._stub = indexer_pb2_grpc.IndexerServiceStub(self._channel)
        self._breaker = Dependency("the indexer", _POLICY, SystemClock(), lambda _: None)

    async def changed(self, pin: Pin, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the paths whose files changed; none if the source folder is not available. Raises AppError."""
        request = indexer_pb2.ListChangedFilesRequest(
            repository=pin.repository, snapshot_id=pin.snapshot_id, paths=paths
        )
        return await self._breaker.ask(partial(self._ask, request))

    async def close(self) -> None:
        """Close the channel."""
        await self._channel.close()

    async def _ask(self, request: indexer_pb2.ListChangedFilesRequest) -> tuple[str, ...]:
        timeout = child_timeout(_SECONDS, share=_SHARE)
        try:
            response: indexer_pb2.ListChangedFilesResponse = await self._stub.ListChangedFiles(request, timeout=timeout)
        except grpc.aio.AioRpcError as error:
            raise errors_from_status(error, dependency="indexer") from error
        return tuple(response.changed_paths)
