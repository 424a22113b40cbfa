"""The fake model server, speaking OpenAI's chat completions as vLLM, llama.cpp and Ollama do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.anthropic_replies import Message, Reply, Wire, calls_of, pieces_of
from tests.fakes.anthropic_server import AnthropicServer, ReceivedRequest

_FINISH_REASONS = {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}


def events(reply: Message, model: str) -> Iterator[bytes]:
    """Return the events of a streamed answer as they are on the wire."""

    def chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> bytes:
        return _sse(_chunk(model, [{"index": 0, "delta": delta, "finish_reason": finish_reason}]))

    yield b": keep-alive\n\n"
    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces_of(reply):
        yield chunk({"content": piece})
    calls = calls_of(reply)
    for index, (name, given) in enumerate(calls):
        text = json.dumps(given)
        head = {"index": index, "id": f"call_{index}", "type": "function"}
        yield chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]})
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    reason = reply.stop_reason or ("tool_use" if calls else "end_turn")
    yield chunk({}, _FINISH_REASONS.get(reason, reason))
    usage = {
        "prompt_tokens": reply.input_tokens + reply.cached_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.cached_tokens + reply.output_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }
    yield _sse({**_chunk(model, []), "usage": usage})
    yield b"data: [DONE]\n\n"


def _error(error_type: str) -> bytes:
    return _sse({"error": {"message": "scripted", "type": error_type, "param": None, "code": None}})


OPENAI = Wire(events, _error)


@dataclass(slots=True)
class OpenAiServer(AnthropicServer):
    """The server; a client is given its URL with /v1. Where a JSON schema is asked for, tool inputs come as text."""

    wire: Wire = OPENAI

    @property
    def base_url(self) -> str:
        """Return the URL that a client is given."""
        return f"http://127.0.0.1:{self._port}/v1"

    def _reply_to(self, request: ReceivedRequest) -> Reply:
        reply = AnthropicServer._reply_to(self, request)
        if isinstance(reply, Message) and reply.tool and "response_format" in request.json:
            return replace(reply, tool=None, text=json.dumps(reply.tool[1]), stop_reason="end_turn")
        return reply


def _chunk(model: str, choices: list[Mapping[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}


def _sse(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode("utf-8", "backslashreplace")
