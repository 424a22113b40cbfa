"""Parses URLs of git repositories, and checks which network addresses may be connected to."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from common.core.addresses import is_loopback
from indexer.domain.errors import SourceRefused, SourceUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

_PORTS = {"https": 443, "ssh": 22}
_SCP = re.compile(r"(?P<user>[\w.-]+@)?(?P<host>[A-Za-z0-9][\w.-]*):(?P<path>[^:/].*|/[^/].*)")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9a-fA-F:.]+")
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_FIELD = {"field": "source.git.url"}


@dataclass(frozen=True, slots=True)
class Target:
    """A URL with its parts; `scheme` is https or ssh."""

    url: str
    scheme: str
    host: str
    port: int


def parse_url(url: str) -> Target:
    """Return the parts of a URL. Raises SourceRefused for all but https://, ssh:// and user@host:path."""
    if not url.isascii() or not url.isprintable() or " " in url or url.startswith("-") or "::" in url.split("/")[0]:
        raise SourceRefused("The URL must be https://, ssh:// or user@host:path.", metadata=_FIELD)
    if "://" not in url:
        match = _SCP.fullmatch(url)
        if match is None:
            raise SourceRefused("The URL must be https://, ssh:// or user@host:path.", metadata=_FIELD)
        return Target(url, "ssh", match["host"], _PORTS["ssh"])
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        raise SourceRefused("The URL is malformed.", metadata=_FIELD) from None
    if scheme not in _PORTS or not _HOST.fullmatch(host):
        raise SourceRefused("Only https:// and ssh:// URLs with a host are fetched.", metadata=_FIELD)
    if (parts.username or "").startswith("-"):
        raise SourceRefused("The URL's user is malformed.", metadata=_FIELD)
    return Target(url, scheme, host, port or _PORTS[scheme])


def proxy_of(target: Target) -> str:
    """
    Return the proxy for a host from environment variables; "" if it is connected to directly.

    `https_proxy` takes precedence over `all_proxy`. No proxy is used for SSH, loopback, and hosts in `no_proxy`.
    """
    if target.scheme != "https" or is_loopback(target.host) or proxy_bypass(target.host):
        return ""
    proxies = getproxies_environment()
    return proxies.get("https") or proxies.get("all", "")


def pinned_address(target: Target, allowed_hosts: Sequence[str]) -> str:
    """
    Return an address of the host for the whole fetch, so that a second look-up cannot return another one.

    If this machine cannot resolve the host, but a proxy is used, which resolves names itself, it is "".

    Raises SourceRefused if any of its addresses is private, local, reserved or a metadata service's, unless the host
    is allowed; SourceUnavailable if it has none.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except OSError:
        if proxy_of(target):
            return ""
        raise SourceUnavailable(f"The host {target.host!r} cannot be found; check the URL.", metadata=_FIELD) from None
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    if target.host not in allowed_hosts and not all(_is_public(address) for address in addresses):
        raise SourceRefused(
            f"{target.host!r} has a private or local address; an operator can allow it by the setting "
            "git_allowed_hosts.",
            metadata=_FIELD,
        )
    return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    inner = _embedded(parsed) if isinstance(parsed, ipaddress.IPv6Address) else None
    return all(each.is_global and not each.is_multicast for each in (parsed, inner) if each)


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address embedded in a mapped, 6to4, Teredo or NAT64 address; None for others."""
    if any(address in network for network in _NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
