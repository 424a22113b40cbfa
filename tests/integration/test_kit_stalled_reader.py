"""A caller that does not read its stream, and whose connection breaks then: it has gone, and nothing is wrong here."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from typing import Any

import structlog
from cgrag.orchestrator.v1 import orchestrator_pb2

from tests.fakes.answering import Answers, serving

ASK = b"/cgrag.orchestrator.v1.OrchestratorService/Ask"
_NO_WINDOW = struct.pack(">HI", 4, 0)
_END_OF_HEADERS, _END_OF_STREAM = 4, 1


class Held(Answers):
    """Gives an event, and tells when it is about to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.closed = asyncio.Event(), asyncio.Event()

    async def Ask(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """Give one event."""
        self.asked.set()
        try:
            yield orchestrator_pb2.AnswerEvent(sequence=1)
        finally:
            self.closed.set()


async def test_a_stalled_reader_whose_connection_breaks_has_cancelled() -> None:
    """The event that waited for it cannot be sent: no defect of ours, which would alarm somebody."""
    servicer = Held()
    with structlog.testing.capture_logs() as lines:
        async with serving(servicer) as (server, _, _), asyncio.timeout(30):
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall(unread_call(ASK))
            await servicer.asked.wait()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()  # by a reset
            await servicer.closed.wait()
            while not (finished := [line for line in lines if line["event"] == "rpc.finished"]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    assert [line["code"] for line in finished] == ["CANCELLED"]
    assert [line for line in lines if line["event"] == "rpc.defect"] == []


def unread_call(path: bytes) -> bytes:
    """Return what begins a call in HTTP/2, and allows not a byte of the answer to be sent."""
    fields = {
        b":method": b"POST",
        b":scheme": b"http",
        b":path": path,
        b":authority": b"here",
        b"content-type": b"application/grpc",
        b"te": b"trailers",
    }
    headers = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())
    return (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + _frame(4, 0, 0, _NO_WINDOW)
        + _frame(1, _END_OF_HEADERS, 1, headers)
        + _frame(0, _END_OF_STREAM, 1, bytes(5))  # an empty message
    )


def _text(text: bytes) -> bytes:
    return bytes([len(text)]) + text


def _frame(kind: int, flags: int, stream: int, body: bytes) -> bytes:
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body
