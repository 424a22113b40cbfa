"""Connections to models that are kept between requests: which, for how long, and what may happen to them meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx2
import pytest

from common.model.http1 import BODY
from tests.fakes.http_peer import HANG_UP, WHOLE, talking

OTHER = WHOLE.replace(b"ok", b"no")


@pytest.mark.parametrize("said", [b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n", OTHER, b""])
async def test_what_is_said_unasked_ends_a_kept_connection(said: bytes) -> None:
    """Bytes and the end that come while nothing was asked close the connection; the next request has a new one."""
    async with talking(WHOLE, WHOLE) as (peer, client):
        await client.get("/")
        peer.say(said)
        await asyncio.wait_for(peer.closed.wait(), 5)
        response = await client.get("/")

    assert (response.status_code, response.text) == (200, "ok")
    assert peer.opened == 2


async def test_what_comes_with_an_answer_answers_nobody_else() -> None:
    """A connection that brought more than its answer is not kept."""
    async with talking(WHOLE + OTHER, WHOLE) as (peer, client):
        texts = [(await client.get("/")).text for _ in range(2)]

    assert texts == ["ok", "ok"]
    assert peer.opened == 2


async def test_a_connection_that_dies_in_use_is_replaced() -> None:
    """When a kept connection is closed instead of an answer, the request is sent once more over a new one."""
    async with talking(WHOLE, HANG_UP, WHOLE) as (peer, client):
        texts = [(await client.post("/", content=b"question\r\n\r\n")).text for _ in range(2)]

    assert texts == ["ok", "ok"]
    assert peer.opened == 2


async def _once() -> AsyncIterator[bytes]:
    yield b"question"


@pytest.mark.parametrize("answered", [0, 1])
async def test_a_new_connection_has_one_chance(answered: int) -> None:
    """A connection that was not kept is not replaced, nor is a replacement, and the fault can be read."""
    async with talking(*[WHOLE] * answered, HANG_UP, HANG_UP, WHOLE) as (peer, client):
        for _ in range(answered):
            await client.get("/")
        with pytest.raises(httpx2.RemoteProtocolError, match="ended before the response: the other side closed it"):
            await client.get("/")

    assert peer.opened == answered + 1


async def test_what_can_be_read_only_once_is_sent_only_once() -> None:
    """A request whose body comes from an iterator is not sent again."""
    async with talking(WHOLE, HANG_UP, WHOLE) as (peer, client):
        await client.get("/")
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.post("/", content=_once())

    assert peer.opened == 1


async def test_an_answer_that_began_is_not_asked_for_again() -> None:
    """Once a byte of the response is there, a kept connection that ends is a fault."""
    async with talking(WHOLE, b"HTTP/1.1 200 OK\r\n", stays=False) as (peer, client):
        await client.get("/")
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.get("/")

    assert peer.opened == 1


async def test_closes_what_nobody_uses_for_a_while() -> None:
    """A connection that was kept for its time is closed."""
    async with talking(WHOLE, WHOLE, idle_seconds=0.01) as (peer, client):
        await client.get("/")
        await asyncio.wait_for(peer.closed.wait(), 5)
        await client.get("/")

    assert peer.opened == 2


async def test_time_begins_anew_with_each_return(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timer of a connection is stopped when it is taken, and when it ends: none pile up, none strikes later."""
    loop, timers = asyncio.get_running_loop(), []
    call_later = loop.call_later

    def noted(delay: float, callback: Callable[..., object], *args: object) -> asyncio.TimerHandle:
        timer = call_later(delay, callback, *args)
        timers.extend([timer] if delay == 1234.0 else [])
        return timer

    monkeypatch.setattr(loop, "call_later", noted)
    async with talking(*[WHOLE] * 12, idle_seconds=1234.0) as (peer, client):
        for _ in range(12):
            await client.get("/")
        running = [timer.cancelled() for timer in timers].count(False)

    assert (len(timers), running, peer.opened) == (12, 1, 1)
    assert all(timer.cancelled() for timer in timers)


async def test_keeps_a_bounded_number() -> None:
    """Of many connections that come back at once, twenty are kept."""
    async with talking(*[WHOLE] * 50) as (peer, client):
        for _ in range(2):
            async with AsyncExitStack() as responses:
                for _ in range(25):
                    response = await responses.enter_async_context(client.stream("GET", "/"))
                    assert [chunk async for chunk in response.extensions[BODY]] == [b"ok"]

    assert peer.opened == 25 + 5


async def test_a_body_ends_once_and_for_all() -> None:
    """After its end, and after it was closed, a body has nothing more, whatever its connection does next."""
    async with talking(WHOLE, WHOLE) as (_, client):
        async with client.stream("GET", "/") as response:
            body = response.extensions[BODY]
            read = [await anext(body), await anext(body, b"end"), await asyncio.wait_for(anext(body, b"end"), 5)]
        async with client.stream("GET", "/") as other:
            late = await asyncio.wait_for(anext(body, b"end"), 5)
            text = await other.aread()

    assert (read, late, text) == ([b"ok", b"end", b"end"], b"end", b"ok")
