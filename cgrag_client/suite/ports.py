"""Which ports the services of one machine use: the configured ones, or free ones."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag_client.connecting.settings import DEFAULT, SERVICES, load_with_origins, service_value
from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgrag_client.connecting.settings import ClientSettings

HOST = "127.0.0.1"
HEALTH_PORT_OFFSET = 1000
_LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::]"})  # noqa: S104 - compared, not bound
_LOWEST, _HIGHEST = 20_000, 31_000
_ATTEMPTS = 500
_MOST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class ServicePorts:
    """
    Ports of one service.

    Attributes:
        grpc: Port of its gRPC server.
        metrics: Port of its metrics; None takes the port of the service's own settings.
        own_health: Port of its health server; 0 takes `grpc` + 1000.
    """

    grpc: int
    metrics: int | None = None
    own_health: int = 0

    @property
    def health(self) -> int:
        """The port of the health server."""
        return self.own_health or self.grpc + HEALTH_PORT_OFFSET


@dataclass(frozen=True, slots=True)
class SuitePorts:
    """Ports of all services, by name."""

    services: Mapping[str, ServicePorts]

    def addresses(self, settings: ClientSettings) -> ClientSettings:
        """Return a caller's settings with the addresses of these ports."""
        return settings.at({name: f"{HOST}:{ports.grpc}" for name, ports in self.services.items()})

    def taken(self) -> tuple[str, ...]:
        """Return every port that is already in use, with the service that needs it, as text."""
        found: list[str] = []
        for name, ports in self.services.items():
            for use, port in (("", ports.grpc), (" health", ports.health), (" metrics", ports.metrics)):
                if port is not None and not _is_free(port):
                    found.append(f"{port} ({name}{use})")
        return tuple(found)


def ports_of(environ: Mapping[str, str]) -> SuitePorts:
    """
    Return the ports that the settings name: `port` of a service, else the port of its address in `[client]`.

    Raises:
        UsageError: if an address is not on this machine, or a service's port and address are set and differ.
    """
    settings, origins = load_with_origins(environ)
    address_set = {each.name for each in origins if each.source != DEFAULT}
    services: dict[str, ServicePorts] = {}
    for name in SERVICES:
        host, _, port = settings.address(name).rpartition(":")
        if host not in _LOCAL_HOSTS or not port.isdigit():
            raise UsageError(
                f"client.{name} is {settings.address(name)}: `cgrag up` needs an address like {HOST}:50051"
            )
        own, where = _own_port(name, "port", environ)
        if own and f"client.{name}" in address_set and own != int(port):
            raise UsageError(
                f"{where} makes the {name} listen on {own}, and client.{name} is {settings.address(name)};"
                " keep one of the two, or let them agree"
            )
        services[name] = ServicePorts(own or int(port), own_health=_own_port(name, "health_port", environ)[0])
    return SuitePorts(services)


def _own_port(service: str, name: str, environ: Mapping[str, str]) -> tuple[int, str]:
    """Return the port that is set for a service, and where; port 0 if none is set, or if 0 (any free one) is set."""
    raw, source = service_value(service, name, environ) or (0, DEFAULT)
    where = f"[{service}] {name}" if source == "file" else source
    text = str(raw).strip()
    if not text.isdecimal() or int(text) > _MOST_PORT:
        raise UsageError(f"{where}: expected a port from 0 to {_MOST_PORT}, got {raw!r}")
    return int(text), where


def free_ports() -> SuitePorts:
    """Choose free ports below the ephemeral range of the system."""
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
                raise UsageError(f"no free ports between {_LOWEST} and {_HIGHEST}; stop programs that listen there")
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
