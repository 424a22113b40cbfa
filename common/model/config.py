"""Configuration of model endpoints; services fill it from their settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from common.core.runtime.breaker import BreakerPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.core.contract.usage import TokenUsage
    from common.model.values import ModelRole

VENDOR_URLS = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
"""The vendors' own endpoints, by API."""
_MILLION = 1_000_000
# Anthropic's prices for reading a token from its cache and for writing one to it (for 5 minutes), as shares of the
# price of input. Other vendors charge about as much for reading, and nothing for writing.
_CACHE_READ_SHARE = 0.1
_CACHE_WRITE_SHARE = 1.25


@dataclass(frozen=True, slots=True)
class RoleModel:
    """
    The model of one role.

    Args:
        model: Its name at the endpoint.
        max_tokens: Longest answer when a request does not say.
        input_usd_per_million: Price of a million input tokens; 0 if costs are not counted.
        output_usd_per_million: Price of a million output tokens.
    """

    model: str
    max_tokens: int = 4096
    input_usd_per_million: float = 0.0
    output_usd_per_million: float = 0.0

    def cost_usd(self, usage: TokenUsage) -> float:
        """Return the price of a request."""
        weighted = (
            usage.input_tokens
            + usage.cache_read_tokens * _CACHE_READ_SHARE
            + usage.cache_write_tokens * _CACHE_WRITE_SHARE
        )
        price = weighted * self.input_usd_per_million + usage.output_tokens * self.output_usd_per_million
        return price / _MILLION


@dataclass(frozen=True, slots=True)
class Timeouts:
    """
    How long to wait for an endpoint, in seconds. The deadline of the call being served bounds all of it.

    Args:
        connect_seconds: For the connection.
        first_event_seconds: From the request to the first event of its answer.
        idle_seconds: From one event to the next; bytes that make no event do not count.
        total_seconds: For one request, retries included.
    """

    connect_seconds: float = 5.0
    first_event_seconds: float = 30.0
    idle_seconds: float = 20.0
    total_seconds: float = 180.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """
    When to ask again.

    Args:
        max_attempts: Greatest number of attempts, the first included; at least 1.
        base_seconds: First wait if the endpoint names none; each further one is twice as long, with jitter.
        max_wait_seconds: Longest single wait; if the endpoint asks for more, there is no further attempt.
        max_retry_after_seconds: Longest wait that Retry-After can ask for: an endpoint that names a day, or a date in
            the wrong century, gets another request after this.
    """

    max_attempts: int = 3
    base_seconds: float = 0.5
    max_wait_seconds: float = 15.0
    max_retry_after_seconds: float = 300.0

    def not_before(self, now: float, retry_after_seconds: float) -> float:
        """Return the monotonic time before which an endpoint that asked to wait gets no request."""
        return now + min(retry_after_seconds, self.max_retry_after_seconds)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """
    An endpoint and the models of its roles.

    Args:
        roles: Model of each role that this service may ask; a request of another role is refused.
        api: The endpoint's API, a key of `VENDOR_URLS`.
        base_url: URL of the endpoint; empty for the vendor's.
        api_key: Sent as bearer token; may be empty for self-hosted endpoints.
        reserve_seconds: Part of the served call's remaining time that is kept for work after the answer.
    """

    roles: Mapping[ModelRole, RoleModel]
    api: str = "anthropic"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    timeouts: Timeouts = Timeouts()
    retry: RetryPolicy = RetryPolicy()
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)
    reserve_seconds: float = 0.1

    @property
    def url(self) -> str:
        """Return the endpoint."""
        return self.base_url or VENDOR_URLS[self.api]
