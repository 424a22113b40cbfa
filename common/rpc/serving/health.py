"""
The health of a process in grpc.health.v1: the status of "" is liveness, that of a service's name is readiness.

Health checks are answered by threads of their own on a port of their own, so that they work even if the event loop
hangs or is overloaded: without heartbeats of the loop the process is reported as not alive. The same state is also
served on the main port, for clients that check there.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent import futures
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from common.core.clock import Clock

STALE_AFTER_SECONDS = 5.0
"""Age of the last heartbeat beyond which the event loop counts as stuck."""
POLL_SECONDS = 0.25
_MAX_WATCHERS = 4
# Each waiting request takes a thread, which is started when it is needed.
_MAX_WAITING = 32
# Each watcher wakes the event loop at every poll.
_MAX_AIO_WATCHERS = 1000
_TOO_MANY = "too many watchers; poll with Check instead"

_Response = health_pb2.HealthCheckResponse


class HealthState:
    """
    The health of this process; thread-safe.

    Args:
        services: Full names of the services of this process.
        clock: Measures the age of a heartbeat.
    """

    def __init__(self, services: Sequence[str], clock: Clock) -> None:
        self._services = frozenset(services)
        self._clock = clock
        self._last_beat = clock.monotonic()
        self._ready = False
        self._stopping = False

    def beat(self) -> None:
        """Record a heartbeat of the event loop."""
        self._last_beat = self._clock.monotonic()

    def set_ready(self, *, ready: bool) -> None:
        """Set whether the services can serve."""
        self._ready = ready

    def stop(self) -> None:
        """Report not ready from now on, for good."""
        self._stopping = True

    def status(self, service: str) -> int | None:
        """Return a ServingStatus for "" or the full name of a service; None for a name that is not served here."""
        if service and service not in self._services:
            return None
        alive = self._clock.monotonic() - self._last_beat <= STALE_AFTER_SECONDS
        serving = alive and (not service or (self._ready and not self._stopping))
        return int(_Response.SERVING if serving else _Response.NOT_SERVING)


class HealthServicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # the package ships no types
    """Health for a synchronous server; the number of watchers is limited, so that checks always find a free thread."""

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
        """Answer now and at each change, until the caller leaves or the server stops."""
        if not self._watchers.acquire(blocking=False):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, _TOO_MANY)
        try:
            last = None
            while context.is_active():
                status = _watched(self._state, request.service)
                if status != last:
                    last = status
                    yield _Response(status=status)
                time.sleep(POLL_SECONDS)
        finally:
            self._watchers.release()


class AioHealthServicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # the package ships no types
    """Health for an asyncio server; the limits of other calls do not apply to its watchers, so they have their own."""

    def __init__(self, state: HealthState) -> None:
        self._state = state
        self._watchers = 0

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 (name of the contract)
        """Answer once."""
        status = self._state.status(request.service)
        if status is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service here; ask for one by its full name")
        return _Response(status=status)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802 (name of the contract)
        """Answer now and at each change, until the caller leaves."""
        if self._watchers >= _MAX_AIO_WATCHERS:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, _TOO_MANY)
        self._watchers += 1
        try:
            last = None
            while True:
                status = _watched(self._state, request.service)
                if status != last:
                    last = status
                    yield _Response(status=status)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            self._watchers -= 1


class HealthServer:
    """
    Serves health in threads of its own.

    Args:
        state: The health to report.
        address: Host and port to listen on; port 0 takes any free one.
        options: Options of the gRPC server.
    """

    def __init__(self, state: HealthState, address: str, options: Sequence[tuple[str, int]] = ()) -> None:
        self._server = grpc.server(
            futures.ThreadPoolExecutor(_MAX_WATCHERS + _MAX_WAITING + 2, thread_name_prefix="health"),
            options=(("grpc.so_reuseport", 0), *options),
        )
        self._server.add_generic_rpc_handlers((_handlers(HealthServicer(state)),))
        self.port = self._server.add_insecure_port(address)

    def start(self) -> None:
        """Begin to answer."""
        self._server.start()

    def stop(self) -> None:
        """Stop answering; returns when done."""
        self._server.stop(grace=None).wait()


class _Requests:
    """
    Reads the request of each call.

    gRPC takes a thread for each call when its headers arrive, and the request may never follow. So if too many calls
    wait for their requests, the one that has waited longest is cancelled; else a few silent calls could take all
    threads, and the process would be considered dead.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[grpc.ServicerContext, None] = {}

    def take(self, requests: Iterator[Any], context: grpc.ServicerContext) -> Any:
        """Wait for the request of a call and return it; abort the call if none comes."""
        with self._lock:
            self._waiting[context] = None
            longest = next(iter(self._waiting)) if len(self._waiting) > _MAX_WAITING else None
            if longest is not None:
                del self._waiting[longest]
        if longest is not None:
            longest.cancel()
        try:
            request = next(requests, None)
        finally:
            with self._lock:
                self._waiting.pop(context, None)
        if request is None:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a check needs a request, be it an empty one")
        return request


def _handlers(servicer: HealthServicer) -> grpc.GenericRpcHandler:
    """Return the handlers for threads. Calls are served as streams of one request, which is the same on the wire."""
    requests = _Requests()

    def check(stream: Iterator[Any], context: grpc.ServicerContext) -> Any:
        return servicer.Check(requests.take(stream, context), context)

    def watch(stream: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        yield from servicer.Watch(requests.take(stream, context), context)

    coded = {
        "request_deserializer": health_pb2.HealthCheckRequest.FromString,
        "response_serializer": _Response.SerializeToString,
    }
    methods = {
        "Check": grpc.stream_unary_rpc_method_handler(check, **coded),
        "Watch": grpc.stream_stream_rpc_method_handler(watch, **coded),
    }
    return grpc.method_handlers_generic_handler("grpc.health.v1.Health", methods)


def _watched(state: HealthState, service: str) -> int:
    status = state.status(service)
    return int(_Response.SERVICE_UNKNOWN) if status is None else status
