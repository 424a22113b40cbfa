"""Replicas of the retriever: a repository goes to the same one while it answers, so that its caches stay warm."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc

from common.core.errors import AppError, DependencyUnavailable, Kind
from common.rpc.channels import open_channel, service_config
from common.rpc.deadlines import child_timeout
from common.rpc.status import errors_from_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.rpc.renewing import RenewedCredentials

_SERVICE = retriever_pb2.DESCRIPTOR.services_by_name["RetrieverService"].full_name
_IDEMPOTENT = ("Retrieve", "ResolveGaps", "LookupSymbols", "ExpandGraph", "ReadSpans", "CheckClaims", "ListRemovals")


class Replicas:
    """
    One channel for each address, chosen by rendezvous hash (Thaler and Ravishankar, 1998) of the repository.

    Args:
        addresses: At least one `host:port`.
        credentials: TLS; None talks in the clear.
    """

    def __init__(self, addresses: Sequence[str], credentials: RenewedCredentials | None = None) -> None:
        config = service_config(_SERVICE, _IDEMPOTENT)
        self._channels = {each: open_channel(each, config=config, credentials=credentials) for each in addresses}
        self._stubs = {
            each: retriever_pb2_grpc.RetrieverServiceStub(channel) for each, channel in self._channels.items()
        }

    async def call(self, repository: str, method: str, request: Any, cap_seconds: float) -> Any:
        """
        Call a method at the repository's replica, at the next one if it does not answer.

        Raises:
            DependencyUnavailable: if none does.
            AppError: what the retriever says no with.
        """
        unavailable: AppError | None = None
        for address in self._by_preference(repository):
            try:
                return await getattr(self._stubs[address], method)(request, timeout=child_timeout(cap_seconds))
            except grpc.aio.AioRpcError as error:
                failure = errors_from_status(error, dependency="retriever")
                # Not only who does not answer: a replica that is shutting down says so, and the next one is asked.
                if failure.kind is not Kind.UNAVAILABLE:
                    raise failure from error
                unavailable = failure
        assert unavailable is not None, "there is at least one address"
        raise DependencyUnavailable(unavailable.message, metadata=unavailable.metadata) from unavailable

    async def close(self) -> None:
        """Close all channels."""
        for channel in self._channels.values():
            await channel.close()

    def _by_preference(self, repository: str) -> list[str]:
        return sorted(self._channels, key=lambda each: hashlib.sha256(f"{repository}\0{each}".encode()).digest())
