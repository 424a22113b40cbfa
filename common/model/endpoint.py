"""One request to a model, over the API of any vendor; every failure gets a cause."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx2

from common.core.addresses import is_loopback
from common.model.failures import Cause, ModelFailed
from common.model.http1 import BODY, Http1Transport
from common.model.received import ReceivedAnswer
from common.model.retry import retry_after
from common.model.server_events import ServerEvents

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable

    from common.core.clock import Clock
    from common.model.config import ModelConfig, RoleModel
    from common.model.server_events import ServerEvent
    from common.model.values import Event, ModelRequest, OutputSchema, TextDelta

_FIRST_ERROR = 400
_HINTS = {401: "; check its API key", 403: "; check its API key", 404: "; check its URL and the name of the model"}
# Events are read without checking their form: what they lack, or hold instead, shows as one of these.
_FAULTS = (
    httpx2.TransportError,
    httpx2.DecodingError,
    httpx2.TooManyRedirects,
    TimeoutError,
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
)
_CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


class ModelApi(Protocol):
    """The API of a vendor: how a request is encoded, and what the events of its answer mean."""

    async def send(self, request: ModelRequest, model: RoleModel, schema: OutputSchema | None) -> httpx2.Response:
        """Send a request and return its response, whatever its status, before its body is read."""
        ...

    def is_progress(self, event: ServerEvent) -> bool:
        """Return whether an event belongs to the answer; pings do not."""
        ...

    def read(self, event: ServerEvent, answer: ReceivedAnswer) -> TextDelta | None:
        """Add an event to an answer and return its text; raises ModelFailed for an error event."""
        ...


class ModelEndpoint:
    """
    Asks once; retrying and redacting are the client's business.

    Args:
        api: The API that the endpoint speaks.
        http: Sends the requests of that API; closed with the endpoint.
        config: How long to wait.
        clock: Against which dates of `retry-after` are taken.
    """

    def __init__(self, api: ModelApi, http: httpx2.AsyncClient, config: ModelConfig, clock: Clock) -> None:
        self._api = api
        self._http = http
        self._timeouts = config.timeouts
        self._clock = clock

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def ask(
        self, request: ModelRequest, model: RoleModel, schema: OutputSchema | None = None, *, seconds: float
    ) -> AsyncGenerator[Event, None]:
        """
        Ask, and give the answer piece by piece: text, calls of tools, the structured answer, `Finished`.

        Closing the generator closes the connection, so that the endpoint stops.

        Args:
            request: What to ask.
            model: Name of the model.
            schema: Form of a structured answer.
            seconds: Time limit for the whole answer.

        Raises:
            ModelFailed: for every failure, also after the first pieces.
        """
        ends = asyncio.get_running_loop().time() + seconds
        try:
            response = await self._begun(self._api.send(request, model, schema), ends)
            answer = ReceivedAnswer(model, schema, request.max_tokens or model.max_tokens)
            # The prompt is large and the answer takes long: free the prompt.
            del request
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
            raise _named(error) from error

    async def _begun(self, sending: Awaitable[httpx2.Response], ends: float) -> httpx2.Response:
        async with self._within(self._timeouts.first_event_seconds, ends):
            response = await sending
        if response.status_code >= _FIRST_ERROR:
            await response.aclose()
            raise self._of_status(response)
        return response

    async def _next(self, events: ServerEvents, answer: ReceivedAnswer, ends: float) -> TextDelta | None:
        """Return the next text, None at the end; pings do not count as a sign of life."""
        timeouts = self._timeouts
        while True:
            async with self._within(timeouts.idle_seconds if answer.begun else timeouts.first_event_seconds, ends):
                while (event := await events.next()) is not None and not self._api.is_progress(event):
                    pass
            delta = self._api.read(event, answer) if event is not None else None
            if event is None or delta is not None:
                return delta

    @staticmethod
    def _within(seconds: float, ends: float) -> asyncio.Timeout:
        return asyncio.timeout_at(min(asyncio.get_running_loop().time() + seconds, ends))

    def _of_status(self, response: httpx2.Response) -> ModelFailed:
        status = response.status_code
        cause = Cause.of_status(status)
        text = f"the model endpoint answered {status} ({cause.value}){_HINTS.get(status, '')}"
        return ModelFailed(cause, text, retry_after_seconds=retry_after(response.headers, self._clock.now()))


def open_endpoint(config: ModelConfig, clock: Clock) -> ModelEndpoint:
    """Return the configured endpoint; nothing is sent before the first request. Close it."""
    http = _http_client(config)
    return ModelEndpoint(_open_api(config, http), http, config, clock)


def _open_api(config: ModelConfig, http: httpx2.AsyncClient) -> ModelApi:
    # Loading only what is used: the SDK takes most of a service's start.
    if config.api == "openai":
        from common.model.openai_api import OpenAiApi

        return OpenAiApi(config, http)
    from common.model.anthropic_api import AnthropicApi

    return AnthropicApi(config, http)


def _http_client(config: ModelConfig) -> httpx2.AsyncClient:
    connect_seconds = config.timeouts.connect_seconds
    timeouts = httpx2.Timeout(config.timeouts.idle_seconds, connect=connect_seconds)
    # A proxy of the environment is for the way out, not for an endpoint on this machine.
    is_direct = not getproxies() or is_loopback(urlsplit(config.url).hostname)
    transport = Http1Transport(connect_seconds) if is_direct else None
    return httpx2.AsyncClient(timeout=timeouts, transport=transport, limits=_CONNECTIONS, follow_redirects=True)


def _is_encoded(response: httpx2.Response) -> bool:
    # Some endpoints compress regardless of Accept-Encoding.
    encoding: str = response.headers.get("content-encoding", "identity")
    return encoding.strip().lower() != "identity"


def _named(error: Exception) -> ModelFailed:
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return ModelFailed(Cause.TIMEOUT, "the model endpoint did not answer in time")
    if isinstance(error, httpx2.TransportError):
        return ModelFailed(Cause.UNREACHABLE, "the model endpoint cannot be reached, or broke off")
    return ModelFailed(Cause.MALFORMED, "the model endpoint sent something that is not its protocol")
