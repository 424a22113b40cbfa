"""Metrics of model use; those of generation under OpenTelemetry's names for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from common.core.runtime.breaker import BreakerState
from common.model.failures import Cause
from common.model.redaction import SECRET_CLASSES
from common.observability.metrics import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from common.model.values import Finished, ModelRole
    from common.observability.metrics import Metrics

OK = "ok"
CANCELLED = "cancelled"
_OUTCOMES = (OK, CANCELLED, *values_of(Cause))
_TOKEN_TYPES = ("input", "output", "cache_read", "cache_write")
_TOKEN_BUCKETS = (64, 256, 1024, 4096, 16384, 65536, 262144)


class EndpointMeter(Protocol):
    """Records events of all model endpoints, for generation and for embedding."""

    def breaker(self, role: ModelRole, state: BreakerState) -> None:
        """Show the state of a role's breaker."""
        ...

    def redacted(self, secret_class: str) -> None:
        """Count a secret that was redacted from what is sent."""
        ...


class Unmetered:
    """
    Implements `EndpointMeter` in a process that shows no metrics.

    Args:
        on_redacted: May count secrets elsewhere.
    """

    def __init__(self, on_redacted: Callable[[str], None] = lambda _: None) -> None:
        self._on_redacted = on_redacted

    def breaker(self, role: ModelRole, state: BreakerState) -> None:
        """Show nothing."""

    def redacted(self, secret_class: str) -> None:
        """Report a secret that was redacted."""
        self._on_redacted(secret_class)


class EndpointMetrics:
    """
    Implements `EndpointMeter`; there is one in a process, which all its clients share.

    Args:
        metrics: Where they are defined.
        roles: Roles that this process uses.
    """

    def __init__(self, metrics: Metrics, roles: Collection[ModelRole]) -> None:
        names = {"role": [role.value for role in roles]}
        self._breaker = metrics.gauge("llm_breaker_state", "0 closed, 1 half open, 2 open.", names)
        for role in roles:
            self.breaker(role, BreakerState.CLOSED)
        self._secrets = metrics.counter(
            "secrets_redacted", "Secrets redacted before text was sent to a model.", {"class": SECRET_CLASSES}
        )

    def breaker(self, role: ModelRole, state: BreakerState) -> None:
        """Show the state of a role's breaker."""
        self._breaker.set(state.value, role=role.value)

    def redacted(self, secret_class: str) -> None:
        """Count a secret that was taken out."""
        self._secrets.add(**{"class": secret_class})


class ModelMetrics:
    """
    Metrics of one process's requests to models.

    Args:
        metrics: Registry in which the metrics are defined.
        roles: Roles that this process uses.
        models: Names of the roles' models, as configured.
        endpoints: The process's meter of endpoints, if other clients share it; None makes one.
    """

    def __init__(
        self,
        metrics: Metrics,
        roles: Collection[ModelRole],
        models: Collection[str],
        endpoints: EndpointMeter | None = None,
    ) -> None:
        names = {"role": [role.value for role in roles], "model": models}
        outcomes = {**names, "outcome": _OUTCOMES}
        self._requests = metrics.counter("llm_requests", "Requests to models; retries are not counted.", outcomes)
        self._retries = metrics.counter(
            "llm_retries", "Attempts after the first, by the cause of the failure.", outcomes
        )
        self._endpoints = endpoints or EndpointMetrics(metrics, roles)
        self._cost = metrics.counter("llm_cost_usd", "Cost by the configured prices.", names)
        conventional = {"role": names["role"], "gen_ai_request_model": models}
        self._duration = metrics.histogram(
            "gen_ai_client_operation_duration_seconds", "Time of requests.", conventional, prefix=""
        )
        self._tokens = metrics.histogram(
            "gen_ai_client_token_usage",
            "Tokens of requests.",
            {**conventional, "gen_ai_token_type": _TOKEN_TYPES},
            buckets=_TOKEN_BUCKETS,
            prefix="",
        )

    def ended(self, role: ModelRole, model: str, outcome: str, seconds: float) -> None:
        """Count a request, with all its attempts; `outcome` is "ok", "cancelled" or the value of a Cause."""
        self._requests.add(role=role.value, model=model, outcome=outcome)
        self._duration.observe(seconds, role=role.value, gen_ai_request_model=model)

    def retried(self, role: ModelRole, model: str, cause: Cause) -> None:
        """Count another attempt."""
        self._retries.add(role=role.value, model=model, outcome=cause.value)

    def used(self, role: ModelRole, model: str, finished: Finished) -> None:
        """Count tokens and cost."""
        usage = finished.usage
        counts = (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        for kind, count in zip(_TOKEN_TYPES, counts, strict=True):
            self._tokens.observe(count, role=role.value, gen_ai_request_model=model, gen_ai_token_type=kind)
        self._cost.add(finished.cost_usd, role=role.value, model=model)

    def breaker(self, role: ModelRole, state: BreakerState) -> None:
        """Show the state of a role's breaker."""
        self._endpoints.breaker(role, state)

    def redacted(self, secret_class: str) -> None:
        """Count a secret that was taken out."""
        self._endpoints.redacted(secret_class)
