"""OpenAI's chat completions API, also served by vLLM, llama.cpp, Ollama, and gateways to other vendors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from common.model.failures import Cause, ModelFailed
from common.model.received import REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import httpx2

    from common.model.config import ModelConfig, RoleModel
    from common.model.received import ReceivedAnswer
    from common.model.server_events import ServerEvent
    from common.model.values import ModelRequest, OutputSchema, Part, TextDelta

_DONE = "[DONE]"
_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": REFUSAL}
# Types and codes of error events; a code may also be an HTTP status.
_EVENT_CAUSES = {
    "rate_limit_exceeded": Cause.RATE_LIMITED,
    "rate_limit_error": Cause.RATE_LIMITED,
    "insufficient_quota": Cause.RATE_LIMITED,
    "overloaded_error": Cause.OVERLOADED,
    "service_unavailable": Cause.OVERLOADED,
    "invalid_api_key": Cause.UNAUTHORIZED,
    "authentication_error": Cause.UNAUTHORIZED,
    "invalid_request_error": Cause.REJECTED,
}
_BAD_REQUEST = 400
# Names of the parameter that limits an answer: reasoning models refuse the older one, older servers the newer one.
_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"
_MOST_ERROR_BYTES = 64 * 1024


class OpenAiApi:
    """Implements `ModelApi`; a structured answer is requested as a response format with its JSON schema."""

    def __init__(self, config: ModelConfig, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._url = f"{config.url.rstrip('/')}/chat/completions"
        # No compression: it may delay events, and the body is read as received.
        self._headers = {"accept-encoding": "identity", "accept": "text/event-stream"}
        if config.api_key:
            self._headers["authorization"] = f"Bearer {config.api_key}"
        self._limits: dict[str, str] = {}

    async def send(self, request: ModelRequest, model: RoleModel, schema: OutputSchema | None) -> httpx2.Response:
        """Send a request and return its response, whatever its status, before its body is read."""
        body = _body(request, model, schema)
        most = request.max_tokens or model.max_tokens
        limit = self._limits.get(model.model, _LIMIT)
        response = await self._post({**body, limit: most})
        if response.status_code == _BAD_REQUEST and limit == _LIMIT and _NEWER_LIMIT.encode() in await _start(response):
            self._limits[model.model] = _NEWER_LIMIT
            response = await self._post({**body, _NEWER_LIMIT: most})
        return response

    def is_progress(self, event: ServerEvent) -> bool:
        """Return whether an event belongs to the answer; all with data do."""
        return bool(event.data)

    def read(self, event: ServerEvent, answer: ReceivedAnswer) -> TextDelta | None:
        """Add an event to an answer and return its text; raises ModelFailed for an error event."""
        if event.data.strip() == _DONE:
            answer.ended = True
            return None
        data = json.loads(event.data)
        if error := data.get("error"):
            raise ModelFailed.broken_off(_cause(error))
        if usage := data.get("usage"):
            _count(usage, answer)
        # The event with the usage has no choices.
        if not data["choices"]:
            return None
        if not answer.begun:
            answer.begin(data.get("model"))
        return _read_choice(data["choices"][0], answer)

    async def _post(self, body: Mapping[str, object]) -> httpx2.Response:
        return await self._http.send(
            self._http.build_request("POST", self._url, headers=self._headers, json=body), stream=True
        )


def _read_choice(choice: Mapping[str, Any], answer: ReceivedAnswer) -> TextDelta | None:
    delta = choice.get("delta") or {}
    for call in delta.get("tool_calls") or ():
        function = call.get("function") or {}
        answer.call(call.get("index", 0), function.get("name"), function.get("arguments"), call.get("id"))
    if delta.get("refusal"):
        answer.finish(REFUSAL)
    if reason := choice.get("finish_reason"):
        answer.finish(_STOP_REASONS.get(reason, reason))
        # Some servers do not send the final `[DONE]`.
        answer.ended = True
    content = delta.get("content")
    return answer.text(content) if content else None


def _count(usage: Mapping[str, Any], answer: ReceivedAnswer) -> None:
    prompt = usage.get("prompt_tokens")
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    answer.count(
        {
            "input_tokens": None if prompt is None else max(0, prompt - cached),
            "output_tokens": usage.get("completion_tokens"),
            "cache_read_tokens": cached,
        }
    )


def _body(request: ModelRequest, model: RoleModel, schema: OutputSchema | None) -> dict[str, Any]:
    system = [{"role": "system", "content": _joined(request.system)}] if request.system else []
    body: dict[str, Any] = {
        "model": model.model,
        "messages": [*system, *({"role": "user", "content": _joined(turn.parts)} for turn in request.turns)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if schema is not None:
        form = {"name": schema.name, "description": schema.description, "schema": schema.json_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    elif request.tools:
        body["tools"] = [_tool(each) for each in request.tools]
    return body


def _joined(parts: Sequence[Part]) -> str:
    # Chat templates of some local models accept only a text, no list of parts.
    return "\n\n".join(part.text for part in parts)


def _tool(schema: OutputSchema) -> dict[str, Any]:
    function = {"name": schema.name, "description": schema.description, "parameters": schema.json_schema}
    return {"type": "function", "function": function}


def _cause(error: object) -> Cause:
    """Return the cause that an error event names: by its code, which may be a status, or by its type."""
    if not isinstance(error, dict):
        return Cause.SERVER_ERROR
    code = error.get("code")
    if isinstance(code, int) and code >= _BAD_REQUEST:
        return Cause.of_status(code)
    found = (_EVENT_CAUSES.get(str(each)) for each in (code, error.get("type")))
    return next((cause for cause in found if cause is not None), Cause.SERVER_ERROR)


async def _start(response: httpx2.Response) -> bytes:
    """Return the first part of a body and close the response."""
    start = b""
    try:
        async for chunk in response.aiter_bytes():
            start += chunk
            if len(start) > _MOST_ERROR_BYTES:
                break
    finally:
        await response.aclose()
    return start
