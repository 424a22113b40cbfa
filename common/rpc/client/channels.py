"""Channels to other services: retries by method, balancing, keepalive, and the context that travels with a call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import grpc

from common.core.addresses import UNPROXIED_GRPC
from common.observability import tracing
from common.rpc import callers
from common.rpc.client.renewing import RenewedChannel
from common.rpc.options import keepalive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from common.rpc.client.renewing import RenewedCredentials

DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_RETRY_POLICY: Mapping[str, object] = {
    "maxAttempts": 3,
    "initialBackoff": "0.05s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}


def service_config(service: str, idempotent: Sequence[str]) -> Mapping[str, Any]:
    """
    Return the gRPC service config of one service: round robin, and UNAVAILABLE retried where it does no harm.

    Retries live here and nowhere above; a stream is never retried after its first message.

    Args:
        service: Full name of the contract.
        idempotent: Names of its methods that may run twice; others are never retried.
    """
    methods = [{"name": [{"service": service, "method": name} for name in idempotent], "retryPolicy": _RETRY_POLICY}]
    return {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": methods if idempotent else [],
        "retryThrottling": {"maxTokens": 20, "tokenRatio": 0.1},
    }


def open_channel(
    target: str,
    *,
    config: Mapping[str, Any] | None = None,
    credentials: RenewedCredentials | None = None,
    max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
) -> grpc.aio.Channel:
    """
    Open a channel; connecting happens with the first call. Close it, or use it as an async context.

    Connections go direct, whatever proxy the environment names: the other end is a service of the same suite.

    Calls carry the trace, the request id and the caller of the call being served. They carry no deadline of their own:
    pass `timeout=child_timeout(...)`.

    Args:
        target: `host:port`, or any other name that gRPC resolves (`dns:///...`).
        config: A gRPC service config as in `deploy/grpc-service-config.json`; None neither retries nor balances.
        credentials: TLS; None talks in the clear. When their files change, calls that begin later go over connections
            that are made with the new ones.
        max_message_bytes: Largest message either way.
    """
    options: list[tuple[str, str | int]] = [
        UNPROXIED_GRPC,
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.max_send_message_length", max_message_bytes),
        *keepalive(60.0, 20.0),
        ("grpc.initial_reconnect_backoff_ms", 100),
        # gRPC's time limit for making a connection, TLS included. On a busy host that takes a second and more; a call
        # to a peer that hangs waits as long.
        ("grpc.min_reconnect_backoff_ms", 3_000),
        ("grpc.max_reconnect_backoff_ms", 1_000),
    ]
    if config is not None:
        options.append(("grpc.service_config", json.dumps(config)))
    interceptors: list[grpc.aio.ClientInterceptor] = [_UnaryStream(), _StreamUnary(), _StreamStream()]
    if credentials is None:
        return _ContextChannel(grpc.aio.insecure_channel(target, options=options, interceptors=interceptors))

    def opened(current: grpc.ChannelCredentials) -> grpc.aio.Channel:
        return grpc.aio.secure_channel(target, current, options=options, interceptors=interceptors)

    return _ContextChannel(RenewedChannel(opened, credentials.current))


def context_metadata(contract: str) -> tuple[tuple[str, str], ...]:
    """
    Return the metadata of every call to another service: trace context, request id, caller, and whether to redact.

    With access control, the caller is sent as a proof of identity for the called contract, else as a name.
    """
    pairs = list(tracing.outgoing_metadata().items())
    request_id = callers.current_request_id()
    if request_id:
        pairs.append((callers.REQUEST_ID_KEY, request_id))
    caller = callers.current_caller()
    proof = caller.vouch(contract) if caller.vouch is not None else ""
    if callers.is_redacted():
        pairs.append((callers.REDACT_KEY, callers.REDACT))
    pairs.append((callers.PROOF_KEY, proof) if proof else (callers.CALLER_KEY, caller.name))
    return tuple(pairs)


def _with_context(metadata: Iterable[tuple[str, str | bytes]] | None, contract: str) -> grpc.aio.Metadata:
    """Return the metadata of a call merged with the context's; explicit entries win."""
    given = grpc.aio.Metadata(*(metadata or ()))
    for key, value in context_metadata(contract):
        if given.get(key) is None:
            given.add(key, value)
    return given


def _contract(method: str | bytes) -> str:
    """Return the contract of a method's name on the wire, `/contract/Method`, which gRPC gives as bytes."""
    path = method.decode() if isinstance(method, bytes) else method
    return path[1:].partition("/")[0]


class _ContextChannel(grpc.aio.Channel):
    """
    A channel whose unary calls carry the context; for streaming calls, interceptors add it.

    An interceptor would cost a task and a second call object for each call, and an answer makes five unary calls.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        return self._channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self._channel.channel_ready()

    def unary_unary(self, method: str, *arguments: Any, **made_with: Any) -> Any:
        made = self._channel.unary_unary(method, *arguments, **made_with)
        contract = _contract(method)

        def call(request: Any, *, metadata: Iterable[tuple[str, str | bytes]] | None = None, **options: Any) -> Any:
            return made(request, metadata=_with_context(metadata, contract), **options)

        return call

    def unary_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._channel.unary_stream(*arguments, **options)

    def stream_unary(self, *arguments: Any, **options: Any) -> Any:
        return self._channel.stream_unary(*arguments, **options)

    def stream_stream(self, *arguments: Any, **options: Any) -> Any:
        return self._channel.stream_stream(*arguments, **options)


def _intercepted(details: Any) -> Any:
    return details._replace(metadata=_with_context(details.metadata, _contract(details.method)))


# One class for each shape: gRPC sorts interceptors by their base class and takes only the first that fits.
class _UnaryStream(grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation: Callable[..., Any], details: Any, request: Any) -> Any:
        return await continuation(_intercepted(details), request)


class _StreamUnary(grpc.aio.StreamUnaryClientInterceptor):
    async def intercept_stream_unary(self, continuation: Callable[..., Any], details: Any, requests: Any) -> Any:
        return await continuation(_intercepted(details), requests)


class _StreamStream(grpc.aio.StreamStreamClientInterceptor):
    async def intercept_stream_stream(self, continuation: Callable[..., Any], details: Any, requests: Any) -> Any:
        return await continuation(_intercepted(details), requests)
