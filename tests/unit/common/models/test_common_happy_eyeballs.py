"""Connecting to hosts of several addresses, of which some do not answer."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx2
import pytest
import uvloop

from common.model.http1 import Http1Transport
from tests.fakes.http_peer import WHOLE, Peer


@contextmanager
def black_hole() -> Iterator[tuple[str, int]]:
    """Give an address whose queue is full: it answers nothing any more."""
    with ExitStack() as opened:
        listening = opened.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            filling = opened.enter_context(socket.socket())
            filling.setblocking(False)
            with suppress(BlockingIOError):
                filling.connect(listening.getsockname())
        yield listening.getsockname()


def _kept_alive() -> int:
    """Count the sockets of this process that TCP keeps alive: those that connected, and those that try to."""
    found = 0
    for descriptor in Path("/dev/fd").iterdir():
        with suppress(OSError), socket.socket(fileno=os.dup(int(descriptor.name))) as own:
            found += own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    return found


async def test_a_silent_address_costs_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the first address does not answer, the next one is tried long before the time for connecting is over."""
    peer, before = Peer(WHOLE), _kept_alive()
    with black_hole() as silent:
        async with peer.listening(), httpx2.AsyncClient(transport=Http1Transport(30.0)) as client:
            addresses = [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", each) for each in (silent, ("127.0.0.1", peer.port))
            ]
            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", AsyncMock(return_value=addresses))
            async with asyncio.timeout(10):
                text = (await client.get("http://model.invalid/")).text
            kept_alive = _kept_alive() - before

    assert text == "ok"
    assert kept_alive == 1


@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_cancelling_closes_all_attempts(loop_factory: Any) -> None:
    """Whoever gives up while connecting leaves no connection behind, nor does the limit of time."""

    async def connecting(url: str) -> None:
        async with httpx2.AsyncClient(transport=Http1Transport(0.05)) as client:
            with pytest.raises(httpx2.ConnectTimeout):
                await client.get(url)
        async with httpx2.AsyncClient(transport=Http1Transport(30.0)) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.get(url), 0.05)

    before = _kept_alive()
    with black_hole() as silent, asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(connecting(f"http://127.0.0.1:{silent[1]}/"))
        left = _kept_alive() - before

    assert left == 0
