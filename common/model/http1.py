"""
HTTP/1.1 for answers that stay open for long: of an open one remain its connection and the parser of it.

The client's own transport keeps some 20 kB for each: locks, events, scopes, and nine generators one within the other.
"""

from __future__ import annotations

import asyncio
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

import h11
import httpx2

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Coroutine

    Origin = tuple[str, str, int]

BODY = "cgrag_body"
"""Extension of responses: their body as it is, where the client wraps `response.stream` to measure time."""
_PORTS = {"http": 80, "https": 443}
_MOST_UNREAD_BYTES = 256 * 1024
_MOST_IDLE = 20


class Http1Transport(httpx2.AsyncBaseTransport):
    """
    Sends requests of one event loop over connections that are kept for a while between them. Knows no proxies.

    Nothing but connecting has a limit of time here: whoever reads an answer knows best how long it may be silent.

    Args:
        connect_seconds: For a connection, its TLS included.
        idle_seconds: How long a connection is kept for the next request.
    """

    def __init__(self, connect_seconds: float, *, idle_seconds: float = 5.0) -> None:
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._idle: dict[Origin, list[_Connection]] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and return its response as soon as the headers are there; close it."""
        scheme, host = request.url.scheme, request.url.raw_host.decode()
        origin = (scheme, host, request.url.port or _PORTS[scheme])
        connection = self._kept(origin) or await self._connected(origin)
        try:
            head = await connection.exchange(request)
        except BaseException:
            connection.abort()
            raise
        body = _Body(connection, partial(self._done, origin, connection))
        return httpx2.Response(head.status_code, headers=head.headers.raw_items(), stream=body, extensions={BODY: body})

    async def aclose(self) -> None:
        """Close the connections that no response uses."""
        for connections in self._idle.values():
            for connection in connections:
                connection.abort()
        self._idle.clear()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the authorities takes a while, and endpoints of one's own do without.
        context = httpx2.create_ssl_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def _connected(self, origin: Origin) -> _Connection:
        scheme, host, port = origin
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_seconds):
                tls = self._tls if scheme == "https" else None
                _, connection = await loop.create_connection(_Connection, host, port, ssl=tls)
        except TimeoutError as error:
            raise httpx2.ConnectTimeout(f"no connection to {host} within {self._connect_seconds:g} s") from error
        except OSError as error:
            raise httpx2.ConnectError(f"no connection to {host}: {error}") from error
        return connection

    def _kept(self, origin: Origin) -> _Connection | None:
        connections = self._idle.get(origin, [])
        while connections:
            connection = connections.pop()
            if connection.is_open:
                return connection
        return None

    def _done(self, origin: Origin, connection: _Connection) -> None:
        """Keep a connection for the next request if its response was read to the end, else close it."""
        connections = self._idle.setdefault(origin, [])
        if len(connections) >= _MOST_IDLE or not connection.is_reusable():
            connection.abort()
            return
        connections.append(connection)
        asyncio.get_running_loop().call_later(self._idle_seconds, self._expire, connections, connection)

    @staticmethod
    def _expire(connections: list[_Connection], connection: _Connection) -> None:
        if connection in connections:
            connections.remove(connection)
            connection.abort()


class _Connection(asyncio.Protocol):
    """A connection: bytes are parsed as they come, and reading stops while nobody takes what was parsed."""

    __slots__ = ("_parser", "_transport", "_unread", "_waiting")

    def __init__(self) -> None:
        self._parser = h11.Connection(h11.CLIENT)
        self._waiting: asyncio.Future[None] | None = None
        self._unread = 0

    @property
    def is_open(self) -> bool:
        """Tell whether the other side has not closed it."""
        return not self._transport.is_closing()

    async def exchange(self, request: httpx2.Request) -> h11.Response:
        """Send a request and return the head of its response."""
        head = h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
        self._send(head)
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        async for chunk in request.stream:
            self._send(h11.Data(data=chunk))
        self._send(h11.EndOfMessage())
        return await self._head()

    async def data(self) -> bytes:
        """Wait for the next bytes of the body; raises StopAsyncIteration at its end."""
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
        """Return what is done when bytes have come, or will never come."""
        if self._unread > _MOST_UNREAD_BYTES:
            self._transport.resume_reading()
        self._unread = 0
        self._waiting = asyncio.get_running_loop().create_future()
        return self._waiting

    def is_reusable(self) -> bool:
        """Tell whether both sides have said all, and make it ready for the next request."""
        if not self.is_open or self._parser.our_state is not h11.DONE or self._parser.their_state is not h11.DONE:
            return False
        self._parser.start_next_cycle()
        return True

    def abort(self) -> None:
        """Close it at once, whatever is still under way."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        # Those of other event loops are not of this class, but have its methods.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Take bytes, and no more of them for now if too many wait to be read."""
        self._parser.receive_data(data)
        was_enough = self._unread > _MOST_UNREAD_BYTES
        self._unread += len(data)
        if self._unread > _MOST_UNREAD_BYTES and not was_enough:
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 (whoever waits is told by the parser)
        """Tell the parser that nothing more comes."""
        self._parser.receive_data(b"")
        self._wake()

    def _send(self, event: h11.Event) -> None:
        self._transport.write(self._parser.send(event) or b"")

    def _parsed(self) -> h11.Event | None:
        try:
            event = self._parser.next_event()
        except h11.RemoteProtocolError as error:
            raise httpx2.RemoteProtocolError(str(error)) from error
        if event is h11.NEED_DATA:
            return None
        if not isinstance(event, h11.Event) or isinstance(event, h11.ConnectionClosed):
            raise httpx2.RemoteProtocolError("the connection was closed before the end of the response")
        return event

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class _Body(httpx2.AsyncByteStream):
    """The body of a response, to be read once."""

    def __init__(self, connection: _Connection, done: Callable[[], None]) -> None:
        self._connection = connection
        self._done: Callable[[], None] | None = done

    def __aiter__(self) -> _Body:
        return self

    def __anext__(self) -> Coroutine[None, None, bytes]:
        """Return the next bytes, to be awaited."""
        return self._connection.data()

    async def aclose(self) -> None:
        """Give the connection back, or close it if it was not read to the end."""
        done, self._done = self._done, None
        if done is not None:
            done()
