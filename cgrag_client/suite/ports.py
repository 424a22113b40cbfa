"""Which ports the services of one machine use: the configured ones, or free ones."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cgrag_client.errors import UsageError
from cgrag_client.settings import SERVICES, ClientSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "127.0.0.1"
HEALTH_PORT_OFFSET = 1000
_LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::]"})  # noqa: S104 - compared, not bound
_LOWEST, _HIGHEST = 20_000, 31_000
_ATTEMPTS = 500


@dataclass(frozen=True, slots=True)
class ServicePorts:
    """Ports of one service; None leaves the metrics port to the service's own settings."""

    grpc: int
    metrics: int | None = None

    @property
    def health(self) -> int:
        """The port of the health server."""
        return self.grpc + HEALTH_PORT_OFFSET


@dataclass(frozen=True, slots=True)
class SuitePorts:
    """Ports of all services, by name."""

    services: Mapping[str, ServicePorts]

    def addresses(self, settings: ClientSettings) -> ClientSettings:
        """Point a caller's settings at these ports."""
        return replace(
            settings,
            indexer=self._address("indexer"),
            classifier=self._address("classifier"),
            retriever=self._address("retriever"),
            orchestrator=self._address("orchestrator"),
        )

    def taken(self) -> tuple[str, ...]:
        """Name every port that somebody listens on already, with the service that needs it."""
        found: list[str] = []
        for name, ports in self.services.items():
            for use, port in (("", ports.grpc), (" health", ports.health), (" metrics", ports.metrics)):
                if port is not None and not _is_free(port):
                    found.append(f"{port} ({name}{use})")
        return tuple(found)

    def _address(self, service: str) -> str:
        return f"{HOST}:{self.services[service].grpc}"


def ports_of(settings: ClientSettings) -> SuitePorts:
    """Take the ports out of a caller's addresses. Raises UsageError if one of them is not on this machine."""
    services: dict[str, ServicePorts] = {}
    for name in SERVICES:
        host, _, port = settings.address(name).rpartition(":")
        if host not in _LOCAL_HOSTS or not port.isdigit():
            raise UsageError(
                f"client.{name} is {settings.address(name)}: `cgrag up` needs an address like {HOST}:50051"
            )
        services[name] = ServicePorts(int(port))
    return SuitePorts(services)


def free_ports() -> SuitePorts:
    """Choose ports that nobody listens on now, below the range that systems hand out by themselves."""
    chooser = random.SystemRandom()
    services: dict[str, ServicePorts] = {}
    with ExitStack() as held:
        for name in SERVICES:
            for _ in range(_ATTEMPTS):
                grpc, metrics = chooser.sample(range(_LOWEST, _HIGHEST), 2)
                if all(_hold(held, port) for port in (grpc, grpc + HEALTH_PORT_OFFSET, metrics)):
                    services[name] = ServicePorts(grpc, metrics)
                    break
            else:
                raise UsageError(f"no free ports between {_LOWEST} and {_HIGHEST}")
    return SuitePorts(services)


def _is_free(port: int) -> bool:
    with ExitStack() as held:
        return _hold(held, port)


def _hold(held: ExitStack, port: int) -> bool:
    listener = held.enter_context(socket.socket())
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(1)
    except OSError:
        return False
    return True
