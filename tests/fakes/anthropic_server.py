"""
A local server that speaks Anthropic's Messages API, does what its script says, and remembers what it was asked.

It runs in a thread of its own, so it serves tests of one process and of several, synchronous and not:

    with AnthropicServer() as server:
        server.enqueue(Message("Paris."), Failure(529, retry_after="1"))
        ...
        assert b"secret" not in server.requests[0].body

The shapes are those that the real API sends: SSE with pings, input_json_delta for tools, error objects.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType
    from typing import Self

HANG: None = None  # a chunk that never comes

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


@dataclass(frozen=True, slots=True)
class Message:
    """
    A good answer, streamed or whole as the request wishes.

    Args:
        text: What the model says; with `pieces`, those are the deltas instead.
        pieces: Text deltas, one event each.
        tool: Name and input of a tool that the model calls after its text.
        pause_seconds: Wait before each delta.
        stop_reason: By default end_turn, or tool_use with a tool.
        cached_tokens: Input tokens that count as read from the cache.
    """

    text: str = ""
    pieces: Sequence[str] = ()
    tool: tuple[str, Mapping[str, Any]] | None = None
    pause_seconds: float = 0.0
    stop_reason: str = ""
    input_tokens: int = 100
    output_tokens: int = 20
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """An error before any content: a status such as 429 or 529, with any `retry-after` there is."""

    status: int
    retry_after: str | None = None
    message: str = "scripted failure"


@dataclass(frozen=True, slots=True)
class Raw:
    """
    Bytes as they are, after the headers of a 200.

    Args:
        chunks: Sent one by one; HANG sends nothing more and keeps the connection open.
        pause_seconds: Wait before each chunk.
        content_type: Of the response.
    """

    chunks: Sequence[bytes | None]
    pause_seconds: float = 0.0
    content_type: str = "text/event-stream"


Reply: TypeAlias = Message | Failure | Raw


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


def failure_until(status: int, moment: datetime) -> Failure:
    """Return a failure whose retry-after is an HTTP date."""
    return Failure(status, format_datetime(moment, usegmt=True))


def stalled() -> Raw:
    """Return a reply that stalls after its headers."""
    return Raw([HANG])


def stalled_after(text: str) -> Raw:
    """Return a reply that stalls in the middle, after this text."""
    return Raw([*_begin(text), HANG])


def dripping(text: str) -> Raw:
    """Return a reply that comes at one byte a second."""
    whole = b"".join(_events(Message(text), "model"))
    return Raw([bytes([byte]) for byte in whole], pause_seconds=1.0)


def error_event(text: str = "", error_type: str = "overloaded_error") -> Raw:
    """Return a reply that begins well, says this text, and then reports an error."""
    begin = _begin(text) if text else []
    return Raw([*begin, _sse("error", {"type": "error", "error": {"type": error_type, "message": "scripted"}})])


def invalid_json() -> Raw:
    """Return a reply with an event that is not JSON."""
    return Raw([b"event: message_start\ndata: {not json\n\n"])


def empty() -> Raw:
    """Return a reply without content."""
    return Raw([])


def cut_utf8(text: str) -> Raw:
    """Return a good reply whose multi-byte characters are cut between chunks: three bytes at a time."""
    whole = b"".join(_events(Message(text), "model"))
    return Raw([whole[at : at + 3] for at in range(0, len(whole), 3)])


def broken_utf8() -> Raw:
    """Return a reply that ends within a character."""
    whole = b"".join(_events(Message("né"), "model"))
    return Raw([whole[: whole.index("é".encode()) + 1]])


@dataclass(slots=True)
class AnthropicServer:
    """
    The server; listens within its `with` block on a free port of the loopback address.

    Replies come from the queue in order; when it is empty, from `fallback`, which may look at the request.
    """

    fallback: Callable[[ReceivedRequest], Reply] = lambda _: Message("ok")
    requests: list[ReceivedRequest] = field(default_factory=list)
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

    def wait_for_requests(self, count: int, timeout_seconds: float = 10.0) -> None:
        """Block until so many requests came; raises TimeoutError."""
        self._wait(lambda: len(self.requests) >= count, timeout_seconds)

    def wait_for_disconnect(self, index: int = -1, timeout_seconds: float = 10.0) -> float:
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            sending = asyncio.create_task(_send(writer, request, self._reply_to(request)))
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


async def _send(writer: asyncio.StreamWriter, request: ReceivedRequest, reply: Reply) -> None:
    if isinstance(reply, Failure):
        extra = {} if reply.retry_after is None else {"retry-after": reply.retry_after}
        body = {
            "type": "error",
            "error": {"type": _ERROR_TYPES.get(reply.status, "api_error"), "message": reply.message},
        }
        await _send_head(writer, reply.status, "application/json", extra)
        await _send_chunk(writer, request, json.dumps(body).encode())
    elif isinstance(reply, Raw):
        await _send_head(writer, 200, reply.content_type, {})
        for chunk in reply.chunks:
            if chunk is HANG:
                await asyncio.Event().wait()
            else:
                await asyncio.sleep(reply.pause_seconds)
                await _send_chunk(writer, request, chunk)
    else:
        await _send_message(writer, request, reply)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _send_message(writer: asyncio.StreamWriter, request: ReceivedRequest, reply: Message) -> None:
    model = str(request.json.get("model", ""))
    if not request.json.get("stream"):
        await asyncio.sleep(reply.pause_seconds)
        await _send_head(writer, 200, "application/json", {})
        await _send_chunk(writer, request, json.dumps(_whole(reply, model)).encode())
        return
    await _send_head(writer, 200, "text/event-stream; charset=utf-8", {})
    for event in _events(reply, model):
        if event.startswith(b"event: content_block_delta"):
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


def _pieces(reply: Message) -> Sequence[str]:
    return reply.pieces or ((reply.text,) if reply.text else ())


def _stop_reason(reply: Message) -> str:
    return reply.stop_reason or ("tool_use" if reply.tool else "end_turn")


def _usage(reply: Message) -> dict[str, int]:
    return {
        "input_tokens": reply.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reply.cached_tokens,
        "output_tokens": 1,
    }


def _whole(reply: Message, model: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if _pieces(reply):
        content.append({"type": "text", "text": "".join(_pieces(reply))})
    if reply.tool is not None:
        content.append({"type": "tool_use", "id": "toolu_1", "name": reply.tool[0], "input": dict(reply.tool[1])})
    return {
        "id": "msg_fake",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": _stop_reason(reply),
        "stop_sequence": None,
        "usage": {**_usage(reply), "output_tokens": reply.output_tokens},
    }


def _events(reply: Message, model: str) -> Iterator[bytes]:
    start = {**_whole(reply, model), "content": [], "stop_reason": None, "usage": _usage(reply)}
    yield _sse("message_start", {"type": "message_start", "message": start})
    index = 0
    if _pieces(reply) or reply.tool is None:
        yield from _block(index, {"type": "text", "text": ""}, [_text_delta(piece) for piece in _pieces(reply)])
        index += 1
    if reply.tool is not None:
        text = json.dumps(reply.tool[1])
        parts = ["", text[: len(text) // 2], text[len(text) // 2 :]]
        deltas: list[dict[str, Any]] = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        block = {"type": "tool_use", "id": "toolu_1", "name": reply.tool[0], "input": {}}
        yield from _block(index, block, deltas)
    delta = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    usage = {"output_tokens": reply.output_tokens}
    yield _sse("message_delta", {"type": "message_delta", "delta": delta, "usage": usage})
    yield _sse("message_stop", {"type": "message_stop"})


def _text_delta(piece: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": piece}


def _block(index: int, block: dict[str, Any], deltas: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    yield _sse("content_block_start", {"type": "content_block_start", "index": index, "content_block": block})
    yield _sse("ping", {"type": "ping"})
    for delta in deltas:
        yield _sse("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})
    yield _sse("content_block_stop", {"type": "content_block_stop", "index": index})


def _sse(event: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _begin(text: str) -> list[bytes]:
    return [*_events(Message(text), "model")][:-3]
