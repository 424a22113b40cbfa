"""A server that answers HTTP by bytes as they are, and a client of the transport to models that talks to it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from common.model.http1 import Http1Transport

WHOLE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
HANG_UP: None = None


class Peer:
    """
    Says what it is told to, counts its connections, and notes when the other side closes one.

    Args:
        replies: One for each request, whichever connection that comes by; HANG_UP closes it instead.
        stays: Whether it waits for the other side to close when there are no more replies.
    """

    def __init__(self, *replies: bytes | None, stays: bool = True) -> None:
        self._replies = list(replies)
        self._stays = stays
        self.opened = 0
        self.closed = asyncio.Event()
        self.port = 0
        self.writer: asyncio.StreamWriter | None = None

    @asynccontextmanager
    async def listening(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[None]:
        """Listen on a free port of the loopback address."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield

    def say(self, data: bytes) -> None:
        """Say something unasked, over the latest connection; nothing ends it."""
        assert self.writer is not None
        if data:
            self.writer.write(data)
        else:
            self.writer.write_eof()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        self.writer = writer
        try:
            while self._replies:
                await reader.readuntil(b"\r\n\r\n")
                reply = self._replies.pop(0)
                if reply is HANG_UP:
                    return
                writer.write(reply)
                await writer.drain()
            if self._stays:
                await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.closed.set()
            writer.close()


@asynccontextmanager
async def talking(
    *replies: bytes | None, stays: bool = True, idle_seconds: float = 60.0
) -> AsyncIterator[tuple[Peer, httpx2.AsyncClient]]:
    """Open a peer, and a client that knows its address."""
    peer = Peer(*replies, stays=stays)
    transport = Http1Transport(5.0, idle_seconds=idle_seconds)
    async with (
        peer.listening(),
        httpx2.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{peer.port}") as client,
    ):
        yield peer, client
