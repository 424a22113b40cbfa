"""
HTTP/1.1 transport that needs little memory for a response that is open for long: its connection and a parser.

The HTTP client's own transport keeps about 20 kB for each: locks, events, cancel scopes and nine nested generators.
"""

from __future__ import annotations

import asyncio
import socket
from functools import partial
from typing import TYPE_CHECKING, cast

import h11
import httpx2
from aiohappyeyeballs import start_connection

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Coroutine

    from aiohappyeyeballs import AddrInfoType

    Origin = tuple[str, str, int]

BODY = "cgrag_body"
"""Key of the response extension with the unwrapped body; the client wraps `response.stream` to measure time."""
_PORTS = {"http": 80, "https": 443}
_MOST_UNREAD_BYTES = 256 * 1024
_MOST_IDLE = 20
# Delay between connection attempts to two addresses of a host (RFC 8305).
_NEXT_ADDRESS_SECONDS = 0.25
# As the official SDK sets them: a peer that vanished is noticed after six minutes.
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPALIVE": 60, "TCP_KEEPINTVL": 60, "TCP_KEEPCNT": 5}


class Http1Transport(httpx2.AsyncBaseTransport):
    """
    Sends the requests of one event loop; idle connections are kept for a while and reused. No support of proxies.

    Only connecting has a time limit here; the reader of an answer limits how long the endpoint may send nothing.

    Args:
        connect_seconds: For a connection, its TLS included.
        idle_seconds: How long a connection is kept for the next request; many servers close theirs after five.
    """

    def __init__(self, connect_seconds: float, *, idle_seconds: float = 4.0) -> None:
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._idle: dict[Origin, dict[_Connection, asyncio.TimerHandle]] = {}
        self._tls: ssl.SSLContext | None = None
        self._making_tls = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and return its response as soon as the headers are there; close it."""
        scheme, host = request.url.scheme, request.url.raw_host.decode()
        origin = (scheme, host, request.url.port or _PORTS[scheme])
        kept = self._kept(origin)
        try:
            return await self._answered(request, origin, kept or await self._connected(origin))
        except _Unanswered:
            # A server may close a kept connection at the very moment at which it is used.
            if kept is None or not isinstance(request.stream, httpx2.ByteStream):
                raise
        return await self._answered(request, origin, await self._connected(origin))

    async def aclose(self) -> None:
        """Close the connections that no response uses."""
        for origin in tuple(self._idle):
            while (connection := self._kept(origin)) is not None:
                connection.abort()

    async def _answered(self, request: httpx2.Request, origin: Origin, connection: _Connection) -> httpx2.Response:
        try:
            head = await connection.exchange(request)
        except BaseException:
            connection.abort()
            raise
        body = _Body(connection, partial(self._returned, origin))
        return httpx2.Response(head.status_code, headers=head.headers.raw_items(), stream=body, extensions={BODY: body})

    async def _connected(self, origin: Origin) -> _Connection:
        scheme, host, port = origin
        loop = asyncio.get_running_loop()
        tls = await self._tls_context() if scheme == "https" else None
        name = host if tls else None
        try:
            async with asyncio.timeout(self._connect_seconds):
                addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
                connected = await start_connection(
                    addresses, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS, socket_factory=_kept_alive
                )
                _, connection = await loop.create_connection(_Connection, sock=connected, ssl=tls, server_hostname=name)
        except TimeoutError as error:
            raise httpx2.ConnectTimeout(f"no connection to {host} within {self._connect_seconds:g} s") from error
        except OSError as error:
            raise httpx2.ConnectError(f"no connection to {host}: {error}") from error
        return connection

    async def _tls_context(self) -> ssl.SSLContext:
        # Loading the certificate authorities takes processor time, and endpoints over plain HTTP do not need them.
        async with self._making_tls:
            if self._tls is None:
                self._tls = await asyncio.to_thread(httpx2.create_ssl_context)
                self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls

    def _kept(self, origin: Origin) -> _Connection | None:
        connections = self._idle.get(origin, {})
        while connections:
            connection, expiry = connections.popitem()
            expiry.cancel()
            if connection.wake():
                return connection
        return None

    def _returned(self, origin: Origin, connection: _Connection) -> None:
        """Keep a connection for the next request if its response was read to the end, else close it."""
        connections = self._idle.setdefault(origin, {})
        drop = partial(self._drop, connections, connection)
        if len(connections) < _MOST_IDLE and connection.rest(drop):
            connections[connection] = asyncio.get_running_loop().call_later(self._idle_seconds, drop)
        else:
            connection.abort()

    @staticmethod
    def _drop(connections: dict[_Connection, asyncio.TimerHandle], connection: _Connection) -> None:
        connections.pop(connection).cancel()
        connection.wake()
        connection.abort()


def _kept_alive(address: AddrInfoType) -> socket.socket:
    made = socket.socket(*address[:3])
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


class _Unanswered(httpx2.RemoteProtocolError):
    """A connection ended before any byte of the response."""


class _Connection(asyncio.Protocol):
    """A connection: bytes are parsed as they arrive, and reading pauses while parsed data is not consumed."""

    __slots__ = ("_disturbed", "_heard", "_lost", "_parser", "_transport", "_unread", "_waiting")

    def __init__(self) -> None:
        self._parser = h11.Connection(h11.CLIENT)
        self._waiting: asyncio.Future[None] | None = None
        self._unread = 0
        self._heard = False
        self._lost: Exception | None = None
        self._disturbed: Callable[[], None] | None = None

    @property
    def is_open(self) -> bool:
        """Return whether the peer has not closed the connection."""
        return not self._transport.is_closing()

    async def exchange(self, request: httpx2.Request) -> h11.Response:
        """Send a request and return the head of its response."""
        self._heard = False
        head = h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
        self._send(head)
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        async for chunk in request.stream:
            self._send(h11.Data(data=chunk))
        self._send(h11.EndOfMessage())
        return await self._head()

    async def data(self) -> bytes:
        """Wait for the next bytes of the body; raises StopAsyncIteration at its end."""
        if self._parser.their_state is not h11.SEND_BODY:
            raise StopAsyncIteration
        while (event := self._parsed()) is None:
            await self._more()
        if isinstance(event, h11.Data):
            return bytes(event.data)
        raise StopAsyncIteration

    async def _head(self) -> h11.Response:
        while not isinstance(event := self._parsed(), h11.Response):
            if event is None:
                await self._more()
        return event

    def _more(self) -> asyncio.Future[None]:
        """Return a future that is done when more bytes have arrived or the connection has ended."""
        self._resume()
        self._waiting = asyncio.get_running_loop().create_future()
        return self._waiting

    def rest(self, disturbed: Callable[[], None]) -> bool:
        """
        Make the connection idle if request and response are complete; return whether it can be reused.

        Args:
            disturbed: Called when bytes arrive while no request is open, or the peer closes the connection.
        """
        states = {self._parser.our_state, self._parser.their_state}
        if not self.is_open or states != {h11.DONE} or self._parser.trailing_data != (b"", False):
            return False
        self._parser.start_next_cycle()
        self._resume()
        self._disturbed = disturbed
        return True

    def wake(self) -> bool:
        """End the idle state; return whether the connection can be used."""
        self._disturbed = None
        return self.is_open

    def abort(self) -> None:
        """Close the connection at once and drop what is in flight."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        # Transports of other event loops, such as uvloop's, are not of this class but have its methods.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Pass bytes to the parser; pause reading while too many are unread."""
        if self._disturbed is not None:
            self._disturbed()
            return
        self._heard = True
        self._parser.receive_data(data)
        was_enough = self._unread > _MOST_UNREAD_BYTES
        self._unread += len(data)
        if self._unread > _MOST_UNREAD_BYTES and not was_enough:
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """Pass the end of the stream to the parser, which wakes a waiting reader."""
        if self._disturbed is not None:
            self._disturbed()
        self._lost = error
        self._parser.receive_data(b"")
        self._wake()

    def _send(self, event: h11.Event) -> None:
        data = self._parser.send(event)
        # A peer that closes early may have answered before: bytes received so far are still parsed.
        if data and self.is_open:
            self._transport.write(data)

    def _parsed(self) -> h11.Event | None:
        try:
            event = self._parser.next_event()
        except h11.RemoteProtocolError as error:
            cause = self._lost or error
            if not self._heard:
                why = self._lost or "the other side closed it"
                raise _Unanswered(f"the connection ended before the response: {why}") from cause
            raise httpx2.RemoteProtocolError(str(error)) from cause
        if event is h11.NEED_DATA:
            return None
        if not isinstance(event, h11.Event) or isinstance(event, h11.ConnectionClosed):
            raise httpx2.RemoteProtocolError("the connection was closed before the end of the response")
        return event

    def _resume(self) -> None:
        if self._unread > _MOST_UNREAD_BYTES:
            self._transport.resume_reading()
        self._unread = 0

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class _Body(httpx2.AsyncByteStream):
    """The body of a response, to be read once."""

    def __init__(self, connection: _Connection, give_back: Callable[[_Connection], None]) -> None:
        self._connection: _Connection | None = connection
        self._give_back = give_back

    def __aiter__(self) -> _Body:
        return self

    def __anext__(self) -> Coroutine[None, None, bytes]:
        """Return the next bytes, to be awaited."""
        return _nothing() if self._connection is None else self._connection.data()

    async def aclose(self) -> None:
        """Give the connection back, or close it if it was not read to the end."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._give_back(connection)


async def _nothing() -> bytes:
    raise StopAsyncIteration
