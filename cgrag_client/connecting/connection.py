"""One service's channel: deadlines, credentials, request ids, typed errors, and streams that are always cancelled."""

from __future__ import annotations

import json
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

import grpc

from cgrag_client.connecting.tls import open_channel
from cgrag_client.connecting.tokens import is_local
from cgrag_client.errors import UsageError, from_rpc_error

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from grpc import aio

    from cgrag_client.connecting.tls import RenewedCredentials


class _HasPageToken(Protocol):
    page_token: str


class _HasNextPageToken(Protocol):
    next_page_token: str


Request = TypeVar("Request")
Response = TypeVar("Response")
PagedRequest = TypeVar("PagedRequest", bound=_HasPageToken)
Page = TypeVar("Page", bound=_HasNextPageToken)

MAX_MESSAGE_BYTES = 16 * 1024 * 1024

# Most unary calls of the API are idempotent, by nature or by an id, so they are retried after a lost connection. The
# methods of the first list are not retried: streams, as their readers resume them where they were cut, and calls that
# are not idempotent.
_SERVICE_CONFIG = json.dumps(
    {
        "methodConfig": [
            {
                "name": [
                    {"service": "cgrag.orchestrator.v1.OrchestratorService", "method": "Ask"},
                    {"service": "cgrag.orchestrator.v1.OrchestratorService", "method": "WatchAnswer"},
                    {"service": "cgrag.orchestrator.v1.OrchestratorService", "method": "CreateSession"},
                    {"service": "cgrag.orchestrator.v1.OrchestratorService", "method": "DeleteSession"},
                    {"service": "cgrag.indexer.v1.IndexerService", "method": "WatchIndexJob"},
                    {"service": "cgrag.indexer.v1.IndexerService", "method": "RollbackSnapshot"},
                    {"service": "cgrag.indexer.v1.IndexerService", "method": "DeleteRepository"},
                    {"service": "cgrag.indexer.v1.IndexerService", "method": "DeletePreciseImports"},
                ]
            },
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 3,
                    "initialBackoff": "0.1s",
                    "maxBackoff": "1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            },
        ]
    }
)
_OPTIONS = (
    ("grpc.service_config", _SERVICE_CONFIG),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # A server that hangs in the middle of a stream is noticed within 25 s: 15 s to the ping, 10 s for its answer. The
    # ping timeout (default: one minute) is the one that counts; gRPC's separate timeout of keepalive pings applies only
    # if it is longer.
    ("grpc.keepalive_time_ms", 15_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    # In spite of its name, this option is also gRPC's timeout for establishing a connection (default: 20 s). It matters
    # for servers that accept a connection and then do not answer.
    ("grpc.min_reconnect_backoff_ms", 5_000),
)


class Connection:
    """
    A channel to one service; opened at construction without waiting, closed by `close`.

    Args:
        target: host:port, or any gRPC target.
        service: Its name, for messages.
        token: Bearer token sent with every call; empty sends none. It is sent to other machines over TLS only.
        token_in_clear: Allow sending the token to other machines without TLS.
        credentials: For TLS; None connects without TLS.
        call_timeout_seconds: Deadline of calls without a deadline of their own.
        redacted: Ask the service to remove secrets from its responses, even if the caller may see them.
    """

    def __init__(
        self,
        target: str,
        *,
        service: str = "",
        token: str = "",
        token_in_clear: bool = False,
        credentials: RenewedCredentials | None = None,
        call_timeout_seconds: float = 30.0,
        redacted: bool = False,
    ) -> None:
        self.target = target
        self._named = f"{target} (the {service})" if service else target
        self.channel: aio.Channel = open_channel(target, credentials, _OPTIONS)
        self._token = token
        self._wishes = (("x-cgrag-redact", "1"),) if redacted else ()
        self._exposes_token = bool(token) and credentials is None and not token_in_clear and not is_local(target)
        self._call_timeout_seconds = call_timeout_seconds

    async def call(
        self,
        method: aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        *,
        timeout_seconds: float | None = None,
    ) -> Response:
        """Make one unary call. Raises ClientError; UsageError if the token would be sent without TLS."""
        with self._called() as metadata:
            return await method(request, timeout=timeout_seconds or self._call_timeout_seconds, metadata=metadata)

    async def pages(
        self, method: aio.UnaryUnaryMultiCallable[PagedRequest, Page], request: PagedRequest
    ) -> AsyncGenerator[Page]:
        """Yield a list's pages, each fetched when needed; sets `request.page_token` on the way. Raises ClientError."""
        while True:
            page = await self.call(method, request)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def send(
        self,
        method: aio.StreamUnaryMultiCallable[Request, Response],
        requests: Iterator[Request],
        *,
        timeout_seconds: float,
    ) -> Response:
        """Send a client stream and return its one response. Raises ClientError."""
        with self._called() as metadata:
            return await method(requests, timeout=timeout_seconds, metadata=metadata)

    async def stream(
        self,
        method: aio.UnaryStreamMultiCallable[Request, Response],
        request: Request,
        *,
        timeout_seconds: float,
    ) -> AsyncGenerator[Response]:
        """Read one server stream; the call is cancelled when the reader stops early. Raises ClientError."""
        with self._called() as metadata:
            call = method(request, timeout=timeout_seconds, metadata=metadata)
            try:
                async for message in call:
                    yield message
            finally:
                call.cancel()

    async def close(self) -> None:
        """Close the channel; running calls are cancelled."""
        await self.channel.close()

    @contextmanager
    def _called(self) -> Iterator[tuple[tuple[str, str], ...]]:
        """Return the metadata of a call, and translate the error with which it ends."""
        request_id = uuid.uuid4().hex
        if self._exposes_token:
            raise UsageError(
                f"the token would go to {self.target} in the clear, for all on the way to read; set [client] ca_file to"
                " talk TLS, or token_in_clear if the way is safe"
            )
        credentials = (("authorization", f"Bearer {self._token}"),) if self._token else ()
        try:
            yield (("x-request-id", request_id), *self._wishes, *credentials)
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error, target=self._named, request_id=request_id) from error
