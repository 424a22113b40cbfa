"""Runs a chain of layers (middleware) around every call that a server gets, unary or streaming."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from common.core.errors import InvalidArgument
from common.core.runtime.concurrency import start_token

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterator, Mapping, Sequence

    from common.rpc.requests import Requests

    Around = Callable[["Call"], Awaitable[None]]

# Requests and responses are the method's messages: gRPC's own types are no more precise here.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

_GONE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Method:
    """One method of a served contract; `type` is unary, client_stream, server_stream or bidi_stream."""

    service: str
    name: str
    type: str

    @property
    def path(self) -> str:
        """Return the method's name on the wire."""
        return f"/{self.service}/{self.name}"

    @property
    def streams_requests(self) -> bool:
        """Return whether the method may get more than one message."""
        return self.type in ("client_stream", "bidi_stream")

    @property
    def streams_responses(self) -> bool:
        """Return whether the method may send more than one message."""
        return self.type in ("server_stream", "bidi_stream")


@dataclass(slots=True)
class Call:
    """
    One call while it runs.

    Args:
        method: The called method.
        context: gRPC's context of the call.
        request: The request: serialized if it is one message, else the stream of messages.
        behaviour: The handler's function, which takes the request and the context.
        encode: Serializes a response.
        inner: The remaining layers, outermost first, and at the end the handler.
        code: Status code of the call, once a layer has set it.
        response: The serialized response of a unary call.
        prepare: Changes each response before it is serialized; None leaves responses as they are.
    """

    method: Method
    context: Context
    request: object
    behaviour: Callable[[Any, Context], Any]
    encode: Callable[[Any], bytes]
    inner: Iterator[Around]
    request_id: str = ""
    messages_sent: int = 0
    code: grpc.StatusCode | None = None
    response: bytes | None = None
    prepare: Callable[[Any], Awaitable[Any]] | None = None
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return the text values of the call's metadata; not cached, since they are read only when the call starts."""
        given = self.context.invocation_metadata() or ()
        return {key: value for key, value in given if isinstance(value, str)}

    def texts(self, key: str) -> tuple[str, ...]:
        """Return all text values of one metadata key; `metadata` has the last of them."""
        given = self.context.invocation_metadata() or ()
        return tuple(value for name, value in given if name == key and isinstance(value, str))

    def proceed(self) -> Awaitable[None]:
        """Run the remaining layers and the handler; to be awaited."""
        return next(self.inner)(self)

    def outcome(self, error: BaseException | None) -> grpc.StatusCode:
        """Return the code that the caller gets if the call ends with this exception, None being none."""
        if self.code is not None:
            return self.code
        if isinstance(error, asyncio.CancelledError):
            expired = self.context.time_remaining() == 0
            return grpc.StatusCode.DEADLINE_EXCEEDED if expired else grpc.StatusCode.CANCELLED
        if error is not None and not isinstance(error, grpc.aio.AbortError):
            return grpc.StatusCode.UNKNOWN
        # A context without a code answers OK; its code is 0 or None then.
        return self.context.code() or grpc.StatusCode.OK


class Layer(Protocol):
    """
    A layer of middleware around every call.

    Layers are nested coroutines. One that acts only before the call is a plain function that returns `call.proceed()`.
    A process may have a thousand open streams, and layers as context managers took a fifth of the memory of each.
    """

    def around(self, call: Call) -> Awaitable[None]:
        """Run the inner layers by `await call.proceed()`, which raises their exceptions."""
        ...


class CallInterceptor(grpc.aio.ServerInterceptor):
    """
    Wraps the given methods in layers; other methods are left as they are.

    Streaming responses are written by this wrapper, so that a cancelled call closes its generator at once and in its
    own task; handlers of streams are async generators.

    Args:
        methods: The methods to wrap.
        layers: Outermost first.
        requests: Reads the request of a call that has one. Such a call is served as a stream of one request, which is
            the same on the wire, since gRPC itself waits for any number of requests.
        most_bytes: Largest size of one response.
    """

    def __init__(self, methods: Sequence[Method], layers: Sequence[Layer], requests: Requests, most_bytes: int) -> None:
        self._methods = {method.path: method for method in methods}
        self._layers = tuple(layer.around for layer in layers)
        self._requests = requests
        self._most_bytes = most_bytes
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Return the method's handler with the layers around it."""
        path = handler_call_details.method
        if path in self._wrapped:
            return self._wrapped[path]
        handler = await continuation(handler_call_details)
        method = self._methods.get(path)
        # gRPC returns None for an unknown method.
        if method is None or handler is None:
            return handler
        # The handlers of a server stay the same.
        self._wrapped[path] = self._wrap(method, handler)
        return self._wrapped[path]

    def _wrap(self, method: Method, handler: Any) -> Handler:
        behaviour, encode = _decoding(handler), _encoding(handler, self._most_bytes)
        steps = (*self._layers, _respond_often if handler.response_streaming else _respond_once)

        async def wrapped(messages: object, context: Context) -> object:
            request = messages if method.streams_requests else await self._requests.take(context)
            call = Call(method, context, request, behaviour, encode, iter(steps))
            del messages, request
            token = start_token()
            try:
                await call.proceed()
            finally:
                token.is_cancelled = True
            return call.response

        # Without serializers gRPC passes bytes. So a message that cannot be parsed, or is too large to be sent, is an
        # error like any other; gRPC itself would not show it in metrics.
        make: Callable[..., Handler] = grpc.stream_unary_rpc_method_handler
        if handler.response_streaming:
            make = grpc.stream_stream_rpc_method_handler
        return make(wrapped, request_deserializer=None, response_serializer=None)


async def _respond_once(call: Call) -> None:
    response = await call.behaviour(call.request, call.context)
    call.response = call.encode(response if call.prepare is None else await call.prepare(response))
    call.messages_sent = 1


async def _respond_often(call: Call) -> None:
    responses = call.behaviour(call.request, call.context)
    call.request = None
    async with aclosing(responses):
        async for response in responses:
            try:
                prepared = response if call.prepare is None else await call.prepare(response)
                await call.context.write(call.encode(prepared))
            except grpc.aio.InternalError:
                # The response waited for a caller that does not read, and its connection has been lost. gRPC raises
                # this error before it cancels the call; the cancellation ends this sleep.
                await asyncio.sleep(_GONE_SECONDS)
                raise
            call.messages_sent += 1


def _decoding(handler: Any) -> Callable[[Any, Context], Any]:
    """Return the handler's function, wrapped so that it takes serialized requests."""
    behaviour = handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    decode = _decode_each if handler.request_streaming else _decode
    return lambda data, context: behaviour(decode(handler.request_deserializer, data), context)


def _encoding(handler: Any, most_bytes: int) -> Callable[[Any], bytes]:
    """Return a function that serializes the handler's responses; it raises InvalidArgument for too large ones."""
    serialize: Callable[[Any], bytes] = handler.response_serializer

    def encode(response: object) -> bytes:
        data = serialize(response)
        if len(data) > most_bytes:
            raise InvalidArgument(
                f"what was asked for has {len(data)} bytes, more than the {most_bytes} of a message;"
                " ask for less at once"
            )
        return data

    return encode


def _decode(deserialize: Callable[[bytes], object], data: bytes) -> object:
    try:
        return deserialize(data)
    except DecodeError as error:
        raise InvalidArgument("the request is not a message of this method; check the client's version") from error


async def _decode_each(
    deserialize: Callable[[bytes], object], messages: AsyncIterable[bytes]
) -> AsyncGenerator[object, None]:
    async for data in messages:
        yield _decode(deserialize, data)
