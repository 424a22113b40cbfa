"""The one way to build a gRPC server: every service gets the same layers, health, metrics, drain and TLS."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from common.core.clock import SystemClock
from common.core.ids import RandomIds
from common.observability.metrics_endpoint import start_metrics_endpoint
from common.rpc import options, tls
from common.rpc.client.calls import CallInterceptor, Method
from common.rpc.redaction import RedactionLayer, redacts_always
from common.rpc.requests import Requests
from common.rpc.serving import layers
from common.rpc.serving.health import AioHealthServicer, HealthServer, HealthState
from common.rpc.serving.metrics import ServerMetrics
from common.rpc.serving.ports import address_of, require_free

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from types import TracebackType
    from typing import Self

    from google.protobuf.descriptor import ServiceDescriptor

    from common.core.ids import IdSource
    from common.observability.metrics import Metrics
    from common.observability.metrics_endpoint import MetricsEndpoint
    from common.rpc.access.opening import Access
    from common.rpc.client.calls import Layer
    from common.rpc.redaction import Redact
    from common.rpc.settings import ServerSettings

    ReadinessProbe = Callable[[], Awaitable[bool]]

HEARTBEAT_SECONDS = 0.5
_HEALTH_PORT_OFFSET = 1000
_READY_TIMEOUT_SECONDS = 2.0
# Greatest number of calls that wait for their requests; gRPC buffers the part of each that has arrived, up to the
# largest message. Requests usually arrive with the headers: of six thousand calls begun at once, with 50 KB each, no
# more than twenty waited.
_MAX_WAITING_CALLS = 128
# One connection may have so many calls open: `_OPEN_FOR_ADMITTED` for each admitted call, plus `_OPEN_BESIDE`. With a
# smaller bound a client would wait instead of being refused by admission, or get UNAVAILABLE while it begins calls as
# fast as others are refused.
_OPEN_FOR_ADMITTED = 3
_OPEN_BESIDE = 1000

_HEALTH = health_pb2.DESCRIPTOR.services_by_name["Health"]
_REFLECTION = reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"]

_log = structlog.get_logger(__name__)
# Time to send the last statuses at the end of the grace period; that takes milliseconds, and processes are killed soon.
_CUT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ServiceRegistration:
    """
    One servicer and the contract that it serves.

    Args:
        descriptor: Of the contract: `retriever_pb2.DESCRIPTOR.services_by_name["RetrieverService"]`.
        add: Generated `add_..._to_server`.
        servicer: Its methods are coroutines, and async generators where responses stream.
        limits: Bounds on calls that run at once; methods without one share that of the settings.
    """

    descriptor: ServiceDescriptor
    add: Callable[[Any, Any], None]
    servicer: object
    limits: Sequence[layers.ConcurrencyLimit] = ()

    @property
    def methods(self) -> tuple[Method, ...]:
        """Return the methods of the contract."""
        return tuple(
            Method(self.descriptor.full_name, each.name, _TYPES[each.client_streaming, each.server_streaming])
            for each in self.descriptor.methods
        )

    def all_limits(self, calls: int) -> tuple[layers.ConcurrencyLimit, ...]:
        """Return its limits, plus two of `calls` each for its other methods: streams must not block unary responses."""
        named = frozenset(name for limit in self.limits for name in limit.methods)
        rest = [method for method in self.methods if method.name not in named]
        streams = frozenset(method.name for method in rest if method.streams_responses)
        others = frozenset(method.name for method in rest if not method.streams_responses)
        return (*self.limits, layers.ConcurrencyLimit(streams, calls), layers.ConcurrencyLimit(others, calls))


class Server:
    """
    A gRPC server with its health server; made by `build_server`.

    Use it as an async context: it listens from the beginning of the block, and is closed at its end. It also serves the
    metrics, on `metrics_port`, and beats for the health server.
    """

    def __init__(
        self,
        settings: ServerSettings,
        server: grpc.aio.Server,
        health: HealthState,
        admission: layers.AdmissionLayer,
        metrics: Metrics,
        ready: ReadinessProbe | None,
        access: Access | None,
        draining: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._server = server
        self._health = health
        self._admission = admission
        self._metrics = metrics
        self._ready = ready
        self._access = access
        self._draining = draining
        self._lag = metrics.gauge("event_loop_lag_seconds", "How late the event loop was at its last heartbeat.")
        self._is_ready_now = metrics.gauge("ready", "1 if the service is ready, else 0.")
        self._unready: str | None = None
        self._health_server: HealthServer | None = None
        self._endpoint: MetricsEndpoint | None = None
        self._heartbeat: asyncio.Task[None] | None = None
        self.port = 0
        self.health_port = 0

    async def __aenter__(self) -> Self:
        """Listen; see `start`."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close at once; calls that still run are cancelled. Call `drain` before to let them finish."""
        await self._close()

    async def start(self) -> None:
        """
        Open the ports and serve; `port` and `health_port` are set to their numbers.

        Raises:
            StartupError: if a port is taken, or a certificate cannot be read.
        """
        try:
            await self._start()
        except BaseException:
            await self._close()
            raise

    async def _start(self) -> None:
        settings = self._settings
        if settings.metrics_port:
            self._endpoint = start_metrics_endpoint(self._metrics, settings.metrics_port, settings.host)
        health_port = settings.health_port or (settings.port and settings.port + _HEALTH_PORT_OFFSET)
        require_free(settings.host, settings.port, service=self._metrics.service, field="port")
        require_free(settings.host, health_port, service=self._metrics.service, field="health_port")
        self.port = self._bind(address_of(settings.host, settings.port))
        self._health_server = HealthServer(
            self._health, address_of(settings.host, health_port), options.of_connections(settings)
        )
        self.health_port = self._health_server.port
        await self._server.start()
        self._health.beat()
        self._health_server.start()
        self._heartbeat = asyncio.create_task(self._beat())
        _log.info("server.listening", host=settings.host, port=self.port, health_port=self.health_port)

    @property
    def is_draining(self) -> bool:
        """Return whether new calls are refused."""
        return self._admission.is_draining

    async def drain(self) -> None:
        """Report not ready, refuse new calls, let running ones finish within the grace period, end the others."""
        self._health.stop()
        self._draining()
        _log.info("server.draining", running=self._admission.running, grace_seconds=self._settings.grace_seconds)
        await asyncio.sleep(self._settings.drain_delay_seconds)
        self._admission.drain()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.grace_seconds):
                await self._admission.wait_idle()
        _log.info("server.drained", cancelled=self._admission.running)
        await self._admission.cut(_CUT_SECONDS)
        # Calls that were refused still receive their status.
        await self._server.stop(grace=_CUT_SECONDS)

    async def _close(self) -> None:
        self._health.stop()
        if self._heartbeat is not None:
            self._heartbeat.cancel()
            with suppress(asyncio.CancelledError):
                await self._heartbeat
        await self._server.stop(grace=None)
        if self._health_server is not None:
            await asyncio.to_thread(self._health_server.stop)
        if self._endpoint is not None:
            await asyncio.to_thread(self._endpoint.close)

    async def _beat(self) -> None:
        while True:
            self._health.beat()
            self._tell_ready(await self._why_not_ready())
            if self._access is not None:
                await self._access.look()
            due = time.monotonic() + HEARTBEAT_SECONDS
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self._lag.set(max(0.0, time.monotonic() - due))

    async def _why_not_ready(self) -> str | None:
        """Return the probe's reason why the services cannot serve; None if they can."""
        if self._ready is None:
            return None
        try:
            async with asyncio.timeout(_READY_TIMEOUT_SECONDS):
                return None if await self._ready() else "the probe says no"
        except TimeoutError:
            return f"no answer within {_READY_TIMEOUT_SECONDS:g} s"
        except Exception as error:  # noqa: BLE001 (a probe that fails has answered, and the heartbeat must go on)
            return f"{type(error).__name__}: {error}"

    def _tell_ready(self, why_not: str | None) -> None:
        """Report the readiness to health, metrics and, at each change, the log."""
        self._is_ready_now.set(float(why_not is None))
        self._health.set_ready(ready=why_not is None)
        if why_not != self._unready:
            if why_not is None:
                _log.info("server.ready_again")
            else:
                _log.warning("server.not_ready", error=why_not)
        self._unready = why_not

    def _bind(self, address: str) -> int:
        credentials = tls.server_credentials(self._settings)
        if credentials is None:
            return self._server.add_insecure_port(address)
        return self._server.add_secure_port(address, credentials)


def build_server(
    settings: ServerSettings,
    services: Sequence[ServiceRegistration],
    *,
    metrics: Metrics,
    ready: ReadinessProbe | None = None,
    access: Access | None = None,
    ids: IdSource | None = None,
    draining: Callable[[], None] = lambda: None,
    open_redact: Callable[[], Redact] | None = None,
) -> Server:
    """
    Build a server that does not listen yet.

    Args:
        settings: Addresses, deadlines, limits of size and number, certificates.
        services: What it serves, besides health and, if switched on, reflection.
        metrics: The metrics of this process; their service name is the section of the settings.
        ready: Readiness probe, called twice a second on the event loop. False, an exception, and no answer within 2 s
            mean not ready. None is always ready.
        access: Authenticates and authorizes callers, and turns reflection off; None trusts the caller's name in the
            metadata.
        ids: Makes request ids.
        draining: Called when a drain begins, to stop work that no caller waits for.
        open_redact: Returns the function that redacts a text; None for services whose responses hold no source.
    """
    health = HealthState([service.descriptor.full_name for service in services], SystemClock())
    all_services = list(services)
    if settings.reflection and not (access and access.is_on):
        all_services.append(_reflection(services))
    methods = [method for service in all_services for method in service.methods]
    server_metrics = ServerMetrics(metrics, methods)
    limits = _limits(settings, all_services)
    admitted = sum(limit.limit for _, limit in limits if limit.methods)
    admission = layers.AdmissionLayer(limits, server_metrics)
    who = (access and access.layer) or layers.CallerLayer()
    around = _around(settings, ids or RandomIds(), server_metrics, who, admission, open_redact)
    # Health checks are neither refused, nor logged, nor counted.
    add_health = health_pb2_grpc.add_HealthServicer_to_server
    served_health = ServiceRegistration(_HEALTH, add_health, AioHealthServicer(health))
    waiting, most = Requests(_MAX_WAITING_CALLS, lambda: server_metrics.shed("silence")), settings.max_message_bytes
    calls = CallInterceptor(methods, around, waiting, most)
    checks = CallInterceptor(served_health.methods, (), Requests(_MAX_WAITING_CALLS), most)
    open_at_once = options.of_server(settings, _OPEN_FOR_ADMITTED * admitted + _OPEN_BESIDE)
    server = grpc.aio.server(interceptors=(calls, checks), options=open_at_once)
    for service in (*all_services, served_health):
        service.add(service.servicer, server)
    return Server(settings, server, health, admission, metrics, ready, access, draining)


def _around(
    settings: ServerSettings,
    ids: IdSource,
    metrics: ServerMetrics,
    who: Layer,
    admission: Layer,
    open_redact: Callable[[], Redact] | None,
) -> tuple[Layer, ...]:
    return (
        layers.TraceLayer(),
        layers.RequestIdLayer(ids),
        layers.AccountLayer(metrics),
        layers.ErrorLayer(),
        layers.DeadlineLayer(settings.default_deadline_seconds, settings.default_stream_deadline_seconds),
        who,
        admission,
        *((RedactionLayer(open_redact, always=redacts_always(settings)),) if open_redact else ()),
    )


def _reflection(services: Sequence[ServiceRegistration]) -> ServiceRegistration:
    names = (*(service.descriptor.full_name for service in services), _HEALTH.full_name, _REFLECTION.full_name)
    add = reflection_pb2_grpc.add_ServerReflectionServicer_to_server
    return ServiceRegistration(_REFLECTION, add, reflection.aio.ReflectionServicer(names))


def _limits(
    settings: ServerSettings, services: Sequence[ServiceRegistration]
) -> list[tuple[str, layers.ConcurrencyLimit]]:
    calls = settings.max_concurrent_calls
    return [(service.descriptor.full_name, limit) for service in services for limit in service.all_limits(calls)]


_TYPES = {
    (False, False): "unary",
    (False, True): "server_stream",
    (True, False): "client_stream",
    (True, True): "bidi_stream",
}
