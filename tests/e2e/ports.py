"""Ports of the loopback interface for the processes that tests start."""

from __future__ import annotations

import os
import random
import socket

from cgrag_client.suite.ports import HEALTH_PORT_OFFSET

_LOWEST, _HIGHEST = 20_000, 31_000  # below what systems hand out by themselves to whoever connects
_GIVEN: set[int] = set()
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def free_port() -> int:
    """
    Choose a port so that nobody listens on it and on the one for health of a service that gets it.

    Both are given once only: what a test chose earlier may not be listened on yet, and a health port that is another
    service's own port lets whichever starts second fail.
    """
    chooser = random.SystemRandom()
    while True:
        port = chooser.randrange(_LOWEST, _HIGHEST)
        pair = {port, port + HEALTH_PORT_OFFSET}
        if _is_ours(port) and not pair & _GIVEN and all(_is_free(one) for one in pair):
            _GIVEN.update(pair)
            return port


def _is_ours(port: int) -> bool:
    return port % HEALTH_PORT_OFFSET * _WORKERS // HEALTH_PORT_OFFSET == _WORKER


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
