"""One request to an endpoint that speaks Anthropic's Messages API, by the official SDK; every fault gets a name."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import anthropic
import httpx2

from common.core.addresses import is_loopback
from common.model.failures import Cause, ModelFailed
from common.model.http1 import BODY, Http1Transport
from common.model.retry import retry_after
from common.model.server_events import ServerEvents
from common.model.texts import StreamSanitizer, sanitize, sanitize_json
from common.model.values import Finished, Structured, TextDelta, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping

    from common.core.clock import Clock
    from common.model.config import ModelConfig, RoleModel
    from common.model.server_events import ServerEvent
    from common.model.values import Event, ModelRequest, OutputSchema, Part

_NO_KEY = "none"
# Of what a model may write at most, which is bounded in tokens: the longest token is a run of 128 blanks.
_MOST_CHARS_PER_TOKEN = 128
_MOST_TOKENS = 100_000_000
_CAUSES = {401: Cause.UNAUTHORIZED, 403: Cause.UNAUTHORIZED, 408: Cause.TIMEOUT, 429: Cause.RATE_LIMITED}
_OVERLOADED_STATUSES = frozenset({503, 529})
_BLOCK_EVENTS = frozenset({"content_block_start", "content_block_delta", "content_block_stop"})
_EVENTS = _BLOCK_EVENTS | {"message_start", "message_delta", "message_stop", "error"}
_FAULTS = (
    anthropic.AnthropicError,
    httpx2.TransportError,
    httpx2.TimeoutException,
    httpx2.DecodingError,
    TimeoutError,
    # Of values nested too deeply.
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
)
_EVENT_CAUSES = {
    "overloaded_error": Cause.OVERLOADED,
    "rate_limit_error": Cause.RATE_LIMITED,
    "authentication_error": Cause.UNAUTHORIZED,
    "permission_error": Cause.UNAUTHORIZED,
    "invalid_request_error": Cause.REJECTED,
}


class AnthropicEndpoint:
    """
    Asks once; retrying and redacting are the client's business.

    Args:
        config: Where to ask, and how long to wait.
        clock: Against which dates of `retry-after` are taken.
    """

    def __init__(self, config: ModelConfig, clock: Clock) -> None:
        self._timeouts = config.timeouts
        self._clock = clock
        self._client = anthropic.AsyncAnthropic(
            api_key=config.api_key or _NO_KEY,
            base_url=config.base_url,
            max_retries=0,
            # A compressed event may wait in its compressor, and bytes are taken as they come.
            default_headers={"accept-encoding": "identity"},
            http_client=_http_client(config),
            open_telemetry=False,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def ask(
        self, request: ModelRequest, model: RoleModel, schema: OutputSchema | None = None, *, seconds: float
    ) -> AsyncGenerator[Event, None]:
        """
        Ask, and give the answer piece by piece: text, calls of tools, the structured answer, `Finished`.

        Closing the generator closes the connection, so that the endpoint stops.

        Args:
            request: What to ask.
            model: Whom.
            schema: Form of a structured answer.
            seconds: For all of it.

        Raises:
            ModelFailed: for everything that goes wrong, also after the first pieces.
        """
        ends = asyncio.get_running_loop().time() + seconds
        try:
            response = await self._begun(_arguments(request, model, schema), ends)
            longest = request.max_tokens or model.max_tokens
            # An answer takes long, and prompts are large: nobody needs this one any more.
            del request
            answer = _Answer(model, schema, max_chars=longest * _MOST_CHARS_PER_TOKEN)
            body = response.extensions.get(BODY, response.stream)
            chunks = response.aiter_bytes() if _is_encoded(response) else body
            events = ServerEvents(aiter(chunks))
            del response
            try:
                while (delta := await self._next(events, answer, ends)) is not None:
                    yield delta
            finally:
                await chunks.aclose()
                await body.aclose()
            for end in answer.end():
                yield end
        except _FAULTS as error:
            raise self._named(error) from error

    async def _begun(self, arguments: Mapping[str, Any], ends: float) -> httpx2.Response:
        async with self._within(self._timeouts.first_event_seconds, ends):
            raw = await self._client.messages.with_raw_response.create(**arguments, stream=True)
        response: httpx2.Response = raw.http_response
        return response

    async def _next(self, events: ServerEvents, answer: _Answer, ends: float) -> TextDelta | ToolCall | None:
        """Return the next piece, None at the end; pings do not count as a sign of life."""
        timeouts = self._timeouts
        while True:
            async with self._within(timeouts.idle_seconds if answer.begun else timeouts.first_event_seconds, ends):
                while (event := await events.next()) is not None and event.name not in _EVENTS:
                    pass
            delta = answer.take(event) if event is not None else None
            if event is None or delta is not None:
                return delta

    @staticmethod
    def _within(seconds: float, ends: float) -> asyncio.Timeout:
        return asyncio.timeout_at(min(asyncio.get_running_loop().time() + seconds, ends))

    def _named(self, error: Exception) -> ModelFailed:
        if isinstance(error, anthropic.APIStatusError):
            return self._of_status(error)
        if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
            return ModelFailed(Cause.TIMEOUT, "the model endpoint did not answer in time")
        if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
            return ModelFailed(Cause.UNREACHABLE, "the model endpoint cannot be reached, or broke off")
        # Events are read without checking their form.
        return ModelFailed(Cause.MALFORMED, "the model endpoint sent something that is not its protocol")

    def _of_status(self, error: anthropic.APIStatusError) -> ModelFailed:
        status = error.status_code
        default = Cause.SERVER_ERROR if status >= 500 else Cause.REJECTED
        cause = Cause.OVERLOADED if status in _OVERLOADED_STATUSES else _CAUSES.get(status, default)
        wait = retry_after(error.response.headers, self._clock.now())
        hint = "; check its API key" if cause is Cause.UNAUTHORIZED else ""
        text = f"the model endpoint answered {status} ({cause.value}){hint}"
        return ModelFailed(cause, text, retry_after_seconds=wait)


class _Answer:
    """Folds the events of one stream."""

    __slots__ = (
        *("_called", "_ended", "_json", "_left", "_model", "_name", "_pieces", "_schema", "_stop_reason", "_usage"),
        "begun",
    )

    def __init__(self, model: RoleModel, schema: OutputSchema | None, *, max_chars: int) -> None:
        self._model = model
        self._schema = schema
        self._left = max_chars
        self._pieces = StreamSanitizer()
        self._json: list[str] = []
        self._called = ""
        self._name = ""
        self._stop_reason = ""
        self._usage = Usage()
        self._ended = False
        self.begun = False

    def take(self, event: ServerEvent) -> TextDelta | ToolCall | None:
        """Take one event; return what it adds to the answer, if anything."""
        if event.name == "error":
            cause = _EVENT_CAUSES.get(_error_type(event.data), Cause.SERVER_ERROR)
            raise ModelFailed(cause, f"the model endpoint broke off ({cause.value})")
        data = json.loads(event.data)
        if event.name == "message_start":
            self.begun = True
            self._name = sanitize(_text(data["message"].get("model") or ""))
            self._count(data["message"]["usage"])
        elif event.name == "content_block_start":
            return self._begin_block(data.get("content_block") or {})
        elif event.name == "content_block_delta":
            return self._take_delta(data["delta"])
        elif event.name == "content_block_stop":
            return self._end_call()
        elif event.name == "message_delta":
            self._stop_reason = sanitize(_text(data["delta"].get("stop_reason") or ""))
            self._count(data["usage"])
        elif event.name == "message_stop":
            self._ended = True
        return None

    def end(self) -> Iterable[Event]:
        """Return what closes the answer; raises ModelFailed if its end did not come."""
        if not self.begun:
            raise ModelFailed(Cause.MALFORMED, "the model endpoint sent an empty answer")
        if not self._ended:
            raise ModelFailed(Cause.INTERRUPTED, "the model endpoint broke off")
        finished = Finished(self._name, self._stop_reason, self._usage, self._model.cost_usd(self._usage))
        if self._schema is not None:
            return Structured(self._structure(self._schema)), finished
        rest, call = self._pieces.end(), self._end_call()
        return tuple(each for each in (TextDelta(rest) if rest else None, call, finished) if each is not None)

    def _begin_block(self, block: Mapping[str, Any]) -> ToolCall | None:
        ended = self._end_call()
        if self._schema is None and block.get("type") == "tool_use":
            self._called = sanitize(_text(block["name"]))
            given = block.get("input")
            # Some endpoints give all of it at once.
            self._json = [self._bounded(json.dumps(given))] if given else []
        return ended

    def _end_call(self) -> ToolCall | None:
        """Return the call of a tool whose block ended, if one is open."""
        if not self._called:
            return None
        call = ToolCall(self._called, sanitize("".join(self._json)) or "{}")
        self._called, self._json = "", []
        return call

    def _structure(self, schema: OutputSchema) -> Mapping[str, Any]:
        try:
            value = sanitize_json(json.loads(sanitize("".join(self._json)) or "{}"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not value.keys() >= set(schema.required):
            reason = self._stop_reason or "no reason"
            raise ModelFailed(Cause.UNUSABLE, f"the answer has not the form of {schema.name} (it ended with {reason})")
        return value

    def _take_delta(self, delta: Mapping[str, Any]) -> TextDelta | None:
        if delta["type"] == "input_json_delta":
            self._json.append(self._bounded(delta["partial_json"]))
        text = self._pieces.take(self._bounded(delta["text"])) if delta["type"] == "text_delta" else ""
        return TextDelta(text) if text else None

    def _bounded(self, piece: object) -> str:
        text = _text(piece)
        self._left -= len(text)
        if self._left < 0:
            raise ValueError("more than was asked for")
        return text

    def _count(self, usage: Mapping[str, object]) -> None:
        # Later counts are totals, not additions; those that are left out stay as they were.
        known = self._usage
        self._usage = Usage(
            _given(usage.get("input_tokens"), known.input_tokens),
            _given(usage.get("output_tokens"), known.output_tokens),
            _given(usage.get("cache_read_input_tokens"), known.cache_read_tokens),
            _given(usage.get("cache_creation_input_tokens"), known.cache_write_tokens),
        )


def _http_client(config: ModelConfig) -> httpx2.AsyncClient:
    connect_seconds = config.timeouts.connect_seconds
    timeouts = httpx2.Timeout(config.timeouts.idle_seconds, connect=connect_seconds)
    # A proxy of the environment is for the way out, not for an endpoint on this machine.
    if getproxies() and not is_loopback(urlsplit(config.base_url).hostname):
        return anthropic.DefaultAsyncHttpxClient(timeout=timeouts)
    return anthropic.DefaultAsyncHttpxClient(timeout=timeouts, transport=Http1Transport(connect_seconds))


def _is_encoded(response: httpx2.Response) -> bool:
    # Some endpoints compress, whatever they are asked for.
    encoding: str = response.headers.get("content-encoding", "identity")
    return encoding.strip().lower() != "identity"


def _given(count: object, known: int) -> int:
    if count is None:
        return known
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _MOST_TOKENS:
        raise ValueError("no count of tokens")
    return count


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


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
    form = {"type": "object", "properties": dict(schema.properties), "required": list(schema.required)}
    return {"name": schema.name, "description": schema.description, "input_schema": form}


def _error_type(body: object) -> str:
    try:
        found = json.loads(body) if isinstance(body, str) else body
        return str(found["error"]["type"]) if isinstance(found, dict) else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
