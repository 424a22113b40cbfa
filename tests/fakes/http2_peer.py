"""The calling side of HTTP/2, frame by frame: for callers that do what no library does."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS = 0, 1, 3, 4
END_STREAM, END_HEADERS = 1, 4
MAX_CONCURRENT_STREAMS = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as it came."""

    kind: int
    flags: int
    stream: int
    body: bytes


class Http2Peer:
    """One connection; reads nothing before it is asked to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._next_stream = 1

    def greet(self) -> None:
        """Begin HTTP/2, with settings as they are."""
        self.say(PREFACE + _frame(SETTINGS, 0, 0))

    def begin(self, path: str, *, ends: bool = False) -> int:
        """Send the head of a call and no more; return its stream. `ends` says that nothing will come."""
        stream = self._next_stream
        self._next_stream += 2
        fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "x"}
        fields |= {"te": "trailers", "content-type": "application/grpc"}
        head = b"".join(_field(name, value) for name, value in fields.items())
        self.say(_frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, head))
        return stream

    def say(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)

    async def until(self, wanted: Callable[[Frame], bool]) -> Frame:
        """Return the first frame to come that is wanted; fails after 30 s, which a busy machine may need."""
        async with asyncio.timeout(30):
            while True:
                head = await self._reader.readexactly(9)
                body = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
                frame = Frame(head[3], head[4], int.from_bytes(head[5:9], "big"), body)
                if wanted(frame):
                    return frame

    async def closed(self) -> None:
        """Return when the other side has closed the connection; fails after 30 s."""
        async with asyncio.timeout(30):
            try:
                await self._reader.read()
            except ConnectionError:
                return


@asynccontextmanager
async def connected(port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[Http2Peer]:
    """Connect to a port of the loopback address."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    try:
        yield Http2Peer(reader, writer)
    finally:
        writer.transport.abort()


def is_end(stream: int) -> Callable[[Frame], bool]:
    """Return what tells the trailers of a call."""
    return lambda frame: frame.stream == stream and frame.kind == HEADERS and bool(frame.flags & END_STREAM)


def _frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body


def _field(name: str, value: str) -> bytes:
    return bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
