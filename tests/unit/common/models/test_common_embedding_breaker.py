"""An embedding endpoint that fails time after time: left alone, probed by one, taken up again when it is well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from common.core.runtime.breaker import BreakerPolicy, BreakerState
from common.model.embeddings import EmbeddingConfig, Purpose
from common.model.failures import Cause, ModelFailed
from common.model.redaction import Redactor
from common.model.remote_embedder import RemoteEmbedder
from tests.fakes.clock import FakeClock
from tests.unit.common.models.test_common_embeddings import Endpoint

ILL: tuple[int, dict[str, str], object] = (500, {}, {})
OPEN_SECONDS = 30.0


class Line:
    """An endpoint, its embedder on a clock that stands still, and the states of the breaker."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.clock = FakeClock()
        self.shown: list[BreakerState] = []
        config = EmbeddingConfig(
            provider="openai",
            model="m",
            url=endpoint.url,
            dimensions=2,
            max_attempts=1,
            breaker=BreakerPolicy(failures=3, open_seconds=OPEN_SECONDS),
        )
        self.embedder = RemoteEmbedder(config, Redactor(), self.clock, on_breaker=self.shown.append)

    def fail(self, times: int = 1) -> list[Cause]:
        """Ask in vain, and return why."""
        causes = []
        for _ in range(times):
            with pytest.raises(ModelFailed) as raised:
                self.embedder.embed(["a"], Purpose.QUERY)
            causes.append(raised.value.cause)
        return causes


@pytest.fixture
def line() -> Iterator[Line]:
    """A line to an endpoint that is well."""
    with Endpoint() as endpoint:
        made = Line(endpoint)
        with closing(made.embedder):
            yield made


def test_after_some_failures_nobody_asks(line: Line) -> None:
    """Whoever comes is told at once, until the endpoint has had its time."""
    line.endpoint.script = [ILL] * 3

    assert line.fail(4) == [Cause.SERVER_ERROR] * 3 + [Cause.BREAKER_OPEN]
    assert len(line.endpoint.requests) == 3
    line.clock.advance(OPEN_SECONDS - 1)
    assert line.fail() == [Cause.BREAKER_OPEN]
    assert line.shown == [BreakerState.CLOSED, BreakerState.CLOSED, BreakerState.OPEN]


def test_one_request_finds_out_whether_it_is_well(line: Line) -> None:
    """If it is not, all is as before; if it is, everybody asks again."""
    line.endpoint.script = [ILL] * 4
    line.fail(3)
    line.clock.advance(OPEN_SECONDS)
    assert line.fail(2) == [Cause.SERVER_ERROR, Cause.BREAKER_OPEN]
    line.clock.advance(OPEN_SECONDS)

    line.embedder.embed(["a"], Purpose.QUERY)
    line.embedder.embed(["b"], Purpose.QUERY)
    assert line.shown[-3:] == [BreakerState.OPEN, BreakerState.CLOSED, BreakerState.CLOSED]
    assert len(line.endpoint.requests) == 6


def test_only_failures_in_a_row_count(line: Line) -> None:
    """And only those that speak against the endpoint: a text that it refuses does not."""
    line.endpoint.script = [ILL, ILL, (200, {}, {"data": [{"index": 0, "embedding": [1.0, 1.0]}]}), ILL, ILL]
    line.fail(2)
    line.embedder.embed(["a"], Purpose.QUERY)
    line.fail(2)
    line.endpoint.script = [(400, {}, {})] * 10

    assert line.fail(10) == [Cause.REJECTED] * 10
    assert set(line.shown) == {BreakerState.CLOSED}


def test_a_wait_that_was_asked_for_holds_for_those_who_come_later(line: Line) -> None:
    """Not for the one alone who was told of it, and no longer than it was asked for."""
    line.endpoint.script = [(429, {"retry-after": "20"}, {})]

    assert line.fail(2) == [Cause.RATE_LIMITED, Cause.BREAKER_OPEN]
    assert len(line.endpoint.requests) == 1
    line.clock.advance(20)
    line.embedder.embed(["a"], Purpose.QUERY)
    assert len(line.endpoint.requests) == 2
