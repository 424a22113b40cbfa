"""
A connection to whichever address of a host answers first, so that a silent one costs a moment and not the whole.

anyio, which is there already, can do so, but hands out a stream with a protocol and buffers of its own, and not the
socket: an open answer would keep both. The package aiohappyeyeballs hands out a socket, and is one more to depend on.
"""

from __future__ import annotations

import asyncio
import socket
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    Address: TypeAlias = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int] | tuple[object, ...]]

_DELAY_SECONDS = 0.25
# As the official SDK sets them: a peer that vanished is noticed after six minutes.
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPALIVE": 60, "TCP_KEEPINTVL": 60, "TCP_KEEPCNT": 5}


async def connected_socket(host: str, port: int) -> socket.socket:
    """
    Resolve a host and connect to it by TCP (RFC 8305): an attempt begins when the one before failed or takes long.

    Event loops can do so too, but not all of them. Bound it by a timeout: cancelling closes all attempts.

    Raises:
        OSError: with what every address failed by.
    """
    loop = asyncio.get_running_loop()
    untried = _interleaved(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    if len(untried) == 1:
        return await _attempt(untried[0])
    attempts: set[asyncio.Task[socket.socket]] = set()
    errors: list[BaseException] = []
    try:
        while untried or attempts:
            if untried:
                attempts.add(loop.create_task(_attempt(untried.pop(0))))
            wait = _DELAY_SECONDS if untried else None
            done, _ = await asyncio.wait(attempts, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            for attempt in done:
                attempts.remove(attempt)
                if (error := attempt.exception()) is None:
                    attempts |= done - {attempt}
                    return attempt.result()
                errors.append(error)
    finally:
        for attempt in attempts:
            attempt.cancel()
            attempt.add_done_callback(_abandon)
    raise OSError("; ".join(dict.fromkeys(str(error) for error in errors)) or "it has no address")


def _interleaved(addresses: Iterable[Address]) -> list[Address]:
    """Let families take turns: all addresses of one may be out of reach."""
    families: dict[socket.AddressFamily, list[Address]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    return [address for turn in zip_longest(*families.values()) for address in turn if address is not None]


async def _attempt(address: Address) -> socket.socket:
    family, kind, protocol, _, place = address
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)
        connecting.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if hasattr(socket, name):
                connecting.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        await asyncio.get_running_loop().sock_connect(connecting, place)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _abandon(attempt: asyncio.Task[socket.socket]) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()
