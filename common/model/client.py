"""The client for all model calls: redaction, circuit breaker, request, retries, accounting."""

from __future__ import annotations

import asyncio
import itertools
import random
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import structlog

from common.core.errors import DeadlineExceeded
from common.core.runtime.breaker import CircuitBreaker, CircuitOpen
from common.model.endpoint import open_endpoint
from common.model.failures import Cause, ModelFailed
from common.model.metrics import CANCELLED, OK, ModelMetrics
from common.model.redaction import Redactor
from common.model.retry import next_wait
from common.model.values import Completion, Finished, Restarted, Structured
from common.rpc.client.deadlines import child_timeout

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

    from common.core.clock import Clock
    from common.model.config import ModelConfig
    from common.model.endpoint import ModelEndpoint
    from common.model.metrics import EndpointMeter
    from common.model.values import Event, ModelChunk, ModelRequest, ModelRole, OutputSchema
    from common.observability.metrics import Metrics

_ENDPOINT = "the model endpoint"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Backoff:
    """How a client waits between attempts; tests inject their own."""

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


@dataclass(slots=True)
class _RoleState:
    """State of the model of one role; roles have breakers of their own."""

    role: ModelRole
    breaker: CircuitBreaker
    not_before: float


class ModelClient:
    """Asks the models of one endpoint; made by `open_model_client`."""

    def __init__(
        self,
        config: ModelConfig,
        endpoint: ModelEndpoint,
        metrics: ModelMetrics,
        clock: Clock,
        backoff: Backoff = Backoff(),
        spent: Callable[[ModelRole, float], None] = lambda _role, _usd: None,
    ) -> None:
        self._config = config
        self._endpoint = endpoint
        self._metrics = metrics
        self._clock = clock
        self._backoff = backoff
        self._spent = spent
        self._redactor = Redactor(metrics.redacted)
        self._states = {
            role: _RoleState(role, CircuitBreaker(config.breaker, clock, _ENDPOINT), clock.monotonic())
            for role in config.roles
        }

    def stream(
        self, request: ModelRequest, again: Callable[[], ModelRequest] | None = None
    ) -> AsyncGenerator[ModelChunk, None]:
        """
        Send a request and yield the answer as it arrives, then one `Finished`.

        The request is freed when the answer begins. Use it with `aclosing`: closing stops the endpoint within 100 ms.

        Args:
            request: The request.
            again: Builds the request anew. With it, an answer that breaks off after its first piece is requested again,
                after a `Restarted`, while attempts are left; without it that error is raised.

        Raises:
            ModelFailed: when the request failed after all attempts, or the answer broke off.
            DeadlineExceeded: when the deadline of the served call has passed.
        """
        # Without a schema, all events are of type ModelChunk.
        return cast("AsyncGenerator[ModelChunk, None]", self._accounted(request, None, again))

    async def complete(self, request: ModelRequest, schema: OutputSchema) -> Completion:
        """
        Request a structured answer that follows a schema.

        The properties that the schema requires are present; their types are for the caller to check.

        Raises:
            ModelFailed: when no answer that follows the schema was received.
            DeadlineExceeded: when the deadline of the served call has passed.
        """
        value: Mapping[str, Any] = {}
        async with aclosing(self._accounted(request, schema)) as events:
            async for event in events:
                if isinstance(event, Structured):
                    value = event.value
                elif isinstance(event, Finished):
                    return Completion(value, event)
        raise AssertionError("an endpoint ends with Finished or raises")

    async def close(self) -> None:
        """Close all connections."""
        await self._endpoint.close()

    async def _accounted(
        self, request: ModelRequest, schema: OutputSchema | None, again: Callable[[], ModelRequest] | None = None
    ) -> AsyncGenerator[Event, None]:
        role, model = request.role, self._config.roles.get(request.role)
        if model is None:
            raise ModelFailed(Cause.NOT_CONFIGURED, f"no model is configured for the role {role.value}")
        started = self._clock.monotonic()
        outcome = CANCELLED
        state = self._states[role]
        admission = _Admission(state, self._metrics)
        attempts = self._attempts(request, again, schema, state, admission)
        del request
        try:
            async with aclosing(attempts) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        outcome = OK
                        # Before the yield: a consumer that has `Finished` may never resume this generator.
                        admission.end(state.breaker.succeeded)
                        self._metrics.used(role, model.model, event)
                        self._spent(role, event.cost_usd)
                    yield event
        except DeadlineExceeded:
            outcome = Cause.TIMEOUT.value
            raise
        except ModelFailed as failure:
            outcome = failure.cause.value
            self._note(failure, state, admission)
            _log.warning("model.failed", role=role.value, model=model.model, cause=outcome)
            raise
        finally:
            admission.end(state.breaker.abandoned)
            self._metrics.ended(role, model.model, outcome, self._clock.monotonic() - started)

    async def _attempts(
        self,
        request: ModelRequest,
        again: Callable[[], ModelRequest] | None,
        schema: OutputSchema | None,
        state: _RoleState,
        admission: _Admission,
    ) -> AsyncGenerator[Event, None]:
        """Retry until an answer is complete; yield a structured one at its end, all other pieces as they arrive."""
        model = self._config.roles[state.role]
        deadline = self._clock.monotonic() + child_timeout(
            self._config.timeouts.total_seconds, self._config.reserve_seconds
        )
        redacted: ModelRequest | None = await asyncio.to_thread(self._redactor.redact_request, request)
        del request
        for attempt in itertools.count(1):
            is_begun = False
            try:
                await self._wait_out_rate_limit(state, deadline)
                admission.admit()
                assert redacted is not None, "it is made anew after an answer began"
                left = max(0.0, deadline - self._clock.monotonic())
                async with aclosing(self._endpoint.ask(redacted, model, schema, seconds=left)) as events:
                    async for event in events:
                        if schema is None or isinstance(event, Structured | Finished):
                            # Frees the prompt, which is large, while the answer is received.
                            is_begun, redacted = True, None
                            yield event
                return
            except ModelFailed as failure:
                self._note(failure, state, admission)
                await self._wait_to_retry(failure, state, attempt, deadline, may=again is not None or not is_begun)
            if is_begun and again is not None:
                yield Restarted()
                redacted = await asyncio.to_thread(self._redactor.redact_request, again())

    async def _wait_to_retry(
        self, failure: ModelFailed, state: _RoleState, attempt: int, deadline: float, *, may: bool
    ) -> None:
        """Wait until the next attempt; raises the failure if there is none."""
        left = deadline - self._clock.monotonic()
        wait = next_wait(self._config.retry, failure, attempt, left, self._backoff.jitter) if may else None
        if wait is None:
            raise failure
        self._metrics.retried(state.role, self._config.roles[state.role].model, failure.cause)
        _log.info("model.retrying", cause=failure.cause.value, attempt=attempt, wait_seconds=round(wait, 3))
        await self._backoff.sleep(wait)

    async def _wait_out_rate_limit(self, state: _RoleState, deadline: float) -> None:
        """Wait until the time that an earlier rate limit named; raise ModelFailed if that is too long."""
        now = self._clock.monotonic()
        wait = state.not_before - now
        if wait <= 0:
            return
        if wait > self._config.retry.max_wait_seconds or state.not_before >= deadline:
            text = f"the model endpoint asked for a pause of {wait:.0f} s"
            raise ModelFailed(Cause.BREAKER_OPEN, text, retry_after_seconds=wait)
        await self._backoff.sleep(wait)

    def _note(self, failure: ModelFailed, state: _RoleState, admission: _Admission) -> None:
        if not admission.is_open:
            return
        admission.end(state.breaker.failed if failure.is_sickness else state.breaker.abandoned)
        if failure.retry_after_seconds is not None:
            moment = self._config.retry.not_before(self._clock.monotonic(), failure.retry_after_seconds)
            state.not_before = max(state.not_before, moment)


class _Admission:
    """Requests that the breaker admitted, one at a time; reports the outcome of each exactly once."""

    __slots__ = ("_metrics", "_state", "is_open")

    def __init__(self, state: _RoleState, metrics: ModelMetrics) -> None:
        self._state = state
        self._metrics = metrics
        self.is_open = False

    def admit(self) -> None:
        """Let a request pass, or raise ModelFailed."""
        try:
            self._state.breaker.admit()
        except CircuitOpen as left:
            raise ModelFailed.circuit_open(left) from None
        self.is_open = True

    def end(self, tell: Callable[[], None]) -> None:
        """Report how the open request ended, if there is one."""
        if self.is_open:
            self.is_open = False
            tell()
            self._metrics.breaker(self._state.role, self._state.breaker.state)


def open_model_client(
    config: ModelConfig,
    metrics: Metrics,
    clock: Clock,
    *,
    spent: Callable[[ModelRole, float], None] = lambda _role, _usd: None,
    endpoints: EndpointMeter | None = None,
) -> ModelClient:
    """
    Return a client of the configured endpoint; nothing is sent until the first request. Close it.

    Args:
        spent: Called with the role and the cost in US dollars of each answer, in the context of the served call.
        endpoints: The process's meter of endpoints, if other clients share it; None makes one.
    """
    names = tuple(dict.fromkeys(role.model for role in config.roles.values()))
    model_metrics = ModelMetrics(metrics, list(config.roles), names, endpoints)
    return ModelClient(config, open_endpoint(config, clock), model_metrics, clock, spent=spent)
