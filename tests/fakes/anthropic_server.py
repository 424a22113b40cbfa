"""
A local server that speaks Anthropic's Messages API, does what its script says, and remembers what it was asked.

It runs in a thread of its own, so it serves tests of one process and of several, synchronous and not:

    with AnthropicServer() as server:
        server.enqueue(Message("Paris."), Failure(529, retry_after="1"))
        ...
        assert b"secret" not in server.requests[0].body

Replies are made in `tests.fakes.anthropic_replies`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, MutableSequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from tests.fakes.anthropic_replies import ANTHROPIC, HANG, Failure, Message, Raw, Redirect, Reply, Wire, whole

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(slots=True)
class ReceivedRequest:
    """What was asked, and what became of it; times are of `time.monotonic()`."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    received_at: float
    finished_at: float | None = None
    disconnected_at: float | None = None
    bytes_sent: int = 0

    @property
    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


@dataclass(slots=True)
class AnthropicServer:
    """
    The server; listens within its `with` block on a free port of the loopback address.

    Replies come from the queue in order; when it is empty, from `fallback`, which may look at the request.
    """

    fallback: Callable[[ReceivedRequest], Reply] = lambda _: Message("ok")
    requests: MutableSequence[ReceivedRequest] = field(default_factory=list)
    wire: Wire = ANTHROPIC
    _queue: deque[Reply] = field(default_factory=deque)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread | None = None
    _port: int = 0

    @property
    def base_url(self) -> str:
        """Return the URL that a client is given."""
        return f"http://127.0.0.1:{self._port}"

    def enqueue(self, *replies: Reply) -> None:
        """Add replies to the script."""
        self._queue.extend(replies)

    def wait_for_requests(self, count: int, timeout_seconds: float = 30.0) -> None:
        """Block until so many requests came; raises TimeoutError."""
        self._wait(lambda: len(self.requests) >= count, timeout_seconds)

    def wait_for_disconnect(self, index: int = -1, timeout_seconds: float = 30.0) -> float:
        """Block until the caller of a request went away before its end; return when that was."""
        self._wait(lambda: self.requests[index].disconnected_at is not None, timeout_seconds)
        moment = self.requests[index].disconnected_at
        assert moment is not None
        return moment

    def __enter__(self) -> Self:
        """Start to listen."""
        listening = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listening,), name="fake-anthropic", daemon=True)
        self._thread.start()
        listening.wait()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, with all connections."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not None:
            self._thread.join()

    def _run(self, listening: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self._port = server.sockets[0].getsockname()[1]
        listening.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _wait(self, condition: Callable[[], bool], timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("the fake server did not see it in time")
            time.sleep(0.002)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = None
        try:
            request = await _read_request(reader)
            self.requests.append(request)
            leaving = asyncio.create_task(reader.read(1))
            sending = asyncio.create_task(_send(writer, request, self._reply_to(request), self.wire))
            await asyncio.wait((leaving, sending), return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not sending.exception():
                request.finished_at = time.monotonic()
            else:
                request.disconnected_at = time.monotonic()
            leaving.cancel()
            sending.cancel()
            await asyncio.gather(leaving, sending, return_exceptions=True)
        except (asyncio.IncompleteReadError, ConnectionError):
            if request is not None:
                request.disconnected_at = time.monotonic()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def _reply_to(self, request: ReceivedRequest) -> Reply:
        if request.path.endswith("/count_tokens"):
            count = json.dumps({"input_tokens": max(1, len(request.body) // 4)})
            return Raw([count.encode()], content_type="application/json")
        return self._queue.popleft() if self._queue else self.fallback(request)


async def _read_request(reader: asyncio.StreamReader) -> ReceivedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(method, path.split("?")[0], headers, body, time.monotonic())


async def _send(writer: asyncio.StreamWriter, request: ReceivedRequest, reply: Reply, wire: Wire) -> None:
    if isinstance(reply, Failure):
        named = {"retry-after": reply.retry_after, "date": reply.date}
        extra = {name: value for name, value in named.items() if value is not None}
        body = {
            "type": "error",
            "error": {"type": _ERROR_TYPES.get(reply.status, "api_error"), "message": reply.message},
        }
        await _send_head(writer, reply.status, "application/json", extra)
        await _send_chunk(writer, request, json.dumps(body).encode())
    elif isinstance(reply, Redirect):
        await _send_head(writer, reply.status, "text/plain", {"location": reply.location})
    elif isinstance(reply, Raw):
        await _send_head(writer, 200, reply.content_type, {"content-encoding": reply.content_encoding})
        for chunk in reply.chunks:
            if chunk is HANG:
                await asyncio.Event().wait()
            else:
                await asyncio.sleep(reply.pause_seconds)
                await _send_chunk(writer, request, chunk)
    else:
        await _send_message(writer, request, reply, wire)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _send_message(writer: asyncio.StreamWriter, request: ReceivedRequest, reply: Message, wire: Wire) -> None:
    model = str(request.json.get("model", ""))
    if not request.json.get("stream"):
        await asyncio.sleep(reply.pause_seconds)
        await _send_head(writer, 200, "application/json", {})
        await _send_chunk(writer, request, json.dumps(whole(reply, model)).encode())
        return
    await _send_head(writer, 200, "text/event-stream; charset=utf-8", {})
    for event in wire.events(reply, model):
        if event.startswith((b"event: content_block_delta", b"data: ")):
            await asyncio.sleep(reply.pause_seconds)
        await _send_chunk(writer, request, event)


async def _send_head(writer: asyncio.StreamWriter, status: int, content_type: str, extra: Mapping[str, str]) -> None:
    headers = {
        "content-type": content_type,
        "transfer-encoding": "chunked",
        "connection": "close",
        "request-id": "req_fake",
        **extra,
    }
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}",
        *(f"{key}: {headers[key]}" for key in headers),
        "",
        "",
    ]
    writer.write("\r\n".join(lines).encode("latin-1"))
    await writer.drain()


async def _send_chunk(writer: asyncio.StreamWriter, request: ReceivedRequest, chunk: bytes) -> None:
    if chunk:
        writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        await writer.drain()
        request.bytes_sent += len(chunk)
