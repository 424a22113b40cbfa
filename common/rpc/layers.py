"""What happens around every call: identity, deadline, log line, metrics, admission, and errors as statuses."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import structlog

from common.core.errors import AppError, DeadlineExceeded, Overloaded, ShuttingDown, Unimplemented
from common.observability import tracing
from common.rpc import callers, deadlines, status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.ids import IdSource
    from common.observability.grpc_metrics import ServerMetrics
    from common.rpc.calls import Call, Proceed

_log = structlog.get_logger(__name__)
_SERVER_FAULTS = frozenset(
    {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS, grpc.StatusCode.UNIMPLEMENTED}
)


class _ServerDefect(AppError):
    """An exception that nobody foresaw; the caller learns the request id and nothing else."""


class TraceLayer:
    """Makes the call a span of its caller's trace."""

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call as a span."""
        with tracing.server_span(call.method.path.removeprefix("/"), call.metadata):
            await proceed()


class RequestIdLayer:
    """Takes the caller's request id or makes one, binds it to logs, and gives it back in the trailing metadata."""

    def __init__(self, ids: IdSource) -> None:
        self._ids = ids

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call under its request id."""
        given = call.metadata.get(callers.REQUEST_ID_KEY, "")
        call.request_id = given if callers.is_plain_id(given) else self._ids.new("req")
        callers.set_request_id(call.request_id)
        call.context.set_trailing_metadata(((callers.REQUEST_ID_KEY, call.request_id),))
        # For the rest of this task, which serves this call only.
        structlog.contextvars.bind_contextvars(request_id=call.request_id)
        await proceed()


class LoggingLayer:
    """Logs one event for each call, with how it ended."""

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call and log it."""
        started = time.monotonic()
        error: BaseException | None = None
        try:
            await proceed()
        except BaseException as raised:
            error = raised
            raise
        finally:
            code = call.outcome(error)
            log = _log.warning if code in _SERVER_FAULTS else _log.info
            log(
                "rpc.finished",
                service=call.method.service,
                method=call.method.name,
                code=code.name,
                seconds=round(time.monotonic() - started, 6),
                messages_sent=call.messages_sent,
                **call.fields,
            )


class MetricsLayer:
    """Counts and times calls under the names that the gRPC ecosystem uses."""

    def __init__(self, metrics: ServerMetrics) -> None:
        self._metrics = metrics

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call and count it."""
        started = time.monotonic()
        error: BaseException | None = None
        self._metrics.started(call.method)
        try:
            await proceed()
        except BaseException as raised:
            error = raised
            raise
        finally:
            seconds = time.monotonic() - started
            self._metrics.handled(call.method, call.outcome(error).name, seconds, call.messages_sent)


class ErrorLayer:
    """Turns errors into statuses: the one place with a broad `except`."""

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call; answer an AppError as what it says, anything unforeseen as INTERNAL without its text."""
        try:
            await proceed()
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except AppError as error:
            call.fields["reason"] = error.reason
            await _abort(call, error)
        except Exception as error:  # noqa: BLE001 (the boundary: the text of an unknown error must not leave)
            if isinstance(error, NotImplementedError) and call.context.code() is grpc.StatusCode.UNIMPLEMENTED:
                # That is how generated servicers answer for methods that nobody wrote.
                await _abort(call, Unimplemented(f"{call.method.name} is in the contract and not served yet"))
            _log.exception("rpc.defect", method=call.method.path, error_type=type(error).__name__)
            text = f"internal error; quote request id {call.request_id} to the operator"
            await _abort(call, _ServerDefect(text, metadata={"request_id": call.request_id}))


class CallerLayer:
    """Finds out who calls."""

    def __init__(self, authenticator: callers.Authenticator) -> None:
        self._authenticator = authenticator

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call as its caller."""
        callers.set_caller(await self._authenticator.identify(call.metadata))
        await proceed()


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

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call within its deadline; gRPC itself cancels it at the caller's."""
        left = call.context.time_remaining()
        if left is not None:
            deadlines.start_deadline(left)
            await proceed()
            return
        seconds = self._stream if call.method.streams_responses else self._unary
        deadlines.start_deadline(seconds)
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                await proceed()
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
        limit: At least 1; what comes beyond is refused at once.
        retry_after_seconds: What the refused are told to wait.
    """

    methods: frozenset[str]
    limit: int
    retry_after_seconds: float = 1.0


class AdmissionLayer:
    """
    Refuses what the server cannot or may not take: calls beyond a limit, and all new ones while draining.

    gRPC's own `maximum_concurrent_rpcs` would refuse health checks too, so the bound is ours.
    """

    def __init__(self, limits: Sequence[tuple[str, ConcurrencyLimit]], metrics: ServerMetrics) -> None:
        self._metrics = metrics
        self._limit_of = {f"/{service}/{name}": limit for service, limit in limits for name in limit.methods}
        self._running_of = {id(limit): 0 for _, limit in limits}
        self._running = 0
        self._draining = False
        self._idle = asyncio.Event()
        self._idle.set()

    def drain(self) -> None:
        """Refuse all calls from now on."""
        self._draining = True

    @property
    def is_draining(self) -> bool:
        """Tell whether all calls are refused."""
        return self._draining

    async def wait_idle(self) -> None:
        """Return when no call runs."""
        await self._idle.wait()

    @property
    def running(self) -> int:
        """Return how many calls run."""
        return self._running

    async def around(self, call: Call, proceed: Proceed) -> None:
        """Run the call if there is room for it."""
        if self._draining:
            self._metrics.shed("draining")
            raise ShuttingDown("this server is shutting down; try again at another one", retry_after_seconds=1)
        limit = self._limit_of.get(call.method.path)
        if limit is None:
            await self._counted(call, proceed)
            return
        if self._running_of[id(limit)] >= limit.limit:
            self._metrics.shed("concurrency")
            raise Overloaded(
                f"{limit.limit} calls run already; try again in {limit.retry_after_seconds:g} s",
                retry_after_seconds=limit.retry_after_seconds,
            )
        self._running_of[id(limit)] += 1
        try:
            await self._counted(call, proceed)
        finally:
            self._running_of[id(limit)] -= 1

    async def _counted(self, call: Call, proceed: Proceed) -> None:
        self._running += 1
        self._idle.clear()
        if call.method.streams_responses:
            self._metrics.stream_opened(call.method)
        try:
            await proceed()
        finally:
            self._running -= 1
            if call.method.streams_responses:
                self._metrics.stream_closed(call.method)
            if not self._running:
                self._idle.set()


async def _abort(call: Call, error: AppError) -> None:
    answer = status.status_from_error(error)
    call.code = answer.code
    metadata: tuple[tuple[str, str | bytes], ...] = ((callers.REQUEST_ID_KEY, call.request_id), *answer.metadata())
    await call.context.abort(answer.code, answer.message, metadata)
