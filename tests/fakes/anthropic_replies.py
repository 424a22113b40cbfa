"""What a fake model server can be told to answer, and how Anthropic's Messages API words it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import Any, TypeAlias

HANG: None = None  # a chunk that never comes


@dataclass(frozen=True, slots=True)
class Message:
    """
    A good answer, streamed or whole as the request wishes.

    Args:
        text: What the model says; with `pieces`, those are the deltas instead.
        pieces: Text deltas, one event each.
        tool: Name and input of a tool that the model calls after its text.
        tools: More of them, in the same reply.
        pause_seconds: Wait before each delta.
        stop_reason: By default end_turn, or tool_use with a tool.
        cached_tokens: Input tokens that count as read from the cache.
    """

    text: str = ""
    pieces: Sequence[str] = ()
    tool: tuple[str, Mapping[str, Any]] | None = None
    tools: Sequence[tuple[str, Mapping[str, Any]]] = ()
    pause_seconds: float = 0.0
    stop_reason: str = ""
    input_tokens: int = 100
    output_tokens: int = 20
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """An error before any content: a status such as 429 or 529, with any `retry-after` and `date` there are."""

    status: int
    retry_after: str | None = None
    message: str = "scripted failure"
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """The request is to be sent again, as it is, to another path."""

    location: str
    status: int = 307


@dataclass(frozen=True, slots=True)
class Raw:
    """
    Bytes as they are, after the headers of a 200.

    Args:
        chunks: Sent one by one; HANG sends nothing more and keeps the connection open.
        pause_seconds: Wait before each chunk.
        content_type: Of the response.
        content_encoding: Of the response, which its bytes are already in.
    """

    chunks: Sequence[bytes | None]
    pause_seconds: float = 0.0
    content_type: str = "text/event-stream"
    content_encoding: str = "identity"


Reply: TypeAlias = Message | Failure | Redirect | Raw


@dataclass(frozen=True, slots=True)
class Wire:
    """
    How an API words answers.

    Args:
        events: Makes the events of a streamed answer, for a model.
        error: Makes the event that reports an error of a type.
    """

    events: Callable[[Message, str], Iterator[bytes]]
    error: Callable[[str], bytes]

    def begin(self, text: str) -> list[bytes]:
        """Return the events of an answer up to this text."""
        return [*self.events(Message(text), "model")][:-3]

    def whole(self, text: str) -> bytes:
        """Return all bytes of an answer."""
        return b"".join(self.events(Message(text), "model"))


def failure_until(status: int, moment: datetime, now: datetime | None = None) -> Failure:
    """Return a failure whose retry-after is an HTTP date; `now` is what the endpoint's own clock says."""
    date = None if now is None else format_datetime(now, usegmt=True)
    return Failure(status, format_datetime(moment, usegmt=True), date=date)


def stalled() -> Raw:
    """Return a reply that stalls after its headers."""
    return Raw([HANG])


def stalled_after(text: str, wire: Wire | None = None) -> Raw:
    """Return a reply that stalls in the middle, after this text."""
    return Raw([*(wire or ANTHROPIC).begin(text), HANG])


def dripping(text: str, wire: Wire | None = None) -> Raw:
    """Return a reply that comes at one byte a second."""
    return Raw([bytes([byte]) for byte in (wire or ANTHROPIC).whole(text)], pause_seconds=1.0)


def error_event(text: str = "", error_type: str = "overloaded_error", wire: Wire | None = None) -> Raw:
    """Return a reply that begins well, says this text, and then reports an error."""
    wire = wire or ANTHROPIC
    return Raw([*(wire.begin(text) if text else []), wire.error(error_type)])


def cut_off(text: str, wire: Wire | None = None) -> Raw:
    """Return a reply whose connection ends well, but before the end of the answer."""
    return Raw((wire or ANTHROPIC).begin(text))


def invalid_json() -> Raw:
    """Return a reply with an event that is not JSON."""
    return Raw([b"event: message_start\ndata: {not json\n\n"])


def empty() -> Raw:
    """Return a reply without content."""
    return Raw([])


def compressed(text: str, wire: Wire | None = None) -> Raw:
    """Return a good reply that is compressed, cut anywhere."""
    packed = gzip.compress((wire or ANTHROPIC).whole(text))
    return Raw([packed[at : at + 40] for at in range(0, len(packed), 40)], content_encoding="gzip")


def nested() -> Raw:
    """Return a reply with an event of JSON that is nested too deeply to be read."""
    return Raw([b"event: message_start\ndata: " + b"[" * 100_000 + b"\n\n"])


def cut_utf8(text: str, wire: Wire | None = None) -> Raw:
    """Return a good reply whose multi-byte characters are cut between chunks: three bytes at a time."""
    whole = (wire or ANTHROPIC).whole(text)
    return Raw([whole[at : at + 3] for at in range(0, len(whole), 3)])


def broken_utf8(wire: Wire | None = None) -> Raw:
    """Return a reply that ends within a character."""
    whole = (wire or ANTHROPIC).whole("né")
    return Raw([whole[: whole.index("é".encode()) + 1]])


def pieces_of(reply: Message) -> Sequence[str]:
    """Return the texts of a reply."""
    return reply.pieces or ((reply.text,) if reply.text else ())


def calls_of(reply: Message) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """Return the names and inputs of the tools that a reply calls."""
    return (*((reply.tool,) if reply.tool else ()), *reply.tools)


def _stop_reason(reply: Message) -> str:
    return reply.stop_reason or ("tool_use" if calls_of(reply) else "end_turn")


def _usage(reply: Message) -> dict[str, int]:
    return {
        "input_tokens": reply.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reply.cached_tokens,
        "output_tokens": 1,
    }


def whole(reply: Message, model: str) -> dict[str, Any]:
    """Return the body of an answer that is not streamed."""
    content: list[dict[str, Any]] = []
    if pieces_of(reply):
        content.append({"type": "text", "text": "".join(pieces_of(reply))})
    for number, (name, given) in enumerate(calls_of(reply), 1):
        content.append({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": dict(given)})
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


def events(reply: Message, model: str) -> Iterator[bytes]:
    """Return the events of a streamed answer as they are on the wire."""
    start = {**whole(reply, model), "content": [], "stop_reason": None, "usage": _usage(reply)}
    yield _sse("message_start", {"type": "message_start", "message": start})
    index = 0
    if pieces_of(reply) or not calls_of(reply):
        yield from _block(index, {"type": "text", "text": ""}, [_text_delta(piece) for piece in pieces_of(reply)])
        index += 1
    for number, (name, given) in enumerate(calls_of(reply), 1):
        text = json.dumps(given)
        parts = ["", text[: len(text) // 2], text[len(text) // 2 :]]
        deltas: list[dict[str, Any]] = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        yield from _block(index, block, deltas)
        index += 1
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
    # Lone surrogates can only be sent as escapes.
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode("utf-8", "backslashreplace")


def _error(error_type: str) -> bytes:
    return _sse("error", {"type": "error", "error": {"type": error_type, "message": "scripted"}})


ANTHROPIC = Wire(events, _error)
