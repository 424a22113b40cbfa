"""Replicas of the retriever: a repository goes to the same one while it answers, so that its caches stay warm."""

from __future__ import annotations

import asyncio
import hashlib
import random
from typing import TYPE_CHECKING, Any

import grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc

from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable, Kind, Overloaded
from common.rpc.channels import open_channel, service_config
from common.rpc.deadlines import child_timeout
from common.rpc.status import errors_from_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.rpc.renewing import RenewedCredentials

_SERVICE = retriever_pb2.DESCRIPTOR.services_by_name["RetrieverService"].full_name
_RETRY_SECONDS = 1.0
_IDEMPOTENT = ("Retrieve", "ResolveGaps", "LookupSymbols", "ExpandGraph", "ReadSpans", "CheckClaims", "ListRemovals")


class Replicas:
    """
    One channel for each address, chosen by rendezvous hash (Thaler and Ravishankar, 1998) of the repository.

    Args:
        addresses: At least one `host:port`.
        credentials: TLS; None talks in the clear.
        at_once: Calls that run at each address; more wait here, in order, where a retriever would refuse them.
        patience_seconds: Longest that a call waits for its turn, if the call being served has as much time left.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        credentials: RenewedCredentials | None = None,
        *,
        at_once: int = 48,
        patience_seconds: float = 120.0,
    ) -> None:
        config = service_config(_SERVICE, _IDEMPOTENT)
        self._channels = {each: open_channel(each, config=config, credentials=credentials) for each in addresses}
        self._stubs = {
            each: retriever_pb2_grpc.RetrieverServiceStub(channel) for each, channel in self._channels.items()
        }
        self._room = {each: asyncio.Semaphore(at_once) for each in addresses}
        self._patience = patience_seconds

    async def call(self, repository: str, method: str, request: Any, cap_seconds: float) -> Any:
        """
        Call a method at the repository's replica, at the next one if it does not answer or has too much to do.

        If all have too much to do it waits for its turn, and comes back to who refused it when it was told to.

        Args:
            repository: Tells which replica is the first.
            method: Of the service.
            request: Its message.
            cap_seconds: Longest that the call itself may take, without the wait before it.

        Raises:
            DependencyUnavailable: if none answers.
            DeadlineExceeded: if the time of the call being served is over.
            AppError: what the retriever says no with.
        """
        patience = self._patience
        while True:
            refused, unavailable = None, None
            for address in self._by_preference(repository):
                try:
                    return await self._ask(address, method, request, cap_seconds)
                except grpc.aio.AioRpcError as error:
                    failure = errors_from_status(error, dependency="retriever")
                    # Not only who does not answer: a replica that is shutting down says so, and the next one is asked.
                    if failure.kind is Kind.UNAVAILABLE:
                        unavailable = failure
                    elif failure.reason == Overloaded.reason:
                        refused = failure
                    else:
                        raise failure from error
            if refused is None:
                assert unavailable is not None, "there is at least one address"
                raise DependencyUnavailable(unavailable.message, metadata=unavailable.metadata) from unavailable
            patience -= await self._wait(refused, child_timeout(patience))

    async def close(self) -> None:
        """Close all channels."""
        for channel in self._channels.values():
            await channel.close()

    async def _ask(self, address: str, method: str, request: Any, cap_seconds: float) -> Any:
        room = self._room[address]
        try:
            async with asyncio.timeout(child_timeout(self._patience)):
                await room.acquire()
        except TimeoutError as error:
            text = f"the retriever at {address} had no room for a call in time; run more of them, or raise its limit"
            raise DeadlineExceeded(text) from error
        try:
            return await getattr(self._stubs[address], method)(request, timeout=child_timeout(cap_seconds))
        finally:
            room.release()

    @staticmethod
    async def _wait(refused: AppError, longest: float) -> float:
        """Wait as long as a refusal says, and a little more, so that not all come back at once; return the seconds."""
        seconds = (refused.retry_after_seconds or _RETRY_SECONDS) * random.uniform(1, 1.5)  # noqa: S311 (no secret)
        if seconds > longest:
            raise refused
        await asyncio.sleep(seconds)
        return seconds

    def _by_preference(self, repository: str) -> list[str]:
        # Warm caches are worth less than a wait: one that has room comes before one that has not.
        return sorted(
            self._channels,
            key=lambda each: (self._room[each].locked(), hashlib.sha256(f"{repository}\0{each}".encode()).digest()),
        )
