"""Checks whether a port can be bound, and reports the reason if not, which gRPC hides."""

from __future__ import annotations

import socket

from common.core.errors import StartupError

_LAST_PORT = 65535


def address_of(host: str, port: int) -> str:
    """Return `host:port` as gRPC wants it, IPv6 addresses in brackets."""
    return f"[{host}]:{port}" if ":" in host and not host.startswith("[") else f"{host}:{port}"


def require_free(host: str, port: int, *, service: str, field: str) -> None:
    """
    Return if the port can be listened on.

    Args:
        host: Address to listen on.
        port: Port; 0, any free one, always can.
        service: Section of the settings.
        field: Setting that holds the port.

    Raises:
        StartupError: names the port, the reason, and the setting to change.
    """
    variable = f"CGRAG_{service}_{field}".upper()
    if port > _LAST_PORT:
        raise StartupError(f"port {port} is past the last one, {_LAST_PORT}: set {variable} ({field} in [{service}])")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        raise StartupError(
            f"cannot listen on {address_of(host, port)} ({error.strerror}): stop what uses it,"
            f" or set {variable} ({field} in [{service}]) to another port"
        ) from error
