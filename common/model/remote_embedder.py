"""Embedding endpoints over HTTP: any that speaks OpenAI's embeddings API, and Voyage's."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from common.core.addresses import is_loopback
from common.core.clock import SystemClock
from common.core.runtime.breaker import CircuitBreaker, CircuitOpen
from common.core.runtime.loop_thread import Closed
from common.model.config import RetryPolicy
from common.model.embeddings import Purpose, unit_rows
from common.model.failures import Cause, ModelFailed
from common.model.json_posts import JsonPosts, TooLarge
from common.model.redaction import Redactor
from common.model.retry import next_wait, retry_after
from common.model.values import ModelRole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from common.core.clock import Clock
    from common.core.runtime.breaker import BreakerState
    from common.model.embeddings import EmbeddingConfig, Vectors
    from common.model.json_posts import Answer
    from common.model.metrics import EndpointMeter

# Bounds of an answer's size: bytes of one number of a vector in full length, and of everything around the numbers.
_MOST_BYTES_PER_NUMBER = 64
_MOST_BYTES_AROUND = 1 << 20
_ARGUMENT_REFUSED = frozenset({400, 422})
_BUSY = frozenset({Cause.RATE_LIMITED, Cause.OVERLOADED})
_AS_LONG_AS_THERE_IS_TIME = 1 << 30
"""Number of attempts that is never reached: only the time limit applies."""
_ENDPOINT = "the embedding endpoint"
_NOT_ASKED_FOR = "the embedding endpoint's answer is not what was asked for"


def _openai_body(config: EmbeddingConfig, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:  # noqa: ARG001 (this API has one purpose)
    return {
        "model": config.model,
        "input": list(texts),
        "encoding_format": "float",
        "dimensions": config.dimensions,
    }


def _voyage_body(config: EmbeddingConfig, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:
    return {
        "model": config.model,
        "input": list(texts),
        "input_type": purpose.value,
        "output_dimension": config.dimensions,
        "truncation": True,
    }


FORMATS = {"openai": _openai_body, "voyage": _voyage_body}


@dataclass(frozen=True, slots=True)
class BlockingBackoff:
    """How an embedder waits in its thread between attempts; tests inject their own."""

    sleep: Callable[[float], object] = time.sleep
    jitter: Callable[[], float] = random.random


class _ArgumentRefused(ModelFailed):
    """The endpoint refuses a field of the request or its value."""


class RemoteEmbedder:
    """
    Requests embeddings from an endpoint, with retries that respect `Retry-After`, and with a circuit breaker.

    Documents are retried at a busy endpoint (rate limited or overloaded) for as long as all attempts of a request may
    take together, whatever their number. Safe to call from several threads. Secrets are redacted from every text sent.
    """

    def __init__(
        self,
        config: EmbeddingConfig,
        redactor: Redactor,
        clock: Clock,
        backoff: BlockingBackoff = BlockingBackoff(),
        on_breaker: Callable[[BreakerState], None] = lambda _: None,
    ) -> None:
        self._config = config
        self._redactor = redactor
        self._clock = clock
        self._backoff = backoff
        self._on_breaker = on_breaker
        self._lock = threading.Lock()
        self._breaker = CircuitBreaker(config.breaker, clock, _ENDPOINT)
        self._not_before = clock.monotonic()
        self._retry = RetryPolicy(max_attempts=config.max_attempts, max_wait_seconds=config.timeout_seconds)
        self._patient = replace(self._retry, max_attempts=_AS_LONG_AS_THERE_IS_TIME)
        headers = {"authorization": f"Bearer {config.api_key}"} if config.api_key else {}
        # A proxy of the environment is for the way out, not for an endpoint on this machine.
        is_local = is_loopback(urlsplit(config.url).hostname)
        self._takes_length: bool | None = None  # unknown until the first text was embedded
        self._posts = JsonPosts(headers, trust_env=not is_local)

    @property
    def model(self) -> str:
        """Return provider, model and dimensions."""
        return f"{self._config.provider}:{self._config.model}@{self._config.dimensions}"

    @property
    def dimensions(self) -> int:
        """Return the configured length."""
        return self._config.dimensions

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        """Return one unit vector for each text, as rows; raises ModelFailed."""
        rows = np.zeros((len(texts), self._config.dimensions), dtype=np.float32)
        for start in range(0, len(texts), self._config.batch):
            batch = [self._redactor.redact(text) for text in texts[start : start + self._config.batch]]
            rows[start : start + len(batch)] = self._ask(batch, purpose)
        return unit_rows(rows)

    def close(self) -> None:
        """Close all connections; pending calls fail."""
        self._posts.close()

    def _ask(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        body = dict(FORMATS[self._config.provider](self._config, texts, purpose))
        deadline = self._clock.monotonic() + self._config.timeout_seconds * self._config.max_attempts
        attempt = 1
        while True:
            try:
                return self._attempt_either(body, len(texts))
            except ModelFailed as failure:
                left = deadline - self._clock.monotonic()
                is_patient = purpose is Purpose.DOCUMENT and failure.cause in _BUSY
                policy = self._patient if is_patient else self._retry
                wait = next_wait(policy, failure, attempt, left, self._backoff.jitter)
                if wait is None:
                    raise
            self._backoff.sleep(wait)
            attempt += 1

    def _attempt_either(self, body: dict[str, object], count: int) -> Vectors:
        """
        Send the request, and if its arguments are refused once more without `dimensions`.

        Some models have vectors of one length only, and their endpoints refuse that field. The first success decides
        which form all later requests have.
        """
        plain = {name: value for name, value in body.items() if name != "dimensions"}
        if self._takes_length is False or plain == body:
            return self._attempt(plain, count)
        try:
            rows = self._attempt(body, count)
        except _ArgumentRefused as refused:
            if self._takes_length:
                raise
            rows = self._attempt_plainly(plain, count, refused)
            self._takes_length = False
            return rows
        self._takes_length = True
        return rows

    def _attempt_plainly(self, plain: Mapping[str, object], count: int, refused: ModelFailed) -> Vectors:
        try:
            return self._attempt(plain, count)
        except ModelFailed:
            raise refused from None

    def _attempt(self, body: Mapping[str, object], count: int) -> Vectors:
        """Send one request if breaker and rate limit admit it, and record the outcome."""
        self._admit()
        tell = self._breaker.abandoned
        try:
            rows = self._asked(body, count)
            tell = self._breaker.succeeded
            return rows
        except ModelFailed as failure:
            if failure.is_sickness:
                tell = self._breaker.failed
            if failure.retry_after_seconds is not None:
                moment = self._retry.not_before(self._clock.monotonic(), failure.retry_after_seconds)
                self._not_before = max(self._not_before, moment)
            raise
        finally:
            with self._lock:
                tell()
                self._on_breaker(self._breaker.state)

    def _admit(self) -> None:
        """Admit a request, or raise ModelFailed while the breaker is open or before the `Retry-After` time."""
        wait = self._not_before - self._clock.monotonic()
        if wait > 0:
            text = f"{_ENDPOINT} asked to be left alone for {wait:.0f} s"
            raise ModelFailed(Cause.BREAKER_OPEN, text, retry_after_seconds=wait)
        try:
            with self._lock:
                self._breaker.admit()
        except CircuitOpen as left:
            raise ModelFailed.circuit_open(left) from None

    def _asked(self, body: Mapping[str, object], count: int) -> Vectors:
        config = self._config
        max_bytes = count * config.dimensions * _MOST_BYTES_PER_NUMBER + _MOST_BYTES_AROUND
        url = f"{config.url.rstrip('/')}/embeddings"
        try:
            answer = self._posts.post(url, body, seconds=config.timeout_seconds, max_bytes=max_bytes)
        except TimeoutError:
            raise ModelFailed(Cause.TIMEOUT, "the embedding endpoint did not answer in time") from None
        except (httpx.HTTPError, Closed):
            raise ModelFailed(Cause.UNREACHABLE, "the embedding endpoint cannot be reached") from None
        except TooLarge:
            raise ModelFailed(Cause.MALFORMED, _NOT_ASKED_FOR) from None
        if answer.status != httpx.codes.OK:
            raise self._refusal(answer)
        try:
            return _rows(json.loads(answer.body), count, config.dimensions)
        # Numbers may be too large, and values nested too deeply.
        except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError):
            raise ModelFailed(Cause.MALFORMED, _NOT_ASKED_FOR) from None

    def _refusal(self, answer: Answer) -> ModelFailed:
        status = answer.status
        wait = retry_after(answer.headers, self._clock.now())
        failure = _ArgumentRefused if status in _ARGUMENT_REFUSED else ModelFailed
        return failure(Cause.of_status(status), f"the embedding endpoint answered {status}", retry_after_seconds=wait)


def open_remote_embedder(config: EmbeddingConfig, meter: EndpointMeter) -> RemoteEmbedder:
    """Return an embedder that uses the machine's clock."""
    on_breaker = partial(meter.breaker, ModelRole.EMBED)
    return RemoteEmbedder(config, Redactor(meter.redacted), SystemClock(), on_breaker=on_breaker)


def _rows(answer: Any, count: int, dimensions: int) -> Vectors:
    """Order the vectors by their index; raises ValueError unless there is one of the right length for each text."""
    found = sorted(answer["data"], key=lambda each: int(each["index"]))
    if [int(each["index"]) for each in found] != list(range(count)):
        raise ValueError("not one vector for each text")
    rows = np.array([each["embedding"] for each in found], dtype=np.float32)
    # A vector of zeros has no direction, so no similarity to it is defined.
    if rows.shape != (count, dimensions) or not np.isfinite(rows).all() or not rows.any(axis=1).all():
        raise ValueError("vectors of the wrong form")
    return rows
