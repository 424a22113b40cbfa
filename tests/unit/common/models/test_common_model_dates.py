"""A Retry-After that is a date, by clocks that agree and by others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from common.model.config import RetryPolicy
from common.model.failures import Cause, ModelFailed
from common.model.retry import retry_after
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_replies import Failure, Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.model_desk import desk

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = 3600
DAY = 24 * HOUR


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as running:
        yield running


async def test_asks_again_after_an_http_date(server: AnthropicServer) -> None:
    """A retry-after that is a date is waited for."""
    async with desk(server) as it:
        server.enqueue(replies.failure_until(429, it.clock.now() + timedelta(seconds=3)), Message("Paris."))
        await it.ask()

    assert sum(it.clock.slept) >= 3.0


@pytest.mark.parametrize("ahead_seconds", [3600, -3600, 86_400, -86_400])
async def test_asks_again_after_an_http_date_of_another_clock(server: AnthropicServer, ahead_seconds: int) -> None:
    """However wrong our clock is, the wait is the one that the endpoint meant."""
    async with desk(server) as it:
        now = it.clock.now()
        server.enqueue(replies.failure_until(429, now + timedelta(seconds=3), now), Message("Paris."))
        it.clock.jump(ahead_seconds)
        text, _ = await it.ask()

    assert text == "Paris."
    assert it.clock.slept == [3.0]


async def test_a_long_wait_is_cut(server: AnthropicServer) -> None:
    """An endpoint that names a day is given up for now, and asked again after five minutes."""
    server.enqueue(Failure(429, str(DAY)), Message("Paris."))
    async with desk(server) as it:
        causes = []
        for later in (0, 280):
            it.clock.advance(later)
            with pytest.raises(ModelFailed) as raised:
                await it.ask()
            causes.append(raised.value.cause)
        it.clock.advance(20)
        text, _ = await it.ask()

    assert causes == [Cause.RATE_LIMITED, Cause.BREAKER_OPEN]
    assert text == "Paris."


async def test_a_date_that_is_none_names_no_wait(server: AnthropicServer) -> None:
    """Whatever stands in the header, the failure keeps its name."""
    server.enqueue(Failure(429, "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"))
    async with desk(server, retry=RetryPolicy(max_attempts=1)) as it:
        with pytest.raises(ModelFailed) as raised:
            await it.ask()

    assert raised.value.cause is Cause.RATE_LIMITED


@pytest.mark.parametrize("ahead_seconds", [HOUR, -HOUR, DAY, -DAY])
def test_the_date_of_the_answer_is_what_counts(ahead_seconds: int) -> None:
    """With it nothing depends on our clock."""
    headers = {"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT", "date": "Thu, 01 Jan 2026 00:00:00 GMT"}

    assert retry_after(headers, NOW + timedelta(seconds=ahead_seconds)) == 30.0


@pytest.mark.parametrize("date", ["", "soon"])
def test_without_a_date_our_clock_counts(date: str) -> None:
    """There is no other."""
    headers = {"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT", "date": date}

    assert retry_after(headers, NOW + timedelta(seconds=10)) == 20.0
