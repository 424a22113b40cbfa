"""
The health of a process in grpc.health.v1: "" is alive, a service's name is ready to serve.

Health is answered by a thread of its own on a port of its own, so that a process whose event loop hangs, or is full of
calls, still tells the truth: without a heartbeat of the loop it is not alive. The same state is also served on the
main port, for clients that look there.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent import futures
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from common.core.clock import Clock

STALE_AFTER_SECONDS = 5.0
POLL_SECONDS = 0.25
_MAX_WATCHERS = 4

_Response = health_pb2.HealthCheckResponse


class HealthState:
    """
    What is known about this process; may be asked from any thread.

    Args:
        services: Full names of the services that it serves.
        clock: Tells how old a heartbeat is.
        stale_after_seconds: Age of the last heartbeat beyond which the event loop counts as stuck.
    """

    def __init__(
        self, services: Sequence[str], clock: Clock, *, stale_after_seconds: float = STALE_AFTER_SECONDS
    ) -> None:
        self._services = frozenset(services)
        self._clock = clock
        self._stale_after = stale_after_seconds
        self._last_beat = clock.monotonic()
        self._ready = False
        self._stopping = threading.Event()

    @property
    def stopping(self) -> bool:
        """Tell whether the process is draining."""
        return self._stopping.is_set()

    def beat(self) -> None:
        """Note that the event loop turns."""
        self._last_beat = self._clock.monotonic()

    def set_ready(self, *, ready: bool) -> None:
        """Say whether the services can serve."""
        self._ready = ready

    def stop(self) -> None:
        """Be not ready from now on, for good."""
        self._stopping.set()

    def wait_stopping(self, seconds: float) -> bool:
        """Wait so long, or until `stop`; tells which it was."""
        return self._stopping.wait(seconds)

    def status(self, service: str) -> int | None:
        """Return a ServingStatus for "" or the full name of a service; None for a name that is not served here."""
        if service and service not in self._services:
            return None
        alive = self._clock.monotonic() - self._last_beat <= self._stale_after
        serving = alive and (not service or (self._ready and not self.stopping))
        return int(_Response.SERVING if serving else _Response.NOT_SERVING)


class HealthServicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # the package ships no types
    """Health for a synchronous server; watchers are few, so that checks always find a thread."""

    def __init__(self, state: HealthState) -> None:
        self._state = state
        self._watchers = threading.BoundedSemaphore(_MAX_WATCHERS)

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 (name of the contract)
        """Answer once."""
        status = self._state.status(request.service)
        if status is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such service here; ask for one by its full name")
        return _Response(status=status)

    def Watch(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:  # noqa: N802 (name of the contract)
        """Answer now and at each change, until the caller leaves or the process stops."""
        if not self._watchers.acquire(blocking=False):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many watchers; poll with Check instead")
        try:
            last = None
            while context.is_active():
                status = _watched(self._state, request.service)
                if status != last:
                    last = status
                    yield _Response(status=status)
                if self._state.wait_stopping(POLL_SECONDS) and last != _Response.SERVING:
                    return
        finally:
            self._watchers.release()


class AioHealthServicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # the package ships no types
    """Health for an asyncio server."""

    def __init__(self, state: HealthState) -> None:
        self._state = state

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 (name of the contract)
        """Answer once."""
        status = self._state.status(request.service)
        if status is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service here; ask for one by its full name")
        return _Response(status=status)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: ARG002, N802 (name of the contract)
        """Answer now and at each change, until the caller leaves."""
        last = None
        while True:
            status = _watched(self._state, request.service)
            if status != last:
                last = status
                yield _Response(status=status)
            await asyncio.sleep(POLL_SECONDS)


class HealthServer:
    """
    Serves health in threads of its own.

    Args:
        state: What it tells.
        address: Host and port to listen on; port 0 takes any free one.
    """

    def __init__(self, state: HealthState, address: str) -> None:
        self._server = grpc.server(
            futures.ThreadPoolExecutor(_MAX_WATCHERS + 2, thread_name_prefix="health"),
            options=(("grpc.so_reuseport", 0),),
        )
        health_pb2_grpc.add_HealthServicer_to_server(HealthServicer(state), self._server)
        self.port = self._server.add_insecure_port(address)

    def start(self) -> None:
        """Begin to answer."""
        self._server.start()

    def stop(self) -> None:
        """Stop answering; returns when done."""
        self._server.stop(grace=None).wait()


def _watched(state: HealthState, service: str) -> int:
    status = state.status(service)
    return int(_Response.SERVICE_UNKNOWN) if status is None else status
