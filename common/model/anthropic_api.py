"""Anthropic's Messages API, by the official SDK."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anthropic

from common.model.failures import Cause, ModelFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import httpx2

    from common.model.config import ModelConfig, RoleModel
    from common.model.received import ReceivedAnswer
    from common.model.server_events import ServerEvent
    from common.model.values import ModelRequest, OutputSchema, Part, TextDelta

_NO_KEY = "none"
_BLOCK_EVENTS = frozenset({"content_block_start", "content_block_delta"})
_EVENTS = _BLOCK_EVENTS | {"content_block_stop", "message_start", "message_delta", "message_stop", "error"}
_EVENT_CAUSES = {
    "overloaded_error": Cause.OVERLOADED,
    "rate_limit_error": Cause.RATE_LIMITED,
    "authentication_error": Cause.UNAUTHORIZED,
    "permission_error": Cause.UNAUTHORIZED,
    "invalid_request_error": Cause.REJECTED,
}


class AnthropicApi:
    """Implements `ModelApi`; a structured answer is the input of a tool that the model is made to call."""

    def __init__(self, config: ModelConfig, http: httpx2.AsyncClient) -> None:
        self._client = anthropic.AsyncAnthropic(
            api_key=config.api_key or _NO_KEY,
            base_url=config.url,
            max_retries=0,
            # No compression: it may delay events, and the body is read as received.
            default_headers={"accept-encoding": "identity"},
            http_client=http,
            open_telemetry=False,
        )

    async def send(self, request: ModelRequest, model: RoleModel, schema: OutputSchema | None) -> httpx2.Response:
        """Send a request and return its response, whatever its status, before its body is read."""
        try:
            raw = await self._client.messages.with_raw_response.create(
                **_arguments(request, model, schema), stream=True
            )
            response: httpx2.Response = raw.http_response
        except anthropic.APIStatusError as error:
            response = error.response
        except anthropic.APIConnectionError as error:
            raise error.__cause__ or TimeoutError from error
        except anthropic.AnthropicError as error:
            raise ValueError("the SDK could not read the response") from error
        return response

    def is_progress(self, event: ServerEvent) -> bool:
        """Return whether an event belongs to the answer; pings do not."""
        return event.name in _EVENTS

    def read(self, event: ServerEvent, answer: ReceivedAnswer) -> TextDelta | None:
        """Add an event to an answer and return its text; raises ModelFailed for an error event."""
        if event.name == "error":
            raise ModelFailed.broken_off(_EVENT_CAUSES.get(_error_type(event.data), Cause.SERVER_ERROR))
        data = json.loads(event.data)
        if event.name == "message_start":
            answer.begin(data["message"].get("model"))
            _count(data["message"]["usage"], answer)
        elif event.name in _BLOCK_EVENTS:
            return _read_block(data, answer)
        elif event.name == "message_delta":
            answer.finish(data["delta"].get("stop_reason"))
            _count(data["usage"], answer)
        elif event.name == "message_stop":
            answer.ended = True
        return None


def _read_block(data: Mapping[str, Any], answer: ReceivedAnswer) -> TextDelta | None:
    block, delta = data.get("content_block") or {}, data.get("delta") or {}
    if block.get("type") == "tool_use":
        given = block.get("input")
        # Some endpoints send all arguments of a call at once.
        answer.call(data.get("index", 0), block["name"], json.dumps(given) if given else None)
    elif delta.get("type") == "input_json_delta":
        answer.call(data.get("index", 0), arguments=delta["partial_json"])
    return answer.text(delta["text"]) if delta.get("type") == "text_delta" else None


def _count(usage: Mapping[str, object], answer: ReceivedAnswer) -> None:
    answer.count(
        {
            "input_tokens": usage.get("input_tokens"),
            "output_tokens": usage.get("output_tokens"),
            "cache_read_tokens": usage.get("cache_read_input_tokens"),
            "cache_write_tokens": usage.get("cache_creation_input_tokens"),
        }
    )


def _arguments(request: ModelRequest, model: RoleModel, schema: OutputSchema | None) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": model.model,
        "max_tokens": request.max_tokens or model.max_tokens,
        "messages": [{"role": "user", "content": _blocks(turn.parts)} for turn in request.turns],
    }
    if request.system:
        arguments["system"] = _blocks(request.system)
    if schema is not None:
        arguments["tools"] = [_tool(schema)]
        arguments["tool_choice"] = {"type": "tool", "name": schema.name, "disable_parallel_tool_use": True}
    elif request.tools:
        arguments["tools"] = [_tool(each) for each in request.tools]
    return arguments


def _blocks(parts: Iterable[Part]) -> list[dict[str, Any]]:
    mark = {"cache_control": {"type": "ephemeral"}}
    return [{"type": "text", "text": part.text, **(mark if part.cache else {})} for part in parts]


def _tool(schema: OutputSchema) -> dict[str, Any]:
    return {"name": schema.name, "description": schema.description, "input_schema": schema.json_schema}


def _error_type(body: str) -> str:
    try:
        return str(json.loads(body)["error"]["type"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
