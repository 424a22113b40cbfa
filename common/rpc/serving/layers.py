"""Layers around every call: identity, deadline, log line, metrics, admission, and errors as statuses."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import structlog

from common.core.errors import AppError, DeadlineExceeded, Overloaded, ShuttingDown, Unimplemented
from common.observability import tracing
from common.rpc import callers, status
from common.rpc.client import deadlines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from opentelemetry.trace import Span

    from common.core.ids import IdSource
    from common.rpc.client.calls import Call
    from common.rpc.serving.metrics import ServerMetrics

_log = structlog.get_logger(__name__)
_SERVER_FAULTS = frozenset(
    {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS, grpc.StatusCode.UNIMPLEMENTED}
)


class _ServerDefect(AppError):
    """An unexpected exception; the caller receives only the request id."""


class TraceLayer:
    """Makes the call a span of its caller's trace."""

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call as a span."""
        span = tracing.start_server_span(call.method.path.removeprefix("/"), call.metadata)
        if span.is_recording():
            return self._recorded(call, span)
        # This task serves this call only.
        tracing.stay_within(span)
        return call.proceed()

    async def _recorded(self, call: Call, span: Span) -> None:
        with tracing.within(span):
            await call.proceed()


class RequestIdLayer:
    """Takes the caller's request id or makes one, binds it to logs, and returns it in the trailing metadata."""

    def __init__(self, ids: IdSource) -> None:
        self._ids = ids

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call under its request id."""
        given = call.metadata.get(callers.REQUEST_ID_KEY, "")
        call.request_id = given if callers.is_plain_id(given) else self._ids.new("req")
        callers.set_request_id(call.request_id)
        call.context.set_trailing_metadata(((callers.REQUEST_ID_KEY, call.request_id),))
        # For the rest of this task, which serves this call only.
        structlog.contextvars.bind_contextvars(request_id=call.request_id)
        return call.proceed()


class AccountLayer:
    """Logs, traces and measures each call, under the metric names of gRPC's ecosystem."""

    def __init__(self, metrics: ServerMetrics) -> None:
        self._metrics = metrics

    async def around(self, call: Call) -> None:
        """Run the call and account for it."""
        started = time.monotonic()
        error: BaseException | None = None
        self._metrics.started(call.method)
        try:
            await call.proceed()
        except BaseException as raised:
            error = raised
            raise
        finally:
            code, seconds = call.outcome(error), time.monotonic() - started
            self._metrics.handled(call.method, code.name, seconds, call.messages_sent)
            tracing.tell_outcome(code)
            log = _log.warning if code in _SERVER_FAULTS else _log.info
            log(
                "rpc.finished",
                service=call.method.service,
                method=call.method.name,
                code=code.name,
                seconds=round(seconds, 6),
                messages_sent=call.messages_sent,
                **call.fields,
            )


class ErrorLayer:
    """Turns exceptions into gRPC statuses: the one place with a broad `except`."""

    async def around(self, call: Call) -> None:
        """Run the call; translate an AppError into its status, anything else into INTERNAL without its text."""
        try:
            await call.proceed()
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except AppError as error:
            call.fields["reason"] = error.reason
            _drop_traceback(error)
            await _abort(call, error)
        except Exception as error:  # noqa: BLE001 (the boundary: the text of an unknown error must not leave)
            if isinstance(error, NotImplementedError) and call.context.code() is grpc.StatusCode.UNIMPLEMENTED:
                # Generated servicers answer like this for methods that are not implemented.
                await _abort(call, Unimplemented(f"{call.method.name} is in the contract and not served yet"))
            _log.exception("rpc.defect", method=call.method.path, error_type=type(error).__name__)
            _drop_traceback(error)
            text = f"internal error; quote request id {call.request_id} to the operator"
            await _abort(call, _ServerDefect(text, metadata={"request_id": call.request_id}))


class CallerLayer:
    """Takes the caller's name from the metadata, without proof: for trusted networks."""

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call as its caller."""
        callers.set_caller(callers.named_caller(call.metadata, call.context.peer()))
        return call.proceed()


class DeadlineLayer:
    """
    Gives every call a deadline: its caller's, else the server's default.

    Args:
        unary_seconds: Default for calls with one response.
        stream_seconds: Default for calls that stream responses.
    """

    def __init__(self, unary_seconds: float, stream_seconds: float) -> None:
        self._unary = unary_seconds
        self._stream = stream_seconds

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call within its deadline; gRPC itself cancels it at the caller's."""
        left = call.context.time_remaining()
        seconds = left if left is not None else self._stream if call.method.streams_responses else self._unary
        deadlines.start_deadline(seconds)
        return call.proceed() if left is not None else self._bounded(call, seconds)

    async def _bounded(self, call: Call, seconds: float) -> None:
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                await call.proceed()
        except TimeoutError:
            if not scope.expired():
                raise
            raise DeadlineExceeded(f"the call took longer than the server's default of {seconds:g} s") from None


@dataclass(frozen=True, slots=True)
class ConcurrencyLimit:
    """
    A bound on how many calls of some methods, taken together, run at once.

    Args:
        methods: Names without their service: `Ask`.
        limit: At least 1; calls beyond it are refused at once.
        retry_after_seconds: Wait that refused callers are asked for.
    """

    methods: frozenset[str]
    limit: int
    retry_after_seconds: float = 1.0


class AdmissionLayer:
    """
    Refuses calls beyond a limit, and all new calls while draining.

    gRPC's own `maximum_concurrent_rpcs` would refuse health checks too, so the bound is ours.
    """

    def __init__(self, limits: Sequence[tuple[str, ConcurrencyLimit]], metrics: ServerMetrics) -> None:
        self._metrics = metrics
        self._limit_of = {f"/{service}/{name}": limit for service, limit in limits for name in limit.methods}
        self._running_of = {id(limit): 0 for _, limit in limits}
        self._running = 0
        self._draining = False
        self._is_cut = False
        self._tasks: set[asyncio.Task[object]] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def drain(self) -> None:
        """Refuse all calls from now on."""
        self._draining = True

    @property
    def is_draining(self) -> bool:
        """Return whether all calls are refused."""
        return self._draining

    async def wait_idle(self) -> None:
        """Return when no call runs."""
        await self._idle.wait()

    async def cut(self, seconds: float) -> None:
        """
        End the running calls with the same status as calls refused while draining; return when all have ended.

        Without this, the status would depend on a race when the server stops: UNAVAILABLE for a lost connection, or
        CANCELLED, as if the caller had cancelled.

        Args:
            seconds: Longest time to wait for the calls.
        """
        self._is_cut = True
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    @property
    def running(self) -> int:
        """Return how many calls run."""
        return self._running

    def around(self, call: Call) -> Awaitable[None]:
        """Run the call if the concurrency limit allows it."""
        if self._draining:
            self._metrics.shed("draining")
            raise _shutting_down()
        limit = self._limit_of.get(call.method.path)
        if limit is not None and self._running_of[id(limit)] >= limit.limit:
            self._metrics.shed("concurrency")
            raise Overloaded(
                f"{limit.limit} calls run already; try again in {limit.retry_after_seconds:g} s",
                retry_after_seconds=limit.retry_after_seconds,
            )
        return self._counted(call, limit)

    async def _counted(self, call: Call, limit: ConcurrencyLimit | None) -> None:
        task = asyncio.current_task()
        assert task is not None, "gRPC runs each call in a task"
        self._count(call, limit, 1)
        self._tasks.add(task)
        try:
            await call.proceed()
        except asyncio.CancelledError:
            if not self._is_cut:
                raise
            task.uncancel()
            raise _shutting_down() from None
        finally:
            self._tasks.discard(task)
            self._count(call, limit, -1)

    def _count(self, call: Call, limit: ConcurrencyLimit | None, change: int) -> None:
        self._running += change
        if limit is not None:
            self._running_of[id(limit)] += change
        if call.method.streams_responses:
            self._metrics.stream_changed(call.method, change)
        if self._running:
            self._idle.clear()
        else:
            self._idle.set()


def _shutting_down() -> ShuttingDown:
    return ShuttingDown("this server is shutting down; try again at another one", retry_after_seconds=1)


def _drop_traceback(error: Exception) -> None:
    """
    Drop the traceback and the causes of an error, whose frames can hold large objects, such as a report of 60 MB.

    gRPC keeps the exception of a call until the next call, and after that until a full garbage collection.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None


async def _abort(call: Call, error: AppError) -> None:
    answer = status.status_from_error(error)
    call.code = answer.code
    metadata: tuple[tuple[str, str | bytes], ...] = ((callers.REQUEST_ID_KEY, call.request_id), *answer.metadata())
    await call.context.abort(answer.code, answer.message, metadata)
