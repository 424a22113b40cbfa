"""Connecting to hosts of several addresses, of which some do not answer."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import uvloop

from common.model.happy_eyeballs import connected_socket
from common.model.http1 import Http1Transport
from tests.fakes.http_peer import WHOLE, Peer

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESSES = [
    (socket.AF_INET6, ("2001:db8::1", 80, 0, 0)),
    (socket.AF_INET6, ("2001:db8::2", 80, 0, 0)),
    (socket.AF_INET, ("192.0.2.1", 80)),
    (socket.AF_INET, ("192.0.2.2", 80)),
]


class Network:
    """Names and connections of an event loop: what names resolve to is scripted, what was tried is remembered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *addresses: tuple[int, Any], real: bool = False) -> None:
        self._addresses = addresses
        self.tried: list[Any] = []
        self.sockets: list[socket.socket] = []
        self.silent: set[Any] = set()
        self.answered = asyncio.Event()
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", self._resolve)
        if not real:
            monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", self._connect)

    async def _resolve(self, *_: object, **__: object) -> list[Any]:
        return [(family, socket.SOCK_STREAM, 6, "", address) for family, address in self._addresses]

    async def _connect(self, connecting: socket.socket, address: Any) -> None:
        self.tried.append(address[0])
        self.sockets.append(connecting)
        if not self.silent:
            raise ConnectionRefusedError(f"{address[0]} refused")
        if address[0] in self.silent:
            await self.answered.wait()
        else:
            self.answered.set()


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
            Network(monkeypatch, (socket.AF_INET, silent), (socket.AF_INET, ("127.0.0.1", peer.port)), real=True)
            async with asyncio.timeout(10):
                text = (await client.get("http://model.invalid/")).text
            kept_alive = _kept_alive() - before

    assert text == "ok"
    assert kept_alive == 1


async def test_families_take_turns_and_all_faults_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses that fail are followed by the next at once, of the other family if there is one."""
    network = Network(monkeypatch, *ADDRESSES)
    with pytest.raises(OSError, match=r"2001:db8::1 refused; 192.0.2.1 refused; .*::2 refused; 192.0.2.2 refused"):
        await connected_socket("model.invalid", 80)

    assert network.tried == ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2"]
    assert {opened.fileno() for opened in network.sockets} == {-1}


async def test_of_two_that_answer_at_once_one_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first that answers wins; what came with it is closed."""
    network = Network(monkeypatch, *ADDRESSES[1:3])
    network.silent = {"2001:db8::2"}
    won = await connected_socket("model.invalid", 80)
    won.close()
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert network.tried == ["2001:db8::2", "192.0.2.1"]
    assert {opened.fileno() for opened in network.sockets} == {-1}


async def test_a_host_without_addresses_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that resolves to nothing is told as such."""
    Network(monkeypatch)
    with pytest.raises(OSError, match="no address"):
        await connected_socket("model.invalid", 80)


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
