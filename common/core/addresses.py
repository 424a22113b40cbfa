"""Recognises loopback addresses."""

from __future__ import annotations

import ipaddress

UNPROXIED_GRPC = ("grpc.enable_http_proxy", 0)
"""Channel option: gRPC ignores `http_proxy`, `https_proxy` and `grpc_proxy` of the environment."""


def is_loopback(host: str | None) -> bool:
    """Return whether a host name or address, without its port, is this machine."""
    name = (host or "").strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
