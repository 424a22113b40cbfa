"""Replicas of the retriever: calls for a repository go to the same replica while it answers, for its caches."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc

from common.core.clock import SystemClock
from common.core.errors import AppError, DeadlineExceeded, DependencyUnavailable, Kind, Overloaded
from common.core.runtime.breaker import BreakerPolicy, BreakerState, CircuitBreaker, CircuitOpen
from common.rpc.client.channels import open_channel, service_config
from common.rpc.client.deadlines import child_timeout
from common.rpc.status import errors_from_status
from orchestrator.adapters.effort import current_effort
from orchestrator.adapters.peers.limiter import ConcurrencyLimiter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.clock import Clock
    from common.rpc.client.renewing import RenewedCredentials

_SERVICE = retriever_pb2.DESCRIPTOR.services_by_name["RetrieverService"].full_name
_RETRY_SECONDS = 1.0
# A hanging replica delays one call per interval, and no other call.
_POLICY = BreakerPolicy(failures=1, open_seconds=15.0)
_IDEMPOTENT = ("Retrieve", "ResolveGaps", "LookupSymbols", "ExpandGraph", "ReadSpans", "CheckClaims", "ListRemovals")


class _Patience:
    """The remaining time that a call may wait for slots, over all its waits together."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Subtract the time of the block from the budget."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.left = max(0.0, self.left - (time.monotonic() - began))


class Replicas:
    """
    One channel for each address, chosen by rendezvous hash (Thaler and Ravishankar, 1998) of the repository.

    Args:
        addresses: At least one `host:port`.
        credentials: TLS credentials; None for unencrypted channels.
        at_once: Concurrent calls at each address; further calls wait here, fairly among callers, since a retriever
            would refuse them.
        patience_seconds: Longest time that a call waits for slots, over all its waits, if the deadline allows.
        clock: Clock of the circuit breakers, by which a replica that did not answer is tried last; the system's if
            None.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        credentials: RenewedCredentials | None = None,
        *,
        at_once: int = 16,
        patience_seconds: float = 120.0,
        clock: Clock | None = None,
    ) -> None:
        config = service_config(_SERVICE, _IDEMPOTENT)
        self._channels = {each: open_channel(each, config=config, credentials=credentials) for each in addresses}
        self._stubs = {
            each: retriever_pb2_grpc.RetrieverServiceStub(channel) for each, channel in self._channels.items()
        }
        clock = clock or SystemClock()
        self._breakers = {each: CircuitBreaker(_POLICY, clock, "the retriever") for each in addresses}
        self._limiter = ConcurrencyLimiter(addresses, at_once)
        self._patience = patience_seconds

    async def call(self, repository: str, method: str, request: Any, cap_seconds: float) -> Any:
        """
        Call a method at the repository's replica; if that does not answer or is overloaded, at the next one.

        A call waits while no replica has a free slot. If some replicas refuse it and none answers, all are tried again
        after the delay that the refusal names.

        Args:
            repository: Determines the order of the replicas.
            method: Name of a method of the service.
            request: Request message of the method.
            cap_seconds: Longest time for the call itself, without the wait before it.

        Raises:
            DependencyUnavailable: if no replica answers.
            DeadlineExceeded: if the deadline of the call being served has passed.
            Overloaded: if that deadline, or `patience_seconds`, would pass before the next try.
            AppError: any other error of the retriever.
        """
        patience = _Patience(self._patience)
        while True:
            refused, unavailable = None, None
            left = self._by_preference(repository)
            while left:
                address = await self._room(left, patience)
                left.remove(address)
                try:
                    return await self._ask(address, method, request, cap_seconds)
                except AppError as failure:
                    # Also a replica that reports that it is shutting down: the next one is tried.
                    if failure.kind is Kind.UNAVAILABLE:
                        unavailable = failure
                    elif failure.reason == Overloaded.reason:
                        refused = failure
                    else:
                        raise
            if refused is None:
                assert unavailable is not None, "there is at least one address"
                raise DependencyUnavailable(unavailable.message, metadata=unavailable.metadata) from unavailable
            with patience.spent():
                await self._wait(refused, child_timeout(patience.left))

    async def close(self) -> None:
        """Close all channels."""
        for channel in self._channels.values():
            await channel.close()

    async def _room(self, addresses: Sequence[str], patience: _Patience) -> str:
        """Wait for a slot at one of the addresses, and return the address that has it."""
        try:
            with patience.spent():
                return await self._limiter.acquire(addresses, child_timeout(patience.left), current_effort())
        except TimeoutError as error:
            where = ", ".join(sorted(addresses))
            text = f"the retriever at {where} had no free slot in time; run more retrievers, or raise their limit"
            raise DeadlineExceeded(text) from error

    async def _ask(self, address: str, method: str, request: Any, cap_seconds: float) -> Any:
        breaker = self._breakers[address]
        with suppress(CircuitOpen):  # the last one is tried in any case
            breaker.admit()
        tell = breaker.abandoned
        try:
            timeout = child_timeout(cap_seconds)
            answer = await getattr(self._stubs[address], method)(request, timeout=timeout)
            tell = breaker.succeeded
            return answer
        except grpc.aio.AioRpcError as error:
            failure = errors_from_status(error, dependency="retriever")
            if failure.kind is Kind.DEADLINE and timeout >= cap_seconds:
                text = f"the retriever did not answer in {cap_seconds:g} s; check that it is well"
                failure = DependencyUnavailable(text, metadata={"dependency": "retriever"})
            if failure.kind is not Kind.DEADLINE:
                tell = breaker.failed if failure.kind is Kind.UNAVAILABLE else breaker.succeeded
            raise failure from error
        finally:
            tell()
            self._limiter.release(address, current_effort())

    @staticmethod
    async def _wait(refused: AppError, longest: float) -> None:
        """Wait for the delay that a refusal names, plus up to half of it, so that calls do not return together."""
        seconds = (refused.retry_after_seconds or _RETRY_SECONDS) * random.uniform(1, 1.5)  # noqa: S311 (no secret)
        if seconds > longest:
            raise refused
        await asyncio.sleep(seconds)

    def _by_preference(self, repository: str) -> list[str]:
        """Return all addresses in the repository's order, those with an open circuit breaker last."""

        def key(address: str) -> tuple[bool, bytes]:
            is_ill = self._breakers[address].state is BreakerState.OPEN
            return is_ill, hashlib.sha256(f"{repository}\0{address}".encode()).digest()

        return sorted(self._channels, key=key)
